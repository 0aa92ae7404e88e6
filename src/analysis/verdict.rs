//! The verdict: a test against a practical threshold that is fixed beforehand.

use super::holm;
use super::paired::Paired;
use crate::words::Verdict;

/// The practical threshold: differences up to 5 % either way are no difference worth a data model.
pub const THRESHOLD: f64 = 0.05;

/// The chance of a false `faster` or `slower` among the operations of one comparison.
pub const ALPHA: f64 = 0.05;

/// What a test decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The interval alone would say faster or slower; Holm's adjustment does not.
    pub held_back: bool,
}

/// Judges a family of paired ratios together.
///
/// `faster` or `slower` where Holm's adjusted test rejects that |log ratio| is at most log(1 + `threshold`); `equal`
/// where the 90 % interval lies inside the threshold; else `inconclusive`.
pub fn decide(family: &[Paired], threshold: f64) -> Vec<Decision> {
    let bound = threshold.ln_1p();
    let ps: Vec<f64> = family.iter().map(|paired| paired.p_within(bound)).collect();
    let adjusted = holm::adjusted(&ps);
    family
        .iter()
        .zip(ps.iter().zip(adjusted))
        .map(|(paired, (plain, adjusted))| one(paired, bound, *plain, adjusted))
        .collect()
}

fn one(paired: &Paired, bound: f64, plain: f64, adjusted: f64) -> Decision {
    let (low, high) = paired.interval(1.0 - 2.0 * ALPHA);
    let verdict = if adjusted <= ALPHA {
        if paired.mean > 0.0 { Verdict::Faster } else { Verdict::Slower }
    } else if low > -bound && high < bound {
        Verdict::Equal
    } else {
        Verdict::Inconclusive
    };
    Decision { verdict, held_back: verdict == Verdict::Inconclusive && plain <= ALPHA }
}

#[cfg(test)]
mod tests;
