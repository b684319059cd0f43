//! The order of things: which filters run on a chunk, and how long what lies between them may be.

use std::borrow::Cow;

use super::registry::{Codec, codec};
use super::spare::Spare;
use crate::error::{Fault, FilterFault, Unsupported};
use crate::limits::Limits;

/// One filter of a pipeline, in the order of application when writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The registered number.
    pub id: u16,
    /// Whether a writer may leave the filter out where it fails or does not pay.
    pub optional: bool,
    /// The client data values.
    pub values: Vec<u32>,
}

/// A filter that failed: its number and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("filter {id}: {fault}")]
pub struct Failed {
    /// The registered number; 0 where no filter was applied and the chunk itself has another length.
    pub id: u16,
    /// What is wrong.
    pub fault: FilterFault,
}

impl From<Failed> for Fault {
    fn from(Failed { id, fault }: Failed) -> Self {
        Self::Filter { id, fault }
    }
}

/// Undoes a pipeline on the bytes of one chunk, the last filter first.
///
/// Bit *i* of `mask` set: filter *i* was not applied to this chunk. `expected` is the length of the
/// chunk once decoded, in bytes.
///
/// # Errors
/// A filter that is not available and not masked, whatever its optional flag says; a filter whose
/// input is damaged; a result that is not `expected` bytes long. The result of every single step is
/// held below `expected`, what the filters still to be undone can have added, and
/// [`Limits::chunk_bytes`].
pub fn decode<'a>(
    steps: &[Step],
    mask: u32,
    bytes: Cow<'a, [u8]>,
    expected: usize,
    limits: &Limits,
) -> Result<Cow<'a, [u8]>, Failed> {
    decode_with(steps, mask, bytes, expected, limits, &mut Spare::new())
}

/// [`decode`] with memory of earlier calls, to which the result can be given back.
///
/// # Errors
/// As [`decode`].
pub fn decode_with<'a>(
    steps: &[Step],
    mask: u32,
    bytes: Cow<'a, [u8]>,
    expected: usize,
    limits: &Limits,
    spare: &mut Spare,
) -> Result<Cow<'a, [u8]>, Failed> {
    let applied = applied(steps, mask)?;
    let mut bytes = bytes;
    for (i, (step, codec)) in applied.iter().enumerate().rev() {
        let bound = bound(&applied[..i], expected, limits);
        bytes = codec.decode(bytes, &step.values, bound, spare).map_err(|fault| Failed { id: step.id, fault })?;
    }
    if bytes.len() == expected {
        Ok(bytes)
    } else {
        let fault = FilterFault::Length { found: bytes.len() as u64, expected: expected as u64 };
        Err(Failed { id: applied.first().map_or(0, |(step, _)| step.id), fault })
    }
}

/// Applies a pipeline to the bytes of one chunk; returns them with the chunk's filter mask.
///
/// An optional filter that fails, that is not available, or that compresses and does not make the chunk
/// shorter, is left out and its mask bit is set.
///
/// # Errors
/// A mandatory filter that is not available, is only read, or cannot encode these bytes.
pub fn encode<'a>(steps: &[Step], bytes: Cow<'a, [u8]>) -> Result<(Cow<'a, [u8]>, u32), Failed> {
    let mut bytes = bytes;
    let mut mask = 0;
    for (i, step) in steps.iter().enumerate() {
        match apply(step, &bytes) {
            Ok(out) => bytes = Cow::Owned(out),
            Err(_) if step.optional => mask |= bit(i),
            Err(fault) => return Err(Failed { id: step.id, fault }),
        }
    }
    Ok((bytes, mask))
}

/// Applies one filter.
fn apply(step: &Step, bytes: &[u8]) -> Result<Vec<u8>, FilterFault> {
    let codec = codec(step.id).map_err(FilterFault::Unsupported)?;
    let encode = codec.encode.ok_or(FilterFault::Unsupported(Unsupported::FilterEncoding(step.id)))?;
    let out = encode(bytes, &step.values)?;
    if step.optional && codec.compresses && out.len() >= bytes.len() {
        return Err(FilterFault::TooLong(bytes.len() as u64));
    }
    Ok(out)
}

