use super::record::RecordType;
use crate::bytes::parse::{addr, field, length, signature, u8, u16, u32, version};
use crate::bytes::{Addr, Block, Emit, Widths, width_of};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::verified;

/// The header of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BTreeV2 {
    /// What its records are.
    pub record_type: RecordType,
    /// Bytes of every node.
    pub node_size: u32,
    /// Bytes of every record.
    pub record_size: u16,
    /// Levels of internal nodes above the leaves.
    pub depth: u16,
    /// Percent full at which a node is split.
    pub split_percent: u8,
    /// Percent full at which a node is merged.
    pub merge_percent: u8,
    /// The root node; undefined while there is no record.
    pub root: Option<Addr>,
    /// Records in the root node.
    pub root_records: u16,
    /// Records in the tree.
    pub total_records: u64,
}

impl BTreeV2 {
    /// Bytes of the header.
    #[must_use]
    pub fn size(w: Widths) -> usize {
        22 + usize::from(w.offsets) + usize::from(w.lengths)
    }

    /// Decodes the header.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum, sizes with which no tree can be.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        const S: Structure = Structure::BTreeV2Header;
        let w = block.widths();
        let block = block.sub(S, "length", 0..Self::size(w))?;
        let header = verified(block, S)?.run(S, move |i| {
            let (i, ()) = field("signature", signature(b"BTHD"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, record_type) = field("type", u8)(i)?;
            let (i, node_size) = field("node size", u32)(i)?;
            let (i, record_size) = field("record size", u16)(i)?;
            let (i, depth) = field("depth", u16)(i)?;
            let (i, split_percent) = field("split percent", u8)(i)?;
            let (i, merge_percent) = field("merge percent", u8)(i)?;
            let (i, root) = field("root node address", addr(w))(i)?;
            let (i, root_records) = field("number of records in root node", u16)(i)?;
            let (i, total_records) = field("total number of records in B-tree", length(w))(i)?;
            let record_type = RecordType(record_type);
            Ok((
                i,
                Self {
                    record_type,
                    node_size,
                    record_size,
                    depth,
                    split_percent,
                    merge_percent,
                    root,
                    root_records,
                    total_records,
                },
            ))
        })?;
        if header.record_size == 0 {
            return Err(block.corrupt(S, "record size", Fault::Value(0)));
        }
        Ok(header)
    }

    /// Encodes the header.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"BTHD");
            to.u8(0);
            to.u8(self.record_type.0);
            to.u32(self.node_size);
            to.u16(self.record_size);
            to.u16(self.depth);
            to.u8(self.split_percent);
            to.u8(self.merge_percent);
            to.addr(self.root);
            to.u16(self.root_records);
            to.length(self.total_records);
        });
    }
}

/// What the nodes of one level hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Most records of a node.
    pub records: u64,
    /// Most records of a node and of everything below it.
    pub cumulative: u64,
    /// Bytes of a number up to `cumulative`; 0 for leaves, whose total is not stored.
    pub cumulative_width: u8,
}

/// The widths and capacities that follow from a tree's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of a record.
    pub record_size: usize,
    /// Bytes of the record count in a child pointer: those that a leaf's capacity needs, at every level.
    pub count_width: u8,
    /// Level by level from the leaves.
    pub levels: Vec<Level>,
}

impl Geometry {
    /// Works the numbers out.
    ///
    /// # Errors
    /// Nodes too small for a record, or a tree too deep to be counted in 64 bits.
    pub fn new(tree: &BTreeV2, w: Widths, at: u64) -> Result<Self, Corrupt> {
        let corrupt = |field, value: u64| Corrupt::new(Structure::BTreeV2Header, field, at, Fault::Value(value));
        let record_size = u64::from(tree.record_size);
        let room = u64::from(tree.node_size).saturating_sub(Node::OVERHEAD);
        let leaf = room / record_size;
        if leaf == 0 {
            return Err(corrupt("node size", tree.node_size.into()));
        }
        let count_width = width_of(leaf);
        let mut levels = vec![Level { records: leaf, cumulative: leaf, cumulative_width: 0 }];
        for depth in 1..=tree.depth {
            let below = levels[usize::from(depth) - 1];
            let pointer = u64::from(w.offsets) + u64::from(count_width) + u64::from(below.cumulative_width);
            let records = room.saturating_sub(pointer) / (record_size + pointer);
            if records == 0 {
                return Err(corrupt("node size", tree.node_size.into()));
            }
            let cumulative = (records + 1)
                .checked_mul(below.cumulative)
                .and_then(|n| n.checked_add(records))
                .ok_or_else(|| corrupt("depth", tree.depth.into()))?;
            levels.push(Level { records, cumulative, cumulative_width: width_of(cumulative) });
        }
        Ok(Self { record_size: tree.record_size.into(), count_width, levels })
    }
}

use super::node::Node;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn header_and_geometry() {
        let tree = BTreeV2 {
            record_type: RecordType::LINK_NAME,
            node_size: 512,
            record_size: 11,
            depth: 2,
            split_percent: 100,
            merge_percent: 40,
            root: Some(Addr(0x800)),
            root_records: 3,
            total_records: 900,
        };
        let bytes = Emit::encode(Widths::default(), |to| tree.encode(to)).expect("it fits");
        assert_eq!(both_ways(&bytes, 8, BTreeV2::decode, BTreeV2::encode), tree);
        let geometry = Geometry::new(&tree, Widths::default(), 0).expect("a possible tree");
        // By hand: leaf (512-10)/11; above (512-10-9)/(11+9); above that the pointer has 2 bytes more.
        assert_eq!(geometry.levels.iter().map(|l| l.records).collect::<Vec<_>>(), [45, 24, 22]);
        assert_eq!(geometry.levels[1].cumulative, 25 * 45 + 24);
        assert_eq!((geometry.count_width, geometry.levels[1].cumulative_width), (1, 2));
    }
}
