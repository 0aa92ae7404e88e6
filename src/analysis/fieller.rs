//! Where a line between two estimated ends passes zero, with the interval that its test gives.
//!
//! The place is a ratio of two estimates, so its interval may reach beyond either end of the line. It is the set of places
//! at which a t test does not tell the line from zero.
//!
//! Source: E. C. Fieller, *Some problems in interval estimation*, J. Roy. Statist. Soc. B 16 (1954).

use super::paired::t_quantile;

/// What a line comes to at its two ends, unit by unit: at place 0 and at place 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ends {
    pub(super) at_zero: f64,
    pub(super) at_one: f64,
}

/// What the units say of the line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    /// Its mean ends.
    pub(super) mean: Ends,
    /// Whether each end is surely not zero: its 95 % interval lies on one side.
    pub(super) sure: (bool, bool),
    /// Where the mean line passes zero, if that is between its ends.
    pub(super) place: Option<f64>,
    /// The lowest place at which the line cannot be told from zero; `None` where these places reach down to 0, and where
    /// there are none.
    pub(super) low: Option<f64>,
    /// The highest; `None` where they reach up to 1, and where there are none.
    pub(super) high: Option<f64>,
}

impl Crossing {
    /// What units say; `None` for fewer than two, or where one is not finite.
    pub(super) fn of(units: &[Ends]) -> Option<Self> {
        let finite = |unit: &Ends| unit.at_zero.is_finite() && unit.at_one.is_finite();
        if units.len() < 2 || !units.iter().all(finite) {
            return None;
        }
        let count = units.len() as f64;
        let mean = mean(units);
        let rise = mean.at_one - mean.at_zero;
        let covariance = |of: fn(&Ends) -> f64, with: fn(&Ends) -> f64| {
            let (centre, other) = (of(&mean), with(&mean));
            units.iter().map(|unit| (of(unit) - centre) * (with(unit) - other)).sum::<f64>() / (count - 1.0) / count
        };
        let (start, slope) = (|unit: &Ends| unit.at_zero, |unit: &Ends| unit.at_one - unit.at_zero);
        let square = t_quantile(0.975, units.len() - 1).powi(2);
        // Squared line minus squared reach of its interval, as a quadratic of the place: not above zero where they meet.
        let bend = rise * rise - square * covariance(slope, slope);
        let half = mean.at_zero * rise - square * covariance(start, slope);
        let constant = mean.at_zero * mean.at_zero - square * covariance(start, start);
        let end: fn(&Ends) -> f64 = |unit| unit.at_one;
        let last = mean.at_one * mean.at_one - square * covariance(end, end);
        let sure = (constant > 0.0, last > 0.0);
        let mut roots = roots(bend, half, constant).into_iter().flatten().filter(|root| (0.0..=1.0).contains(root));
        let place = zero(mean);
        let (low, high) = match sure {
            (true, true) if (mean.at_zero > 0.0) == (mean.at_one > 0.0) => (None, None),
            (true, true) => {
                let (first, second) = (roots.next().or(place), roots.next().or(place));
                match first.zip(second) {
                    Some((first, second)) => (Some(first.min(second)), Some(first.max(second))),
                    None => (None, None),
                }
            }
            (true, false) => (roots.next(), None),
            (false, true) => (None, roots.next()),
            (false, false) => (None, None),
        };
        Some(Self { mean, sure, place, low, high })
    }
}

/// The mean of both ends.
pub(super) fn mean(units: &[Ends]) -> Ends {
    let count = units.len() as f64;
    let of = |end: fn(&Ends) -> f64| units.iter().map(end).sum::<f64>() / count;
    Ends { at_zero: of(|unit| unit.at_zero), at_one: of(|unit| unit.at_one) }
}

/// Where the line through two ends passes zero, if that is between them.
fn zero(ends: Ends) -> Option<f64> {
    let changes = ends.at_zero * ends.at_one < 0.0;
    beyond(ends).filter(|_| changes)
}

/// Where the line through two ends passes zero, be it beyond them.
pub(super) fn beyond(ends: Ends) -> Option<f64> {
    let place = ends.at_zero / (ends.at_zero - ends.at_one);
    place.is_finite().then_some(place)
}

