//! Where a speed-up passes 1.
//!
//! Between neighbouring values the logarithm of the speed-up is taken to be straight over the logarithm of the value. The
//! interval holds every place at which 1 lies inside the band of the points' own intervals, drawn just so between them:
//! inverting the band instead of dividing by a slope keeps it honest where the curve is nearly flat. Between two points the
//! band is a little too wide (independent errors partly cancel there), never too narrow.

use crate::units::Ratio;

/// A speed-up at a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioPoint {
    /// The value.
    pub at: f64,
    /// The speed-up.
    pub ratio: Ratio,
    /// Its interval, if it has one.
    pub interval: Option<(Ratio, Ratio)>,
}

/// What becomes of a speed-up along an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Crossing {
    /// It passes 1.
    Found {
        /// Where, the first time.
        at: f64,
        /// Lower end of the interval of that place; `None` where it lies before the first value.
        low: Option<f64>,
        /// Upper end; `None` where it lies beyond the last value.
        high: Option<f64>,
        /// Whether the speed-up is above 1 after it.
        rises: bool,
        /// Where it passes 1 again.
        further: Vec<f64>,
        /// Whether every point has an interval; without them the ends are not known.
        has_intervals: bool,
    },
    /// It stays on one side.
    None {
        /// Whether that is the side above 1.
        above: bool,
        /// Values at which the interval holds 1 all the same.
        doubtful: Vec<f64>,
    },
}

/// Follows a speed-up over values in ascending order; `None` for fewer than two.
pub fn crossing(points: &[RatioPoint]) -> Option<Crossing> {
    if points.len() < 2 {
        return None;
    }
    let middle: Vec<f64> = points.iter().map(|point| point.ratio.get().ln()).collect();
    let places = passes(points, &middle);
    let Some((first, further)) = places.split_first() else {
        let holds_one =
            |point: &&RatioPoint| point.interval.is_some_and(|(low, high)| low.get() <= 1.0 && 1.0 <= high.get());
        let doubtful = points.iter().filter(holds_one).map(|point| point.at).collect();
        return Some(Crossing::None { above: middle[0] >= 0.0, doubtful });
    };
    let band: Option<Vec<(f64, f64)>> =
        points.iter().map(|point| point.interval.map(|(low, high)| (low.get().ln(), high.get().ln()))).collect();
    let (low, high) = band.as_ref().map_or((None, None), |band| ends(points, band, first));
    Some(Crossing::Found {
        at: first.at,
        low,
        high,
        rises: first.rises,
        further: further.iter().map(|pass| pass.at).collect(),
        has_intervals: band.is_some(),
    })
}

/// A place at which a line passes 0.
#[derive(Debug, Clone, Copy)]
struct Pass {
    at: f64,
    rises: bool,
    /// Between this point and the next.
    after: usize,
}

/// Where the line through these heights passes 0.
fn passes(points: &[RatioPoint], heights: &[f64]) -> Vec<Pass> {
    let between = |after: usize| {
        let (left, right) = (heights[after], heights[after + 1]);
        let differ = (left >= 0.0) != (right >= 0.0);
        differ.then(|| Pass { at: place(points, after, left / (left - right)), rises: right >= 0.0, after })
    };
    (0..heights.len() - 1).filter_map(between).collect()
}

/// A place on the way from one point to the next: on a logarithmic axis, on a straight one where a value is 0.
fn place(points: &[RatioPoint], after: usize, share: f64) -> f64 {
    let (left, right) = (points[after].at, points[after + 1].at);
    if left > 0.0 { left * (right / left).powf(share) } else { left + share * (right - left) }
}

