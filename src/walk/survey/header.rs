//! Object headers: every chunk, every message.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Context, ObjectKind, Pass};
use crate::bytes::{Addr, Block};
use crate::error::{Cause, Corrupt, Error, Fault, Result, Structure, Unsupported};
use crate::format::driver_info::DriverInfo;
use crate::format::message::attribute::Attribute;
use crate::format::message::attribute_info::AttributeInfo;
use crate::format::message::btree_k::BTreeK;
use crate::format::message::cache_image::CacheImageLocation;
use crate::format::message::continuation::Continuation;
use crate::format::message::data_layout::DataLayout;
use crate::format::message::dataspace::Dataspace;
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
use crate::format::object_header::{MessageFlags, MessageType, Messages, Prefix};
use crate::format::shared_message::SharedMessage;
use crate::format::verified;
use crate::walk::{Run, Storage, datatype, shared};

/// A header as far as it could be read.
pub(super) struct Header {
    pub(super) address: Addr,
    pub(super) prefix: Arc<Prefix>,
    pub(super) messages: Vec<Stored>,
    /// All chunks could be read: a message that is not here is not there.
    pub(super) whole: bool,
}

/// A message, its body as stored.
pub(super) struct Stored {
    pub(super) kind: MessageType,
    pub(super) flags: MessageFlags,
    pub(super) body: Run<'static>,
}

/// Bytes that are read of a header before its length is known.
const FIRST_READ: u64 = 512;

impl Header {
    pub(super) fn first(&self, kind: MessageType) -> Option<&Stored> {
        self.all(kind).next()
    }

    pub(super) fn all(&self, kind: MessageType) -> impl Iterator<Item = &Stored> {
        self.messages.iter().filter(move |message| message.kind == kind)
    }
}

