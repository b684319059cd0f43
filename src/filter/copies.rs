//! Copies of what came before, as the relatives of LZ77 need them.

/// Bytes moved at once where the room allows it.
const STEP: usize = 16;

/// Fills `out[at..at + count]` with what stands `back` bytes before it, which may reach into what is being
/// filled. The caller has checked that `back` is not 0 and both ends are inside.
#[inline(always)]
pub(super) fn repeat(out: &mut [u8], at: usize, back: usize, count: usize) {
    let end = at + count;
    if back >= STEP && end + STEP <= out.len() {
        // May write beyond the end, where what comes next will be written over it.
        let mut to = at;
        while to < end {
            let Some(step) = out[to - back..].first_chunk::<STEP>().copied() else { return };
            out[to..to + STEP].copy_from_slice(&step);
            to += STEP;
        }
    } else if back == 1 {
        let byte = out[at - 1];
        out[at..end].fill(byte);
    } else {
        let from = at - back;
        let mut to = at;
        while to < end {
            // What there is repeats, so it may be taken as a whole, and doubles every time.
            let now = (end - to).min(to - from);
            out.copy_within(from..from + now, to);
            to += now;
        }
    }
}

#[cfg(test)]
#[test]
fn like_byte_by_byte() {
    for back in 1..40 {
        for count in 0..100 {
            for room in [0, 1, 15, 16, 40] {
                let start: Vec<u8> = (0..40 + count + room).map(|i| if i < 40 { i as u8 } else { 0 }).collect();
                let (mut found, mut plain) = (start.clone(), start);
                repeat(&mut found, 40, back, count);
                (40..40 + count).for_each(|i| plain[i] = plain[i - back]);
                assert_eq!(found[..40 + count], plain[..40 + count], "{back} {count} {room}");
            }
        }
    }
}
