//! Object headers: all chunks of one, and the bodies of its messages.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use super::group::Links;
use super::shared;
use super::{Held, Run, Storage, Visited};
use crate::bytes::{Addr, Block, Widths};
use crate::error::{Cause, Corrupt, Error, Fault, Result, Structure, Unsupported};
use crate::format::message::attribute::Attribute;
use crate::format::message::continuation::Continuation;
use crate::format::message::link::Link;
use crate::format::object_header::{Message, MessageType, Messages, Prefix, PrefixV2};
use crate::format::verified;

/// An object header with all its messages, NIL and continuations left out.
#[derive(Debug)]
pub(crate) struct ObjectHeader {
    pub(crate) address: Addr,
    pub(crate) prefix: Prefix,
    widths: Widths,
    first: HeaderChunk,
    continuations: Vec<HeaderChunk>,
    messages: Vec<(u32, Message)>,
    /// A checksum that is wrong, or a continuation that is lost, where that is forgiven.
    pub(super) forgiven: Option<Box<Corrupt>>,
    /// Where the links are, once somebody has asked.
    pub(super) links: OnceLock<Links>,
    attribute_names: Names,
    link_names: Names,
    /// The types of the messages, a bit for each, once somebody has asked.
    types: OnceLock<u64>,
}

/// Where among the messages those of one type stand, by their names, once somebody has asked for one of many.
type Names = OnceLock<HashMap<Vec<u8>, usize>>;

/// The bytes of one chunk's messages, and where they stand.
#[derive(Debug)]
struct HeaderChunk {
    bytes: Vec<u8>,
    /// Bytes before the first message.
    skip: usize,
    /// Position of the first message.
    at: u64,
}

/// Bytes that are read of a header before its length is known.
const FIRST_READ: u64 = 512;

/// Messages of most objects.
const USUAL: usize = 10;

/// Messages that are worth keeping decoded, whatever the object is.
const MANY: usize = 2 * USUAL;

impl ObjectHeader {
    /// The header at an address.
    ///
    /// # Errors
    /// A header that breaks the format, or holds a message that must be understood and is not.
    pub(crate) fn read(storage: &Storage, address: Addr) -> Result<Arc<Self>> {
        storage.memo_some(address, Structure::ObjectHeader, || {
            let header = storage.retrying(|| Self::load(storage, address))?;
            // Groups are gone through again and again; a dataset is opened once, and small headers are read again sooner
            // than found.
            let kept = header.messages.len() > MANY || !header.has(MessageType::DATA_LAYOUT);
            let bytes = header.chunks().map(|c| c.bytes.len() + 64).sum::<usize>() + header.messages.len() * 128;
            Ok((header, kept.then_some(bytes as u64)))
        })
    }

    /// A header without a message, in place of one that is lost.
    pub(crate) fn nothing(storage: &Storage) -> Arc<Self> {
        let prefix = Prefix::V2(PrefixV2 { flags: 0, times: None, phase_change: None, chunk_size: 0 });
        Arc::new(Self {
            address: Addr(u64::MAX),
            prefix,
            widths: storage.widths(),
            first: HeaderChunk { bytes: Vec::new(), skip: 0, at: storage.position(Addr(u64::MAX)) },
            continuations: Vec::new(),
            messages: Vec::new(),
            forgiven: None,
            links: OnceLock::new(),
            attribute_names: Names::new(),
            link_names: Names::new(),
            types: OnceLock::new(),
        })
    }

    fn load(storage: &Storage, address: Addr) -> Result<Self> {
        const S: Structure = Structure::ObjectHeader;
        let run = storage.read_up_to(address, FIRST_READ, S)?;
        let (prefix, rest) = Prefix::decode(run.block())?;
        let head = rest.at() - run.block().at();
        let checksum = if prefix.version() == 1 { 0 } else { 4 };
        let length = prefix.chunk_size().saturating_add(head + checksum);
        let run = if length <= run.block().bytes().len() as u64 { run } else { storage.read(address, length, S)? };
        let block = run.block().sub(S, "size of chunk #0", 0..length as usize)?;
        let mut held = Held::by(S, storage.position(address));
        held.add(storage, length)?;
        let mut forgiven = None;
        let block = if checksum > 0 { checked(storage, block, S, &mut forgiven)? } else { block };
        let first = block.sub(S, "size of chunk #0", head as usize..(length - checksum) as usize)?;
        let mut messages = Vec::with_capacity(USUAL);
        let mut continuations = add_chunk(&prefix, first, S, 0, &mut messages)?;
        let first = HeaderChunk { at: first.at(), skip: head as usize, bytes: run.into_first(length as usize) };
        let mut header = Self {
            address,
            prefix,
            widths: storage.widths(),
            first,
            continuations: Vec::new(),
            messages,
            forgiven,
            links: OnceLock::new(),
            attribute_names: Names::new(),
            link_names: Names::new(),
            types: OnceLock::new(),
        };
        if continuations.is_empty() {
            return Ok(header);
        }
        let mut visited = Visited::new(S, ("header_chunks", storage.limits().header_chunks.into()));
        visited.enter(storage, address)?;
        visited.read(storage, address, header.first.bytes.len())?;
        while let Some((at, continuation)) = continuations.pop_front() {
            let Some(address) = continuation.address else {
                return Err(Corrupt::new(Structure::Continuation, "offset", at, Fault::Undefined).into());
            };
            visited.enter(storage, address)?;
            visited.read(storage, address, usize::try_from(continuation.length).unwrap_or(usize::MAX))?;
            held.add(storage, continuation.length)?;
            match header.add_continuation(storage, address, continuation.length) {
                Ok(more) => continuations.extend(more),
                Err(e) => header.forgive(storage, e)?,
            }
        }
        Ok(header)
    }

