//! Every structure met in every file, decoded and encoded again: the same bytes must come out.
//!
//! Only the bytes in use are compared: what stands in the rest of a node's room means nothing. Not compared are
//! bytes that are no structure by themselves ([`Context::Raw`]) and objects of heaps with filters, which are nowhere
//! in the file as they are.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::super::{Context, Extent};
use super::{Data, files, name, open, survey, testdata};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};
use crate::format::btree_v1::{ChunkKey, Node};
use crate::format::btree_v2::{
    self, AttributeRecord, BTreeV2, ChunkRecord, HugeRecord, LinkRecord, RecordType, SharedRecord,
};
use crate::format::cache_image::CacheImage;
use crate::format::chunk_index::extensible_array::{DataBlock, ExtensibleArray, IndexBlock, SecondaryBlock};
use crate::format::chunk_index::fixed_array::{FixedArray, FixedArrayBlock};
use crate::format::driver_info::DriverInfo;
use crate::format::fractal_heap::{DirectBlock, FractalHeap, IndirectBlock};
use crate::format::free_space_manager::{FreeSpaceManager, FreeSpaceSections};
use crate::format::global_heap::GlobalHeap;
use crate::format::local_heap::LocalHeap;
use crate::format::message::attribute::Attribute;
use crate::format::message::attribute_info::AttributeInfo;
use crate::format::message::btree_k::BTreeK;
use crate::format::message::cache_image::CacheImageLocation;
use crate::format::message::continuation::Continuation;
use crate::format::message::data_layout::DataLayout;
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::Datatype;
use crate::format::message::external_data_files::ExternalDataFiles;
use crate::format::message::file_space_info::FileSpaceInfo;
use crate::format::message::fill_value::{self, FillValue};
use crate::format::message::filter_pipeline::FilterPipeline;
use crate::format::message::group_info::GroupInfo;
use crate::format::message::link::Link;
use crate::format::message::link_info::LinkInfo;
use crate::format::message::modification_time::{ModificationTime, ModificationTimeOld};
use crate::format::message::shared_message_table::SharedMessageTableLocation;
use crate::format::message::symbol_table::SymbolTable;
use crate::format::message::{comment, reference_count};
use crate::format::object_header::{MessageType, Messages, Prefix};
use crate::format::reference::RegionObject;
use crate::format::shared_message::SharedMessage;
use crate::format::shared_message_table::{SharedMessageList, SharedMessageTable};
use crate::format::superblock::Superblock;
use crate::format::symbol_table_node::SymbolTableNode;
use crate::format::virtual_mapping::VirtualMappings;

#[test]
fn every_structure_is_encoded_as_it_was() {
    let mut paths = files(&testdata().join("files"));
    paths.push(testdata().join("pbmc_small.h5ad"));
    let seen = compare(paths, true);
    // What the test data is known to hold; a structure that is met no more is a test lost.
    for structure in Structure::ALL {
        let known = !matches!(
            structure,
            // Parts of other structures, or no structures at all.
            Structure::SymbolTableEntry
                | Structure::HeapId
                | Structure::Selection
                | Structure::Element
                | Structure::RawData
                | Structure::Chunk
                | Structure::FractalHeapHuge
        );
        assert_eq!(seen.contains(structure), known, "{structure}");
    }
}

#[test]
fn every_structure_of_the_corpus_is_encoded_as_it_was() {
    if let Some(corpus) = std::env::var_os("H5KIT_CORPUS") {
        compare(files(&PathBuf::from(corpus).join("hdf5")), false);
    }
}

/// Compares the structures of files and gives those that were met.
fn compare(paths: Vec<PathBuf>, all_open: bool) -> BTreeSet<Structure> {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for path in paths {
        let file = match open(&path) {
            Ok(file) => file,
            Err(_) if !all_open => continue,
            Err(e) => {
                wrong.push(format!("{}: {e}", name(&path)));
                continue;
            }
        };
        let survey = survey(&file, Data::Read).expect("the source has everything");
        let base = file.position;
        for extent in survey.extents.iter().chain(&survey.parts) {
            if matches!(extent.context, Context::Raw) {
                continue;
            }
            let run = file.storage.read(Addr(extent.at - base), extent.used, extent.structure).expect("it was read");
            let block = run.block();
            // What does not decode was found by the survey.
            let Some((encoded, exact)) = decode_and_encode(extent, block).expect("every value fits its field") else {
                assert!(!survey.findings.is_empty(), "{extent:?}");
                continue;
            };
            seen.insert(extent.structure);
            let whole = !exact || encoded.len() == block.bytes().len();
            if !block.bytes().starts_with(&encoded) || !whole {
                wrong.push(format!(
                    "{}: {extent:x?}\n  stored  {:02x?}\n  encoded {encoded:02x?}",
                    path.display(),
                    block.bytes()
                ));
            }
        }
    }
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    seen
}