/// The zeros of `bend · x² + 2 · half · x + constant`.
fn roots(bend: f64, half: f64, constant: f64) -> [Option<f64>; 2] {
    // The sum that loses no digits, and the other zero from the product of both.
    let root = (half * half - bend * constant).max(0.0).sqrt();
    let sum = -(half + root.copysign(half));
    let fit = |place: f64| place.is_finite().then_some(place);
    [fit(sum / bend), fit(constant / sum)]
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    fn units(ends: &[(f64, f64)]) -> Vec<Ends> {
        ends.iter().map(|(at_zero, at_one)| Ends { at_zero: *at_zero, at_one: *at_one }).collect()
    }

    /// Ten units around these ends, each end with a deviation of its own.
    fn drawn(generator: &mut Pcg64Mcg, ends: Ends, deviation: f64) -> Vec<Ends> {
        let mut normal = || -> f64 { StandardNormal.sample(generator) };
        let mut unit = || {
            let common = normal();
            Ends {
                at_zero: ends.at_zero + deviation * (0.5 * common + normal()),
                at_one: ends.at_one + deviation * (normal() - 0.3 * common),
            }
        };
        (0..10).map(|_| unit()).collect()
    }

    #[test]
    fn without_noise_the_place_is_that_of_the_line_and_its_interval_has_no_length() {
        // From -3 to 1 the line passes zero at three quarters.
        let crossing = Crossing::of(&units(&[(-3.0, 1.0); 5])).expect("five units");
        assert_eq!(crossing.place, Some(0.75));
        assert_eq!((crossing.low, crossing.high), (Some(0.75), Some(0.75)));
    }

    #[test]
    fn at_the_ends_of_the_interval_the_test_is_just_at_its_limit() {
        let units = units(&[(-3.1, 1.2), (-2.7, 0.9), (-3.3, 1.0), (-3.0, 1.1), (-2.9, 0.7)]);
        let crossing = Crossing::of(&units).expect("five units");
        for end in [crossing.low, crossing.high] {
            let place = end.expect("both ends are sure, so the interval has both ends");
            let values: Vec<f64> =
                units.iter().map(|unit| unit.at_zero + place * (unit.at_one - unit.at_zero)).collect();
            let paired = crate::analysis::Paired::of(&values).expect("finite");
            let statistic = paired.mean.abs() / paired.error();
            assert!((statistic - t_quantile(0.975, 4)).abs() < 1e-9, "{statistic}");
        }
    }

    #[test]
    fn ends_on_the_same_side_leave_no_place() {
        let crossing = Crossing::of(&units(&[(2.0, 1.0), (2.1, 0.9), (1.9, 1.1)])).expect("three units");
        assert_eq!((crossing.sure, crossing.place, crossing.low, crossing.high), ((true, true), None, None, None));
    }

    #[test]
    fn an_end_that_is_not_sure_leaves_the_interval_open_on_its_side() {
        let crossing = Crossing::of(&units(&[(-3.0, 1.0), (-3.1, -0.5), (-2.9, 1.0)])).expect("three units");
        assert_eq!(crossing.sure, (true, false));
        assert!(crossing.low.is_some() && crossing.high.is_none(), "{crossing:?}");
        let mirrored = Crossing::of(&units(&[(1.0, -3.0), (-0.5, -3.1), (1.0, -2.9)])).expect("three units");
        assert!((mirrored.high.expect("an end") - (1.0 - crossing.low.expect("an end"))).abs() < 1e-12);
        assert_eq!(mirrored.low, None);
    }

    #[test]
    fn what_is_not_finite_says_nothing() {
        assert_eq!(Crossing::of(&units(&[(1.0, 2.0)])), None);
        assert_eq!(Crossing::of(&units(&[(1.0, f64::NAN), (1.0, 2.0)])), None);
    }

    /// Share of 2,000 draws in which the interval holds the true place.
    fn covered(ends: Ends, deviation: f64) -> f64 {
        let truth = beyond(ends).expect("the ends differ");
        let mut generator = Pcg64Mcg::seed_from_u64(1);
        let holds = |units: &[Ends]| {
            let crossing = Crossing::of(units).expect("ten units");
            match crossing.sure {
                (true, true) if crossing.place.is_none() => false,
                _ => crossing.low.is_none_or(|low| low <= truth) && crossing.high.is_none_or(|high| truth <= high),
            }
        };
        let held = (0..2_000).filter(|_| holds(&drawn(&mut generator, ends, deviation))).count();
        held as f64 / 2_000.0
    }

    #[test]
    fn of_the_intervals_95_in_100_hold_the_place() {
        // 95 % and three standard errors of a share in 2,000 draws, either way. With the larger deviation an end is often
        // not sure, and the interval open: the test is exact all the same.
        for (ends, deviation) in [
            (Ends { at_zero: -3.0, at_one: 1.0 }, 0.3),
            (Ends { at_zero: 4.0, at_one: -1.0 }, 0.5),
            (Ends { at_zero: -1.0, at_one: 1.0 }, 0.9),
        ] {
            let share = covered(ends, deviation);
            assert!((0.935..=0.965).contains(&share), "{ends:?} ± {deviation}: {share}");
        }
    }
}