    /// Goes on without a continuation where that is forgiven: of a group it holds some links more, but without a message of
    /// a dataset its elements are read the wrong way.
    fn forgive(&mut self, storage: &Storage, error: Error) -> Result<()> {
        let group = (self.has(MessageType::LINK_INFO) || self.has(MessageType::LINK))
            && !self.has(MessageType::DATASPACE)
            && !self.has(MessageType::DATATYPE);
        match error.cause() {
            Cause::Corrupt(fault) if storage.forgives() && group => {
                self.forgiven = Some(Box::new(fault.clone()));
                // Messages before the fault go with their chunk.
                let kept = self.continuations.len() as u32;
                self.messages.retain(|(chunk, _)| *chunk <= kept);
                self.types.take();
                Ok(())
            }
            _ => Err(error),
        }
    }

    fn add_continuation(
        &mut self,
        storage: &Storage,
        address: Addr,
        length: u64,
    ) -> Result<VecDeque<(u64, Continuation)>> {
        const S: Structure = Structure::ObjectHeaderContinuation;
        let run = storage.read(address, length, S)?;
        let messages = if self.prefix.version() == 1 {
            run.block()
        } else {
            let signature = crate::bytes::parse::signature(b"OCHK");
            checked(storage, run.block(), S, &mut self.forgiven)?
                .run_rest(S, crate::bytes::parse::field("signature", signature))?
                .1
        };
        let number = self.continuations.len() as u32 + 1;
        let found = add_chunk(&self.prefix, messages, S, number, &mut self.messages)?;
        let (at, skip) = (messages.at(), (messages.at() - run.block().at()) as usize);
        self.continuations.push(HeaderChunk { at, skip, bytes: run.into_bytes() });
        Ok(found)
    }

    fn chunks(&self) -> impl Iterator<Item = &HeaderChunk> {
        std::iter::once(&self.first).chain(&self.continuations)
    }

