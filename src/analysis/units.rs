//! Neighbouring rounds joined into units that hold enough operations.

use std::ops::Range;

use super::metric::MIN_UNITS;

/// Splits rounds into as many units as possible, of equal size to within one round, such that every unit holds `least`
/// operations of both models; `None` where that would be fewer than [`MIN_UNITS`].
///
/// `counts` are the operations of each round: of the model that has fewer of them.
pub(super) fn join(counts: &[u64], least: u64) -> Option<Vec<Range<usize>>> {
    (MIN_UNITS..=counts.len()).rev().map(|units| split(counts.len(), units)).find(|units| {
        units.iter().all(|unit| counts[unit.clone()].iter().fold(0_u64, |sum, n| sum.saturating_add(*n)) >= least)
    })
}

/// `rounds` neighbouring places in `units` ranges whose lengths differ by at most one.
fn split(rounds: usize, units: usize) -> Vec<Range<usize>> {
    (0..units).map(|unit| unit * rounds / units..(unit + 1) * rounds / units).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(units: Option<Vec<Range<usize>>>) -> Option<Vec<usize>> {
        units.map(|units| units.iter().map(ExactSizeIterator::len).collect())
    }

    #[test]
    fn rounds_with_enough_operations_stand_alone() {
        assert_eq!(sizes(join(&[100; 10], 100)), Some(vec![1; 10]));
    }

    #[test]
    fn ten_rounds_of_fifty_make_five_units_of_a_hundred() {
        assert_eq!(sizes(join(&[50; 10], 100)), Some(vec![2; 5]));
    }

    #[test]
    fn eleven_rounds_of_fifty_use_every_round() {
        assert_eq!(sizes(join(&[50; 11], 100)), Some(vec![2, 2, 2, 2, 3]));
    }

    #[test]
    fn fewer_than_five_units_are_none() {
        assert_eq!(join(&[49; 10], 100), None, "three rounds each would make three units");
        assert_eq!(join(&[1_000; 4], 100), None);
        assert_eq!(join(&[], 100), None);
    }

    #[test]
    fn units_cover_every_round_once_and_in_order() {
        for rounds in 5..40 {
            for units in 5..=rounds {
                let ranges = split(rounds, units);
                let covered: Vec<usize> = ranges.iter().flat_map(Clone::clone).collect();
                assert_eq!(covered, (0..rounds).collect::<Vec<_>>());
                let (short, long) = (rounds / units, rounds.div_ceil(units));
                assert!(ranges.iter().all(|range| range.len() == short || range.len() == long));
            }
        }
    }
}