/// Undoes one filter; what comes out is at most `bound` bytes long.
#[cfg(feature = "wasm-codecs")]
pub(crate) fn undo<'a>(
    id: u16,
    values: &[u32],
    bytes: Cow<'a, [u8]>,
    bound: usize,
) -> Result<Cow<'a, [u8]>, FilterFault> {
    codec(id).map_err(FilterFault::Unsupported)?.decode(bytes, values, bound, &mut Spare::new())
}

/// Whether a filter number can be decoded, else why not.
///
/// # Errors
/// An unknown number, or one whose cargo feature is off.
pub fn available(id: u16) -> Result<(), Unsupported> {
    codec(id).map(|_| ())
}

/// The steps that were applied to a chunk, with their rooms.
fn applied(steps: &[Step], mask: u32) -> Result<Vec<(&Step, Codec)>, Failed> {
    let run = steps.iter().enumerate().filter(|(i, _)| mask & bit(*i) == 0);
    run.map(|(_, step)| match codec(step.id) {
        Ok(codec) => Ok((step, codec)),
        Err(feature) => Err(Failed { id: step.id, fault: FilterFault::Unsupported(feature) }),
    })
    .collect()
}

/// The mask bit of filter `i`; none from the 33rd on, where a mask cannot reach.
fn bit(i: usize) -> u32 {
    u32::try_from(i).ok().and_then(|i| 1_u32.checked_shl(i)).unwrap_or(0)
}

