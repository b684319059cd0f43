use h5kit::bytes::{Block, Emit, Widths};
use h5kit::error::Structure;
use h5kit::format::btree_v1::{ChunkKey, Node};
use h5kit::format::btree_v2::{self, BTreeV2, Geometry};
use h5kit::format::cache_image::CacheImage;
use h5kit::format::chunk_index::ElementForm;
use h5kit::format::chunk_index::extensible_array::{DataBlock, ExtensibleArray, IndexBlock, SecondaryBlock};
use h5kit::format::chunk_index::fixed_array::{FixedArray, FixedArrayBlock};
use h5kit::format::dataspace_selection::StoredSelection;
use h5kit::format::driver_info::DriverInfo;
use h5kit::format::fractal_heap::{DirectBlock, FractalHeap, IndirectBlock};
use h5kit::format::free_space_manager::{FreeSpaceManager, FreeSpaceSections};
use h5kit::format::global_heap::GlobalHeap;
use h5kit::format::local_heap::LocalHeap;
use h5kit::format::message::attribute::Attribute;
use h5kit::format::message::attribute_info::AttributeInfo;
use h5kit::format::message::btree_k::BTreeK;
use h5kit::format::message::cache_image::CacheImageLocation;
use h5kit::format::message::continuation::Continuation;
use h5kit::format::message::data_layout::DataLayout;
use h5kit::format::message::dataspace::Dataspace;
use h5kit::format::message::datatype::Datatype;
use h5kit::format::message::external_data_files::ExternalDataFiles;
use h5kit::format::message::file_space_info::FileSpaceInfo;
use h5kit::format::message::fill_value::{self, FillValue};
use h5kit::format::message::filter_pipeline::FilterPipeline;
use h5kit::format::message::group_info::GroupInfo;
use h5kit::format::message::link::Link;
use h5kit::format::message::link_info::LinkInfo;
use h5kit::format::message::modification_time::{ModificationTime, ModificationTimeOld};
use h5kit::format::message::shared_message_table::SharedMessageTableLocation;
use h5kit::format::message::symbol_table::SymbolTable;
use h5kit::format::object_header::{Messages, Prefix};
use h5kit::format::reference::{RegionObject, RevisedElement};
use h5kit::format::shared_message::SharedMessage;
use h5kit::format::shared_message_table::{SharedMessageList, SharedMessageTable};
use h5kit::format::superblock::Superblock;
use h5kit::format::symbol_table_node::SymbolTableNode;
use h5kit::format::virtual_mapping::VirtualMappings;

use super::input::Input;

/// Bytes of an input before the structure: its number, the sizes of offsets and lengths, and what a decoder is told
/// besides.
const HEAD: usize = 4;

/// Decodes bytes as a structure; where that gives a value, encodes it and decodes it again.
macro_rules! both_ways {
    ($block:expr, $decode:expr, $encode:expr) => {{
        let block: Block<'_> = $block;
        if let Ok(value) = $decode(block) {
            if let Ok(bytes) = Emit::encode(block.widths(), |to| $encode(&value, to)) {
                let again = $decode(Block::new(&bytes, block.at(), block.widths()));
                assert_eq!(again.as_ref().ok(), Some(&value), "{again:?} of {bytes:02x?}");
            }
        }
    }};
    ($block:expr, $structure:ident) => {
        both_ways!($block, $structure::decode, $structure::encode)
    };
}

/// Decodes a structure, encodes what came out, and decodes that.
pub fn structure(input: &[u8]) {
    let mut input = Input(input);
    let number = usize::from(input.byte()) % Structure::ALL.len();
    let sizes = input.byte();
    let size = |bits: u8| 2 << (bits % 3);
    let widths = Widths { offsets: size(sizes & 15), lengths: size(sizes >> 4) };
    let told = (input.byte(), input.byte());
    let block = Block::new(input.0, 0x1000, widths);
    match Structure::ALL[number] {
        Structure::BTreeV2Internal | Structure::BTreeV2Leaf => node(block, told),
        Structure::FractalHeapDirect | Structure::FractalHeapIndirect => heap_block(block, told),
        Structure::FreeSpaceSections => sections(block, told),
        Structure::FixedArray | Structure::FixedArrayBlock => fixed_array(block, told),
        Structure::ExtensibleArray
        | Structure::ExtensibleArrayIndex
        | Structure::ExtensibleArraySecondary
        | Structure::ExtensibleArrayBlock => extensible_array(block, told),
        Structure::ObjectHeader | Structure::ObjectHeaderContinuation => object_header(block),
        other => plain(other, block, told),
    }
}