impl Pass<'_> {
    /// Visits the object being visited: its header, attributes, and what its kind has.
    pub(super) fn visit(&mut self, address: Addr) {
        let Some(header) = self.header(address) else { return };
        self.messages(&header);
        let stored = match &*header.prefix {
            Prefix::V1(prefix) => Some(prefix.reference_count),
            Prefix::V2(_) => match header.first(MessageType::REFERENCE_COUNT) {
                Some(message) => reference_count::decode(message.body.block()).ok(),
                None => Some(1),
            },
        };
        let has = |kind| header.first(kind).is_some();
        let counts = &mut self.survey.counts;
        let kind = if has(MessageType::DATA_LAYOUT) {
            counts.datasets += 1;
            ObjectKind::Dataset
        } else if has(MessageType::SYMBOL_TABLE) || has(MessageType::LINK_INFO) {
            counts.groups += 1;
            ObjectKind::Group
        } else if header.messages.iter().any(|message| message.kind.is_of_dataset()) {
            counts.datasets += 1;
            ObjectKind::Dataset
        } else if has(MessageType::DATATYPE) {
            counts.datatypes += 1;
            ObjectKind::Datatype
        } else {
            if header.whole {
                let at = self.storage.position(address);
                self.fault(Corrupt::new(Structure::ObjectHeader, "message", at, Fault::Absent));
            }
            return;
        };
        if let Some(object) = self.object.and_then(|object| self.survey.objects.get_mut(object as usize)) {
            object.kind = Some(kind);
            object.stored_references = stored;
        }
        match kind {
            ObjectKind::Group => self.group(&header),
            ObjectKind::Dataset => self.dataset(&header).unwrap_or_default(),
            ObjectKind::Datatype => {}
        }
        self.attributes(&header);
    }

    /// Reads all chunks of a header. One with a wrong checksum is read all the same: what it leads to may be
    /// sound, and is found no other way.
    pub(super) fn header(&mut self, address: Addr) -> Option<Header> {
        const S: Structure = Structure::ObjectHeader;
        let storage = self.storage;
        self.begin_index();
        let run = self.check(storage.read_up_to(address, FIRST_READ, S))?;
        let (prefix, rest) = self.check(Prefix::decode(run.block()))?;
        let head = rest.at() - run.block().at();
        let checksum = if prefix.version() == 1 { 0 } else { 4 };
        let length = head.saturating_add(prefix.chunk_size()).saturating_add(checksum);
        let run = self.check(storage.read(address, length, S))?;
        if !self.enter(S, address) {
            return None;
        }
        self.keep(S, address, length, Context::Plain);
        if checksum > 0 {
            self.check(verified(run.block(), S));
        }
        let chunk = head as usize..(length - checksum) as usize;
        let chunk = self.check(run.block().sub(S, "size of chunk #0", chunk))?;
        let mut header = Header { address, prefix: Arc::new(prefix), messages: Vec::new(), whole: true };
        let mut continuations = VecDeque::new();
        let read = self.header_chunk(&mut header, chunk, S, &mut continuations);
        header.whole &= read.is_some();
        let mut chunks = 1;
        while let Some((at, continuation)) = continuations.pop_front() {
            chunks += 1;
            if chunks > storage.limits().header_chunks {
                self.fault(Error::limit("header_chunks", chunks.into(), storage.limits().header_chunks.into()));
                header.whole = false;
                break;
            }
            let address = self.defined(Structure::Continuation, "offset", at, continuation.address);
            let read = address
                .and_then(|address| self.continuation(&mut header, address, continuation.length, &mut continuations));
            header.whole &= read.is_some();
        }
        Some(header)
    }

    fn continuation(
        &mut self,
        header: &mut Header,
        address: Addr,
        length: u64,
        continuations: &mut VecDeque<(u64, Continuation)>,
    ) -> Option<()> {
        const S: Structure = Structure::ObjectHeaderContinuation;
        if !self.enter(S, address) {
            return None;
        }
        let run = self.check(self.storage.read(address, length, S))?;
        self.keep(S, address, length, Context::Continuation(header.prefix.clone()));
        let mut chunk = run.block();
        if header.prefix.version() == 2 {
            let body = chunk.sub(S, "length", 0..chunk.bytes().len().saturating_sub(4));
            let signature = |i| crate::bytes::parse::field("signature", crate::bytes::parse::signature(b"OCHK"))(i);
            let body = body.and_then(|body| body.run_rest(S, signature));
            (_, chunk) = self.check(body)?;
            self.check(verified(run.block(), S));
        }
        self.header_chunk(header, chunk, S, continuations)
    }

    fn header_chunk(
        &mut self,
        header: &mut Header,
        chunk: Block<'_>,
        structure: Structure,
        continuations: &mut VecDeque<(u64, Continuation)>,
    ) -> Option<()> {
        let decoded = self.check(Messages::decode(chunk, &header.prefix, structure))?;
        for message in decoded.messages {
            let body = self.check(chunk.sub(structure, "message data", message.body.clone()))?;
            if message.kind == MessageType::CONTINUATION {
                self.part(Structure::Continuation, body.at(), body.bytes().len(), Context::Message(message.kind));
                if let Some(continuation) = self.check(Continuation::decode(body)) {
                    continuations.push_back((body.at(), continuation));
                }
            } else if message.kind != MessageType::NIL {
                header.messages.push(Stored {
                    kind: message.kind,
                    flags: message.flags,
                    body: Run::from(body).into_owned(),
                });
            }
        }
        Some(())
    }

    /// Decodes every message of a header.
    pub(super) fn messages(&mut self, header: &Header) {
        for message in &header.messages {
            let block = message.body.block();
            let Some(structure) = structure(message.kind) else {
                if message.kind != MessageType::BOGUS {
                    self.survey.counts.unknown_messages += 1;
                    if message.flags.fail_if_unknown() {
                        let feature = Unsupported::Message(message.kind.0);
                        self.note(Cause::Unsupported { feature, at: block.at() });
                    }
                }
                continue;
            };
            if message.flags.shared() {
                self.pointer(block, message.kind, true);
            } else {
                self.part(structure, block.at(), block.bytes().len(), Context::Message(message.kind));
                self.check(decode(self.storage, message.kind, block));
            }
        }
    }

    /// Checks the pointer to a shared message and counts it. `in_place` where it stands in the file as it is.
    pub(super) fn pointer(&mut self, block: Block<'_>, kind: MessageType, in_place: bool) -> Option<()> {
        const S: Structure = Structure::SharedMessage;
        if in_place {
            self.part(S, block.at(), block.bytes().len(), Context::Plain);
        }
        match self.check(SharedMessage::decode(block))? {
            SharedMessage::Committed { header, .. } => *self.shares.entry(header).or_default() += 1,
            SharedMessage::Heap { id } => self.use_shared(kind, id),
        }
        let run = self.check(shared::follow(self.storage, block, kind, 1))?;
        self.check(decode(self.storage, kind, run.block()))
    }

    /// The body of a message, wherever it stands. Nothing is noted here: `messages` did.
    pub(super) fn body(&self, message: &Stored) -> Option<Run<'static>> {
        if message.flags.shared() {
            shared::follow(self.storage, message.body.block(), message.kind, 1).ok()
        } else {
            Some(message.body.clone())
        }
    }

    /// The body of the first message of a type.
    pub(super) fn first(&self, header: &Header, kind: MessageType) -> Option<Run<'static>> {
        self.body(header.first(kind)?)
    }
}

