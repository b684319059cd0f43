//! The public API: files and what is in them.

mod attribute;
mod borrow;
mod chunked;
mod dataset;
mod file;
mod group;
mod heap;
mod info;
mod link;
mod lookup;
mod named_datatype;
mod neighbour;
mod open;
mod past_damage;
mod paths;
mod raw;
mod salvage;
mod storage_info;
mod virtual_read;
mod workers;

pub use attribute::{Attribute, Attributes};
pub use dataset::{Dataset, Member};
pub use file::File;
pub use group::Group;
pub(crate) use heap::FileHeap;
pub use info::ObjectInfo;
pub use link::{Link, Links, Target};
pub use lookup::Object;
pub use named_datatype::NamedDatatype;
pub use neighbour::{Folder, Neighbours};
pub use open::Options;
pub use past_damage::{DamagedChunk, Past};
pub use salvage::{Lost, Salvage, Salvaged, SalvagedRoot};
pub use storage_info::{FillInfo, FilterInfo, Layout, StoredChunk};
pub(crate) use workers::{WORTH_COPYING, WORTH_DECODING, share};
