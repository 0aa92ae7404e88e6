//! A keyed permutation of `0..size` that is computed, not stored.

use super::draw::mix;

const ROUNDS: u64 = 8;

/// A permutation of `0..size` chosen by a key: a Feistel network over the next even number of bits, walked along its
/// cycle until it falls into the range again (fewer than four steps on average).
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    key: u64,
    size: u64,
    half_bits: u32,
}

impl Permutation {
    /// The permutation of `0..size` that the key chooses.
    pub fn new(key: u64, size: u64) -> Self {
        let bits = u64::BITS - size.saturating_sub(1).leading_zeros();
        Self { key, size, half_bits: bits.div_ceil(2).max(1) }
    }

    /// Where `position` (below the size) goes.
    pub fn forward(&self, position: u64) -> u64 {
        self.walk(position, |value| (0..ROUNDS).fold(value, |value, round| self.round(value, round)))
    }

    /// What goes to `image` (below the size).
    pub fn backward(&self, image: u64) -> u64 {
        self.walk(image, |value| (0..ROUNDS).rev().fold(value, |value, round| self.unround(value, round)))
    }

    fn walk(&self, start: u64, step: impl Fn(u64) -> u64) -> u64 {
        debug_assert!(start < self.size, "{start} lies in 0..{}", self.size);
        let mut value = step(start);
        while value >= self.size {
            value = step(value);
        }
        value
    }

    fn round(&self, value: u64, round: u64) -> u64 {
        let (left, right) = self.halves(value);
        right << self.half_bits | (left ^ self.scramble(right, round))
    }

    fn unround(&self, value: u64, round: u64) -> u64 {
        let (left, right) = self.halves(value);
        (right ^ self.scramble(left, round)) << self.half_bits | left
    }

    fn halves(&self, value: u64) -> (u64, u64) {
        (value >> self.half_bits, value & self.mask())
    }

    fn scramble(&self, half: u64, round: u64) -> u64 {
        mix(self.key ^ mix(half ^ round << 56)) & self.mask()
    }

    fn mask(&self) -> u64 {
        (1 << self.half_bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_hit_exactly_once_and_found_again() {
        for size in [1, 2, 3, 7, 64, 65, 1000] {
            let permutation = Permutation::new(5, size);
            let mut images: Vec<_> = (0..size).map(|position| permutation.forward(position)).collect();
            for (position, image) in images.iter().enumerate() {
                assert_eq!(permutation.backward(*image), position as u64);
            }
            images.sort_unstable();
            assert_eq!(images, (0..size).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_largest_range_works_too() {
        let permutation = Permutation::new(9, u64::MAX);
        let image = permutation.forward(u64::MAX - 1);
        assert_eq!(permutation.backward(image), u64::MAX - 1);
    }

    #[test]
    fn the_key_chooses_the_permutation() {
        let images = |key| (0..100).map(|position| Permutation::new(key, 100).forward(position)).collect::<Vec<_>>();
        assert_ne!(images(1), images(2));
    }
}
