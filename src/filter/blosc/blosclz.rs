//! BloscLZ, Blosc's own compression: literals and copies of what came before.
//!
//! The first byte is a control byte of which only the five low bits count: so many literals follow, and one
//! more. A later control byte below 32 is the same. Any other begins a copy: its three high bits are the
//! length, to which 2 is added, its five low bits the high bits of the distance. Length 7 goes on in bytes
//! that are added up to the first that is not 255. Then comes the low byte of the distance, to which 1 is
//! added; the farthest distance that can be said so, 8191, goes on in two bytes, big-endian, of what is
//! added to it. (c-blosc, `blosc/blosclz.c`.)

use super::super::copies::{literals, repeat};
use super::super::input::Input;
use crate::error::FilterFault;

/// The longest distance of the short form, without the one that is added to all.
const NEAR: usize = 8191;

/// Decompresses a stream that holds exactly as many bytes as `out` has room for.
pub(super) fn fill(stream: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
    let too_long = FilterFault::TooLong(out.len() as u64);
    let mut input = Input(stream);
    let mut at = 0;
    let mut control = input.byte()? & 31;
    loop {
        if control < 32 {
            let ahead = input.0;
            let from = input.bytes(usize::from(control) + 1)?;
            if from.len() > out.len() - at {
                return Err(too_long);
            }
            literals(out, at, from, ahead);
            at += from.len();
        } else {
            let mut count = usize::from(control >> 5) + 2;
            if count == 9 {
                loop {
                    let more = input.byte()?;
                    count += usize::from(more);
                    if more != 255 {
                        break;
                    }
                }
            }
            let mut back = usize::from(control & 31) << 8 | usize::from(input.byte()?);
            if back == NEAR {
                back += usize::from(u16::from_be_bytes(input.array()?));
            }
            back += 1;
            if back > at {
                return Err(FilterFault::Stream("a copy from before the beginning"));
            }
            if count > out.len() - at {
                return Err(too_long);
            }
            repeat(out, at, back, count);
            at += count;
        }
        if input.0.is_empty() {
            break;
        }
        control = input.byte()?;
    }
    if at == out.len() { Ok(()) } else { Err(FilterFault::Truncated) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stream: &[u8], length: usize) -> Result<Vec<u8>, FilterFault> {
        let mut out = vec![0; length];
        fill(stream, &mut out).map(|()| out)
    }

    #[test]
    fn what_the_format_says() {
        // Three literals (the high bits of the first byte do not count), four bytes from three before.
        assert_eq!(run(&[0xe2, 1, 2, 3, 2 << 5, 2, 0, 9], 8), Ok(vec![1, 2, 3, 1, 2, 3, 1, 9]));
        // A run of 9 + 255 + 1 bytes.
        assert_eq!(run(&[0, 7, 7 << 5, 255, 1, 0, 0, 9], 267), Ok([&[7; 266][..], &[9]].concat()));
        // From 8191 + 2 + 1 bytes before.
        let mut far: Vec<u8> = (0..273).flat_map(|_| [&[31][..], &[5; 32]].concat()).collect();
        far[1] = 1;
        far[542 / 33 * 33 + 15] = 5;
        let length = 273 * 32;
        far.extend([1 << 5 | 31, 255, ((length - 8192) >> 8) as u8, (length - 8192) as u8, 0, 8]);
        assert_eq!(run(&far, length + 4).unwrap()[length..], [1, 5, 5, 8]);
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(run(&[], 1), Err(FilterFault::Truncated));
        assert_eq!(run(&[2, 1, 2], 3), Err(FilterFault::Truncated));
        assert_eq!(run(&[1, 1, 2], 3), Err(FilterFault::Truncated));
        assert_eq!(run(&[2, 1, 2, 3], 2), Err(FilterFault::TooLong(2)));
        assert_eq!(run(&[0, 1, 2 << 5, 0, 0, 9], 3), Err(FilterFault::TooLong(3)));
        assert!(matches!(run(&[0, 1, 2 << 5, 1, 0, 9], 6), Err(FilterFault::Stream(_))));
    }
}
