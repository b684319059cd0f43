//! Sizes of elements in libhdf5's memory.
//!
//! The datatypes of a digest are those that libhdf5 hands out: where a compound has members that lead
//! elsewhere, their size in memory takes the place of their size in the file, and what follows moves.

use crate::format::message::datatype::{Class, Datatype, Member, ReferenceKind};

/// Bytes of a pointer to a string, and of a sequence's length and pointer.
const STRING: u64 = 8;
const SEQUENCE: u64 = 16;
/// Bytes of the three kinds of references.
const OBJECT: u64 = 8;
const REGION: u64 = 12;
const REVISED: u64 = 64;

/// Bytes of an element.
pub(super) fn size(datatype: &Datatype) -> u64 {
    match &datatype.class {
        Class::VariableLength { is_string: true, .. } => STRING,
        Class::VariableLength { .. } => SEQUENCE,
        Class::Reference { kind: ReferenceKind::Object, .. } => OBJECT,
        Class::Reference { kind: ReferenceKind::Region, .. } => REGION,
        Class::Reference { .. } => REVISED,
        Class::Array { base, .. } => datatype.array_elements().saturating_mul(size(base)),
        Class::Compound { members } => {
            let growth: i64 = members.iter().map(growth).sum();
            u64::from(datatype.size).saturating_add_signed(growth)
        }
        _ => datatype.size.into(),
    }
}

/// Where each member begins.
pub(super) fn offsets(members: &[Member]) -> Vec<u64> {
    let moved = |member: &Member| {
        let before = members.iter().filter(|other| other.offset < member.offset);
        u64::from(member.offset).saturating_add_signed(before.map(growth).sum())
    };
    members.iter().map(moved).collect()
}

/// Bytes that a member has more in memory than in the file.
fn growth(member: &Member) -> i64 {
    i64::try_from(size(&member.datatype)).unwrap_or(i64::MAX).saturating_sub(member.datatype.size.into())
}