/// The ends of the part around a place in which the band holds 0.
fn ends(points: &[RatioPoint], band: &[(f64, f64)], pass: &Pass) -> (Option<f64>, Option<f64>) {
    // A rising line is certain before where its upper edge rises above 0, and after where its lower edge does.
    let edge = |upper: bool| -> Vec<f64> { band.iter().map(|(low, high)| if upper { *high } else { *low }).collect() };
    let same = |other: &Pass| other.rises == pass.rises;
    let before = passes(points, &edge(pass.rises)).into_iter().filter(same).rfind(|other| other.at <= pass.at);
    let after = passes(points, &edge(!pass.rises)).into_iter().filter(same).find(|other| other.at >= pass.at);
    debug_assert!(before.is_none_or(|before| before.after <= pass.after));
    (before.map(|before| before.at), after.map(|after| after.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(speedup: impl Fn(f64) -> f64, values: &[f64], factor: f64) -> Vec<RatioPoint> {
        let interval = |ratio: f64| Some((Ratio::new(ratio / factor), Ratio::new(ratio * factor)));
        let point =
            |at: &f64| RatioPoint { at: *at, ratio: Ratio::new(speedup(*at)), interval: interval(speedup(*at)) };
        values.iter().map(point).collect()
    }

    fn close(left: f64, right: f64) {
        assert!((left / right - 1.0).abs() < 1e-9, "{left} is not {right}");
    }

    #[test]
    fn a_power_law_crosses_exactly_where_it_does_and_its_interval_is_the_bands() {
        // Speed-up n ÷ 300: 1 at 300. Within a factor of 1.1, so 1 lies in the band from 300 ÷ 1.1 to 300 × 1.1.
        let found = crossing(&points(|n| n / 300.0, &[10.0, 100.0, 1_000.0], 1.1)).expect("three points");
        let Crossing::Found { at, low, high, rises, further, has_intervals } = found else { panic!("{found:?}") };
        close(at, 300.0);
        close(low.expect("in range"), 300.0 / 1.1);
        close(high.expect("in range"), 300.0 * 1.1);
        assert!(rises && further.is_empty() && has_intervals);
    }

    #[test]
    fn a_falling_speedup_crosses_the_other_way() {
        let found = crossing(&points(|n| 300.0 / n, &[10.0, 100.0, 1_000.0], 1.1)).expect("three points");
        let Crossing::Found { at, low, high, rises, .. } = found else { panic!("{found:?}") };
        close(at, 300.0);
        close(low.expect("in range"), 300.0 / 1.1);
        close(high.expect("in range"), 300.0 * 1.1);
        assert!(!rises);
    }

    #[test]
    fn an_interval_that_reaches_beyond_the_values_is_open_there() {
        let found = crossing(&points(|n| n / 12.0, &[10.0, 100.0, 1_000.0], 1.5)).expect("three points");
        let Crossing::Found { low, high, .. } = found else { panic!("{found:?}") };
        assert_eq!(low, None, "at 10 the band holds 1 already");
        close(high.expect("in range"), 18.0);
        let mut bare = points(|n| n / 12.0, &[10.0, 100.0], 1.5);
        bare[1].interval = None;
        let found = crossing(&bare).expect("two points");
        assert!(matches!(found, Crossing::Found { low: None, high: None, has_intervals: false, .. }), "{found:?}");
    }

    #[test]
    fn no_crossing_says_which_side_and_where_it_is_in_doubt() {
        let above = crossing(&points(|n| n, &[1.05, 10.0, 100.0], 1.1)).expect("three points");
        assert_eq!(above, Crossing::None { above: true, doubtful: vec![1.05] });
        let below = crossing(&points(|n| 0.01 / n, &[1.0, 10.0], 1.1)).expect("two points");
        assert_eq!(below, Crossing::None { above: false, doubtful: Vec::new() });
        assert_eq!(crossing(&points(|n| n, &[1.0], 1.1)), None);
    }

    #[test]
    fn every_crossing_is_told() {
        let heights = [0.5, 2.0, 0.5, 2.0];
        let found = crossing(&points(|n| heights[n as usize - 1], &[1.0, 2.0, 3.0, 4.0], 1.01)).expect("four points");
        let Crossing::Found { at, further, .. } = found else { panic!("{found:?}") };
        close(at, 2_f64.sqrt());
        assert_eq!(further.len(), 2);
        close(further[0], 6_f64.sqrt());
    }

    #[test]
    fn from_a_value_of_zero_the_axis_is_straight() {
        // Logs −0.1 and 0.1 at 0 and 1: half way.
        let found = crossing(&points(|n| (0.2 * n - 0.1).exp(), &[0.0, 1.0], 1.01)).expect("two points");
        let Crossing::Found { at, .. } = found else { panic!("{found:?}") };
        assert!((at - 0.5).abs() < 1e-9, "{at}");
    }
}
