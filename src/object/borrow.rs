//! Elements where they are: borrowed from the source, without a copy.

use super::dataset::Dataset;
use super::raw::RawData;
use crate::bytes::Addr;
use crate::element::Element;
use crate::error::{InObject, Result};
use crate::selection::{Resolved, Selection};

impl Dataset {
    /// The selected elements, row-major: borrowed from the source where they stand in one piece of a file in memory or
    /// mapped, with the bytes that `T` has in memory, and aligned; else read into `buffer`, which is made longer where
    /// that is needed. For reads of one dataset block by block, which need not pay for new memory each time.
    ///
    /// ```
    /// # fn main() -> h5kit::Result<()> {
    /// let dataset = h5kit::File::open("testdata/h5col/large.h5")?.dataset("/large/time")?;
    /// let (mut buffer, mut largest) = (Vec::new(), i64::MIN);
    /// for start in (0..dataset.len()).step_by(4096) {
    ///     let block: &[i64] = dataset.read_or_borrow(start..dataset.len().min(start + 4096), &mut buffer)?;
    ///     largest = block.iter().copied().fold(largest, i64::max);
    /// }
    /// assert_eq!(largest, 59_999);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_or_borrow<'b, T: Element>(
        &'b self,
        selection: impl Into<Selection>,
        buffer: &'b mut Vec<T>,
    ) -> Result<&'b [T]> {
        self.borrowed_or_read(&selection.into(), buffer).in_object(self.info().object_path())
    }

    fn borrowed_or_read<'b, T: Element>(&'b self, selection: &Selection, buffer: &'b mut Vec<T>) -> Result<&'b [T]> {
        let (raw, storage) = (self.raw(), self.file().storage());
        let selected = self.resolve(selection)?;
        self.check_room::<T>(&selected)?;
        self.claim(&selected)?;
        let piece = raw.piece(&selected)?;
        if let Some(address) = piece
            && let Some(bytes) = storage.borrow_raw(address, raw.bytes_of(selected.elements())? as u64)?
            && let Some(values) = T::from_native_bytes(self.datatype(), bytes)
        {
            return Ok(values);
        }
        let n = usize::try_from(selected.elements()).unwrap_or(usize::MAX);
        if buffer.len() < n {
            *buffer = T::empty_vec(n)?;
        }
        let values = &mut buffer[..n];
        match piece.zip(T::native_bytes(self.datatype(), values)) {
            Some((address, bytes)) => storage.read_raw_into(address, bytes)?,
            None => self.read_values(&selected, values)?,
        }
        Ok(values)
    }
}

impl RawData {
    /// Where elements stand that follow one another in the file and went through no filter.
    fn piece(&self, selected: &Resolved) -> Result<Option<Addr>> {
        let mut runs = selected.runs(&self.dims);
        match (runs.next(), runs.next()) {
            (Some(run), None) if run.length > 0 => self.address_of(run),
            _ => Ok(None),
        }
    }
}
