//! Object headers: all chunks of one, and the bodies of its messages.

use std::collections::VecDeque;
use std::sync::Arc;

use super::shared;
use super::{Run, Storage, Visited};
use crate::bytes::{Addr, Block, Widths};
use crate::error::{Cause, Corrupt, Error, Fault, Result, Structure, Unsupported};
use crate::format::message::continuation::Continuation;
use crate::format::object_header::{Message, MessageType, Messages, Prefix};
use crate::format::verified;

/// An object header with all its messages, NIL and continuations left out.
#[derive(Debug)]
pub(crate) struct ObjectHeader {
    pub(crate) address: Addr,
    pub(crate) prefix: Prefix,
    widths: Widths,
    chunks: Vec<HeaderChunk>,
    messages: Vec<(usize, Message)>,
}

/// The messages of one chunk, and where their bytes stand.
#[derive(Debug)]
struct HeaderChunk {
    bytes: Vec<u8>,
    at: u64,
}

/// Bytes that are read of a header before its length is known.
const FIRST_READ: u64 = 512;

impl ObjectHeader {
    /// The header at an address.
    ///
    /// # Errors
    /// A header that breaks the format, or holds a message that must be understood and is not.
    pub(crate) fn read(storage: &Storage, address: Addr) -> Result<Arc<Self>> {
        storage.memo(address, Structure::ObjectHeader, || {
            let header = Self::load(storage, address)?;
            let bytes = header.chunks.iter().map(|c| c.bytes.len() + 64).sum::<usize>() + header.messages.len() * 64;
            Ok((header, bytes as u64))
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
        let block = if checksum > 0 { verified(block, S)? } else { block };
        let first = block.sub(S, "size of chunk #0", head as usize..(length - checksum) as usize)?;
        let mut header = Self { address, prefix, widths: storage.widths(), chunks: Vec::new(), messages: Vec::new() };
        let mut continuations = header.add_chunk(first, S)?;
        let mut visited = Visited::new(S, ("header_chunks", storage.limits().header_chunks.into()));
        visited.enter(storage, address)?;
        while let Some((at, continuation)) = continuations.pop_front() {
            let Some(address) = continuation.address else {
                return Err(Corrupt::new(Structure::Continuation, "offset", at, Fault::Undefined).into());
            };
            visited.enter(storage, address)?;
            continuations.extend(header.add_continuation(storage, address, continuation.length)?);
        }
        Ok(header)
    }

    fn add_continuation(
        &mut self,
        storage: &Storage,
        address: Addr,
        length: u64,
    ) -> Result<VecDeque<(u64, Continuation)>> {
        const S: Structure = Structure::ObjectHeaderContinuation;
        let run = storage.read(address, length, S)?;
        if self.prefix.version() == 1 {
            return self.add_chunk(run.block(), S);
        }
        let body = verified(run.block(), S)?;
        let (_, messages) =
            body.run_rest(S, |i| crate::bytes::parse::field("signature", crate::bytes::parse::signature(b"OCHK"))(i))?;
        self.add_chunk(messages, S)
    }

    /// Adds the messages of a chunk and gives its continuations with their positions.
    fn add_chunk(&mut self, block: Block<'_>, structure: Structure) -> Result<VecDeque<(u64, Continuation)>> {
        let decoded = Messages::decode(block, &self.prefix, structure)?;
        let number = self.chunks.len();
        let mut continuations = VecDeque::new();
        for message in decoded.messages {
            let body = block.sub(structure, "message data", message.body.clone())?;
            match message.kind {
                MessageType::NIL => continue,
                MessageType::CONTINUATION => {
                    continuations.push_back((body.at(), Continuation::decode(body)?));
                    continue;
                }
                kind if !kind.is_understood() && message.flags.fail_if_unknown() => {
                    let feature = Unsupported::Message(kind.0);
                    return Err(Cause::Unsupported { feature, at: body.at() }.into());
                }
                MessageType::REFERENCE_COUNT if self.prefix.version() == 1 => {
                    // There it stands in the prefix; libhdf5 refuses such a header too.
                    let fault = Fault::Value(message.kind.0.into());
                    return Err(Corrupt::new(structure, "message type", body.at(), fault).into());
                }
                _ => {}
            }
            self.messages.push((number, message));
        }
        self.chunks.push(HeaderChunk { bytes: block.bytes().to_vec(), at: block.at() });
        Ok(continuations)
    }

    /// The messages, in the order of the chunks.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().map(|(_, message)| message)
    }

    /// The stored bodies of all messages of a type, pointers not followed.
    pub(crate) fn stored(&self, kind: MessageType) -> impl Iterator<Item = (&Message, Block<'_>)> {
        self.all_stored().filter(move |(message, _)| message.kind == kind)
    }

    /// The stored bodies of all messages, pointers not followed.
    pub(crate) fn all_stored(&self) -> impl Iterator<Item = (&Message, Block<'_>)> {
        self.messages.iter().map(|(chunk, message)| {
            let chunk = &self.chunks[*chunk];
            let body = &chunk.bytes[message.body.clone()];
            (message, Block::new(body, chunk.at + message.body.start as u64, self.widths))
        })
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

    /// True where there is a message of this type.
    pub(crate) fn has(&self, kind: MessageType) -> bool {
        self.messages().any(|message| message.kind == kind)
    }
}