/// The most bytes that can lie behind `before`, the filters applied to `expected` bytes earlier.
fn bound(before: &[(&Step, Codec)], expected: usize, limits: &Limits) -> usize {
    let grown = |bytes: usize, (step, codec): &(&Step, Codec)| (codec.longest)(bytes, &step.values);
    let all = before.iter().fold(expected, grown);
    // Many filters are there to compress: together they do not do what each could do alone.
    let most = before.iter().map(|filter| grown(expected, filter)).max().unwrap_or(expected);
    all.min(most.saturating_mul(2)).min(usize::try_from(limits.chunk_bytes).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, hex};
    use super::*;
    use proptest::prelude::*;

    fn step(id: u16, values: &[u32]) -> Step {
        Step { id, optional: false, values: values.to_vec() }
    }

    fn run(steps: &[Step], mask: u32, bytes: &str, expected: usize) -> Result<Vec<u8>, Failed> {
        decode(steps, mask, hex(bytes).into(), expected, &Limits::default()).map(Cow::into_owned)
    }

    #[test]
    #[cfg(feature = "deflate")]
    fn a_checksum_within_like_libhdf5() {
        // The checksum is appended first, so that shuffle and deflate work on four bytes more than the
        // chunk has.
        let plain = hex("0000000000000000000000000000f03f0000000000000040");
        let steps = [step(3, &[]), step(2, &[8]), step(1, &[6])];
        assert_eq!(run(&steps, 0, "789c6360c0001f1818ec1dea3fd46f040011c1040f", 24), Ok(plain.clone()));
        let shuffled = "00000000000000000000000000000000000000f000003f407ff07fb1";
        assert_eq!(run(&steps, 4, shuffled, 24), Ok(plain.clone()));
        assert_eq!(run(&steps, 6, "0000000000000000000000000000f03f00000000000000407ff07fb1", 24), Ok(plain));
        let plain = hex("fbff030064000700");
        let mut offset = vec![2, 0, 4, 0, 2, 1, 0, 1];
        offset.resize(20, 0);
        let steps = [step(6, &offset), step(3, &[]), step(1, &[1])];
        let encoded = "780163676060e0f8fd1f02806c0850f638e0f229712f00b0760b83";
        assert_eq!(run(&steps, 0, encoded, 8), Ok(plain));
    }

    #[test]
    fn masked_filters_do_not_run() {
        let steps = [step(2, &[4]), step(3, &[]), step(777, &[])];
        let unknown = FilterFault::Unsupported(Unsupported::Filter(777));
        assert_eq!(run(&steps, 0, "0011", 2), Err(Failed { id: 777, fault: unknown }));
        assert_eq!(run(&steps, 4, "0104020503060102", 4).unwrap_err().id, 3);
        assert_eq!(run(&steps, 4 | 2, "0105020603070408", 8), Ok(hex("0102030405060708")));
        assert_eq!(run(&steps, 7, "0105020603070408", 8), Ok(hex("0105020603070408")));
        assert!(matches!(decode(&steps, 7, (&[1, 2]).into(), 2, &Limits::default()), Ok(Cow::Borrowed([1, 2]))));
        // A mask has no bit for the 33rd filter.
        let many = vec![step(1000, &[]); 33];
        assert!(run(&many, u32::MAX, "00", 1).is_err());
        assert_eq!(run(&many[..32], u32::MAX, "00", 1), Ok(vec![0]));
    }

    #[test]
    fn the_length_must_be_right() {
        let length = |found| FilterFault::Length { found, expected: 4 };
        assert_eq!(run(&[], 0, "0011", 4), Err(Failed { id: 0, fault: length(2) }));
        assert_eq!(run(&[step(2, &[2]), step(2, &[4])], 0, "0011223344", 4), Err(Failed { id: 2, fault: length(5) }));
    }

    #[test]
    #[cfg(feature = "lzf")]
    fn limits_hold_at_every_step() {
        let limits = Limits { chunk_bytes: 100, ..Limits::default() };
        use super::super::lzf;
        let zeros = lzf::encode(&[0; 200], &[]).unwrap();
        let too_long = |limit| Err(Failed { id: 32000, fault: FilterFault::TooLong(limit) });
        assert_eq!(decode(&[step(32000, &[])], 0, (&zeros).into(), 200, &limits), too_long(100));
        assert_eq!(decode(&[step(32000, &[])], 0, (&zeros).into(), 100, &Limits::default()), too_long(100));
        let steps = [step(3, &[]), step(32000, &[])];
        assert_eq!(decode(&steps, 0, (&zeros).into(), 195, &Limits::default()), too_long(199));
        assert_eq!(decode(&steps, 0, zeros.into(), 196, &Limits::default()), Ok(vec![0; 196].into()));
        let twice = [step(32000, &[]), step(32000, &[])];
        let zeros = lzf::encode(&[0; 9000], &[]).unwrap();
        assert_eq!(decode(&twice, 0, zeros.into(), 8, &Limits::default()), too_long(4105));
    }

    #[test]
    fn what_is_available() {
        for id in 2..=6 {
            assert_eq!(available(id), Ok(()));
        }
        let feature = |id, name, on| if on { Ok(()) } else { Err(Unsupported::FilterFeature(id, name)) };
        assert_eq!(available(1), feature(1, "deflate", cfg!(feature = "deflate")));
        assert_eq!(available(305), feature(305, "lzo", cfg!(feature = "lzo")));
        assert_eq!(available(307), feature(307, "bzip2", cfg!(feature = "bzip2")));
        assert_eq!(available(32000), feature(32000, "lzf", cfg!(feature = "lzf")));
        assert_eq!(available(32001), feature(32001, "blosc", cfg!(feature = "blosc")));
        assert_eq!(available(32004), feature(32004, "lz4", cfg!(feature = "lz4")));
        assert_eq!(available(32008), feature(32008, "bitshuffle", cfg!(feature = "bitshuffle")));
        assert_eq!(available(32013), feature(32013, "zfp", cfg!(feature = "zfp")));
        assert_eq!(available(32015), feature(32015, "zstd", cfg!(feature = "zstd")));
        assert_eq!(available(32019), feature(32019, "jpeg", cfg!(feature = "jpeg")));
        assert_eq!(available(32026), feature(32026, "blosc2", cfg!(feature = "blosc2")));
        for id in [32022, 32023, 32032] {
            assert_eq!(available(id), Ok(()));
        }
        for id in [0, 32017, 32024, 32028] {
            assert_eq!(available(id), Err(Unsupported::Filter(id)));
        }
    }

    #[test]
    fn what_is_only_read_is_not_written() {
        let refused = |id, feature| Err(Failed { id, fault: FilterFault::Unsupported(feature) });
        assert_eq!(encode(&[step(32022, &[])], (&[1]).into()), refused(32022, Unsupported::FilterEncoding(32022)));
        assert_eq!(encode(&[step(777, &[])], (&[1]).into()), refused(777, Unsupported::Filter(777)));
        // A filter that may be left out is, as by libhdf5.
        let mut steps = [step(777, &[]), step(2, &[2]), step(32022, &[])];
        steps[0].optional = true;
        steps[2].optional = true;
        assert_eq!(encode(&steps, (&[1, 2, 3, 4]).into()), Ok((vec![1, 3, 2, 4].into(), 5)));
    }

    #[test]
    fn what_a_caller_registers() {
        use super::super::{register, unregister};
        const ID: u16 = 301;
        let run = |bound| decode(&[step(ID, &[7])], 0, (&[1, 2]).into(), bound, &Limits::default());
        assert_eq!(run(2).unwrap_err().fault, FilterFault::Unsupported(Unsupported::Filter(ID)));
        register(ID, |bytes, values, _| Ok([bytes, &[values[0] as u8]].concat()));
        assert_eq!(available(ID), Ok(()));
        assert_eq!(run(3), Ok(vec![1, 2, 7].into()));
        // Neither too long nor too short is let through, whatever the decoder thinks of its bound.
        assert_eq!(run(4).unwrap_err().fault, FilterFault::Length { found: 3, expected: 4 });
        assert_eq!(run(2).unwrap_err().fault, FilterFault::TooLong(2));
        // The last one registered counts.
        register(ID, |_, _, _| Err(FilterFault::Stream("never")));
        assert_eq!(run(3), Err(Failed { id: ID, fault: FilterFault::Stream("never") }));
        assert!(unregister(ID));
        assert!(!unregister(ID));
        assert_eq!(available(ID), Err(Unsupported::Filter(ID)));
    }

    #[test]
    fn encoding_leaves_out_what_does_not_pay() {
        // A pixel of more bits than it may have, and a checksum.
        let mut steps = [step(4, &[141, 8, 4, 32]), step(3, &[])];
        assert_eq!(encode(&steps, (&[0xff; 32]).into()).unwrap_err().id, 4);
        steps[0].optional = true;
        let (bytes, mask) = encode(&steps, (&[0xff; 32]).into()).unwrap();
        assert_eq!((bytes.len(), mask), (36, 1));
        assert_eq!(decode(&steps, mask, bytes, 32, &Limits::default()), Ok(vec![0xff; 32].into()));
        // 32 random bits do not get shorter.
        steps[0].values[2] = 32;
        assert_eq!(encode(&steps, hex("5ac3916f").into()).unwrap().1, 1);
        assert_eq!(encode(&steps, hex("00000000").repeat(32).into()).unwrap().1, 0);
    }

    proptest! {
        #[test]
        fn both_ways(plain in data(0..3000), order in Just((0..10).collect::<Vec<_>>()).prop_shuffle(), count in 0_usize..6, optional in any::<bool>()) {
            let all = [step(1, &[5]), step(2, &[8]), step(3, &[]), step(4, &[169, 8, 8, 40]), step(32000, &[]),
                       step(307, &[9]), step(32001, &[2, 2, 4, 0, 5, 1, 1]), step(32004, &[100]), step(32008, &[0, 4, 4, 0, 2]), step(32015, &[3])];
            let mut steps: Vec<_> = order.into_iter().take(count).map(|i: usize| all[i].clone()).collect();
            steps.retain(|step| available(step.id).is_ok());
            // Szip gives up on what does not get shorter.
            steps.iter_mut().for_each(|step| step.optional = optional || step.id == 4);
            let (encoded, mask) = encode(&steps, (&plain).into()).unwrap();
            prop_assert_eq!(decode(&steps, mask, encoded, plain.len(), &Limits::default()), Ok((&plain).into()));
        }
    }
}
