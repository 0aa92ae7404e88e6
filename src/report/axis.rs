//! A logarithmic axis of durations: its ends and its ticks.

/// The ends and ticks of an axis, in µs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<f64>,
}

/// Leading digits of ticks, from the coarsest to the finest.
const STEPS: [&[f64]; 4] = [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0], &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0]];

impl Axis {
    /// An axis that holds all values with room at both ends, spans at least a factor of three, and has at most so many
    /// ticks; `None` without a positive finite value.
    pub(super) fn holding(values: impl IntoIterator<Item = f64>, most_ticks: usize) -> Option<Self> {
        let fit = values.into_iter().filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) = fit.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return None;
        }
        let (low, high) = (low / 1.15, high * 1.15);
        let widen = (3.0 / (high / low)).max(1.0).sqrt();
        let (low, high) = (low / widen, high * widen);
        Some(Self { low, high, ticks: ticks(low, high, most_ticks) })
    }
}

/// The finest ticks of which no more than `most` fall between the ends.
fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let candidates = STEPS.iter().map(|digits| within(low, high, digits));
    let mut best = Vec::new();
    for ticks in candidates {
        if best.is_empty() || ticks.len() <= most {
            best = ticks;
        }
    }
    let stride = best.len().div_ceil(most.max(1)).max(1);
    best.into_iter().step_by(stride).collect()
}

fn within(low: f64, high: f64, digits: &[f64]) -> Vec<f64> {
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    decades
        .flat_map(|decade| digits.iter().map(move |digit| digit * 10_f64.powi(decade)))
        .filter(|tick| (low..=high).contains(tick))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_holds_every_value_with_room() {
        let axis = Axis::holding([800.0, 5_000.0], 8).expect("positive values");
        assert!(axis.low < 800.0 && axis.high > 5_000.0);
        assert!(axis.ticks.contains(&1_000.0));
    }

    #[test]
    fn one_value_still_makes_an_axis_with_ticks() {
        let axis = Axis::holding([1_234.0], 8).expect("a positive value");
        assert!(axis.high / axis.low >= 2.99);
        assert!(axis.ticks.len() >= 2, "{:?}", axis.ticks);
    }

    #[test]
    fn no_axis_has_more_ticks_than_fit_and_all_lie_on_it() {
        for low in [1.0, 37.0, 900.0, 15_000.0] {
            for factor in [1.0, 1.5, 4.0, 50.0, 1e3, 6e7, 1e15] {
                for most in [4, 8] {
                    let axis = Axis::holding([low, low * factor], most).expect("positive values");
                    assert!((1..=most).contains(&axis.ticks.len()), "{low} × {factor}: {:?}", axis.ticks);
                    assert!(axis.ticks.iter().all(|tick| (axis.low..=axis.high).contains(tick)));
                    assert!(axis.ticks.is_sorted());
                }
            }
        }
    }

    #[test]
    fn values_that_no_axis_can_hold_are_left_out() {
        assert_eq!(Axis::holding([0.0, -1.0, f64::NAN, f64::INFINITY], 8), None);
        assert_eq!(Axis::holding([], 8), None);
    }
}
