use std::io;
use std::sync::{Mutex, PoisonError};

/// Bytes of a page.
const PAGE: usize = 4096;

/// Pages that are kept: 4 MiB, taken as they are needed.
const SLOTS: usize = 1024;

/// Most pages that are read at once.
const MOST_AHEAD: u8 = 16;

/// The pages of a file that were read last, so that many small reads are few calls of the system.
///
/// Where reads go on from page to page more pages are read at once, twice as many each time; a page far from the others
/// is read alone.
#[derive(Debug, Default)]
pub(super) struct Pages(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    slots: Vec<Slot>,
    /// Grows with every clearing: pages that were asked for before one are not kept after it.
    generation: u64,
}

/// A page that is not here.
struct Needed {
    number: u64,
    /// Pages to read from there on.
    ahead: u8,
    generation: u64,
}

/// Room for one page: those whose numbers leave the same rest share it.
#[derive(Clone, Debug, Default)]
struct Slot {
    number: u64,
    /// Pages that were read together with this one.
    together: u8,
    bytes: Option<Box<[u8; PAGE]>>,
}

impl Slot {
    /// The page of this number, if it is the one that is here.
    fn page(&self, number: u64) -> Option<&[u8; PAGE]> {
        self.bytes.as_deref().filter(|_| self.number == number)
    }
}

impl Pages {
    /// Reads longer than this are better made at once.
    pub(super) const LONGEST: usize = 4 * PAGE;

    /// Fills `buffer` with what stands at `at` of a file of `length` bytes, in which the whole of it lies; `fetch` reads
    /// the file.
    pub(super) fn read(
        &self,
        at: u64,
        buffer: &mut [u8],
        length: u64,
        fetch: impl Fn(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut done = 0;
        loop {
            let Some(needed) = self.take(at, &mut done, buffer) else { return Ok(()) };
            // Nobody waits for the system with the lock held.
            let start = needed.number * PAGE as u64;
            // At least what is left of the buffer, by one call.
            let wanted = at.saturating_add(buffer.len() as u64).next_multiple_of(PAGE as u64);
            let end = start.saturating_add(PAGE as u64 * u64::from(needed.ahead)).max(wanted).min(length);
            let mut bytes = vec![0; (end - start) as usize];
            if fetch(start, &mut bytes).is_err() {
                // The file may be shorter by now: what is asked for alone may still be there.
                return fetch(at, buffer);
            }
            let skip = (at + done as u64 - start) as usize;
            let n = (bytes.len() - skip).min(buffer.len() - done);
            buffer[done..done + n].copy_from_slice(&bytes[skip..skip + n]);
            done += n;
            self.keep(&needed, &bytes);
        }
    }

    /// Forgets all pages.
    pub(super) fn clear(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.slots.clear();
        state.generation += 1;
    }

    /// Copies what is here from byte `done` of the buffer on; gives the first page that is not here.
    fn take(&self, at: u64, done: &mut usize, buffer: &mut [u8]) -> Option<Needed> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { slots, generation } = &mut *state;
        if slots.is_empty() {
            slots.resize_with(SLOTS, Slot::default);
        }
        while *done < buffer.len() {
            let position = at + *done as u64;
            let (number, skip) = (position / PAGE as u64, (position % PAGE as u64) as usize);
            let Some(page) = slots[number as usize % SLOTS].page(number) else {
                let before = number.checked_sub(1).map(|before| (before, &slots[before as usize % SLOTS]));
                let before = before.filter(|(number, slot)| slot.page(*number).is_some());
                let ahead = before.map_or(1, |(_, slot)| slot.together.saturating_mul(2).min(MOST_AHEAD));
                return Some(Needed { number, ahead, generation: *generation });
            };
            let n = (PAGE - skip).min(buffer.len() - *done);
            buffer[*done..*done + n].copy_from_slice(&page[skip..skip + n]);
            *done += n;
        }
        None
    }

    /// Keeps pages that were read together. The last one of a file may be short: nothing after its end is asked for.
    fn keep(&self, read: &Needed, bytes: &[u8]) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.generation != read.generation {
            return;
        }
        for (number, stored) in (read.number..).zip(bytes.chunks(PAGE)) {
            let Some(slot) = state.slots.get_mut(number as usize % SLOTS) else { return };
            let page = slot.bytes.get_or_insert_with(|| Box::new([0; PAGE]));
            page[..stored.len()].copy_from_slice(stored);
            (slot.number, slot.together) = (number, read.ahead);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::RefCell;

    proptest! {
        /// Whatever is read in whatever order is what the file has.
        #[test]
        fn pages_have_the_bytes_of_the_file(length in 1usize..200_000, reads in prop::collection::vec((0usize..200_000, 1usize..9000), 1..60)) {
            let file: Vec<u8> = (0..length).map(|i| (i * 31 / 7) as u8).collect();
            let pages = Pages::default();
            for (at, n) in reads {
                let at = at % length;
                let mut buffer = vec![0; n.min(length - at)];
                pages.read(at as u64, &mut buffer, length as u64, |at, bytes| {
                    bytes.copy_from_slice(&file[at as usize..at as usize + bytes.len()]);
                    Ok(())
                }).expect("all of it is in the file");
                prop_assert_eq!(&buffer[..], &file[at..at + buffer.len()]);
            }
        }
    }

    #[test]
    fn reads_in_a_row_are_few_and_reads_far_apart_are_short() {
        let fetched = RefCell::new(Vec::new());
        let pages = Pages::default();
        let read = |at: u64| {
            let note = |at, bytes: &mut [u8]| {
                fetched.borrow_mut().push((at, bytes.len()));
                Ok(())
            };
            pages.read(at, &mut [0; 100], 1 << 30, note).expect("nothing fails");
        };
        (0..2000).for_each(|i| read(100 * i));
        let counts: Vec<usize> = fetched.take().iter().map(|(_, n)| n / PAGE).collect();
        assert_eq!(counts, [1, 2, 4, 8, 16, 16, 16]);
        (0..10).for_each(|i| read((1 << 20) * i + (1 << 24)));
        assert!(fetched.take().iter().all(|(_, n)| *n == PAGE));
    }

    #[test]
    fn a_file_that_became_shorter_is_read_as_far_as_it_goes() {
        let fetch = |at: u64, bytes: &mut [u8]| {
            bytes.fill(7);
            if at + bytes.len() as u64 > 1000 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
        };
        let mut buffer = [0; 10];
        Pages::default().read(20, &mut buffer, 4000, fetch).expect("these are there");
        assert_eq!(buffer, [7; 10]);
        assert!(Pages::default().read(995, &mut buffer, 4000, fetch).is_err());
    }
}
