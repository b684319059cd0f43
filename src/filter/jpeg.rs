//! JPEG, filter 32019: a JPEG stream (ITU-T T.81), grey or RGB.
//!
//! Client data: the quality, the width and the height in pixels, and whether the pixels are RGB (1) or grey
//! (0); all of it is in the stream too, which is what counts. The values are those of libjpeg with its
//! defaults: the accurate integer transform and smooth upsampling of the colours.

use std::borrow::Cow;

use libjpeg_turbo_rs::{Decoder, PixelFormat};

use super::input::length;
use crate::error::FilterFault;

/// Passes over the pixels that a progressive stream may make. Sound ones have a few tens.
const SCANS: u32 = 500;
/// Bytes that the decoder may take for each byte that comes out: coefficients, planes before upsampling.
const MEMORY: usize = 16;

/// Decompresses to at most `bound` bytes: row after row, one byte for each colour of a pixel.
///
/// # Errors
/// A stream that is damaged, ends early, or has more pixels than `bound` has room for; one of neither one
/// nor three colours.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    const DAMAGED: FilterFault = FilterFault::Stream("the JPEG stream is damaged");
    let mut decoder = Decoder::new(&bytes).map_err(|_| DAMAGED)?;
    let header = decoder.header();
    let (colours, format) = match header.components.len() {
        1 => (1, PixelFormat::Grayscale),
        3 => (3, PixelFormat::Rgb),
        _ => return Err(FilterFault::Stream("JPEG colours that are neither grey nor RGB")),
    };
    let pixels = u64::from(header.width) * u64::from(header.height);
    let made = length(pixels * colours, bound)?;
    decoder.set_output_format(format);
    decoder.set_scan_limit(SCANS);
    decoder.set_max_memory(made.saturating_mul(MEMORY).saturating_add(1 << 20));
    decoder.decode_image().map(|image| Cow::Owned(image.data)).map_err(|_| DAMAGED)
}

/// The most bytes that writing can make of so many: noise at the best quality, and tables.
pub(super) fn longest(bytes: usize, _: &[u32]) -> usize {
    bytes.saturating_mul(2).saturating_add(4096)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{hex, stands_damage};
    use super::*;

    /// A grey picture of 3 by 2 pixels, and what libjpeg makes of it.
    const GREY: &str = "ffd8ffe000104a46494600010100000100010000ffdb00430006040506050406060506070706080a100a0a09090a140e0f0c1017141818171416161a1d251f1a1b231c1616202c20232627292a29191f2d302d283025282928ffc0000b080002000301011100ffc40014000100000000000000000000000000000006ffc4001d100002020203010000000000000000000001040203050600111251ffda0008010100003f0027aaec99c4b5e4164b33925d7aebf30aaa6a708447c001e873ffd9";
    const GREY_PIXELS: &str = "0480f1194462";
    /// Three colours, 4 by 3 pixels, half as many of the colours in both directions.
    const COLOURS: &str = "ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffdb00430103040405040509050509140d0b0d1414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414ffc00011080003000403012200021101031101ffc4001500010100000000000000000000000000000008ffc4001f1000010109010000000000000000000000000701020405081626516192ffc40014010100000000000000000000000000000004ffc40014110100000000000000000000000000000000ffda000c03010002110311003f00a9532a5949ed084c1655e1ed33a001a23fffd9";
    const COLOUR_PIXELS: &str = "00060e161d2529303840474f545b636b727a7d848c949ba3a7aeb6bec5cdd0d7dfe7eef6";

    #[test]
    fn reads_libjpeg() {
        assert_eq!(decode(hex(GREY).into(), &[], 6), Ok(hex(GREY_PIXELS).into()));
        assert_eq!(decode(hex(COLOURS).into(), &[], 36), Ok(hex(COLOUR_PIXELS).into()));
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
        let stream = hex(GREY);
        assert_eq!(run(&stream, 5), Err(FilterFault::TooLong(5)));
        assert!(matches!(run(&stream[..stream.len() - 8], 6), Err(FilterFault::Stream(_))));
        assert!(matches!(run(&[], 6), Err(FilterFault::Stream(_))));
        // The height, in the frame's header, made 65535.
        let mut tall = stream.clone();
        let frame = tall.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
        tall[frame + 5..frame + 7].fill(0xff);
        assert_eq!(run(&tall, 1000), Err(FilterFault::TooLong(1000)));
    }

    #[test]
    fn damage() {
        stands_damage(decode, &[], &hex(COLOURS), 36);
    }
}
