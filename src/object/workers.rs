//! Work that is shared out to threads.
//!
//! Threads live for one read. That costs some tens of microseconds each, which a share of the work must be worth, and in
//! return no pool outlives the read, and none can be blocked by what its caller holds.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::{Error, Result};
use crate::walk::each;

/// Bytes of decoded chunks that are worth a thread, about a millisecond of work. With less, a thread that has to wait
/// for a processor holds up the others more than it helps them.
pub(crate) const WORTH_DECODING: usize = 1 << 20;

/// Bytes to be copied that are worth a thread.
pub(crate) const WORTH_COPYING: usize = 4 << 20;

thread_local! {
    /// This thread does a share of somebody's work.
    static SHARING: Cell<bool> = const { Cell::new(false) };
}

/// Threads that this machine runs at once.
pub(super) fn available() -> usize {
    if cfg!(target_family = "wasm") { 1 } else { thread::available_parallelism().map_or(1, NonZero::get) }
}

/// Calls `work` with every job, on up to `threads` threads of which the caller's is one. Jobs are begun in order, and
/// each thread keeps a state of its own from job to job. Work that is shared out within a job stays with its thread.
///
/// # Errors
/// That of the first job, in order, that fails; jobs after it may not be done. Where the source lacks something the
/// others are done too, so that what they lack is noted in the same round.
pub(crate) fn share<J: Send, S>(
    threads: usize,
    jobs: Vec<J>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<()> + Sync,
) -> Result<()> {
    // Without threads nothing of them is compiled.
    let helpers = if cfg!(target_family = "wasm") { 0 } else { threads.min(jobs.len()).saturating_sub(1) };
    if helpers == 0 || SHARING.get() {
        let mut state = state();
        return each(jobs, |job| work(&mut state, job));
    }
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let failed: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let next = || {
        // Jobs are begun in order: those before one that failed are done or being done.
        let failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
        let stop = failed.as_ref().is_some_and(|(_, error)| !error.is_missing());
        drop(failed);
        if stop { None } else { jobs.lock().unwrap_or_else(PoisonError::into_inner).next() }
    };
    let run = || {
        SHARING.set(true);
        let mut state = state();
        while let Some((number, job)) = next() {
            if let Err(error) = work(&mut state, job) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                // A fault is told only where nothing is missing before it.
                if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                    *failed = Some((number, error));
                }
            }
        }
        SHARING.set(false);
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Where the system has no thread to give, the others do its share.
            if thread::Builder::new().name("h5kit".into()).spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn every_job_is_done_once() {
        for threads in [1, 2, 5, 100] {
            let sum = AtomicU64::new(0);
            let add = |_: &mut (), n: u64| {
                sum.fetch_add(n, Ordering::Relaxed);
                Ok(())
            };
            share(threads, (1..=1000).collect(), || (), add).expect("no job fails");
            assert_eq!(sum.into_inner(), 500_500);
        }
    }

    #[test]
    fn the_first_failure_is_told() {
        for threads in [1, 2, 7] {
            for _ in 0..50 {
                let fail = |_: &mut (), n: u64| match n {
                    30 | 31 | 70 => Err(Error::limit("job", n, 0)),
                    _ => Ok(()),
                };
                let error = share(threads, (0..100).collect(), || (), fail).expect_err("three fail");
                assert_eq!(error.to_string(), Error::limit("job", 30, 0).to_string());
            }
        }
    }
}
