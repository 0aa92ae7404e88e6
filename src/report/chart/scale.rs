//! Axes: where a value stands between the ends, and which values are written beside.

use super::super::axis::Axis;
use super::super::format;
use crate::units::{Bytes, Rate};

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    run: Run,
    low: f64,
    high: f64,
    /// Values with a line, and what is written beside each.
    pub(super) ticks: Vec<(f64, String)>,
}

/// How an axis runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Linear,
    Logarithmic,
    /// Equal distances for each tenth of what is left above: 90 %, 99 %, 99.9 %.
    Percentiles,
}

/// Room of a tick on a horizontal axis for a duration, in pixels.
const TIME_ROOM: i32 = 58;
const RATIO_ROOM: i32 = 52;
const BYTES_ROOM: i32 = 68;
/// Room of a tick on a vertical axis.
const ROW_ROOM: i32 = 28;

impl Scale {
    /// Durations in µs, logarithmic, on a horizontal axis of so many pixels.
    pub(super) fn times(values: impl IntoIterator<Item = f64>, room: i32) -> Option<Self> {
        Self::logarithmic(values, fitting(room, TIME_ROOM), format::tick)
    }

    /// Durations in µs, logarithmic, on a vertical axis.
    pub(super) fn times_upwards(values: impl IntoIterator<Item = f64>, room: i32) -> Option<Self> {
        Self::logarithmic(values, fitting(room, ROW_ROOM), format::tick)
    }

    /// Quotients, logarithmic, 1 among them.
    pub(super) fn ratios(values: impl IntoIterator<Item = f64>, room: i32) -> Option<Self> {
        let values = values.into_iter().chain([1.0 / 1.25, 1.25]);
        Self::logarithmic(values, fitting(room, RATIO_ROOM), |ratio| format!("{}×", format::mean(ratio)))
    }

    fn logarithmic(values: impl IntoIterator<Item = f64>, most: usize, said: fn(f64) -> String) -> Option<Self> {
        let axis = Axis::holding(values, most)?;
        let ticks = axis.ticks.iter().map(|tick| (*tick, said(*tick))).collect();
        Some(Self { run: Run::Logarithmic, low: axis.low, high: axis.high, ticks })
    }

    /// Bytes from zero.
    pub(super) fn bytes(most: f64, room: i32) -> Option<Self> {
        if !most.is_finite() {
            return None;
        }
        // Round numbers of the unit in which the largest value is written.
        let unit = std::iter::successors(Some(1.0), |unit| Some(unit * 1024.0)).take_while(|unit| *unit <= most).last();
        Self::from_zero(most, unit.unwrap_or(1.0), fitting(room, BYTES_ROOM), |bytes| {
            format::idle(&format::bytes(Bytes::new(bytes.round() as u64)))
        })
    }

    /// Operations per second from zero, on a vertical axis.
    pub(super) fn rates(most: f64, room: i32) -> Option<Self> {
        Self::from_zero(most, 1.0, fitting(room, ROW_ROOM), |rate| format::idle(&format::rate(Rate::new(rate))))
    }

    fn from_zero(most: f64, unit: f64, ticks: usize, said: fn(f64) -> String) -> Option<Self> {
        if !most.is_finite() || most <= 0.0 {
            return None;
        }
        let step = round_step(most / unit / ticks.max(1) as f64) * unit;
        let high = most * 1.04;
        let number = (high / step).floor() as usize;
        let ticks = (0..=number).map(|place| place as f64 * step).map(|tick| (tick, said(tick))).collect();
        Some(Self { run: Run::Linear, low: 0.0, high, ticks })
    }

