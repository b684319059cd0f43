//! The object header (IV.A.1): its prefix and the messages in its chunks.

mod messages;
mod prefix;

pub use messages::{Message, MessageFlags, MessageType, Messages};
pub use prefix::{Prefix, PrefixV1, PrefixV2, Times};