    /// The messages, in the order of the chunks.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().map(|(_, message)| message)
    }

    /// The stored bodies of all messages of a type, pointers not followed.
    pub(crate) fn stored(&self, kind: MessageType) -> impl Iterator<Item = (&Message, Block<'_>)> {
        let found = self.messages.iter().filter(move |(_, message)| message.kind == kind);
        found.map(|(chunk, message)| (message, self.body_of(*chunk, message)))
    }

    /// The attribute message of a name, where it is one of many and stands here.
    pub(super) fn attribute_named(&self, name: &[u8]) -> Option<(&Message, Block<'_>)> {
        let name_of = |body| Attribute::decode_name(body).ok().map(<[u8]>::to_vec);
        self.named(&self.attribute_names, MessageType::ATTRIBUTE, name_of, name)
    }

    /// The link message of a name, where it is one of many.
    pub(super) fn link_named(&self, name: &[u8]) -> Option<Block<'_>> {
        let name_of = |body| Link::decode(body).ok().map(|link| link.name.as_bytes().to_vec());
        self.named(&self.link_names, MessageType::LINK, name_of, name).map(|(_, body)| body)
    }

    fn named<'h>(
        &'h self,
        names: &Names,
        kind: MessageType,
        name_of: impl Fn(Block<'h>) -> Option<Vec<u8>>,
        name: &[u8],
    ) -> Option<(&'h Message, Block<'h>)> {
        if self.messages.len() <= MANY {
            return None;
        }
        let names = names.get_or_init(|| {
            let mut names = HashMap::new();
            for (i, (chunk, message)) in self.messages.iter().enumerate() {
                if message.kind == kind
                    && !message.flags.shared()
                    && let Some(name) = name_of(self.body_of(*chunk, message))
                {
                    names.entry(name).or_insert(i);
                }
            }
            names
        });
        let (chunk, message) = self.messages.get(*names.get(name)?)?;
        Some((message, self.body_of(*chunk, message)))
    }

    fn body_of(&self, chunk: u32, message: &Message) -> Block<'_> {
        let chunk = match chunk {
            0 => &self.first,
            n => &self.continuations[n as usize - 1],
        };
        let body = &chunk.bytes[chunk.skip + message.body.start..chunk.skip + message.body.end];
        Block::new(body, chunk.at + message.body.start as u64, self.widths)
    }

    /// The body of the first message of a type, wherever it stands.
    ///
    /// # Errors
    /// A shared message that is not where it should be.
    pub(crate) fn body(&self, storage: &Storage, kind: MessageType) -> Result<Option<Run<'_>>> {
        self.body_at(storage, kind, 0)
    }

    pub(super) fn body_at(&self, storage: &Storage, kind: MessageType, depth: u32) -> Result<Option<Run<'_>>> {
        match self.stored(kind).next() {
            None => Ok(None),
            Some((message, block)) if message.flags.shared() => {
                shared::follow(storage, block, kind, depth + 1).map(Some)
            }
            Some((_, block)) => Ok(Some(block.into())),
        }
    }

    /// The body of a message that the object must have.
    ///
    /// # Errors
    /// Also where there is none.
    pub(crate) fn needed(&self, storage: &Storage, kind: MessageType, structure: Structure) -> Result<Run<'_>> {
        self.body(storage, kind)?.ok_or_else(|| self.absent(storage, structure))
    }

    /// The fault that a message of this kind is absent.
    pub(crate) fn absent(&self, storage: &Storage, structure: Structure) -> Error {
        Corrupt::new(structure, "message", storage.position(self.address), Fault::Absent).into()
    }

    /// True where there is a message that only datasets have, though others of theirs may be lost.
    pub(crate) fn is_of_dataset(&self) -> bool {
        self.messages().any(|message| message.kind.is_of_dataset())
    }

    /// True where there is a message of this type.
    pub(crate) fn has(&self, kind: MessageType) -> bool {
        let bit = |kind: MessageType| 1u64.checked_shl(kind.0.into()).unwrap_or(0);
        let types = self.types.get_or_init(|| self.messages().fold(0, |types, message| types | bit(message.kind)));
        types & bit(kind) != 0
    }
}

/// The bytes before a checksum, which must be right unless that is forgiven.
fn checked<'b>(
    storage: &Storage,
    block: Block<'b>,
    structure: Structure,
    forgiven: &mut Option<Box<Corrupt>>,
) -> Result<Block<'b>> {
    match (verified(block, structure), block.bytes().len().checked_sub(4)) {
        (Ok(block), _) => Ok(block),
        (Err(fault), Some(length)) if storage.forgives() => {
            *forgiven = Some(Box::new(fault));
            Ok(block.sub(structure, "body", 0..length)?)
        }
        (Err(fault), _) => Err(fault.into()),
    }
}

/// Adds the messages of the chunk of a number, and gives its continuations with their positions.
fn add_chunk(
    prefix: &Prefix,
    block: Block<'_>,
    structure: Structure,
    number: u32,
    messages: &mut Vec<(u32, Message)>,
) -> Result<VecDeque<(u64, Continuation)>> {
    let mut continuations = VecDeque::new();
    let mut keep = |message: &Message| -> Result<bool> {
        let body = block.sub(structure, "message data", message.body.clone())?;
        match message.kind {
            MessageType::NIL => return Ok(false),
            MessageType::CONTINUATION => {
                continuations.push_back((body.at(), Continuation::decode(body)?));
                return Ok(false);
            }
            kind if !kind.is_understood() && message.flags.fail_if_unknown() => {
                return Err(Cause::Unsupported { feature: Unsupported::Message(kind.0), at: body.at() }.into());
            }
            MessageType::REFERENCE_COUNT if prefix.version() == 1 => {
                // There it stands in the prefix; libhdf5 refuses such a header too.
                let fault = Fault::Value(message.kind.0.into());
                return Err(Corrupt::new(structure, "message type", body.at(), fault).into());
            }
            _ => {}
        }
        Ok(true)
    };
    let mut fault = None;
    // That a message leaves the chunk is said before anything else.
    Messages::each(block, prefix, structure, |message| match keep(&message) {
        Ok(true) => messages.push((number, message)),
        Err(e) if fault.is_none() => fault = Some(e),
        _ => {}
    })?;
    fault.map_or(Ok(continuations), Err)
}
