//! What a side read: a sum that only the same values in the same order give, and the time that making it took.

use std::time::{Duration, Instant};

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Sums up what is read, with the clock stopped.
pub struct Tally {
    sum: u64,
    /// Words that were placed, by lane.
    placed: [u64; 3],
    stopped: Duration,
}

impl Tally {
    pub fn new() -> Self {
        Self { sum: FACTOR, placed: [0; 3], stopped: Duration::ZERO }
    }

    /// The sum of all values.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// How long the clock stood still.
    pub fn stopped(&self) -> Duration {
        self.stopped
    }

    pub fn floats(&mut self, values: &[f64]) {
        self.add(values.iter().map(|value| value.to_bits()));
    }

    pub fn integers(&mut self, values: &[i32]) {
        self.add(values.iter().map(|value| u64::from(value.cast_unsigned())));
    }

    pub fn records(&mut self, records: impl Iterator<Item = (f64, i32, f32)>) {
        self.add(records.flat_map(|(time, channel, value)| {
            [time.to_bits(), u64::from(channel.cast_unsigned()), u64::from(value.to_bits())]
        }));
    }

    pub fn texts<'t>(&mut self, texts: impl Iterator<Item = &'t [u8]>) {
        self.add(texts.map(fold));
    }

    /// Names, and what belongs to each, in any order.
    pub fn named<'t>(&mut self, names: impl Iterator<Item = (&'t str, u64)>) {
        let begin = Instant::now();
        for (name, value) in names {
            self.sum = self.sum.wrapping_add(mix(fold(name.as_bytes()), value));
        }
        self.stopped += begin.elapsed();
    }

    /// Words whose places in their lane count, wherever the blocks end in which they come. Each word is summed up on its
    /// own, so that NumPy can do the same.
    pub fn placed(&mut self, lane: usize, words: impl Iterator<Item = u64>) {
        let begin = Instant::now();
        for word in words {
            let place = (lane as u64) << 48 | self.placed[lane];
            let word = word.wrapping_add(place.wrapping_mul(FACTOR));
            let word = (word ^ word >> 29).wrapping_mul(FACTOR);
            self.sum = self.sum.wrapping_add(word ^ word >> 32);
            self.placed[lane] += 1;
        }
        self.stopped += begin.elapsed();
    }

    /// Texts in the same way: their lengths, and then all their bytes.
    pub fn placed_texts<'t>(&mut self, texts: impl Iterator<Item = &'t [u8]> + Clone) {
        self.placed(0, texts.clone().map(|text| text.len() as u64));
        self.placed(0, texts.flatten().map(|byte| u64::from(*byte)));
    }

    fn add(&mut self, words: impl Iterator<Item = u64>) {
        let begin = Instant::now();
        self.sum = words.fold(self.sum, mix);
        self.stopped += begin.elapsed();
    }
}

/// One word for a list of numbers.
pub fn word(numbers: &[u64]) -> u64 {
    numbers.iter().fold(FACTOR, |sum, number| mix(sum, *number))
}

fn mix(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(29) ^ word).wrapping_mul(FACTOR)
}

fn fold(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, bytes| mix(sum, u64::from_le_bytes(*bytes)));
    rest.iter().fold(sum, |sum, byte| mix(sum, (*byte).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(tally: impl Fn(&mut Tally)) -> u64 {
        let mut sums = Tally::new();
        tally(&mut sums);
        sums.sum()
    }

    #[test]
    fn order_counts_for_values_and_not_for_names() {
        assert_eq!(
            sum(|t| t.floats(&[1.0, 2.0])),
            sum(|t| {
                t.floats(&[1.0]);
                t.floats(&[2.0]);
            })
        );
        assert_ne!(sum(|t| t.floats(&[1.0, 2.0])), sum(|t| t.floats(&[2.0, 1.0])));
        let placed = |words: &[&[u64]]| sum(|t| words.iter().for_each(|part| t.placed(1, part.iter().copied())));
        assert_eq!(placed(&[&[1, 2, 3]]), placed(&[&[1], &[2, 3]]));
        assert_ne!(placed(&[&[1, 2, 3]]), placed(&[&[2, 1, 3]]));
        let texts = |texts: &[&str]| sum(|t| t.texts(texts.iter().map(|text| text.as_bytes())));
        assert_ne!(texts(&["ab", "c"]), texts(&["a", "bc"]));
        let named = |names: &[(&str, u64)]| sum(|t| t.named(names.iter().copied()));
        assert_eq!(named(&[("a", 1), ("b", 2)]), named(&[("b", 2), ("a", 1)]));
        assert_ne!(named(&[("a", 1), ("b", 2)]), named(&[("a", 2), ("b", 1)]));
    }
}
