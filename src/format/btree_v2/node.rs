use super::header::Geometry;
use super::record::RecordType;
use crate::bytes::parse::{addr, field, signature, take, u8, uint, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::verified;

/// A pointer of an internal node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The node below.
    pub address: Option<Addr>,
    /// Records in it.
    pub records: u64,
    /// Records in it and below; `None` for leaves.
    pub total: Option<u64>,
}

/// A leaf or internal node: its records lie between its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// What the records are.
    pub record_type: RecordType,
    /// The records, in order.
    pub records: Vec<&'a [u8]>,
    /// One more than there are records; none in a leaf.
    pub children: Vec<Child>,
}

impl<'a> Node<'a> {
    /// Bytes of a node that are neither record nor child: signature, version, type, checksum.
    pub const OVERHEAD: u64 = 10;

    /// The structure's name at a depth (0 for leaves).
    #[must_use]
    pub fn structure(depth: u16) -> Structure {
        if depth == 0 { Structure::BTreeV2Leaf } else { Structure::BTreeV2Internal }
    }

    /// Decodes a node of `n` records at `depth` (0 for leaves).
    ///
    /// # Errors
    /// Another signature, version or type, more records than fit, a wrong checksum.
    pub fn decode(
        block: Block<'a>,
        record_type: RecordType,
        geometry: &Geometry,
        depth: u16,
        n: u64,
    ) -> Result<Self, Corrupt> {
        let s = Self::structure(depth);
        let level = geometry.levels[usize::from(depth).min(geometry.levels.len() - 1)];
        if n > level.records {
            return Err(block.corrupt(s, "number of records", Fault::Mismatch { found: n, expected: level.records }));
        }
        let n = n as usize;
        let w = block.widths();
        let below = usize::from(depth).checked_sub(1).map(|d| geometry.levels[d].cumulative_width);
        let pointer = |below: u8| usize::from(w.offsets + geometry.count_width + below);
        let used = 6 + n * geometry.record_size + below.map_or(0, |b| (n + 1) * pointer(b)) + 4;
        let body = verified(block.sub(s, "length", 0..used)?, s)?;
        body.run(s, |i| {
            let name = if depth == 0 { b"BTLF" } else { b"BTIN" };
            let (i, ()) = field("signature", signature(name))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (after, kind) = field("type", u8)(i)?;
            if kind != record_type.0 {
                let fault = Fault::Mismatch { found: kind.into(), expected: record_type.0.into() };
                return field("type", |i| crate::bytes::parse::fail(i, fault.clone()))(i);
            }
            let (mut i, records) = field("records", take(n * geometry.record_size))(after)?;
            let mut children = Vec::new();
            if let Some(below) = below {
                for _ in 0..=n {
                    let (after, address) = field("child node pointer", addr(w))(i)?;
                    let (after, records) = field("number of records in child", uint(geometry.count_width))(after)?;
                    let (after, total) = if below == 0 {
                        (after, None)
                    } else {
                        field("total number of records in child", uint(below))(after).map(|(i, n)| (i, Some(n)))?
                    };
                    children.push(Child { address, records, total });
                    i = after;
                }
            }
            let records = records.chunks_exact(geometry.record_size).collect();
            Ok((i, Self { record_type, records, children }))
        })
    }

    /// Encodes the part of the node that is in use; `depth` as for decoding.
    pub fn encode(&self, geometry: &Geometry, depth: u16, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(if depth == 0 { b"BTLF" } else { b"BTIN" });
            to.u8(0);
            to.u8(self.record_type.0);
            self.records.iter().for_each(|r| to.bytes(r));
            for child in &self.children {
                to.addr(child.address);
                to.uint(geometry.count_width, child.records);
                if let Some(total) = child.total {
                    to.uint(geometry.levels[usize::from(depth) - 1].cumulative_width, total);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::BTreeV2;
    use super::*;
    use crate::bytes::Widths;
    use crate::format::testing::both_ways;

    #[test]
    fn leaf_and_internal_node() {
        let tree = BTreeV2 {
            record_type: RecordType::LINK_ORDER,
            node_size: 128,
            record_size: 15,
            depth: 2,
            split_percent: 100,
            merge_percent: 40,
            root: None,
            root_records: 0,
            total_records: 0,
        };
        let geometry = Geometry::new(&tree, Widths::default(), 0).expect("a possible tree");
        let records = [[1; 15], [2; 15]];
        for (depth, total) in [(0, None), (1, None), (2, Some(7))] {
            let child = |n| Child { address: Some(Addr(n)), records: 1, total };
            let children = if depth == 0 { vec![] } else { vec![child(8), child(16), child(24)] };
            let records = records.iter().map(|r| &r[..]).collect();
            let node = Node { record_type: tree.record_type, records, children };
            let bytes = Emit::encode(Widths::default(), |to| node.encode(&geometry, depth, to)).expect("it fits");
            let decode = |b: Block<'_>| {
                let node = Node::decode(b, tree.record_type, &geometry, depth, 2)?;
                Ok((node.records.concat(), node.children))
            };
            assert_eq!(
                both_ways(&bytes, 8, decode, |_, to| node.encode(&geometry, depth, to)),
                (node.records.concat(), node.children.clone())
            );
        }
    }
}
