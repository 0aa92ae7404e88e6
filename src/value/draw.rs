//! Counter-based randomness: a value is a pure function of seed, stream, number and place.

use rand_pcg::Pcg64Mcg;

/// Where random values come from: a pure function of (seed, stream, number), and of the generator's place in its template.
///
/// Nothing is consumed: the same draw gives the same values, on any worker and in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// The run's seed.
    pub seed: u64,
    /// The stream's name, hashed.
    pub stream: u64,
    /// The number of the row or operation.
    pub number: u64,
}

impl Draw {
    /// `stream` is a name such as `dataset/products` or `operation/add_review`.
    pub fn new(seed: u64, stream: &str, number: u64) -> Self {
        Self { seed, stream: hash(0, stream), number }
    }

    /// A generator of random numbers for one purpose of this draw, told from others by the name of its place.
    pub fn generator(&self, place: &str) -> Pcg64Mcg {
        generator(self.key(), hash(0, place), self.number, 0)
    }

    /// Seed and stream as one word.
    pub(crate) fn key(&self) -> u64 {
        mix(self.seed ^ mix(self.stream))
    }
}

/// The generator of one place, number and element (`salt`; 0 outside of generated lists).
pub(crate) fn generator(key: u64, place: u64, number: u64, salt: u64) -> Pcg64Mcg {
    let state = mix(mix(mix(key ^ place).wrapping_add(number)) ^ salt);
    let (high, low) = (mix(state.wrapping_add(GOLDEN)), mix(state.wrapping_add(GOLDEN.wrapping_mul(2))));
    Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low))
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64: every bit of the input moves half of the output's bits.
pub(crate) const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(GOLDEN);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A hash of a text that continues another hash; fixed for all time, since data are made from it.
pub(crate) fn hash(start: u64, text: &str) -> u64 {
    // FNV-1a, then mixed, so that short texts differ in all bits.
    let fnv = text
        .bytes()
        .fold(start ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    mix(fnv)
}
