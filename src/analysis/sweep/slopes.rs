//! The slope of a latency on logarithmic axes, decade by decade, and the word for it.

use super::super::paired::t_quantile;
use super::curve::Observation;
use crate::words::GrowthWord;

/// A decade holds what rounding of whole values takes off it.
const DECADE: f64 = 10.0 * (1.0 - 1e-9);

/// A slope over part of the axis; 1 is linear, 0 flat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// From this value.
    pub from: f64,
    /// To this one.
    pub to: f64,
    /// The slope of the straight line through the logarithms of the values between them, both included.
    pub slope: f64,
    /// Its 95 % interval, from the errors of its points.
    pub interval: Option<(f64, f64)>,
}

/// The slope from each value to the first that is at least ten times as large; where none is, over the whole range. The
/// last one ends at the highest value: it is the slope over the top decade. Values of 0 have no logarithm and are left out.
pub fn slopes(observations: &[Observation]) -> Vec<Slope> {
    let mut points: Vec<Observation> = observations.iter().copied().filter(|one| one.at > 0.0).collect();
    points.sort_by(|one, other| one.at.total_cmp(&other.at));
    let mut found: Vec<Slope> = Vec::new();
    for from in 0..points.len() {
        let Some(to) = (from + 1..points.len()).find(|to| points[*to].at >= points[from].at * DECADE) else { break };
        found.extend(of(&points[from..=to]));
    }
    // The top decade may begin above the last value that another is ten times as large as.
    if found.is_empty() {
        found.extend(of(&points));
    }
    found
}

/// The slope of the least squares line through points of equal weight.
fn of(points: &[Observation]) -> Option<Slope> {
    let (first, last) = (points.first()?, points.last()?);
    let mean = points.iter().map(|point| point.at.ln()).sum::<f64>() / points.len() as f64;
    let spread: f64 = points.iter().map(|point| (point.at.ln() - mean).powi(2)).sum();
    if spread <= 0.0 {
        return None;
    }
    let shares: Vec<f64> = points.iter().map(|point| (point.at.ln() - mean) / spread).collect();
    let slope = shares.iter().zip(points).map(|(share, point)| share * point.log).sum();
    Some(Slope { from: first.at, to: last.at, slope, interval: interval(slope, &shares, points) })
}

/// The interval that the errors of the points leave; `None` where one of them is not known.
fn interval(slope: f64, shares: &[f64], points: &[Observation]) -> Option<(f64, f64)> {
    let mut variance = 0.0;
    let mut freedom = 0;
    for (share, point) in shares.iter().zip(points) {
        variance += (share * point.error?).powi(2);
        freedom += point.units.saturating_sub(1) as usize;
    }
    let reach = t_quantile(0.975, freedom.max(1)) * variance.sqrt();
    Some((slope - reach, slope + reach))
}

/// The word for a slope.
pub fn growth_word(slope: f64) -> GrowthWord {
    match slope {
        slope if slope <= -0.15 => GrowthWord::Falling,
        slope if slope < 0.15 => GrowthWord::Flat,
        slope if slope < 0.8 => GrowthWord::Sublinear,
        slope if slope <= 1.2 => GrowthWord::Linear,
        _ => GrowthWord::Superlinear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64], cost: impl Fn(f64) -> f64) -> Vec<Observation> {
        values.iter().map(|at| Observation { at: *at, log: cost(*at).ln(), error: Some(0.02), units: 6 }).collect()
    }

    #[test]
    fn slopes_are_told_decade_by_decade_and_end_at_the_highest_value() {
        let found = slopes(&points(&[10.0, 100.0, 200.0, 2_000.0, 20_000.0], |n| 900.0 + n));
        let spans: Vec<(f64, f64)> = found.iter().map(|slope| (slope.from, slope.to)).collect();
        assert_eq!(spans, [(10.0, 100.0), (100.0, 2_000.0), (200.0, 2_000.0), (2_000.0, 20_000.0)]);
        // Two points: (ln 1000 − ln 910) ÷ ln 10, and (ln 20900 − ln 2900) ÷ ln 10.
        assert!((found[0].slope - (1_000_f64 / 910.0).log10()).abs() < 1e-9);
        let top = found.last().expect("four");
        assert!((top.slope - (20_900_f64 / 2_900.0).log10()).abs() < 1e-9);
        // Both errors are 0.02, ten degrees of freedom: t = 2.228139.
        let (low, high) = top.interval.expect("both have errors");
        let reach = 2.228_139 * 0.02 * 2_f64.sqrt() / 10_f64.ln();
        assert!((high - low - 2.0 * reach).abs() < 1e-5, "{low} to {high}");
    }

    #[test]
    fn a_range_below_a_decade_has_one_slope() {
        let found = slopes(&points(&[5.0, 10.0, 20.0], |n| n));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].from, found[0].to), (5.0, 20.0));
        assert!((found[0].slope - 1.0).abs() < 1e-9);
        assert!(slopes(&points(&[5.0], |n| n)).is_empty() && slopes(&points(&[0.0, 7.0], |_| 1.0)).is_empty());
    }

    #[test]
    fn words_follow_the_slope() {
        use GrowthWord::{Falling, Flat, Linear, Sublinear, Superlinear};
        let words = [-0.4, -0.1, 0.0, 0.149, 0.15, 0.5, 0.8, 1.0, 1.2, 1.21].map(growth_word);
        assert_eq!(words, [Falling, Flat, Flat, Flat, Sublinear, Sublinear, Linear, Linear, Linear, Superlinear]);
    }
}
