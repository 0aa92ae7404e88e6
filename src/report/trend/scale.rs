//! A logarithmic axis for histories: as narrow as its values, so that a step of a few percent can be seen.

use crate::report::axis::Axis;

/// The least that an axis spans, high ÷ low.
const LEAST: f64 = 1.3;
/// From here on ticks are those of decades.
const WIDE: f64 = 4.0;
/// Ticks that fit above each other.
const MOST_TICKS: f64 = 6.0;

/// The ends and ticks of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Scale {
    pub(in crate::report) low: f64,
    pub(in crate::report) high: f64,
    pub(in crate::report) ticks: Vec<f64>,
}

impl Scale {
    /// An axis that holds all values with room at both ends; `None` without a positive finite value.
    pub(in crate::report) fn holding(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let fit: Vec<f64> = values.into_iter().filter(|value| value.is_finite() && *value > 0.0).collect();
        let low = fit.iter().copied().reduce(f64::min)?;
        let high = fit.iter().copied().reduce(f64::max)?;
        let (low, high) = (low / 1.04, high * 1.04);
        let widen = (LEAST / (high / low)).max(1.0).sqrt();
        let (low, high) = (low / widen, high * widen);
        if high / low < WIDE {
            return Some(Self { low, high, ticks: even_ticks(low, high) });
        }
        let Axis { low, high, ticks } = Axis::holding([low, high], 8)?;
        Some(Self { low, high, ticks })
    }

    /// Where a value stands: 0 at the low end, 1 at the high one.
    pub(in crate::report) fn share(&self, value: f64) -> f64 {
        ((value / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }
}

/// Round numbers at equal distances.
fn even_ticks(low: f64, high: f64) -> Vec<f64> {
    let coarse = (high - low) / MOST_TICKS;
    let power = 10_f64.powf(coarse.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= coarse);
    let step = step.unwrap_or(coarse);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|place| place as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_a_few_percent_takes_a_good_part_of_the_axis() {
        let scale = Scale::holding([1_000.0, 1_100.0]).expect("positive values");
        assert!(scale.share(1_100.0) - scale.share(1_000.0) > 0.3);
        assert!((3..=7).contains(&scale.ticks.len()), "{:?}", scale.ticks);
    }

    #[test]
    fn every_axis_holds_its_values_and_has_ticks_that_lie_on_it() {
        for (low, high) in [(1.0, 1.0), (0.02, 0.03), (7.0, 9.5), (300.0, 1_000.0), (1.0, 60e6)] {
            let scale = Scale::holding([high, low, f64::NAN, -1.0]).expect("positive values");
            assert!(scale.low < low && high < scale.high);
            assert!((2..=8).contains(&scale.ticks.len()), "{low} to {high}: {:?}", scale.ticks);
            assert!(scale.ticks.iter().all(|tick| (scale.low..=scale.high).contains(tick)));
        }
        assert_eq!(Scale::holding([0.0, f64::INFINITY]), None);
    }
}
