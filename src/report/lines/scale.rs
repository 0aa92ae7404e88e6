//! An axis of a chart of lines.

use super::super::axis::Axis;
use super::super::format;
use crate::units::{Rate, Ratio, Share};

/// What an axis shows, and how its ticks read.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) enum Scale {
    /// Durations in µs, logarithmic.
    Time(Axis),
    /// Operations per second, logarithmic.
    Rate(Axis),
    /// Quotients, logarithmic.
    Ratio(Axis),
    /// Parts of a whole, from 0 to 1.
    Share,
}

/// Ticks of an axis of shares.
const SHARES: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];

impl Scale {
    /// Where a value stands between the ends of the axis: 0 at the lower, 1 at the upper one. What lies beyond an end stands
    /// at it.
    pub(super) fn place(&self, value: f64) -> f64 {
        let place = match self {
            Self::Time(axis) | Self::Rate(axis) | Self::Ratio(axis) => {
                (value / axis.low).ln() / (axis.high / axis.low).ln()
            }
            Self::Share => value,
        };
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) }
    }

    /// The ticks with their names.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let named = |ticks: &[f64], name: fn(f64) -> String| ticks.iter().map(|tick| (*tick, name(*tick))).collect();
        match self {
            Self::Time(axis) => named(&axis.ticks, format::tick),
            Self::Rate(axis) => named(&axis.ticks, |tick| format!("{}/s", trimmed(&format::rate(Rate::new(tick))))),
            Self::Ratio(axis) => named(&axis.ticks, |tick| {
                let said = format::ratio(Ratio::new(tick));
                format!("{}×", trimmed(said.trim_end_matches('×')))
            }),
            Self::Share => named(&SHARES, |tick| format::share(Share::new(tick))),
        }
    }
}

/// A number without zeros that say nothing.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_the_axis_has_them_and_never_beyond_its_ends() {
        let axis = Axis::holding([1_000.0, 100_000.0], 8).expect("positive values");
        let (low, high) = (axis.low, axis.high);
        let scale = Scale::Time(axis);
        assert_eq!((scale.place(low), scale.place(high)), (0.0, 1.0));
        assert!((scale.place((low * high).sqrt()) - 0.5).abs() < 1e-12);
        assert_eq!((scale.place(low / 2.0), scale.place(high * 2.0), scale.place(f64::NAN)), (0.0, 1.0, 0.0));
        assert_eq!(Scale::Share.place(0.25), 0.25);
    }

    #[test]
    fn ticks_read_in_the_unit_of_the_axis() {
        let axis = || Axis::holding([200.0, 2_000.0], 8).expect("positive values");
        let names = |scale: Scale| scale.ticks().into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert!(names(Scale::Rate(axis())).contains(&"500/s".to_owned()));
        assert!(names(Scale::Time(axis())).contains(&"500 µs".to_owned()));
        assert!(names(Scale::Ratio(Axis::holding([0.5, 2.0], 8).expect("positive"))).contains(&"1×".to_owned()));
        assert_eq!(names(Scale::Share)[1], "20 %");
    }
}
