//! Copies of what came before, as the relatives of LZ77 need them.

/// Bytes moved at once where the room allows it.
const STEP: usize = 16;
/// From how many bytes on it pays to ask the system's copy.
const LONG: usize = 64;

/// Fills `out[at..at + count]` with what stands `back` bytes before it, which may reach into what is being
/// filled. The caller has checked that `back` is not 0 and both ends are inside.
#[inline(always)]
pub(super) fn repeat(out: &mut [u8], at: usize, back: usize, count: usize) {
    let end = at + count;
    if count >= LONG {
        return repeat_long(out, at, back, end);
    }
    let (mut to, mut back) = (at, back);
    if back < STEP {
        // What there is repeats, so that it may be taken from as far back as a step is long once there is so much.
        let near = end.min(at + STEP);
        while to < near {
            out[to] = out[to - back];
            to += 1;
        }
        back *= STEP.div_ceil(back);
    }
    // A step may write beyond the end, where what comes next will be written over it.
    while to < end && to + STEP <= out.len() {
        let Some(step) = out[to - back..].first_chunk::<STEP>().copied() else { return };
        out[to..to + STEP].copy_from_slice(&step);
        to += STEP;
    }
    while to < end {
        out[to] = out[to - back];
        to += 1;
    }
}

fn repeat_long(out: &mut [u8], at: usize, back: usize, end: usize) {
    let from = at - back;
    if back == 1 {
        let byte = out[from];
        return out[at..end].fill(byte);
    }
    let mut to = at;
    while to < end {
        // What there is doubles every time.
        let now = (end - to).min(to - from);
        out.copy_within(from..from + now, to);
        to += now;
    }
}

/// Copies `from` to `out[at..]`, where the caller has checked that there is room; `ahead` begins with `from` and
/// goes on as far as there are bytes.
#[inline(always)]
pub(super) fn literals(out: &mut [u8], at: usize, from: &[u8], ahead: &[u8]) {
    const SHORT: usize = 32;
    if let (true, Some(step), Some(to)) =
        (from.len() <= SHORT, ahead.first_chunk::<SHORT>(), out.get_mut(at..at + SHORT))
    {
        to.copy_from_slice(step);
    } else {
        out[at..at + from.len()].copy_from_slice(from);
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