/// The bytes that a structure is encoded to, and whether they must be all that the extent has; `None` where it
/// does not decode. Message bodies may be longer than what is in them, above all in version 1 headers.
fn decode_and_encode(extent: &Extent, block: Block<'_>) -> Result<Option<(Vec<u8>, bool)>, crate::bytes::EmitFault> {
    let w = block.widths();
    let mut exact = true;
    let mut fault = Ok(());
    let encoded = Emit::encode(w, |to| {
        let written = match &extent.context {
            Context::Message(kind) => {
                exact = false;
                message(*kind, block, to)
            }
            _ => structure(extent, block, to),
        };
        fault = written;
    })?;
    Ok(fault.ok().map(|()| (encoded, exact)))
}

fn structure(extent: &Extent, block: Block<'_>, to: &mut Emit) -> Result<(), Corrupt> {
    match (extent.structure, &extent.context) {
        (Structure::Superblock, _) => Superblock::decode(block)?.encode(to),
        (Structure::DriverInfo, _) => DriverInfo::decode_block(block)?.encode_block(to),
        (Structure::CacheImage, _) => CacheImage::decode(block)?.encode(to),
        (Structure::ObjectHeader, _) => object_header(block, to)?,
        (Structure::ObjectHeaderContinuation, Context::Continuation(prefix)) => continuation(block, prefix, to)?,
        (Structure::SharedMessage, _) => {
            let pointer = SharedMessage::decode(block)?;
            pointer.encode(to);
            // In version 1 headers the body is padded.
            to.bytes(&block.bytes()[to.len()..]);
        }
        (Structure::BTreeV1, Context::GroupNode) => Node::<u64>::decode(block)?.encode(to),
        (Structure::BTreeV1, Context::ChunkNode { rank }) => {
            Node::<ChunkKey>::decode(block, (*rank).into())?.encode(to);
        }
        (Structure::SymbolTableNode, _) => SymbolTableNode::decode(block)?.encode(to),
        (Structure::LocalHeap, _) => LocalHeap::decode(block)?.encode(to),
        (Structure::GlobalHeap, _) => {
            let heap = GlobalHeap::decode(block)?;
            heap.encode(block.bytes(), to);
            // Free space, or too little of it to be an object.
            to.bytes(&block.bytes()[to.len().min(block.bytes().len())..]);
        }
        (Structure::VirtualMapping, _) => VirtualMappings::decode(block)?.encode(to),
        (Structure::Reference, Context::Region) => {
            RegionObject::decode(block)?.encode(to);
            to.bytes(&block.bytes()[to.len()..]);
        }
        // Revised references are read and not written.
        (Structure::Reference, _) => to.bytes(block.bytes()),
        (Structure::BTreeV2Header, _) => BTreeV2::decode(block)?.encode(to),
        (_, Context::TreeNode { tree, depth, records }) => {
            let kind = tree.header.record_type;
            let node = btree_v2::Node::decode(block, kind, &tree.geometry, *depth, *records)?;
            for stored in &node.records {
                let record = Block::new(stored, block.at(), block.widths());
                let encoded = Emit::encode(block.widths(), |to| record_of(kind, record, tree.chunks, to));
                assert_eq!(encoded.expect("it fits"), *stored, "{kind:?}");
            }
            node.encode(&tree.geometry, *depth, to);
        }
        (Structure::FractalHeap, _) => FractalHeap::decode(block)?.encode(to),
        (Structure::FractalHeapDirect, Context::Direct(heap)) => {
            let head = DirectBlock::decode(block, heap)?;
            head.encode(heap, &block.bytes()[heap.direct_head(block.widths()) as usize..], to);
        }
        (Structure::FractalHeapIndirect, Context::Indirect { heap, rows }) => {
            IndirectBlock::decode(block, heap, *rows)?.encode(heap, to);
        }
        (Structure::FreeSpaceManager, _) => FreeSpaceManager::decode(block)?.encode(to),
        (Structure::FreeSpaceSections, Context::Sections { manager, heap_offset_width }) => {
            FreeSpaceSections::decode(block, manager, *heap_offset_width)?.encode(manager, to);
        }
        (Structure::SharedMessageTable, Context::SharedTable { indexes }) => {
            SharedMessageTable::decode(block, *indexes)?.encode(to);
        }
        (Structure::SharedMessageList, Context::SharedList { count }) => {
            SharedMessageList::decode(block, *count)?.encode(to);
        }
        (Structure::FixedArray, Context::Array(form)) => FixedArray::decode(block, *form)?.encode(to),
        (_, Context::FixedArray(context)) => {
            FixedArrayBlock::decode(block, &context.array, context.form)?.encode(context.form, to);
        }
        (Structure::ExtensibleArray, Context::Array(form)) => ExtensibleArray::decode(block, *form)?.encode(to),
        (_, Context::IndexBlock(context)) => {
            IndexBlock::decode(block, &context.array, context.form)?.encode(context.form, to);
        }
        (_, Context::Secondary { array: context, number }) => {
            let share = context.array.secondary(*number);
            SecondaryBlock::decode(block, &context.array, context.form, share)?.encode(
                &context.array,
                context.form,
                to,
            );
        }
        (_, Context::DataBlock { array: context, elements }) => {
            DataBlock::decode(block, &context.array, context.form, *elements)?.encode(&context.array, context.form, to);
        }
        (structure, Context::Page { form, elements }) => {
            let body = crate::format::verified(block, structure)?;
            form.encode_page(&form.decode_page(body, *elements, structure)?, to);
        }
        other => panic!("no test for {other:?}"),
    }
    Ok(())
}

