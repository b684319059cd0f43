//! The superblock (II.A), versions 0 to 3.

use super::symbol_table_entry::SymbolTableEntry;
use super::verified;
use crate::bytes::parse::{Parsed, addr, array, cond, fail, field, u8, u16, u32, version};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Fault, Structure};

/// The eight bytes every HDF5 file has at 0, 512, 1024, 2048, …
pub const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// Bytes that hold any superblock with addresses of up to 32 bytes.
pub const LARGEST: u64 = 256;

/// Where everything in the file begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superblock {
    /// Size of offsets and size of lengths.
    pub widths: Widths,
    /// File consistency flags. Without meaning before version 3.
    pub flags: u32,
    /// Base address as stored; the position of the superblock counts more.
    pub base: Option<Addr>,
    /// End of file address: the length of the file as its writer knew it, user block included, in bytes.
    pub end_of_file: Option<Addr>,
    /// What the versions differ in.
    pub form: Form,
}

/// What the versions differ in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Versions 0 and 1.
    Old(Old),
    /// Versions 2 and 3.
    New {
        /// 2 or 3.
        version: u8,
        /// Object header with messages that describe the file.
        extension: Option<Addr>,
        /// Object header of the root group.
        root: Option<Addr>,
    },
}

/// The rest of a superblock of version 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// Half the symbols that a symbol table node has room for.
    pub group_leaf_k: u16,
    /// Half the children that a group's B-tree node has room for.
    pub group_internal_k: u16,
    /// Half the children that a chunk B-tree node has room for, and two reserved bytes: version 1.
    pub chunk_k: Option<(u16, u16)>,
    /// Versions of free-space storage, root entry and shared headers, with the two reserved bytes between.
    pub inner_versions: [u8; 5],
    /// Address of the file's free-space information: never used.
    pub free_space: Option<Addr>,
    /// Driver information block.
    pub driver_info: Option<Addr>,
    /// The root group.
    pub root: SymbolTableEntry,
}

/// The flag of a file that somebody writes to.
pub const WRITING: u32 = 1;

/// The flag of a file that somebody writes to while others read (single writer, multiple readers).
pub const SWMR_WRITING: u32 = 4;

/// True where the bytes of a superblock say that others may read while somebody writes, whether their checksum holds or not.
#[must_use]
pub fn claims_swmr(bytes: &[u8]) -> bool {
    let flags = bytes.get(SIGNATURE.len()..).and_then(<[u8]>::first_chunk);
    matches!(flags, Some([3, _, _, flags]) if u32::from(*flags) & SWMR_WRITING != 0)
}

impl Superblock {
    /// The version: 0 to 3.
    #[must_use]
    pub fn version(&self) -> u8 {
        match &self.form {
            Form::Old(old) => u8::from(old.chunk_k.is_some()),
            Form::New { version, .. } => *version,
        }
    }

    /// The superblock extension's object header.
    #[must_use]
    pub fn extension(&self) -> Option<Addr> {
        match &self.form {
            Form::Old(_) => None,
            Form::New { extension, .. } => *extension,
        }
    }

    /// The root group's object header.
    #[must_use]
    pub fn root(&self) -> Option<Addr> {
        match &self.form {
            Form::Old(old) => old.root.object_header,
            Form::New { root, .. } => *root,
        }
    }

    /// The driver information block.
    #[must_use]
    pub fn driver_info(&self) -> Option<Addr> {
        match &self.form {
            Form::Old(old) => old.driver_info,
            Form::New { .. } => None,
        }
    }

