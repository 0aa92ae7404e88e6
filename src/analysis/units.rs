//! Neighbouring rounds joined into units that hold enough operations.

use std::ops::Range;

use super::metric::MIN_UNITS;

/// A round of the comparison, for joining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Joinable {
    /// Which fresh load of the data it belongs to.
    pub(super) restart: u32,
    /// Its operations, of the model that has fewer of them.
    pub(super) operations: u64,
}

/// Splits rounds into as many units as possible, such that every unit holds `least` operations of both models and no
/// unit joins rounds of different restarts; `None` where that would be fewer than [`MIN_UNITS`], or none of a restart.
///
/// Within a restart, units are of equal size to within one round. Rounds stand in the order run.
pub(super) fn join(rounds: &[Joinable], least: u64) -> Option<Vec<Range<usize>>> {
    let mut units = Vec::new();
    for restart in rounds.chunk_by(|left, right| left.restart == right.restart) {
        let start = units.last().map_or(0, |last: &Range<usize>| last.end);
        let of_restart = most_units(restart, least)?;
        units.extend(of_restart.into_iter().map(|unit| start + unit.start..start + unit.end));
    }
    (units.len() >= MIN_UNITS).then_some(units)
}

/// Each unit joined with its neighbour, an odd one with the last two; `None` where fewer than [`MIN_UNITS`] would remain.
///
/// Only for units of one restart.
pub(super) fn halved(units: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let pairs = units.len() / 2;
    let joined = |pair: Range<usize>| units[pair.start].start..units[pair.end - 1].end;
    (pairs >= MIN_UNITS).then(|| split(units.len(), pairs).into_iter().map(joined).collect())
}

fn most_units(rounds: &[Joinable], least: u64) -> Option<Vec<Range<usize>>> {
    let enough = |unit: &Range<usize>| {
        rounds[unit.clone()].iter().fold(0_u64, |sum, round| sum.saturating_add(round.operations)) >= least
    };
    (1..=rounds.len()).rev().map(|units| split(rounds.len(), units)).find(|units| units.iter().all(enough))
}

/// `rounds` neighbouring places in `units` ranges whose lengths differ by at most one.
fn split(rounds: usize, units: usize) -> Vec<Range<usize>> {
    (0..units).map(|unit| unit * rounds / units..(unit + 1) * rounds / units).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_load(operations: &[u64]) -> Vec<Joinable> {
        operations.iter().map(|operations| Joinable { restart: 0, operations: *operations }).collect()
    }

    fn sizes(units: Option<Vec<Range<usize>>>) -> Option<Vec<usize>> {
        units.map(|units| units.iter().map(ExactSizeIterator::len).collect())
    }

    #[test]
    fn rounds_with_enough_operations_stand_alone() {
        assert_eq!(sizes(join(&one_load(&[100; 10]), 100)), Some(vec![1; 10]));
    }

    #[test]
    fn ten_rounds_of_fifty_make_five_units_of_a_hundred() {
        assert_eq!(sizes(join(&one_load(&[50; 10]), 100)), Some(vec![2; 5]));
    }

    #[test]
    fn eleven_rounds_of_fifty_use_every_round() {
        assert_eq!(sizes(join(&one_load(&[50; 11]), 100)), Some(vec![2, 2, 2, 2, 3]));
    }

    #[test]
    fn fewer_than_five_units_are_none() {
        assert_eq!(join(&one_load(&[49; 10]), 100), None, "three rounds each would make three units");
        assert_eq!(join(&one_load(&[1_000; 4]), 100), None);
        assert_eq!(join(&[], 100), None);
    }

    #[test]
    fn no_unit_joins_rounds_of_different_restarts() {
        let rounds: Vec<_> =
            [0, 0, 0, 1, 1, 1, 1, 1].map(|restart| Joinable { restart, operations: 50 }).into_iter().collect();
        assert_eq!(join(&rounds, 100), None, "one unit of three, two of two and three: fewer than five");
        assert_eq!(join(&rounds, 50), Some((0..8).map(|place| place..place + 1).collect()));
        let mut longer = rounds;
        longer.extend([Joinable { restart: 2, operations: 50 }; 4]);
        assert_eq!(join(&longer, 100), Some(vec![0..3, 3..5, 5..8, 8..10, 10..12]));
        longer.push(Joinable { restart: 3, operations: 99 });
        assert_eq!(join(&longer, 100), None, "the last restart has no unit");
    }

    #[test]
    fn halving_keeps_every_round_and_stops_at_five() {
        assert_eq!(sizes(halved(&split(21, 21))), Some(vec![2, 2, 2, 2, 2, 2, 2, 2, 2, 3]));
        assert_eq!(sizes(halved(&split(20, 10))), Some(vec![4; 5]));
        assert_eq!(halved(&split(9, 9)), None);
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
