//! Where everything in a chart over an axis stands, in pixels.

use super::super::axis::Axis;
use super::super::text::columns;

pub(super) const WIDTH: f64 = 900.0;
pub(super) const LEFT: f64 = 84.0;
pub(super) const RIGHT: f64 = 876.0;
pub(super) const TOP: f64 = 18.0;
/// Width of a character of a tick's text.
const CHARACTER: f64 = 7.4;
/// Room between the texts of two ticks.
const GAP: f64 = 10.0;
/// Part of the axis that a value of 0 takes, which has no place on a logarithmic one.
const ZERO: f64 = 0.1;

/// A chart: values on a logarithmic axis (with a place for 0), figures on another.
#[derive(Debug)]
pub(super) struct Plot {
    low: f64,
    high: f64,
    has_zero: bool,
    pub(super) up: Axis,
    pub(super) bottom: f64,
}

impl Plot {
    /// A chart of this height that holds these values and figures; `None` without any.
    pub(super) fn of(values: &[f64], figures: impl IntoIterator<Item = f64>, bottom: f64) -> Option<Self> {
        let positive = || values.iter().copied().filter(|value| *value > 0.0);
        let (low, high) = (positive().min_by(f64::total_cmp)?, positive().max_by(f64::total_cmp)?);
        // A single value stands in the middle.
        let room = if high > low { (high / low).powf(0.03) } else { 2.0 };
        let has_zero = values.contains(&0.0);
        Some(Self { low: low / room, high: high * room, has_zero, up: Axis::holding(figures, 8)?, bottom })
    }

    /// Where a value stands.
    pub(super) fn x(&self, value: f64) -> f64 {
        let start = if self.has_zero { LEFT + ZERO * (RIGHT - LEFT) } else { LEFT };
        if value <= 0.0 {
            return LEFT + ZERO * 0.35 * (RIGHT - LEFT);
        }
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        start + share.clamp(0.0, 1.0) * (RIGHT - start)
    }

    /// Where a figure stands.
    pub(super) fn y(&self, figure: f64) -> f64 {
        let share = (figure / self.up.low).ln() / (self.up.high / self.up.low).ln();
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - TOP)
    }

    /// The values whose texts fit beside each other: the first and the last before those between them.
    pub(super) fn ticks(&self, values: &[(f64, String)]) -> Vec<(f64, String)> {
        let mut chosen: Vec<(f64, String)> = Vec::new();
        let ends = [values.first(), values.last()].into_iter().flatten();
        for (value, text) in ends.chain(values) {
            let fits = |(other, said): &(f64, String)| {
                let apart = (self.x(*value) - self.x(*other)).abs();
                apart >= (columns(text) + columns(said)) as f64 * CHARACTER / 2.0 + GAP
            };
            if chosen.iter().all(fits) {
                chosen.push((*value, text.clone()));
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_order_with_a_place_for_zero() {
        let plot = Plot::of(&[0.0, 1.0, 10.0, 100.0], [500.0, 5_000.0], 300.0).expect("values and figures");
        let places = [0.0, 1.0, 10.0, 100.0].map(|value| plot.x(value));
        assert!(places.is_sorted() && places[0] > LEFT && places[3] < RIGHT, "{places:?}");
        assert!((places[3] - places[2] - (places[2] - places[1])).abs() < 1e-6, "decades are equally long");
        assert!(plot.y(500.0) > plot.y(5_000.0) && plot.y(5_000.0) > TOP);
        assert!(Plot::of(&[], [1.0], 300.0).is_none() && Plot::of(&[1.0], [], 300.0).is_none());
    }

    #[test]
    fn texts_of_ticks_do_not_touch() {
        let values: Vec<f64> = vec![10.0, 100.0, 300.0, 310.0, 320.0, 1_000.0];
        let plot = Plot::of(&values, [1.0], 300.0).expect("values");
        let ticks = plot.ticks(&values.iter().map(|value| (*value, value.to_string())).collect::<Vec<_>>());
        let shown: Vec<f64> = ticks.iter().map(|(value, _)| *value).collect();
        assert_eq!(shown, [10.0, 1_000.0, 100.0, 300.0]);
    }
}
