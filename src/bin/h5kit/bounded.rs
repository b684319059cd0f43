//! Writing no more than a file can hold: one that is damaged, or means harm, may claim anything.

use std::io::{self, Write};

use h5kit::File;

/// Bytes that are written in any case.
const FREE: u64 = 256 << 20;
/// Bytes that are written for each byte of the file: no more comes out of deflate.
const EXPANSION: u64 = 1100;

/// Bytes that may still be written.
#[derive(Debug)]
pub struct Room {
    /// How many.
    pub left: u64,
    /// More was to be written than there is room for.
    pub full: bool,
}

impl Room {
    /// As much as a file can hold.
    pub fn of(file: &File) -> Self {
        Self { left: file.source().len().saturating_mul(EXPANSION).max(FREE), full: false }
    }
}

/// What is written as long as there is room.
pub struct Bounded<'r, W> {
    /// Where to.
    pub out: W,
    /// The room.
    pub room: &'r mut Room,
}

impl<W: Write> Write for Bounded<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.room.left.checked_sub(bytes.len() as u64) else {
            self.room.full = true;
            let text = "limit of what is written: more than 256 MiB and 1100 times the file";
            return Err(io::Error::new(io::ErrorKind::StorageFull, text));
        };
        self.room.left = left;
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
#[test]
fn no_more_is_written_than_there_is_room_for() {
    let mut room = Room { left: 5, full: false };
    let mut written = Vec::new();
    let mut out = Bounded { out: &mut written, room: &mut room };
    assert!(out.write_all(b"abc").is_ok() && out.write_all(b"de").is_ok());
    assert_eq!(out.write_all(b"f").map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull));
    assert_eq!((written, room.left, room.full), (b"abcde".to_vec(), 0, true));
}