/// The input that has a structure decoded.
#[must_use]
pub fn input_of(structure: Structure, widths: Widths, bytes: &[u8]) -> Option<Vec<u8>> {
    let number = Structure::ALL.iter().position(|known| *known == structure)?;
    let size = |width: u8| (width.max(2).ilog2() as u8 - 1) % 3;
    let mut input = vec![number as u8, size(widths.offsets) | (size(widths.lengths) << 4)];
    input.resize(HEAD, 1);
    input.extend_from_slice(bytes);
    Some(input)
}

/// What nothing else has to be known of.
fn plain(structure: Structure, block: Block<'_>, told: (u8, u8)) {
    let rank = usize::from(told.0 % 33);
    match structure {
        Structure::Superblock => superblock(block),
        Structure::DriverInfo => both_ways!(block, DriverInfo::decode_block, DriverInfo::encode_block),
        Structure::CacheImage => both_ways!(block, CacheImage),
        Structure::BTreeV1 if told.1 == 0 => both_ways!(block, Node::<u64>::decode, Node::<u64>::encode),
        Structure::BTreeV1 => {
            both_ways!(block, |block| Node::<ChunkKey>::decode(block, rank), Node::<ChunkKey>::encode);
        }
        Structure::SymbolTableNode => both_ways!(block, SymbolTableNode),
        Structure::LocalHeap => both_ways!(block, LocalHeap),
        Structure::GlobalHeap => global_heap(block),
        Structure::VirtualMapping => both_ways!(block, VirtualMappings),
        Structure::BTreeV2Header => both_ways!(block, BTreeV2),
        Structure::FractalHeap => both_ways!(block, FractalHeap),
        Structure::FreeSpaceManager => both_ways!(block, FreeSpaceManager),
        Structure::SharedMessageTable => {
            both_ways!(block, |block| SharedMessageTable::decode(block, told.0 % 9), SharedMessageTable::encode)
        }
        Structure::SharedMessageList => {
            both_ways!(block, |block| SharedMessageList::decode(block, u16::from(told.0)), SharedMessageList::encode)
        }
        Structure::SharedMessage => both_ways!(block, SharedMessage),
        Structure::Selection => both_ways!(
            block,
            |block| StoredSelection::decode(block).map(|(selection, _)| selection),
            StoredSelection::encode
        ),
        Structure::Reference => {
            both_ways!(block, RegionObject);
            let _ = RevisedElement::decode(block);
        }
        other => message(other, block),
    }
}

fn message(structure: Structure, block: Block<'_>) {
    match structure {
        Structure::Dataspace => both_ways!(block, Dataspace),
        Structure::LinkInfo => both_ways!(block, LinkInfo),
        Structure::Datatype => {
            both_ways!(block, |block| Datatype::decode(block, Datatype::DEFAULT_DEPTH), Datatype::encode);
        }
        Structure::FillValueOld => both_ways!(block, fill_value::decode_old, fill_value::encode_old),
        Structure::FillValue => both_ways!(block, FillValue),
        Structure::Link => both_ways!(block, Link),
        Structure::ExternalDataFiles => both_ways!(block, ExternalDataFiles),
        Structure::DataLayout => both_ways!(block, DataLayout),
        Structure::GroupInfo => both_ways!(block, GroupInfo),
        Structure::FilterPipeline => both_ways!(block, FilterPipeline),
        Structure::Attribute => attribute(block),
        Structure::ModificationTimeOld => both_ways!(block, ModificationTimeOld),
        Structure::ModificationTime => both_ways!(block, ModificationTime),
        Structure::Continuation => both_ways!(block, Continuation),
        Structure::SymbolTable => both_ways!(block, SymbolTable),
        Structure::BTreeK => both_ways!(block, BTreeK),
        Structure::AttributeInfo => both_ways!(block, AttributeInfo),
        Structure::FileSpaceInfo => both_ways!(block, FileSpaceInfo),
        Structure::SharedMessageTableMessage => both_ways!(block, SharedMessageTableLocation),
        Structure::CacheImageMessage => both_ways!(block, CacheImageLocation),
        _ => {}
    }
}

/// An attribute borrows from its bytes, so it is compared by the bytes that it is encoded to.
fn attribute(block: Block<'_>) {
    let encoded = |block: Block<'_>| {
        let attribute = Attribute::decode(block).ok()?;
        Emit::encode(block.widths(), |to| attribute.encode(to)).ok()
    };
    if let Some(bytes) = encoded(block) {
        assert_eq!(encoded(Block::new(&bytes, block.at(), block.widths())).as_ref(), Some(&bytes));
    }
}

/// A superblock says of itself what the sizes are.
fn superblock(block: Block<'_>) {
    let Ok(superblock) = Superblock::decode(block) else { return };
    let encoded = Emit::encode(superblock.widths, |to| superblock.encode(to)).expect("what was decoded fits");
    assert_eq!(Superblock::decode(Block::new(&encoded, block.at(), block.widths())), Ok(superblock));
}

