//! The bit stream of CCSDS 121.0-B, lossless data compression by adaptive entropy coding, as szip uses it.
//!
//! Samples are unsigned. They come in reference sample intervals (here a scanline each) of blocks. The
//! first sample of an interval is stored as it is if differences are coded. An id before every block
//! tells how it is coded.

use super::super::bits::{BitReader, BitWriter};
use crate::error::FilterFault;

/// Blocks of zeros are counted up to the end of such a segment.
const SEGMENT: usize = 64;
/// The count of zero blocks, less 1, that means the rest of the segment.
const REST_OF_SEGMENT: u64 = 4;
/// The largest code of a pair of samples that encoders use.
const LARGEST_PAIR: u64 = 90;

const DAMAGED: FilterFault = FilterFault::Stream("the szip bit stream is damaged");

/// What both sides have agreed on.
pub(super) struct Coder {
    /// Bits of a sample, at most 32.
    pub(super) bits: u32,
    /// Samples of a block, an even number.
    pub(super) block: usize,
    /// Blocks of an interval.
    pub(super) blocks: usize,
    /// Whether differences are coded.
    pub(super) predict: bool,
}

/// How the encoder stores a block.
enum Choice {
    Zero,
    Pairs,
    Split(u32),
    Raw,
}

impl Coder {
    /// Decodes an interval, of which `count` samples are needed; they replace what `samples` holds.
    /// More samples may come, to the end of a block or a run of zeros, but none past the interval.
    pub(super) fn decode(&self, from: &mut BitReader, count: usize, samples: &mut Vec<u32>) -> Result<(), FilterFault> {
        let raw = (1 << self.id_bits()) - 1;
        samples.clear();
        while samples.len() < count {
            let done = samples.len() / self.block;
            let id = from.take(self.id_bits())?;
            let pairs = id == 0 && from.take(1)? == 1;
            let mut left = self.block;
            if self.predict && done == 0 {
                samples.push(from.take(self.bits)? as u32);
                left -= 1;
            }
            if pairs {
                self.pairs(from, left, samples)?;
            } else if id == 0 {
                let blocks = self.zero_blocks(from.unary()?, done)?;
                samples.resize(samples.len() + left + (blocks - 1) * self.block, 0);
            } else if id == raw {
                for _ in 0..left {
                    samples.push(from.take(self.bits)? as u32);
                }
            } else {
                split(from, id as u32 - 1, left, samples)?;
            }
        }
        if self.predict { self.sum_up(samples) } else { Ok(()) }
    }

    /// The number of zero blocks that a count stands for, after `done` blocks of the interval.
    fn zero_blocks(&self, count: u64, done: usize) -> Result<usize, FilterFault> {
        let left = self.blocks - done;
        let blocks = match count {
            0..REST_OF_SEGMENT => count as usize + 1,
            REST_OF_SEGMENT => left.min(SEGMENT - done % SEGMENT),
            _ => usize::try_from(count).unwrap_or(usize::MAX),
        };
        if blocks > left { Err(DAMAGED) } else { Ok(blocks) }
    }

    /// The second extension: a code for two samples. A reference sample takes the place of the first one.
    fn pairs(&self, from: &mut BitReader, left: usize, samples: &mut Vec<u32>) -> Result<(), FilterFault> {
        for i in (self.block - left)..self.block {
            if i % 2 == 1 && i > self.block - left {
                continue;
            }
            let code = from.unary()?;
            if code > LARGEST_PAIR {
                return Err(DAMAGED);
            }
            let sum = (0..).take_while(|sum| sum * (sum + 1) / 2 <= code as u32).last().unwrap_or(0);
            let second = code as u32 - sum * (sum + 1) / 2;
            if i % 2 == 0 {
                samples.push(sum - second);
            }
            samples.push(second);
        }
        Ok(())
    }

    /// From a reference and mapped differences to samples.
    fn sum_up(&self, samples: &mut [u32]) -> Result<(), FilterFault> {
        let largest = self.largest();
        let Some((&mut reference, differences)) = samples.split_first_mut() else { return Ok(()) };
        let mut before = reference;
        for sample in differences {
            let mapped = *sample;
            if mapped > largest {
                return Err(DAMAGED);
            }
            // All ways are computed, because which one it is cannot be foreseen.
            let half = mapped / 2 + mapped % 2;
            let near = if mapped % 2 == 0 { before.wrapping_add(half) } else { before.wrapping_sub(half) };
            let far = if before <= largest / 2 { mapped } else { largest - mapped };
            before = if half <= before.min(largest - before) { near } else { far };
            *sample = before;
        }
        Ok(())
    }

