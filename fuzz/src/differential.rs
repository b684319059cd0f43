use std::sync::Arc;

use h5kit::digest::Lines;
use h5kit::source::Extents;
use h5kit::{File, Result};

use super::options;

/// Reads a file from memory, and again range by range: each line, or the error, must be the same.
pub fn differential(input: &[u8]) {
    let near = options().from_bytes(input);
    let extents = Arc::new(Extents::new(input.len() as u64));
    let fetch = |range: std::ops::Range<u64>| Ok(input[range.start as usize..range.end as usize].to_vec());
    let far = extents.run(|| options().from_source(extents.clone()), fetch);
    let (near, far) = match (near, far) {
        (Ok(near), Ok(far)) => (near, far),
        (near, far) => return assert_eq!(told(near), told(far)),
    };
    let mut lines = Lines::of(&far);
    for line in Lines::of(&near) {
        let same = extents.run(|| lines.next().transpose(), fetch).map(|line| line.expect("as many lines"));
        assert_eq!(line.map_err(|e| e.to_string()), same.map_err(|e| e.to_string()));
    }
    assert!(lines.next().is_none());
}

fn told(opened: Result<File>) -> Option<String> {
    opened.err().map(|e| e.to_string())
}
