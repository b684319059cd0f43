//! Structures with one field set to an extreme value: decoded, changed, encoded again.

use h5kit::bytes::{Addr, Block, Emit, Widths};
use h5kit::error::Structure;
use h5kit::format::btree_v1::{ChunkKey, Node};
use h5kit::format::btree_v2::BTreeV2;
use h5kit::format::fractal_heap::FractalHeap;
use h5kit::format::global_heap::GlobalHeap;
use h5kit::format::local_heap::LocalHeap;
use h5kit::format::message::attribute_info::AttributeInfo;
use h5kit::format::message::continuation::Continuation;
use h5kit::format::message::data_layout::{DataLayout, LayoutClass};
use h5kit::format::message::dataspace::Dataspace;
use h5kit::format::message::datatype::Datatype;
use h5kit::format::message::filter_pipeline::FilterPipeline;
use h5kit::format::message::link_info::LinkInfo;
use h5kit::format::message::symbol_table::SymbolTable;
use h5kit::format::superblock::Superblock;
use h5kit::format::symbol_table_node::SymbolTableNode;

/// The structures that are changed here.
pub const STRUCTURES: [Structure; 13] = [
    Structure::Superblock,
    Structure::Dataspace,
    Structure::Datatype,
    Structure::DataLayout,
    Structure::FilterPipeline,
    Structure::LinkInfo,
    Structure::AttributeInfo,
    Structure::SymbolTable,
    Structure::Continuation,
    Structure::LocalHeap,
    Structure::SymbolTableNode,
    Structure::BTreeV2Header,
    Structure::FractalHeap,
];