    /// Decodes the superblock at the start of `block`; its widths are ignored.
    ///
    /// # Errors
    /// No signature, an unknown version, sizes that do not exist, a wrong checksum.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let (version, widths) = block.run(Structure::Superblock, |i| {
            let (after, found) = field("signature", array::<8>)(i)?;
            if found != SIGNATURE {
                return fail(i, Fault::Signature { found: [found[0], found[1], found[2], found[3]] });
            }
            let (i, version) = field("version", version(&[0, 1, 2, 3]))(after)?;
            let (i, _) = field("reserved", array::<4>)(if version < 2 { i } else { &[0; 4] })?;
            let (i, offsets) = field("size of offsets", size)(if version < 2 { i } else { &after[1..] })?;
            let (i, lengths) = field("size of lengths", size)(i)?;
            Ok((i, (version, Widths { offsets, lengths })))
        })?;
        let block = Block::new(block.bytes(), block.at(), widths);
        if version < 2 { Self::decode_old(block, version) } else { Self::decode_new(block, version) }
    }

    fn decode_old(block: Block<'_>, version: u8) -> Result<Self, Corrupt> {
        let widths = block.widths();
        block.run(Structure::Superblock, |i| {
            let (i, _) = field("signature", array::<9>)(i)?;
            let (i, [free_space_version, root_version, reserved, shared_version]) = field("versions", array::<4>)(i)?;
            let (i, _) = field("size of offsets", array::<2>)(i)?;
            let (i, reserved2) = field("reserved", u8)(i)?;
            let (i, group_leaf_k) = field("group leaf node K", u16)(i)?;
            let (i, group_internal_k) = field("group internal node K", u16)(i)?;
            let (i, flags) = field("file consistency flags", u32)(i)?;
            let (i, chunk_k) = field("indexed storage internal node K", cond(version == 1, u16))(i)?;
            let (i, reserved3) = field("reserved", cond(version == 1, u16))(i)?;
            let (i, base) = field("base address", addr(widths))(i)?;
            let (i, free_space) = field("address of file free space info", addr(widths))(i)?;
            let (i, end_of_file) = field("end of file address", addr(widths))(i)?;
            let (i, driver_info) = field("driver information block address", addr(widths))(i)?;
            let (i, root) = field("root group symbol table entry", SymbolTableEntry::parse(widths))(i)?;
            let old = Old {
                group_leaf_k,
                group_internal_k,
                chunk_k: chunk_k.zip(reserved3),
                inner_versions: [free_space_version, root_version, reserved, shared_version, reserved2],
                free_space,
                driver_info,
                root,
            };
            Ok((i, Self { widths, flags, base, end_of_file, form: Form::Old(old) }))
        })
    }

    fn decode_new(block: Block<'_>, version: u8) -> Result<Self, Corrupt> {
        let widths = block.widths();
        let length = 16 + 4 * usize::from(widths.offsets);
        let block = block.sub(Structure::Superblock, "length", 0..length)?;
        verified(block, Structure::Superblock)?.run(Structure::Superblock, |i| {
            let (i, _) = field("signature", array::<11>)(i)?;
            let (i, flags) = field("file consistency flags", u8)(i)?;
            let (i, base) = field("base address", addr(widths))(i)?;
            let (i, extension) = field("superblock extension address", addr(widths))(i)?;
            let (i, end_of_file) = field("end of file address", addr(widths))(i)?;
            let (i, root) = field("root group object header address", addr(widths))(i)?;
            let form = Form::New { version, extension, root };
            Ok((i, Self { widths, flags: flags.into(), base, end_of_file, form }))
        })
    }

    /// Encodes the superblock, checksum included.
    pub fn encode(&self, to: &mut Emit) {
        match &self.form {
            Form::Old(old) => self.encode_old(old, to),
            Form::New { version, extension, root } => to.checksummed(|to| {
                to.bytes(&SIGNATURE);
                to.bytes(&[*version, self.widths.offsets, self.widths.lengths]);
                to.uint(1, self.flags.into());
                to.addr(self.base);
                to.addr(*extension);
                to.addr(self.end_of_file);
                to.addr(*root);
            }),
        }
    }

    fn encode_old(&self, old: &Old, to: &mut Emit) {
        let [free_space_version, root_version, reserved, shared_version, reserved2] = old.inner_versions;
        to.bytes(&SIGNATURE);
        to.bytes(&[self.version(), free_space_version, root_version, reserved, shared_version]);
        to.bytes(&[self.widths.offsets, self.widths.lengths, reserved2]);
        to.u16(old.group_leaf_k);
        to.u16(old.group_internal_k);
        to.u32(self.flags);
        if let Some((k, reserved)) = old.chunk_k {
            to.u16(k);
            to.u16(reserved);
        }
        to.addr(self.base);
        to.addr(old.free_space);
        to.addr(self.end_of_file);
        to.addr(old.driver_info);
        old.root.encode(to);
    }
}

fn size(i: &[u8]) -> Parsed<'_, u8> {
    let (after, n) = u8(i)?;
    if Widths::allowed(n) { Ok((after, n)) } else { fail(i, Fault::Value(n.into())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn version_3() {
        #[rustfmt::skip]
        let bytes = [
            0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a,   // signature
            3, 8, 8, 0,                                       // version, sizes, flags
            0, 0, 0, 0, 0, 0, 0, 0,                           // base address
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,   // extension
            0xd0, 0, 0, 0, 0, 0, 0, 0,                        // end of file
            0x98, 0, 0, 0, 0, 0, 0, 0,                        // root
            0x31, 0x6c, 0x34, 0xb8,                           // checksum
        ];
        let decoded = both_ways(&bytes, 8, Superblock::decode, Superblock::encode);
        assert_eq!((decoded.version(), decoded.root(), decoded.extension()), (3, Some(Addr(0x98)), None));
        let mut torn = bytes;
        torn[40] ^= 1;
        let fault = Superblock::decode(Block::new(&torn, 0, Widths::default())).expect_err("a wrong checksum");
        assert!(matches!(fault.fault(), Fault::Checksum { stored: 0xb834_6c31, .. }), "{fault}");
    }
}