fn global_heap(block: Block<'_>) {
    let Ok(heap) = GlobalHeap::decode(block) else { return };
    let mut places = Vec::new();
    if GlobalHeap::places(block, &mut places) {
        for (index, place) in places.into_iter().enumerate().filter(|(_, place)| place.start > 0) {
            assert_eq!(heap.object(index as u32), Some(place));
        }
    }
}

/// A header and a node of its tree.
fn node(block: Block<'_>, (depth, records): (u8, u8)) {
    let Some((head, rest)) = split(block, BTreeV2::size(block.widths())) else { return };
    let Ok(tree) = BTreeV2::decode(head) else { return };
    let Ok(geometry) = Geometry::new(&tree, block.widths(), 0) else { return };
    let depth = u16::from(depth) % (tree.depth + 1);
    both_ways!(
        rest,
        |block| btree_v2::Node::decode(block, tree.record_type, &geometry, depth, records.into()),
        |node: &btree_v2::Node, to: &mut Emit| node.encode(&geometry, depth, to)
    );
}

/// A header of a heap and one of its blocks.
fn heap_block(block: Block<'_>, (kind, rows): (u8, u8)) {
    let Some((head, rest)) = FractalHeap::decode_size(block).ok().and_then(|size| split(block, size)) else { return };
    let Ok(heap) = FractalHeap::decode(head) else { return };
    if kind % 2 == 0 {
        let _ = DirectBlock::decode(rest, &heap);
    } else {
        both_ways!(
            rest,
            |block| IndirectBlock::decode(block, &heap, rows.into()),
            |rows: &IndirectBlock, to: &mut Emit| rows.encode(&heap, to)
        );
    }
}

fn sections(block: Block<'_>, (width, _): (u8, u8)) {
    let Some((head, rest)) = split(block, FreeSpaceManager::size(block.widths())) else { return };
    let Ok(manager) = FreeSpaceManager::decode(head) else { return };
    let _ = FreeSpaceSections::decode(rest, &manager, width % 9);
}

fn form(told: u8) -> ElementForm {
    match told % 9 {
        0 => ElementForm::Plain,
        size_width => ElementForm::Filtered { size_width },
    }
}

fn fixed_array(block: Block<'_>, (told, _): (u8, u8)) {
    let form = form(told);
    let Some((head, rest)) = split(block, FixedArray::size(block.widths())) else { return };
    both_ways!(head, |block| FixedArray::decode(block, form), FixedArray::encode);
    let Ok(array) = FixedArray::decode(head, form) else { return };
    both_ways!(rest, |block| FixedArrayBlock::decode(block, &array, form), |array: &FixedArrayBlock, to: &mut Emit| {
        array.encode(form, to)
    });
}

fn extensible_array(block: Block<'_>, (told, number): (u8, u8)) {
    let form = form(told);
    let Some((head, rest)) = split(block, ExtensibleArray::size(block.widths())) else { return };
    both_ways!(head, |block| ExtensibleArray::decode(block, form), ExtensibleArray::encode);
    let Ok(array) = ExtensibleArray::decode(head, form) else { return };
    both_ways!(rest, |block| IndexBlock::decode(block, &array, form), |block: &IndexBlock, to: &mut Emit| block
        .encode(form, to));
    let number = u32::from(number);
    both_ways!(
        rest,
        |block| SecondaryBlock::decode(block, &array, form, array.secondary(number)),
        |block: &SecondaryBlock, to: &mut Emit| block.encode(&array, form, to)
    );
    both_ways!(
        rest,
        |block| DataBlock::decode(block, &array, form, number.into()),
        |block: &DataBlock, to: &mut Emit| block.encode(&array, form, to)
    );
}

fn object_header(block: Block<'_>) {
    let Ok((prefix, rest)) = Prefix::decode(block) else { return };
    let messages = |block| Messages::decode(block, &prefix, Structure::ObjectHeader);
    let Ok(found) = messages(rest) else { return };
    if let Ok(bytes) = Emit::encode(block.widths(), |to| found.encode(rest.bytes(), &prefix, to)) {
        assert!(messages(Block::new(&bytes, rest.at(), block.widths())).is_ok());
    }
}

/// The first `length` bytes of a block, and the rest.
fn split(block: Block<'_>, length: usize) -> Option<(Block<'_>, Block<'_>)> {
    let (head, rest) = block.bytes().split_at_checked(length)?;
    let block = |bytes, skipped: usize| Block::new(bytes, block.at() + skipped as u64, block.widths());
    Some((block(head, 0), block(rest, length)))
}
