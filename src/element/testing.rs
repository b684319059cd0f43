//! What the tests of the element types share.

use std::cell::Cell;

use super::{Element, Heap};
use crate::bytes::{Block, Widths};
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::message::datatype::{Bits, ByteOrder, Class, Datatype, FixedPoint, FloatingPoint};
use crate::format::reference::HeapPlace;

/// A heap without an object.
pub struct NoHeap;

impl Heap for NoHeap {
    fn becomes(&self, _: u64) -> Result<()> {
        Ok(())
    }

    fn widths(&self) -> Widths {
        Widths::default()
    }

    fn prefetch(&self, _: &mut dyn Iterator<Item = HeapPlace>) -> Result<()> {
        Ok(())
    }

    fn object(&self, place: HeapPlace, _: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        Err(Corrupt::new(Structure::GlobalHeap, "object index", place.collection.0, Fault::Absent).into())
    }
}

/// A heap in which every object is the same bytes, and which counts what they become.
pub struct OneObject {
    bytes: Vec<u8>,
    became: Cell<u64>,
}

impl OneObject {
    pub fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), became: Cell::new(0) }
    }

    /// Bytes of memory that were counted.
    pub fn became(&self) -> u64 {
        self.became.get()
    }
}

impl Heap for OneObject {
    fn widths(&self) -> Widths {
        Widths::default()
    }

    fn becomes(&self, bytes: u64) -> Result<()> {
        self.became.set(self.became.get() + bytes);
        Ok(())
    }

    fn prefetch(&self, _: &mut dyn Iterator<Item = HeapPlace>) -> Result<()> {
        Ok(())
    }

    fn object(&self, _: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        with(Block::new(&self.bytes, 0, Widths::default()))
    }
}

pub fn integer(size: u32, signed: bool, order: ByteOrder) -> Datatype {
    let precision = 8 * size as u16;
    let bits = Bits { order, low_padding: false, high_padding: false, offset: 0, precision };
    Datatype { version: 1, size, class: Class::FixedPoint(FixedPoint { bits, signed }), reserved_bits: 0 }
}

/// A little-endian IEEE number.
pub fn float(size: u32, exponent: u8, mantissa: u8) -> Datatype {
    let class = Class::FloatingPoint(FloatingPoint::ieee(ByteOrder::Little, exponent, mantissa));
    Datatype { version: 1, size, class, reserved_bits: 0 }
}

pub fn decode<T: Element>(datatype: &Datatype, bytes: &[u8]) -> Result<Vec<T>> {
    let mut values = T::empty_vec(bytes.len() / datatype.size as usize)?;
    T::decoder(datatype)?(bytes, &NoHeap, &mut values)?;
    Ok(values)
}