/// The structure of a message type; `None` for those that have none.
pub(super) fn structure(kind: MessageType) -> Option<Structure> {
    Some(match kind {
        MessageType::DATASPACE => Structure::Dataspace,
        MessageType::LINK_INFO => Structure::LinkInfo,
        MessageType::DATATYPE => Structure::Datatype,
        MessageType::FILL_VALUE_OLD => Structure::FillValueOld,
        MessageType::FILL_VALUE => Structure::FillValue,
        MessageType::LINK => Structure::Link,
        MessageType::EXTERNAL_DATA_FILES => Structure::ExternalDataFiles,
        MessageType::DATA_LAYOUT => Structure::DataLayout,
        MessageType::GROUP_INFO => Structure::GroupInfo,
        MessageType::FILTER_PIPELINE => Structure::FilterPipeline,
        MessageType::ATTRIBUTE => Structure::Attribute,
        MessageType::COMMENT => Structure::Comment,
        MessageType::MODIFICATION_TIME_OLD => Structure::ModificationTimeOld,
        MessageType::SHARED_MESSAGE_TABLE => Structure::SharedMessageTableMessage,
        MessageType::CONTINUATION => Structure::Continuation,
        MessageType::SYMBOL_TABLE => Structure::SymbolTable,
        MessageType::MODIFICATION_TIME => Structure::ModificationTime,
        MessageType::BTREE_K => Structure::BTreeK,
        MessageType::DRIVER_INFO => Structure::DriverInfoMessage,
        MessageType::ATTRIBUTE_INFO => Structure::AttributeInfo,
        MessageType::REFERENCE_COUNT => Structure::ReferenceCount,
        MessageType::FILE_SPACE_INFO => Structure::FileSpaceInfo,
        MessageType::CACHE_IMAGE => Structure::CacheImageMessage,
        _ => return None,
    })
}

/// Decodes a message only to see whether it decodes.
pub(super) fn decode(storage: &Storage, kind: MessageType, block: Block<'_>) -> Result<()> {
    let decoded = match kind {
        MessageType::DATATYPE => return datatype(storage, block).map(drop),
        MessageType::DATASPACE => Dataspace::decode(block).map(drop),
        MessageType::LINK_INFO => LinkInfo::decode(block).map(drop),
        MessageType::FILL_VALUE_OLD => fill_value::decode_old(block).map(drop),
        MessageType::FILL_VALUE => FillValue::decode(block).map(drop),
        MessageType::LINK => Link::decode(block).map(drop),
        MessageType::EXTERNAL_DATA_FILES => ExternalDataFiles::decode(block).map(drop),
        MessageType::DATA_LAYOUT => DataLayout::decode(block).map(drop),
        MessageType::GROUP_INFO => GroupInfo::decode(block).map(drop),
        MessageType::FILTER_PIPELINE => FilterPipeline::decode(block).map(drop),
        MessageType::ATTRIBUTE => Attribute::decode(block).map(drop),
        MessageType::COMMENT => comment::decode(block).map(drop),
        MessageType::MODIFICATION_TIME_OLD => ModificationTimeOld::decode(block).map(drop),
        MessageType::SHARED_MESSAGE_TABLE => SharedMessageTableLocation::decode(block).map(drop),
        MessageType::SYMBOL_TABLE => SymbolTable::decode(block).map(drop),
        MessageType::MODIFICATION_TIME => ModificationTime::decode(block).map(drop),
        MessageType::BTREE_K => BTreeK::decode(block).map(drop),
        MessageType::DRIVER_INFO => DriverInfo::decode_message(block).map(drop),
        MessageType::ATTRIBUTE_INFO => AttributeInfo::decode(block).map(drop),
        MessageType::REFERENCE_COUNT => reference_count::decode(block).map(drop),
        MessageType::FILE_SPACE_INFO => FileSpaceInfo::decode(block).map(drop),
        MessageType::CACHE_IMAGE => CacheImageLocation::decode(block).map(drop),
        _ => Ok(()),
    };
    decoded.map_err(Into::into)
}
