//! Which operation a number is: exact in every block, shuffled within it, and a function of the number alone.

use crate::value::Permutation;

/// The longest block. Weights that need a longer one to be exact are rounded to thousandths.
const MAX_BLOCK: u64 = 1_000;
/// Weights are read to this many decimal places.
const DECIMALS: u32 = 6;

/// The mix of a workload. Numbers are cut into blocks; in each block every operation occurs exactly as often as its
/// weight says, at places that seed and block decide.
#[derive(Debug, Clone)]
pub struct Mix {
    seed: u64,
    /// The operation at each place of a block before it is shuffled.
    block: Vec<usize>,
}

impl Mix {
    /// A mix of operations with these weights, in the workload's order. Each operation with a weight above 0 occurs in
    /// every block.
    pub fn new(seed: u64, weights: &[f64]) -> Self {
        let counts = block_counts(weights);
        let block =
            counts.iter().enumerate().flat_map(|(operation, count)| std::iter::repeat_n(operation, *count)).collect();
        Self { seed, block }
    }

    /// The operation (its place in the workload) that has this number.
    pub fn operation(&self, number: u64) -> usize {
        let length = self.block_length();
        if length == 1 {
            return self.block[0];
        }
        let permutation = Permutation::new(self.key(number / length), length);
        let place = permutation.forward(number % length);
        self.block[usize::try_from(place).expect("a place in a block is small")]
    }

    /// How many numbers make a block.
    pub fn block_length(&self) -> u64 {
        self.block.len() as u64
    }

    /// How often an operation occurs in a block.
    pub fn per_block(&self, operation: usize) -> u64 {
        self.block.iter().filter(|other| **other == operation).count() as u64
    }

    /// The smallest multiple of the block's length that is at least `numbers`, and at least one block.
    pub fn whole_blocks(&self, numbers: u64) -> u64 {
        numbers.div_ceil(self.block_length()).max(1).saturating_mul(self.block_length())
    }

    fn key(&self, block: u64) -> u64 {
        // Any odd multiplier keeps keys of different blocks apart; the permutation scrambles the key itself.
        self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ block
    }
}

/// How often each operation occurs in a block: the weights, brought to whole numbers without a common divisor.
fn block_counts(weights: &[f64]) -> Vec<usize> {
    let mut counts = whole_weights(weights);
    let divisor = counts.iter().fold(0, |divisor, count| greatest_common_divisor(divisor, *count)).max(1);
    counts.iter_mut().for_each(|count| *count /= divisor);
    if counts.iter().sum::<u64>() > MAX_BLOCK {
        counts = rounded(&counts);
    }
    if counts.iter().all(|count| *count == 0) {
        counts.iter_mut().for_each(|count| *count = 1);
    }
    counts.into_iter().map(|count| usize::try_from(count).expect("a block has at most a thousand places")).collect()
}

fn whole_weights(weights: &[f64]) -> Vec<u64> {
    let scaled = |weight: f64, factor: f64| (weight.max(0.0) * factor).min(1e15);
    let factor = (0..DECIMALS)
        .map(|places| 10_f64.powi(i32::try_from(places).expect("a few places")))
        .find(|factor| {
            weights.iter().all(|weight| (scaled(*weight, *factor) - scaled(*weight, *factor).round()).abs() < 1e-9)
        })
        .unwrap_or(10_f64.powi(6));
    // A weight above 0 stays above 0 however small it is beside the others.
    weights
        .iter()
        .map(|weight| if *weight > 0.0 { scaled(*weight, factor).round().max(1.0) as u64 } else { 0 })
        .collect()
}

/// Brings counts down to a block of at most [`MAX_BLOCK`] by largest remainder, keeping every operation in it.
fn rounded(counts: &[u64]) -> Vec<u64> {
    let total = counts.iter().map(|count| *count as f64).sum::<f64>();
    let exact: Vec<f64> = counts.iter().map(|count| *count as f64 / total * MAX_BLOCK as f64).collect();
    let mut rounded: Vec<u64> =
        exact.iter().zip(counts).map(|(share, count)| (share.floor() as u64).max(u64::from(*count > 0))).collect();
    let mut by_remainder: Vec<usize> = (0..counts.len()).filter(|operation| counts[*operation] > 0).collect();
    by_remainder.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    let missing = MAX_BLOCK.saturating_sub(rounded.iter().sum());
    for operation in by_remainder.into_iter().take(usize::try_from(missing).unwrap_or(0)) {
        rounded[operation] += 1;
    }
    rounded
}

const fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
