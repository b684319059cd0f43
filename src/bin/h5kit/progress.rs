//! A line on standard error that says how far a long run is.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::paint;

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two lines.
const PACE: Duration = Duration::from_millis(100);
/// Characters of the bar.
const BAR: usize = 30;

/// How far a run is. Where the output goes to the terminal too, it shows that itself.
#[derive(Debug)]
pub struct Progress {
    terminal: bool,
    started: Instant,
    /// When the line was last drawn; `None` while none is there.
    drawn: Option<Instant>,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            terminal: io::stderr().is_terminal() && !io::stdout().is_terminal(),
            started: Instant::now(),
            drawn: None,
        }
    }
}

impl Progress {
    /// Draws the line, where that is due. `of` and `done` are bytes; without a total, `what` says it all.
    pub fn show(&mut self, done: u64, of: Option<u64>, what: &str) {
        let now = Instant::now();
        let due = self.drawn.is_none_or(|drawn| now - drawn >= PACE);
        if !self.terminal || !due || now - self.started < PATIENCE {
            return;
        }
        let what = paint::clean(what);
        let what = paint::cut(&what, 40);
        let line = match of.filter(|of| *of > 0) {
            Some(of) => {
                let part = done.min(of) as f64 / of as f64;
                let full = (part * BAR as f64) as usize;
                let (full, empty) = ("█".repeat(full), "░".repeat(BAR - full));
                format!("{full}{empty} {:3.0} %  {what}", part * 100.0)
            }
            None => what.into_owned(),
        };
        let _ = write!(io::stderr(), "\r\x1b[2K{line}");
        self.drawn = Some(now);
    }

    /// Draws a line with the time that something takes, until what this gives is dropped.
    pub fn busy(&self, what: &'static str) -> Busy {
        if !io::stderr().is_terminal() {
            return Busy(None);
        }
        let started = Instant::now();
        let (stop, stopped) = mpsc::channel::<()>();
        let draw = move || {
            let mut drawn = false;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(PATIENCE) {
                let _ = write!(io::stderr(), "\r\x1b[2K{what} … {} s", started.elapsed().as_secs());
                drawn = true;
            }
            if drawn {
                let _ = write!(io::stderr(), "\r\x1b[2K");
            }
        };
        Busy(Some((stop, std::thread::spawn(draw))))
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

/// Something that takes its time.
#[derive(Debug)]
pub struct Busy(Option<(Sender<()>, JoinHandle<()>)>);

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}