fn object_header(block: Block<'_>, to: &mut Emit) -> Result<(), Corrupt> {
    const S: Structure = Structure::ObjectHeader;
    let (prefix, rest) = Prefix::decode(block)?;
    let write = |to: &mut Emit| {
        prefix.encode(to);
        let chunk = rest.sub(S, "messages", 0..prefix.chunk_size() as usize)?;
        Messages::decode(chunk, &prefix, S)?.encode(chunk.bytes(), &prefix, to);
        Ok(())
    };
    if prefix.version() == 1 { write(to) } else { checksummed(to, write) }
}

fn continuation(block: Block<'_>, prefix: &Prefix, to: &mut Emit) -> Result<(), Corrupt> {
    const S: Structure = Structure::ObjectHeaderContinuation;
    if prefix.version() == 1 {
        Messages::decode(block, prefix, S)?.encode(block.bytes(), prefix, to);
        return Ok(());
    }
    checksummed(to, |to| {
        to.bytes(b"OCHK");
        let chunk = block.sub(S, "messages", 4..block.bytes().len() - 4)?;
        Messages::decode(chunk, prefix, S)?.encode(chunk.bytes(), prefix, to);
        Ok(())
    })
}

fn checksummed(to: &mut Emit, write: impl FnOnce(&mut Emit) -> Result<(), Corrupt>) -> Result<(), Corrupt> {
    let mut written = Ok(());
    to.checksummed(|to| written = write(to));
    written
}

fn record_of(kind: RecordType, record: Block<'_>, chunks: Option<(usize, Option<u8>)>, to: &mut Emit) {
    const WHY: &str = "the survey decoded it";
    match kind.0 {
        1..=4 => HugeRecord::decode(record, kind).expect(WHY).encode(to),
        5 | 6 => LinkRecord::decode(record, kind).expect(WHY).encode(to),
        7 => SharedRecord::decode(record).expect(WHY).encode(to),
        8 | 9 => AttributeRecord::decode(record, kind).expect(WHY).encode(to),
        _ => {
            let (rank, size_width) = chunks.expect("a tree of chunks");
            ChunkRecord::decode(record, rank, size_width).expect(WHY).encode(size_width.unwrap_or(0), to);
        }
    }
}

fn message(kind: MessageType, block: Block<'_>, to: &mut Emit) -> Result<(), Corrupt> {
    match kind {
        MessageType::DATASPACE => Dataspace::decode(block)?.encode(to),
        MessageType::LINK_INFO => LinkInfo::decode(block)?.encode(to),
        MessageType::DATATYPE => Datatype::decode(block, Datatype::DEFAULT_DEPTH)?.encode(to),
        MessageType::FILL_VALUE_OLD => fill_value::encode_old(&fill_value::decode_old(block)?, to),
        MessageType::FILL_VALUE => FillValue::decode(block)?.encode(to),
        MessageType::LINK => Link::decode(block)?.encode(to),
        MessageType::EXTERNAL_DATA_FILES => ExternalDataFiles::decode(block)?.encode(to),
        MessageType::DATA_LAYOUT => DataLayout::decode(block)?.encode(to),
        MessageType::GROUP_INFO => GroupInfo::decode(block)?.encode(to),
        MessageType::FILTER_PIPELINE => FilterPipeline::decode(block)?.encode(to),
        MessageType::ATTRIBUTE => Attribute::decode(block)?.encode(to),
        MessageType::COMMENT => comment::encode(&comment::decode(block)?, to),
        MessageType::MODIFICATION_TIME_OLD => ModificationTimeOld::decode(block)?.encode(to),
        MessageType::SHARED_MESSAGE_TABLE => SharedMessageTableLocation::decode(block)?.encode(to),
        MessageType::CONTINUATION => Continuation::decode(block)?.encode(to),
        MessageType::SYMBOL_TABLE => SymbolTable::decode(block)?.encode(to),
        MessageType::MODIFICATION_TIME => ModificationTime::decode(block)?.encode(to),
        MessageType::BTREE_K => BTreeK::decode(block)?.encode(to),
        MessageType::DRIVER_INFO => DriverInfo::decode_message(block)?.encode_message(to),
        MessageType::ATTRIBUTE_INFO => AttributeInfo::decode(block)?.encode(to),
        MessageType::REFERENCE_COUNT => reference_count::encode(reference_count::decode(block)?, to),
        MessageType::FILE_SPACE_INFO => FileSpaceInfo::decode(block)?.encode(to),
        MessageType::CACHE_IMAGE => CacheImageLocation::decode(block)?.encode(to),
        other => panic!("no test for {other:?}"),
    }
    Ok(())
}
