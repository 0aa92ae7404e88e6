//! How many rounds, or restarts, would decide what these do not.

use super::paired::{Paired, t_quantile};
use super::verdict::ALPHA;

/// More rounds than this nobody runs: the truth lies too close to the threshold.
const MOST_ROUNDS: usize = 1_000;

/// The same of fresh loads, each with rounds of its own.
const MOST_RESTARTS: usize = 100;

/// What an interval is made of, and so what there must be more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Rounds on one load of the data, so many joined in a unit.
    Rounds {
        /// Rounds of the largest unit.
        per_unit: usize,
    },
    /// Fresh loads of the data.
    Restarts,
}

impl Repeat {
    const fn name(self) -> &'static str {
        match self {
            Self::Rounds { .. } => "rounds",
            Self::Restarts => "restarts",
        }
    }

    /// How many of them make a unit of inference, and the most that anybody runs.
    fn bounds(self) -> (usize, usize) {
        match self {
            Self::Rounds { per_unit } => (per_unit.max(1), MOST_ROUNDS),
            Self::Restarts => (1, MOST_RESTARTS),
        }
    }
}

/// Rounds or restarts that would settle the verdict if mean and spread stayed as they are, said for people.
///
/// `family` is the number of questions that Holm's adjustment shares α among (its first step is taken for all of them,
/// which errs on the side of more).
pub(super) fn advice(paired: &Paired, threshold: f64, family: usize, repeat: Repeat) -> String {
    let (name, (per_unit, most)) = (repeat.name(), repeat.bounds());
    match units_needed(paired, threshold, family.max(1), most / per_unit) {
        Some(units) => format!("about {} {name} would settle it", units * per_unit),
        None => format!("more than {most} {name} would be needed: the ratio lies too close to the threshold"),
    }
}

/// The smallest number of units above the present one that decides, by bisection: more units never decide less.
fn units_needed(paired: &Paired, threshold: f64, family: usize, most: usize) -> Option<usize> {
    let distance = (paired.mean.abs() - threshold).abs();
    let outside = paired.mean.abs() > threshold;
    let probability = if outside { 1.0 - ALPHA / 2.0 / family as f64 } else { 1.0 - ALPHA };
    let decides =
        |units: usize| t_quantile(probability, units - 1) * paired.deviation / (units as f64).sqrt() < distance;
    let (mut low, mut high) = (paired.units + 1, most);
    if low > high || !decides(high) {
        return None;
    }
    while low < high {
        let middle = low.midpoint(high);
        if decides(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_named_decides_and_one_fewer_does_not() {
        let threshold = 1.05_f64.ln();
        let now = Paired { mean: 0.10, deviation: 0.15, units: 10 };
        let needed = units_needed(&now, threshold, 1, 1_000).expect("reachable");
        let with = |units| Paired { units, ..now }.p_within(threshold);
        assert!(with(needed) <= ALPHA && with(needed - 1) > ALPHA);
    }

    #[test]
    fn a_difference_inside_the_threshold_is_settled_by_the_ninety_percent_interval() {
        let threshold = 1.05_f64.ln();
        let now = Paired { mean: 0.01, deviation: 0.1, units: 10 };
        let needed = units_needed(&now, threshold, 3, 1_000).expect("reachable");
        let high = |units| Paired { units, ..now }.interval(0.90).1;
        assert!(high(needed) < threshold && high(needed - 1) >= threshold);
    }

    #[test]
    fn at_the_threshold_no_number_of_rounds_helps() {
        let threshold = 1.05_f64.ln();
        let now = Paired { mean: threshold, deviation: 0.1, units: 10 };
        let rounds = Repeat::Rounds { per_unit: 1 };
        assert!(advice(&now, threshold, 1, rounds).starts_with("more than 1000 rounds"));
        assert!(advice(&now, threshold, 1, Repeat::Restarts).starts_with("more than 100 restarts"));
    }

    #[test]
    fn two_restarts_that_differ_a_little_are_settled_by_a_few_more() {
        // Mean log ratio 0.30 (1.35×), deviation 0.05. With two, t(1) = 12.7: 0.30 ± 0.45. With three, t(2) = 4.303:
        // 0.30 ± 0.124, beyond ln 1.05 = 0.049.
        let now = Paired { mean: 0.30, deviation: 0.05, units: 2 };
        let threshold = 1.05_f64.ln();
        assert!(now.p_within(threshold) > ALPHA);
        assert_eq!(advice(&now, threshold, 1, Repeat::Restarts), "about 3 restarts would settle it");
    }
}
