//! The object header messages (IV.A.2), one room for each type.

pub mod attribute;
pub mod attribute_info;
pub mod btree_k;
pub mod cache_image;
pub mod comment;
pub mod continuation;
pub mod data_layout;
pub mod dataspace;
pub mod datatype;
pub mod external_data_files;
pub mod file_space_info;
pub mod fill_value;
pub mod filter_pipeline;
pub mod group_info;
pub mod link;
pub mod link_info;
pub mod modification_time;
pub mod reference_count;
pub mod shared_message_table;
pub mod symbol_table;
