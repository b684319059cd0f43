use crate::bytes::{Widths, log2_floor, width_of};
use crate::error::{Corrupt, Fault, Structure};

/// The doubling table: how a heap's linear space is cut into blocks.
///
/// Rows 0 and 1 have blocks of the starting size, every row after that blocks twice as large as the row
/// before; every row has `width` blocks. Blocks larger than the largest direct block are indirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoublingTable {
    /// Blocks of a row.
    pub width: u16,
    /// Bytes of a block of the first row.
    pub start: u64,
    /// Bytes of the largest direct block.
    pub max_direct: u64,
    /// Bits of an offset in the heap.
    pub bits: u16,
}

impl DoublingTable {
    /// Checks that a table can be built from the numbers.
    ///
    /// # Errors
    /// Numbers that are no powers of two, or that contradict each other.
    pub fn check(self, at: u64) -> Result<Self, Corrupt> {
        let wrong = |field, value| Err(Corrupt::new(Structure::FractalHeap, field, at, Fault::Value(value)));
        if !self.width.is_power_of_two() {
            return wrong("table width", self.width.into());
        }
        if !self.start.is_power_of_two() {
            return wrong("starting block size", self.start);
        }
        if !self.max_direct.is_power_of_two() || self.max_direct < self.start {
            return wrong("maximum direct block size", self.max_direct);
        }
        if self.bits > 64 || u32::from(self.bits) < log2_floor(self.start) {
            return wrong("maximum heap size", self.bits.into());
        }
        Ok(self)
    }

    /// Bytes of a heap offset.
    #[must_use]
    pub fn offset_width(&self) -> u8 {
        self.bits.div_ceil(8) as u8
    }

    /// Bytes of a managed object's length in a heap ID.
    #[must_use]
    pub fn length_width(&self, max_managed: u32) -> u8 {
        (log2_floor(self.max_direct).div_ceil(8) as u8).min(width_of(max_managed.into()))
    }

    /// Rows whose blocks are direct.
    #[must_use]
    pub fn direct_rows(&self) -> u32 {
        log2_floor(self.max_direct) - log2_floor(self.start) + 2
    }

    /// Most rows of the root block.
    #[must_use]
    pub fn max_rows(&self) -> u32 {
        u32::from(self.bits).saturating_sub(self.first_row_bits()) + 1
    }

    /// Bytes of each block of a row; saturated where they exceed 64 bits.
    #[must_use]
    pub fn block_size(&self, row: u32) -> u64 {
        let shift = row.saturating_sub(1);
        if shift > self.start.leading_zeros() { u64::MAX } else { self.start << shift }
    }

    /// Rows of an indirect block that covers `size` bytes.
    #[must_use]
    pub fn rows_of(&self, size: u64) -> u32 {
        (log2_floor(size) + 1).saturating_sub(self.first_row_bits())
    }

    /// Row, column and offset in the block of the byte `offset` of a table.
    #[must_use]
    pub fn find(&self, offset: u64) -> (u32, u64, u64) {
        let first_row = self.start.saturating_mul(self.width.into());
        if offset < first_row {
            return (0, offset / self.start, offset % self.start);
        }
        let high = log2_floor(offset);
        let row = high - self.first_row_bits() + 1;
        let (size, into) = (self.block_size(row), offset - (1 << high));
        (row, into / size, into % size)
    }

    /// Offset in the table of the first byte of a row.
    #[must_use]
    pub fn row_offset(&self, row: u32) -> u64 {
        if row == 0 { 0 } else { self.block_size(row).saturating_mul(self.width.into()) }
    }

    fn first_row_bits(&self) -> u32 {
        log2_floor(self.start) + log2_floor(self.width.into())
    }

    /// Bytes of an indirect block with `rows` rows.
    #[must_use]
    pub fn indirect_size(&self, rows: u32, filtered: bool, w: Widths) -> u64 {
        let width = u64::from(self.width);
        let direct = u64::from(rows.min(self.direct_rows())) * width;
        let indirect = u64::from(rows.saturating_sub(self.direct_rows())) * width;
        let address = u64::from(w.offsets);
        let direct_entry = address + if filtered { u64::from(w.lengths) + 4 } else { 0 };
        9 + address + u64::from(self.offset_width()) + direct * direct_entry + indirect * address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libhdf5s_table_for_links() {
        let table = DoublingTable { width: 4, start: 512, max_direct: 65536, bits: 32 };
        assert_eq!((table.direct_rows(), table.max_rows(), table.offset_width()), (9, 22, 4));
        assert_eq!(table.find(0), (0, 0, 0));
        assert_eq!(table.find(2047), (0, 3, 511));
        assert_eq!(table.find(2048), (1, 0, 0));
        assert_eq!(table.find(4096), (2, 0, 0));
        assert_eq!(table.find(4096 + 1024 + 5), (2, 1, 5));
        // Every row begins where the one before ends.
        for row in 1..20 {
            assert_eq!(table.row_offset(row), table.row_offset(row - 1) + 4 * table.block_size(row - 1));
        }
        // A block of 128 KiB holds rows of 4 × 512, 4 × 512, 4 × 1024 … 4 × 16384.
        assert_eq!(table.rows_of(131_072), 7);
        assert_eq!(table.row_offset(7), 131_072);
    }
}
