/// An input that is used up from its beginning; what is not there reads as zero.
pub struct Input<'i>(pub &'i [u8]);

impl<'i> Input<'i> {
    pub fn byte(&mut self) -> u8 {
        self.number(1) as u8
    }

    /// A little-endian number of so many bytes, up to 8.
    pub fn number(&mut self, bytes: usize) -> u64 {
        let mut number = [0; 8];
        let taken = self.take(bytes);
        number[..taken.len()].copy_from_slice(taken);
        u64::from_le_bytes(number)
    }

    pub fn take(&mut self, bytes: usize) -> &'i [u8] {
        let (taken, rest) = self.0.split_at(bytes.min(self.0.len()));
        self.0 = rest;
        taken
    }
}
