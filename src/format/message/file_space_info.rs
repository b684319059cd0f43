//! The file space info message, type 0x0017 (IV.A.2.x), of the superblock extension.

use crate::bytes::parse::{addr, counted, field, length, rest, u8, u16, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// How the file's space is managed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSpaceInfo {
    /// Version 0, which only development releases wrote; its body has two layouts and is kept as it is.
    Early(Vec<u8>),
    /// Version 1.
    Current {
        /// 0 free-space managers and aggregators, 1 paged, 2 aggregators, 3 none.
        strategy: u8,
        /// Non-zero where free space is kept in the file.
        persist: u8,
        /// Fewest bytes of free space that are tracked.
        threshold: u64,
        /// Bytes of a page.
        page_size: u64,
        /// Metadata at the end of a page, in bytes.
        page_end_threshold: u16,
        /// End of the file before free-space information was allocated.
        end_of_allocation: Option<Addr>,
        /// Free-space managers of small and large pieces, by kind of use.
        managers: Vec<Option<Addr>>,
    },
}

impl FileSpaceInfo {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::FileSpaceInfo, move |i| {
            let (i, version) = field("version", version(&[0, 1]))(i)?;
            if version == 0 {
                return rest(i).map(|(i, body)| (i, Self::Early(body.to_vec())));
            }
            let (i, strategy) = field("strategy", u8)(i)?;
            let (i, persist) = field("persisting free-space", u8)(i)?;
            let (i, threshold) = field("free-space section threshold", length(w))(i)?;
            let (i, page_size) = field("file space page size", length(w))(i)?;
            let (i, page_end_threshold) = field("page-end metadata threshold", u16)(i)?;
            let (i, end_of_allocation) = field("EOA", addr(w))(i)?;
            let n = if persist == 0 { 0 } else { 12 };
            let (i, managers) = field("address of free-space manager", counted(n, w.offsets.into(), addr(w)))(i)?;
            Ok((
                i,
                Self::Current {
                    strategy,
                    persist,
                    threshold,
                    page_size,
                    page_end_threshold,
                    end_of_allocation,
                    managers,
                },
            ))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        match self {
            Self::Early(body) => {
                to.u8(0);
                to.bytes(body);
            }
            Self::Current {
                strategy,
                persist,
                threshold,
                page_size,
                page_end_threshold,
                end_of_allocation,
                managers,
            } => {
                to.bytes(&[1, *strategy, *persist]);
                to.length(*threshold);
                to.length(*page_size);
                to.u16(*page_end_threshold);
                to.addr(*end_of_allocation);
                managers.iter().for_each(|a| to.addr(*a));
            }
        }
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    use crate::format::testing::both_ways;
    let persistent = [&[1, 1, 1, 1, 0, 0, 2, 0, 0, 0x80, 0][..], &[0xff; 24]].concat();
    let info = both_ways(&persistent, 2, FileSpaceInfo::decode, FileSpaceInfo::encode);
    assert!(matches!(info, FileSpaceInfo::Current { page_size: 512, managers, .. } if managers == [None; 12]));
}
