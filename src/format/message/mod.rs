//! The object header messages (IV.A.2), one room for each type.

pub mod link_info;
