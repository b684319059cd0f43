//! The metadata cache image (IV.A.2.y): newer copies of metadata than those at their addresses.

use super::verified;
use crate::bytes::parse::{addr, counted, field, length, signature, take, u8, u16, u32, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// A cache image block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheImage {
    /// Flags; bit 0 would announce data that nothing writes.
    pub flags: u8,
    /// Length of the image as stored, in bytes.
    pub length: u64,
    /// Entries, to be laid over the file.
    pub entries: Vec<CacheEntry>,
}

/// One piece of metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheEntry {
    /// What it is, by libhdf5's numbers.
    pub kind: u8,
    /// Flags: dirty 1, in the LRU list 2, flush dependency parent 4, child 8.
    pub flags: u8,
    /// Flush ring.
    pub ring: u8,
    /// Age.
    pub age: u8,
    /// Flush dependency children, dirty ones among them, and parents.
    pub dependencies: [u16; 3],
    /// Place in the LRU list.
    pub lru_rank: u32,
    /// Where it belongs.
    pub address: Option<Addr>,
    /// Addresses of its flush dependency parents.
    pub parents: Vec<Option<Addr>>,
    /// Its bytes.
    pub image: Vec<u8>,
}

impl CacheImage {
    /// Decodes the block, whose checksum ends it.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum, an entry that leaves the block.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        verified(block, Structure::CacheImage)?.run(Structure::CacheImage, move |i| {
            let (i, ()) = field("signature", signature(b"MDCI"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, flags) = field("flags", u8)(i)?;
            let (i, stored) = field("image length", length(w))(i)?;
            let (mut i, n) = field("number of entries", u32)(i)?;
            let mut entries = Vec::new();
            for _ in 0..n {
                let (after, kind) = field("entry type", u8)(i)?;
                let (after, flags) = field("entry flags", u8)(after)?;
                let (after, ring) = field("ring", u8)(after)?;
                let (after, age) = field("age", u8)(after)?;
                let (after, children) = field("flush dependency children", u16)(after)?;
                let (after, dirty) = field("dirty flush dependency children", u16)(after)?;
                let (after, parents) = field("flush dependency parents", u16)(after)?;
                let (after, lru_rank) = field("LRU rank", u32)(after)?;
                let (after, address) = field("entry address", addr(w))(after)?;
                let (after, size) = field("entry length", length(w))(after)?;
                let (after, parent_addresses) =
                    field("parent addresses", counted(parents.into(), w.offsets.into(), addr(w)))(after)?;
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let (after, image) = field("entry image", take(size))(after)?;
                entries.push(CacheEntry {
                    kind,
                    flags,
                    ring,
                    age,
                    dependencies: [children, dirty, parents],
                    lru_rank,
                    address,
                    parents: parent_addresses,
                    image: image.to_vec(),
                });
                i = after;
            }
            Ok((i, Self { flags, length: stored, entries }))
        })
    }

    /// Encodes the block.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"MDCI");
            to.u8(0);
            to.u8(self.flags);
            to.length(self.length);
            to.uint(4, self.entries.len() as u64);
            for entry in &self.entries {
                to.bytes(&[entry.kind, entry.flags, entry.ring, entry.age]);
                entry.dependencies.into_iter().for_each(|n| to.u16(n));
                to.u32(entry.lru_rank);
                to.addr(entry.address);
                to.length(entry.image.len() as u64);
                entry.parents.iter().for_each(|a| to.addr(*a));
                to.bytes(&entry.image);
            }
        });
    }
}

#[cfg(test)]
#[test]
fn one_entry() {
    let image = CacheImage {
        flags: 0,
        length: 48,
        entries: vec![CacheEntry {
            kind: 5,
            flags: 3,
            ring: 1,
            age: 0,
            dependencies: [0, 0, 1],
            lru_rank: 1,
            address: Some(Addr(0x60)),
            parents: vec![Some(Addr(0x30))],
            image: vec![1, 2, 3],
        }],
    };
    let widths = crate::bytes::Widths { offsets: 4, lengths: 4 };
    let bytes = Emit::encode(widths, |to| image.encode(to)).expect("it fits");
    assert_eq!(super::testing::both_ways(&bytes, 4, CacheImage::decode, CacheImage::encode), image);
}