    /// Encodes an interval, or what there is of the last one. `samples` are whole blocks.
    pub(super) fn encode(&self, samples: &[u32], to: &mut BitWriter) {
        let mapped = if self.predict { self.differences(samples) } else { samples.to_vec() };
        let mut zeros = 0;
        for (i, block) in mapped.chunks(self.block).enumerate() {
            let first = self.predict && i == 0;
            let rest = &block[usize::from(first)..];
            let choice = self.choose(block, rest);
            if !matches!(choice, Choice::Zero) {
                self.put_zeros(zeros, false, &mapped, i, to);
                zeros = 0;
            }
            let (id, mode) = match choice {
                Choice::Zero => {
                    zeros += 1;
                    if (i + 1) % SEGMENT == 0 || i + 1 == self.blocks {
                        self.put_zeros(zeros, true, &mapped, i + 1, to);
                        zeros = 0;
                    }
                    continue;
                }
                Choice::Pairs => (0, Some(1)),
                Choice::Split(k) => (u64::from(k) + 1, None),
                Choice::Raw => ((1 << self.id_bits()) - 1, None),
            };
            self.put_head(id, mode, block.first().filter(|_| first), to);
            match choice {
                Choice::Pairs => self.pair_codes(block, first).for_each(|code| to.put_unary(code)),
                Choice::Split(k) => {
                    rest.iter().for_each(|sample| to.put_unary(u64::from(sample >> k)));
                    rest.iter().for_each(|sample| to.put(u64::from(*sample), k));
                }
                _ => rest.iter().for_each(|sample| to.put(u64::from(*sample), self.bits)),
            }
        }
        self.put_zeros(zeros, false, &mapped, mapped.len() / self.block, to);
    }

    /// Stores that the `count` blocks before block number `end` are zeros, perhaps to the end of the segment.
    fn put_zeros(&self, count: usize, to_end: bool, mapped: &[u32], end: usize, to: &mut BitWriter) {
        if count == 0 {
            return;
        }
        self.put_head(0, Some(0), mapped.first().filter(|_| self.predict && end == count), to);
        to.put_unary(match count as u64 {
            short @ 1..=REST_OF_SEGMENT => short - 1,
            _ if to_end => REST_OF_SEGMENT,
            long => long,
        });
    }

    /// Stores what stands before the samples of a block.
    fn put_head(&self, id: u64, mode: Option<u64>, reference: Option<&u32>, to: &mut BitWriter) {
        to.put(id, self.id_bits());
        if let Some(mode) = mode {
            to.put(mode, 1);
        }
        if let Some(reference) = reference {
            to.put(u64::from(*reference), self.bits);
        }
    }

    /// The shortest way to store a block, of which `rest` is without the reference.
    fn choose(&self, block: &[u32], rest: &[u32]) -> Choice {
        if rest.iter().all(|sample| *sample == 0) {
            return Choice::Zero;
        }
        let mut best = (rest.len() as u64 * u64::from(self.bits), Choice::Raw);
        // The ids left for it, and no more bits than a sample has.
        for k in 0..self.bits.min((1 << self.id_bits()) - 2) {
            let size = rest.iter().map(|sample| u64::from(sample >> k) + 1 + u64::from(k)).sum();
            if size < best.0 {
                best = (size, Choice::Split(k));
            }
        }
        let mut size = 1;
        for code in self.pair_codes(block, rest.len() < block.len()) {
            size += code + 1;
            if code > LARGEST_PAIR || size >= best.0 {
                return best.1;
            }
        }
        Choice::Pairs
    }

    /// The codes of a block's pairs of samples; in place of a reference stands 0.
    fn pair_codes(&self, block: &[u32], first: bool) -> impl Iterator<Item = u64> {
        block.chunks_exact(2).enumerate().map(move |(i, pair)| {
            let (a, b) = (if first && i == 0 { 0 } else { u64::from(pair[0]) }, u64::from(pair[1]));
            // The code of a sum too large for a code is never used.
            let sum = (a + b).min(LARGEST_PAIR);
            sum * (sum + 1) / 2 + b
        })
    }

    /// From samples to a reference and mapped differences, which are small where neighbours are alike.
    fn differences(&self, samples: &[u32]) -> Vec<u32> {
        let largest = self.largest();
        let reference = samples.first().copied();
        let mapped = samples.windows(2).map(|pair| {
            let (before, sample) = (pair[0], pair[1]);
            let (distance, near) = (sample.abs_diff(before), before.min(largest - before));
            if distance > near {
                near + distance
            } else if sample >= before {
                2 * distance
            } else {
                2 * distance - 1
            }
        });
        reference.into_iter().chain(mapped).collect()
    }

    /// Bits of a block's id.
    fn id_bits(&self) -> u32 {
        match self.bits {
            ..=8 => 3,
            9..=16 => 4,
            _ => 5,
        }
    }

    /// The largest sample.
    fn largest(&self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }
}

/// Split samples: the upper parts one by one in unary, then the lower `k` bits of all.
fn split(from: &mut BitReader, k: u32, left: usize, samples: &mut Vec<u32>) -> Result<(), FilterFault> {
    let start = samples.len();
    for _ in 0..left {
        let high = u32::try_from(from.unary()?).map_err(|_| DAMAGED)?;
        if high > u32::MAX >> k {
            return Err(DAMAGED);
        }
        samples.push(high << k);
    }
    for sample in &mut samples[start..] {
        *sample |= from.take(k)? as u32;
    }
    Ok(())
}