/// Numbers at the borders of what fields hold.
const EXTREMES: [u64; 10] =
    [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// Changes a field to a number: what of it fits.
type Change<T> = fn(&mut T, u64);

/// The encodings of a value with each change and each extreme.
fn changed<T: Clone>(
    value: Option<T>,
    changes: &[Change<T>],
    w: Widths,
    encode: impl Fn(&T, &mut Emit),
) -> Vec<Vec<u8>> {
    let Some(value) = value else { return Vec::new() };
    let each = changes.iter().flat_map(|change| EXTREMES.iter().map(move |extreme| (change, *extreme)));
    let encoded = each.filter_map(|(change, extreme)| {
        let mut value = value.clone();
        change(&mut value, extreme);
        Emit::encode(w, |to| encode(&value, to)).ok()
    });
    encoded.collect()
}

/// The structure with extreme fields, encoded.
pub fn of(structure: Structure, bytes: &[u8], w: Widths) -> Vec<Vec<u8>> {
    let block = Block::new(bytes, 0, w);
    match structure {
        Structure::Superblock => changed(
            Superblock::decode(block).ok(),
            &[|s, n| s.base = Some(Addr(n)), |s, n| s.end_of_file = Some(Addr(n)), |s, n| s.flags = n as u32],
            w,
            Superblock::encode,
        ),
        Structure::Dataspace => changed(
            Dataspace::decode(block).ok(),
            &[
                |s, n| s.dims.iter_mut().take(1).for_each(|dim| *dim = n),
                |s, n| s.dims.iter_mut().for_each(|dim| *dim = n),
                |s, n| s.max_dims.iter_mut().flatten().for_each(|dim| *dim = Some(n)),
                |s, n| s.dims.resize((n % 34) as usize, 1),
            ],
            w,
            Dataspace::encode,
        ),
        Structure::Datatype => changed(
            Datatype::decode(block, Datatype::DEFAULT_DEPTH).ok(),
            &[|t, n| t.size = n as u32],
            w,
            Datatype::encode,
        ),
        Structure::DataLayout => {
            changed(DataLayout::decode(block).ok(), &[layout_size, layout_address, layout_chunk], w, DataLayout::encode)
        }
        Structure::FilterPipeline => changed(
            FilterPipeline::decode(block).ok(),
            &[
                |p, n| p.filters.iter_mut().for_each(|f| f.id = n as u16),
                |p, n| p.filters.iter_mut().for_each(|f| f.values.iter_mut().for_each(|v| *v = n as u32)),
                |p, n| p.filters.iter_mut().for_each(|f| f.flags = n as u16),
            ],
            w,
            FilterPipeline::encode,
        ),
        Structure::LinkInfo => changed(
            LinkInfo::decode(block).ok(),
            &[|i, n| i.fractal_heap = Some(Addr(n)), |i, n| i.name_index = Some(Addr(n))],
            w,
            LinkInfo::encode,
        ),
        Structure::AttributeInfo => changed(
            AttributeInfo::decode(block).ok(),
            &[|i, n| i.fractal_heap = Some(Addr(n)), |i, n| i.name_index = Some(Addr(n))],
            w,
            AttributeInfo::encode,
        ),
        Structure::SymbolTable => changed(
            SymbolTable::decode(block).ok(),
            &[|t, n| t.btree = Some(Addr(n)), |t, n| t.heap = Some(Addr(n))],
            w,
            SymbolTable::encode,
        ),
        Structure::Continuation => changed(
            Continuation::decode(block).ok(),
            &[|c, n| c.address = Some(Addr(n)), |c, n| c.length = n],
            w,
            Continuation::encode,
        ),
        Structure::LocalHeap => changed(
            LocalHeap::decode(block).ok(),
            &[|h, n| h.data_size = n, |h, n| h.free_list = n, |h, n| h.data = Some(Addr(n))],
            w,
            LocalHeap::encode,
        ),
        Structure::SymbolTableNode => changed(
            SymbolTableNode::decode(block).ok(),
            &[
                |node, n| node.entries.iter_mut().for_each(|entry| entry.name = n),
                |node, n| node.entries.iter_mut().for_each(|entry| entry.object_header = Some(Addr(n))),
                |node, n| node.entries.iter_mut().for_each(|entry| entry.cache_type = n as u32),
            ],
            w,
            SymbolTableNode::encode,
        ),
        _ => index(structure, block),
    }
}

fn index(structure: Structure, block: Block<'_>) -> Vec<Vec<u8>> {
    let w = block.widths();
    match structure {
        Structure::BTreeV1 => {
            let group = changed(
                Node::<u64>::decode(block).ok(),
                &[|node, n| node.keys.iter_mut().for_each(|key| *key = n), |node, n| node.level = n as u8],
                w,
                Node::<u64>::encode,
            );
            let rank = |rank| {
                changed(
                    Node::<ChunkKey>::decode(block, rank).ok(),
                    &[
                        |node, n| node.keys.iter_mut().for_each(|key| key.size = n as u32),
                        |node, n| node.keys.iter_mut().for_each(|key| key.offsets.fill(n)),
                        |node, n| node.children.iter_mut().for_each(|child| *child = Some(Addr(n))),
                        |node, n| node.level = n as u8,
                    ],
                    w,
                    Node::<ChunkKey>::encode,
                )
            };
            group.into_iter().chain(rank(1)).chain(rank(2)).collect()
        }
        Structure::BTreeV2Header => changed(
            BTreeV2::decode(block).ok(),
            &[
                |t, n| t.depth = n as u16,
                |t, n| t.node_size = n as u32,
                |t, n| t.record_size = n as u16,
                |t, n| t.root_records = n as u16,
                |t, n| t.total_records = n,
                |t, n| t.root = Some(Addr(n)),
            ],
            w,
            BTreeV2::encode,
        ),
        Structure::FractalHeap => changed(
            FractalHeap::decode(block).ok(),
            &[
                |h, n| h.id_length = n as u16,
                |h, n| h.max_managed = n as u32,
                |h, n| h.current_rows = n as u16,
                |h, n| h.starting_rows = n as u16,
                |h, n| h.table.width = n as u16,
                |h, n| h.table.start = n,
                |h, n| h.table.max_direct = n,
                |h, n| h.table.bits = n as u16,
                |h, n| h.root = Some(Addr(n)),
                |h, n| h.huge_index = Some(Addr(n)),
            ],
            w,
            FractalHeap::encode,
        ),
        Structure::GlobalHeap => {
            // The size of a collection, and that of its first object.
            let Ok(heap) = GlobalHeap::decode(block) else { return Vec::new() };
            let Ok(encoded) = Emit::encode(w, |to| heap.encode(block.bytes(), to)) else { return Vec::new() };
            let lengths = usize::from(w.lengths).min(8);
            let places = [8, 8 + usize::from(w.lengths) + 8];
            let each = places.into_iter().flat_map(|at| EXTREMES.iter().map(move |extreme| (at, extreme)));
            let sizes = each.filter_map(|(at, extreme)| {
                let mut bytes = encoded.clone();
                bytes.get_mut(at..at + lengths)?.copy_from_slice(&extreme.to_le_bytes()[..lengths]);
                Some(bytes)
            });
            sizes.collect()
        }
        _ => Vec::new(),
    }
}

fn layout_size(layout: &mut DataLayout, n: u64) {
    match &mut layout.class {
        LayoutClass::Contiguous { size, .. } => *size = size.map(|_| n),
        LayoutClass::Virtual { index, .. } => *index = n as u32,
        _ => {}
    }
}

fn layout_address(layout: &mut DataLayout, n: u64) {
    match &mut layout.class {
        LayoutClass::Compact { .. } => {}
        LayoutClass::Contiguous { address, .. } => *address = Some(Addr(n)),
        LayoutClass::Chunked(chunked) => chunked.address = Some(Addr(n)),
        LayoutClass::Virtual { heap, .. } => *heap = Some(Addr(n)),
    }
}

fn layout_chunk(layout: &mut DataLayout, n: u64) {
    if let LayoutClass::Chunked(chunked) = &mut layout.class {
        chunked.dims.iter_mut().for_each(|dim| *dim = n);
    }
}
