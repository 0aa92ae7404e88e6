//! Which operations are compared.

use std::collections::BTreeSet;
use std::ops::Range;

use bson::Bson;

use super::canonical::Canonical;
use crate::operation::ModelProgram;

/// Operations compared in all, at least.
pub(super) const IN_ALL: usize = 200;
/// Of each operation, at least.
const OF_EACH: usize = 20;
/// Numbers looked through for rare operations.
const LOOKED_THROUGH: u64 = 100_000;
/// Argument tuples of an operation up to which every one is compared.
const EVERY_TUPLE: usize = 2_000;
/// Numbers drawn in search of further argument tuples.
const DRAWN: u64 = 100_000;

/// An operation under a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sample {
    /// The number.
    pub number: u64,
    /// The operation, by its position in the workload.
    pub operation: usize,
}

/// Chooses what parity compares, in the order of numbers: the first 200 operations of the mix, then further ones of
/// operations that are rarer, until there are 20 of each of the `operations`. What the mix does not bring in 100,000
/// numbers is taken under numbers of its own after those.
pub fn stratified(operations: usize, mix: impl Fn(u64) -> usize, numbers: Range<u64>) -> Vec<Sample> {
    let mut counts = vec![0; operations];
    let mut chosen = Vec::new();
    let mut next = numbers.start;
    let end = numbers.end.min(numbers.start.saturating_add(LOOKED_THROUGH));
    while next < end && (chosen.len() < IN_ALL || counts.iter().any(|count| *count < OF_EACH)) {
        let operation = mix(next);
        if chosen.len() < IN_ALL || counts[operation] < OF_EACH {
            counts[operation] += 1;
            chosen.push(Sample { number: next, operation });
        }
        next += 1;
    }
    let missing = counts
        .iter()
        .enumerate()
        .flat_map(|(operation, count)| std::iter::repeat_n(operation, OF_EACH.saturating_sub(*count)));
    chosen.extend((next..numbers.end).zip(missing).map(|(number, operation)| Sample { number, operation }));
    chosen
}

/// Numbers under which an operation has distinct arguments: all its argument tuples where there are at most 2,000 (as
/// far as 100,000 numbers show), else 200.
///
/// # Errors
/// Where an argument cannot be rendered.
pub(super) fn distinct_arguments(
    program: &ModelProgram,
    operation: usize,
    numbers: Range<u64>,
) -> Result<Vec<Sample>, crate::value::RenderError> {
    let mut seen = BTreeSet::new();
    let mut samples = Vec::new();
    let mut since_new: u64 = 0;
    let end = numbers.end.min(numbers.start.saturating_add(DRAWN));
    for number in numbers.start..end {
        let arguments = program.arguments(operation, number)?;
        let tuple: Vec<_> =
            arguments.values.iter().map(|value| Canonical::from(value.as_ref().unwrap_or(&Bson::Null))).collect();
        if seen.insert(tuple) {
            samples.push(Sample { number, operation });
            since_new = 0;
        } else {
            since_new += 1;
        }
        // Ten times as many draws as there are tuples leave out one that is as likely as the others with e^-10.
        if samples.len() > EVERY_TUPLE || since_new > 1_000 + 10 * samples.len() as u64 {
            break;
        }
    }
    if samples.len() > EVERY_TUPLE {
        samples.truncate(IN_ALL);
    }
    Ok(samples)
}

/// Takes from each list in turn.
pub(super) fn in_turn(lists: Vec<Vec<Sample>>) -> Vec<Sample> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|index| lists.iter().filter_map(move |list| list.get(index).copied())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(samples: &[Sample], operation: usize) -> usize {
        samples.iter().filter(|sample| sample.operation == operation).count()
    }

    #[test]
    fn a_common_mix_is_taken_as_it_comes() {
        let samples = stratified(2, |number| (number % 2) as usize, 1000..1_000_000);
        let expected: Vec<_> = (1000..1200).map(|number| Sample { number, operation: (number % 2) as usize }).collect();
        assert_eq!(samples, expected);
    }

    #[test]
    fn a_rare_operation_is_looked_for() {
        // One in 100 is operation 1: two come with the first 200, the other eighteen later, and nothing else with them.
        let samples = stratified(2, |number| usize::from(number % 100 == 0), 0..1_000_000);
        assert_eq!((count(&samples, 0), count(&samples, 1)), (198, 20));
        assert_eq!(samples.last(), Some(&Sample { number: 1900, operation: 1 }));
        assert!(samples.is_sorted());
    }

    #[test]
    fn what_the_mix_never_brings_is_compared_all_the_same() {
        let samples = stratified(3, |_| 0, 0..1_000_000);
        assert_eq!((count(&samples, 0), count(&samples, 1), count(&samples, 2)), (200, 20, 20));
        assert!(samples.is_sorted());
        let numbers: BTreeSet<_> = samples.iter().map(|sample| sample.number).collect();
        assert_eq!(numbers.len(), samples.len(), "no number is used twice");
    }

    #[test]
    fn a_range_too_short_gives_what_it_has() {
        assert_eq!(stratified(1, |_| 0, 5..8).len(), 3);
    }

    #[test]
    fn turns_are_taken_until_the_longest_list_ends() {
        let list = |operation, numbers: Range<u64>| numbers.map(|number| Sample { number, operation }).collect();
        let merged = in_turn(vec![list(0, 0..3), list(1, 0..1)]);
        let order: Vec<_> = merged.iter().map(|sample| (sample.operation, sample.number)).collect();
        assert_eq!(order, [(0, 0), (1, 0), (0, 1), (0, 2)]);
    }
}
