use super::Datatype;
use crate::bytes::Text;

/// A member of a compound datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: Text,
    /// Where it begins in the element, in bytes.
    pub offset: u32,
    /// Its datatype.
    pub datatype: Datatype,
    /// Version 1: dimensions of its own, of which those in use made `datatype` an array.
    pub old_dims: Option<OldMemberDims>,
}

/// The dimensions that a member of version 1 carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldMemberDims {
    /// Dimensions in use, at most four.
    pub rank: u8,
    /// Reserved, before and after the permutation.
    pub reserved: ([u8; 3], u32),
    /// Permutation, which nothing used.
    pub permutation: u32,
    /// The dimensions.
    pub dims: [u32; 4],
}
