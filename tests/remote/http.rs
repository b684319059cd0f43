//! A small HTTP server: files by name, by ranges or not, slowly or with mistakes.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What a server does otherwise than most.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manners {
    /// Before each answer.
    pub latency: Duration,
    /// It sends whole files only.
    pub whole: bool,
    /// It sends no ETag.
    pub untagged: bool,
    /// From this request on another version of the file is there.
    pub changes_after: Option<u64>,
    /// So many requests are answered with an error of the server, after the first few.
    pub fails: Option<(u64, u64)>,
    /// From this request on it ends each answer after so many bytes.
    pub breaks_off: Option<(u64, usize)>,
    /// Requests need an `Authorization` that has this in it.
    pub requires: Option<&'static str>,
}

/// A server that runs as long as the process.
pub struct Server {
    address: String,
    state: Arc<State>,
}

struct State {
    files: HashMap<String, Vec<u8>>,
    manners: Manners,
    requests: AtomicU64,
    now: AtomicUsize,
    most_at_once: AtomicUsize,
    ranges: Mutex<Vec<Range<usize>>>,
}

impl Server {
    /// Serves files by their names.
    pub fn of(files: impl IntoIterator<Item = (String, Vec<u8>)>, manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(State {
            files: files.into_iter().collect(),
            manners,
            requests: AtomicU64::new(0),
            now: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
            ranges: Mutex::default(),
        });
        let shared = state.clone();
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let state = shared.clone();
                // A client that goes away ends its connection.
                thread::spawn(move || drop(state.serve(&connection)));
            }
        });
        Self { address, state }
    }

    pub fn url(&self, name: &str) -> String {
        format!("{}/data/{}", self.address, name.replace('%', "%25"))
    }

    /// Where it is, for stores that have buckets: its only one is `data`.
    pub fn endpoint(&self) -> &str {
        &self.address
    }

    /// Requests that were answered.
    pub fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::Relaxed)
    }

    /// The most requests that were under way at once.
    pub fn most_at_once(&self) -> usize {
        self.state.most_at_once.load(Ordering::Relaxed)
    }

    /// The ranges that were asked for since the last call.
    pub fn take_ranges(&self) -> Vec<Range<usize>> {
        std::mem::take(&mut self.state.ranges.lock().expect("no panic"))
    }
}

/// A name without the encoding of addresses.
fn decoded(name: &str) -> String {
    let mut parts = name.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).expect("text")
}

impl State {
    fn serve(&self, connection: &TcpStream) -> std::io::Result<()> {
        // An answer is written in several pieces, of which none waits for another.
        connection.set_nodelay(true)?;
        let mut lines = BufReader::new(connection).lines();
        while let Some(first) = lines.next() {
            let name = first?.split(' ').nth(1).and_then(|path| path.strip_prefix("/data/")).map(decoded);
            let mut headers = HashMap::new();
            for line in lines.by_ref() {
                let line = line?;
                let Some((key, value)) = line.split_once(": ") else { break };
                headers.insert(key.to_ascii_lowercase(), value.to_owned());
            }
            let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
            self.most_at_once.fetch_max(now, Ordering::Relaxed);
            thread::sleep(self.manners.latency);
            let answered = self.answer(connection, &name.unwrap_or_default(), &headers);
            self.now.fetch_sub(1, Ordering::Relaxed);
            answered?;
        }
        Ok(())
    }

    fn answer(&self, mut out: &TcpStream, name: &str, headers: &HashMap<String, String>) -> std::io::Result<()> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let Manners { fails, changes_after, breaks_off, whole, untagged, .. } = self.manners;
        let mut status = |status: &str| write!(out, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        if fails.is_some_and(|(first, count)| (first..first + count).contains(&number)) {
            return status("503 Service Unavailable");
        }
        let authorization = headers.get("authorization").map_or("", String::as_str);
        if self.manners.requires.is_some_and(|required| !authorization.contains(required)) {
            return status("403 Forbidden");
        }
        let Some(file) = self.files.get(name.split('?').next().unwrap_or_default()) else {
            return status("404 Not Found");
        };
        let version = u64::from(changes_after.is_some_and(|first| number >= first));
        let tag = format!("\"{version}\"");
        if headers.get("if-match").is_some_and(|wanted| *wanted != tag) && !untagged {
            return status("412 Precondition Failed");
        }
        let range = headers.get("range").filter(|_| !whole).and_then(|range| {
            let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
            let end = end.parse::<usize>().map_or(file.len(), |last| file.len().min(last + 1));
            Some(start.parse::<usize>().ok()?..end)
        });
        let mut head = match &range {
            Some(range) => {
                self.ranges.lock().expect("no panic").push(range.clone());
                let (first, last) = (range.start, range.end.saturating_sub(1));
                format!("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{last}/{}\r\n", file.len())
            }
            None => "HTTP/1.1 200 OK\r\n".to_owned(),
        };
        let body = &file[range.unwrap_or(0..file.len())];
        if !untagged {
            head += &format!("ETag: {tag}\r\n");
        }
        let day = if version == 0 { "Mon, 02" } else { "Tue, 03" };
        head += &format!("Last-Modified: {day} Nov 2026 00:00:00 GMT\r\n");
        write!(out, "{head}Content-Length: {}\r\n\r\n", body.len())?;
        match breaks_off {
            Some((first, length)) if number >= first && length < body.len() => {
                out.write_all(&body[..length])?;
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            _ => out.write_all(body),
        }
    }
}