    /// Parts of operations from 0 to `most`, which is below 1, with equal room for each tenth of what is left.
    pub(super) fn percentiles(most: f64) -> Self {
        let known = [0.0, 0.5, 0.9, 0.99, 0.999, 0.9999];
        // One that is reached but for rounding is reached.
        let reached = known.into_iter().filter(|part| *part <= most + 1e-9);
        let ticks = reached.map(|part| (part, format!("{} %", format::digits(part * 100.0)))).collect();
        Self { run: Run::Percentiles, low: 0.0, high: most, ticks }
    }

    /// Parts of a whole, 0 to 100 %.
    pub(super) fn parts() -> Self {
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| (part, format!("{:.0} %", part * 100.0)));
        Self { run: Run::Linear, low: 0.0, high: 1.0, ticks: ticks.to_vec() }
    }

    /// Rounds, a place of width 1 for each; their numbers, from 1, stand in the middle.
    pub(super) fn rounds(number: usize, room: i32) -> Self {
        let stride = number.div_ceil(fitting(room, 30)).max(1);
        let numbered = (0..number).filter(|place| place % stride == 0);
        let ticks = numbered.map(|place| (place as f64 + 0.5, format::count(place as u64 + 1))).collect();
        Self { run: Run::Linear, low: 0.0, high: number.max(1) as f64, ticks }
    }

    /// How far along the axis a value stands, 0 to 1; what lies beyond an end stands at it.
    pub(super) fn along(&self, value: f64) -> f64 {
        let share = match self.run {
            Run::Linear => (value - self.low) / (self.high - self.low),
            Run::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
            Run::Percentiles => tenths(value) / tenths(self.high),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// How many times a tenth of operations is left above a part: 1 at 90 %, 2 at 99 %.
fn tenths(part: f64) -> f64 {
    -(1.0 - part).max(f64::MIN_POSITIVE).log10()
}

/// How many ticks have room.
fn fitting(room: i32, each: i32) -> usize {
    usize::try_from(room / each).unwrap_or(0).clamp(2, 12)
}

/// The next of 1, 2, 5, 10, 20 … that is no smaller.
fn round_step(least: f64) -> f64 {
    let decade = 10_f64.powf(least.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * decade >= least * (1.0 - 1e-9));
    digit.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(scale: &Scale) -> Vec<String> {
        scale.ticks.iter().map(|(_, said)| said.replace(format::THIN, " ")).collect()
    }

    #[test]
    fn bars_begin_at_zero_and_have_round_ticks() {
        let scale = Scale::bytes(17.3 * 1024.0 * 1024.0, 400).expect("something is stored");
        assert_eq!(said(&scale), ["0 B", "5 MiB", "10 MiB", "15 MiB"]);
        assert!(scale.along(0.0) == 0.0 && scale.along(17.3 * 1024.0 * 1024.0) < 1.0);
        assert_eq!(Scale::bytes(0.0, 400), None);
    }

    #[test]
    fn each_tenth_of_what_is_left_has_the_same_room() {
        let scale = Scale::percentiles(0.9999);
        assert_eq!(said(&scale), ["0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"]);
        for (part, along) in [(0.0, 0.0), (0.9, 0.25), (0.99, 0.5), (0.999, 0.75), (0.9999, 1.0)] {
            assert!((scale.along(part) - along).abs() < 1e-9, "{part}");
        }
    }

    #[test]
    fn a_percentile_that_is_not_reached_is_not_written() {
        assert_eq!(said(&Scale::percentiles(0.995)), ["0 %", "50 %", "90 %", "99 %"]);
    }

    #[test]
    fn ratios_always_show_one() {
        let scale = Scale::ratios([6.9, 7.1], 300).expect("positive ratios");
        assert!(scale.ticks.iter().any(|(tick, _)| *tick == 1.0), "{:?}", scale.ticks);
        assert!(scale.along(1.0) > 0.0);
    }

    #[test]
    fn the_numbers_of_rounds_do_not_crowd() {
        assert_eq!(Scale::rounds(10, 400).ticks.len(), 10);
        assert!(Scale::rounds(300, 400).ticks.len() <= 12);
    }
}
