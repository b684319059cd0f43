use super::checksum::lookup3;
use super::{Addr, Widths};

/// A value that does not fit its field when a structure is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value} does not fit {width} bytes")]
pub struct EmitFault {
    /// The value.
    pub value: u64,
    /// Bytes of the field.
    pub width: u8,
}

/// The vocabulary of [`parse`](super::parse) outwards: structures write themselves into it.
///
/// A value wider than its field is remembered and fails the whole when the bytes are taken.
#[derive(Debug)]
pub struct Emit {
    bytes: Vec<u8>,
    widths: Widths,
    fault: Option<EmitFault>,
}

impl Emit {
    /// Nothing yet, for a file with these `widths`.
    #[must_use]
    pub fn new(widths: Widths) -> Self {
        Self { bytes: Vec::new(), widths, fault: None }
    }

    /// Encodes with `write` and gives the bytes.
    ///
    /// # Errors
    /// A value that did not fit its field.
    pub fn encode(widths: Widths, write: impl FnOnce(&mut Self)) -> Result<Vec<u8>, EmitFault> {
        let mut emit = Self::new(widths);
        write(&mut emit);
        emit.finish()
    }

    /// The number of bytes that `write` would encode to: measured by encoding.
    #[must_use]
    pub fn count(widths: Widths, write: impl FnOnce(&mut Self)) -> usize {
        let mut emit = Self::new(widths);
        write(&mut emit);
        emit.bytes.len()
    }

    /// The bytes.
    ///
    /// # Errors
    /// A value that did not fit its field.
    pub fn finish(self) -> Result<Vec<u8>, EmitFault> {
        match self.fault {
            None => Ok(self.bytes),
            Some(fault) => Err(fault),
        }
    }

    /// Size of offsets and of lengths.
    #[must_use]
    pub fn widths(&self) -> Widths {
        self.widths
    }

    /// Bytes written so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True before the first byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// `n` zero bytes.
    pub fn zeros(&mut self, n: usize) {
        self.bytes.resize(self.bytes.len() + n, 0);
    }

    /// One byte.
    pub fn u8(&mut self, n: u8) {
        self.bytes.push(n);
    }

    /// A 16-bit number.
    pub fn u16(&mut self, n: u16) {
        self.bytes(&n.to_le_bytes());
    }

    /// A 32-bit number.
    pub fn u32(&mut self, n: u32) {
        self.bytes(&n.to_le_bytes());
    }

    /// A 64-bit number.
    pub fn u64(&mut self, n: u64) {
        self.bytes(&n.to_le_bytes());
    }

    /// A number in `width` bytes.
    pub fn uint(&mut self, width: u8, n: u64) {
        let le = n.to_le_bytes();
        let kept = usize::from(width).min(8);
        if le[kept..].iter().any(|b| *b != 0) {
            self.fault.get_or_insert(EmitFault { value: n, width });
        }
        self.bytes(&le[..kept]);
        self.zeros(usize::from(width) - kept);
    }

    /// A number in `width` bytes, all bits set for none.
    pub fn optional_uint(&mut self, width: u8, n: Option<u64>) {
        match n {
            Some(n) => self.uint(width, n),
            None => self.bytes.resize(self.bytes.len() + usize::from(width), 0xff),
        }
    }

    /// An address, or the undefined one.
    pub fn addr(&mut self, addr: Option<Addr>) {
        self.optional_uint(self.widths.offsets, addr.map(|a| a.0));
    }

    /// A length.
    pub fn length(&mut self, n: u64) {
        self.uint(self.widths.lengths, n);
    }

    /// Bytes followed by a NUL.
    pub fn nul_terminated(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
        self.u8(0);
    }

    /// Zeros up to a multiple of 8 bytes of a field that began when `start` bytes were written.
    pub fn pad_to_8(&mut self, start: usize) {
        let length = self.bytes.len() - start;
        self.zeros(length.next_multiple_of(8) - length);
    }

    /// What `write` writes, followed by the checksum of it.
    pub fn checksummed(&mut self, write: impl FnOnce(&mut Self)) {
        let start = self.bytes.len();
        write(self);
        let sum = lookup3(&self.bytes[start..]);
        self.u32(sum);
    }
}
