use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::error::{ErrorKind, Result};

/// Attempts at a file that is open for SWMR writing, as in libhdf5. Any other file is read once.
const WHILE_WRITTEN: u32 = 100;

/// The pause before the second attempt; each one after it is twice as long.
const FIRST_PAUSE: Duration = Duration::from_micros(1);

/// No pause is longer: a writer needs less for a structure. libhdf5 goes on doubling, and in the end waits for ever.
const LONGEST_PAUSE: Duration = Duration::from_millis(4);

/// There nobody can wait, and nobody else runs meanwhile.
pub(super) const NOBODY_WAITS: bool = cfg!(target_family = "wasm");

/// How often a structure is read that breaks the format: while a writer is at work half of it may be old and half new.
///
/// Once a structure has stayed as it is through all attempts the file is damaged rather than being written, and from
/// then on one attempt is enough.
#[derive(Debug)]
pub(super) struct Attempts {
    most: u32,
    given_up: AtomicBool,
}

impl Attempts {
    /// As many attempts as were asked for, or as the state of the file asks for.
    pub(super) fn new(asked: Option<NonZero<u32>>, open_for_swmr: bool) -> Self {
        let usual = if open_for_swmr { WHILE_WRITTEN } else { 1 };
        let most = if NOBODY_WAITS { 1 } else { asked.map_or(usual, NonZero::get) };
        Self { most, given_up: AtomicBool::new(false) }
    }

    /// True where the file may change while it is read.
    pub(super) fn several(&self) -> bool {
        !NOBODY_WAITS && self.most > 1
    }

    /// Begins anew: what was damaged may be sound by now.
    pub(super) fn begin(&self) {
        self.given_up.store(false, Ordering::Relaxed);
    }

    /// What `read` gives, or gives at last where it finds a fault; `renew` lets go of what is old before each further
    /// attempt.
    pub(super) fn retrying<T>(&self, renew: impl Fn() -> Result<()>, mut read: impl FnMut() -> Result<T>) -> Result<T> {
        if NOBODY_WAITS {
            return read();
        }
        let mut pause = FIRST_PAUSE;
        let mut left = self.most;
        loop {
            left -= 1;
            match read() {
                Err(e) if e.kind() == ErrorKind::Corrupt && !self.given_up.load(Ordering::Relaxed) => {
                    if left == 0 {
                        self.given_up.store(self.several(), Ordering::Relaxed);
                        return Err(e);
                    }
                }
                read => return read,
            }
            thread::sleep(pause);
            pause = LONGEST_PAUSE.min(pause * 2);
            renew()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Corrupt, Error, Fault, Structure};
    use std::cell::Cell;

    fn torn() -> Error {
        Corrupt::new(Structure::ObjectHeader, "checksum", 0, Fault::Checksum { stored: 1, computed: 2 }).into()
    }

    /// Reads what is torn so many times; how often it was read, and whether that was of use.
    fn reads(attempts: &Attempts, torn_reads: u32) -> (u32, bool) {
        let (read, renewed) = (Cell::new(0), Cell::new(0));
        let renew = || {
            renewed.set(renewed.get() + 1);
            Ok(())
        };
        let result = attempts.retrying(renew, || {
            read.set(read.get() + 1);
            if read.get() > torn_reads { Ok(()) } else { Err(torn()) }
        });
        assert_eq!(renewed.get() + 1, read.get());
        (read.get(), result.is_ok())
    }

    #[test]
    fn as_often_as_it_takes_or_is_allowed() {
        let attempts = Attempts::new(None, true);
        assert_eq!(reads(&attempts, 0), (1, true));
        assert_eq!(reads(&attempts, 99), (100, true));
        assert_eq!(reads(&attempts, 100), (100, false));
        // By now it is known to be damaged.
        assert_eq!(reads(&attempts, 1), (1, false));
        attempts.begin();
        assert_eq!(reads(&attempts, 1), (2, true));
        assert_eq!(reads(&Attempts::new(None, false), 1), (1, false));
        assert_eq!(reads(&Attempts::new(NonZero::new(3), true), 9), (3, false));
        assert_eq!(reads(&Attempts::new(NonZero::new(3), false), 2), (3, true));
    }

    #[test]
    fn only_faults_are_tried_again() {
        let attempts = Attempts::new(None, true);
        let read = Cell::new(0);
        let error = attempts.retrying(
            || Ok(()),
            || {
                read.set(read.get() + 1);
                Err::<(), _>(Error::missing())
            },
        );
        assert!(error.expect_err("missing").is_missing());
        assert_eq!(read.get(), 1);
    }
}
