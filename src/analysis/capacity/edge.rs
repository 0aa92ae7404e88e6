//! The edge: the rate at which half of the windows hold, with its interval.

use super::super::paired::t_quantile;
use crate::record::{CapacityAnswer, ProbeRecord};
use crate::units::Rate;
use crate::words::{CapacityFound, ProbeOutcome};

/// The steepest curve: windows hold or miss by chance within half a percent around the edge.
const STEEPEST: f64 = 0.005;
/// The flattest: by chance within a factor of about two.
const FLATTEST: f64 = 0.5;
/// From one steepness tried to the next.
const FLATTER: f64 = 1.5;
/// Distance of edges tried, as a logarithm.
const STEP: f64 = 0.002;
/// How far beyond the contradictory windows edges are tried, as a logarithm.
const BEYOND: f64 = 0.3;
/// How far from the edge, as a factor, windows set the ends of its interval.
pub(super) const AROUND: f64 = 1.15;
/// Windows that set an end: no fewer that all held, or missed, show that the edge lies beyond them.
const LEAST: usize = 3;
/// Log likelihoods that differ by no more are the same.
const SAME: f64 = 1e-4;

/// What the windows of a model say of its capacity; `None` without windows.
pub fn capacity(probes: &[ProbeRecord]) -> Option<CapacityAnswer> {
    if probes.is_empty() {
        return None;
    }
    let counted = Counted::of(probes);
    let (held, missed) = (counted.rates(true), counted.rates(false));
    let highest = held.iter().copied().reduce(f64::max);
    let lowest = missed.iter().copied().reduce(f64::min);
    let empty = CapacityAnswer {
        found: CapacityFound::Unsettled,
        rate: None,
        low: None,
        high: None,
        windows: counted.windows.len() as u64,
        left_out: counted.left_out,
        reason: counted.remark.map(str::to_owned),
    };
    let last = |outcome| probes.iter().rev().find(|probe| probe.outcome == outcome);
    let generator =
        last(ProbeOutcome::Generator).map(|probe| probe.why.clone().unwrap_or_else(|| "it was too slow".to_owned()));
    if let Some(end) = last(ProbeOutcome::Ended) {
        let reason = end.why.clone().unwrap_or_else(|| "the model came to its declared end".to_owned());
        return Some(CapacityAnswer { low: highest.map(Rate::new), reason: Some(reason), ..empty });
    }
    Some(match (highest, lowest) {
        (Some(_), Some(_)) => {
            let edge = Edge::of(&counted.windows);
            let rate = |log: f64| Rate::new(log.exp());
            CapacityAnswer {
                found: CapacityFound::Within,
                rate: Some(rate(edge.middle)),
                low: edge.low.map(rate),
                high: edge.high.map(rate),
                ..empty
            }
        }
        (Some(highest), None) => {
            let highest = Some(Rate::new(highest));
            let (found, reason) = match generator {
                Some(why) => (CapacityFound::AtLeast, format!("beyond it the load generator is the limit: {why}")),
                None => (CapacityFound::Unsettled, "no rate that was offered was too high".to_owned()),
            };
            CapacityAnswer { found, rate: highest, low: highest, reason: Some(reason), ..empty }
        }
        (None, Some(lowest)) => {
            let reason = "not even the lowest rate that was offered holds".to_owned();
            let found = CapacityFound::Below;
            CapacityAnswer { found, high: Some(Rate::new(lowest)), reason: Some(reason), ..empty }
        }
        (None, None) => {
            let reason = generator.map_or_else(
                || "no window counts".to_owned(),
                |why| format!("the load generator is the limit at every rate: {why}"),
            );
            CapacityAnswer { reason: Some(reason), ..empty }
        }
    })
}

/// A window that says something: the logarithm of its rate, and whether it held.
type Said = (f64, bool);

/// The windows that count.
struct Counted {
    windows: Vec<Said>,
    left_out: u64,
    remark: Option<&'static str>,
}

impl Counted {
    /// Undisturbed windows, where more than half are; else all of them, which is said.
    fn of(probes: &[ProbeRecord]) -> Self {
        let says = |probe: &&ProbeRecord| {
            matches!(probe.outcome, ProbeOutcome::Held | ProbeOutcome::Missed) && probe.rate.get() > 0.0
        };
        let said = |probe: &ProbeRecord| (probe.rate.get().ln(), probe.outcome == ProbeOutcome::Held);
        let all: Vec<&ProbeRecord> = probes.iter().filter(says).collect();
        let quiet: Vec<Said> = all.iter().filter(|probe| probe.disturbed.is_empty()).map(|probe| said(probe)).collect();
        let left_out = (all.len() - quiet.len()) as u64;
        let one_sided = !(quiet.iter().any(|(_, held)| *held) && quiet.iter().any(|(_, held)| !held));
        if left_out > 0 && (quiet.len() * 2 <= all.len() || one_sided) {
            let remark = "disturbed windows count too, since too few were undisturbed";
            return Self { windows: all.into_iter().map(said).collect(), left_out: 0, remark: Some(remark) };
        }
        Self { windows: quiet, left_out, remark: None }
    }

    fn rates(&self, held: bool) -> Vec<f64> {
        self.windows.iter().filter(|(_, one)| *one == held).map(|(log, _)| log.exp()).collect()
    }
}

/// Logarithms of the edge and of the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    middle: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl Edge {
    /// The edge of windows that do not all say the same.
    fn of(windows: &[Said]) -> Self {
        let lowest_missed = windows.iter().filter(|(_, held)| !held).map(|(log, _)| *log).fold(f64::INFINITY, f64::min);
        let highest_held =
            windows.iter().filter(|(_, held)| *held).map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
        let from = lowest_missed.min(highest_held) - BEYOND;
        let steps = ((lowest_missed.max(highest_held) + BEYOND - from) / STEP).ceil() as usize;
        let tried: Vec<(f64, f64)> =
            (0..=steps).map(|step| from + step as f64 * STEP).map(|edge| (edge, profile(windows, edge))).collect();
        let best = tried.iter().map(|(_, likelihood)| *likelihood).fold(f64::NEG_INFINITY, f64::max);
        let within = |drop: f64| -> (usize, usize) {
            let fits = |(_, likelihood): &(f64, f64)| *likelihood >= best - drop;
            let first = tried.iter().position(fits).unwrap_or(0);
            (first, tried.iter().rposition(fits).unwrap_or(steps))
        };
        let (first, last) = within(SAME);
        // Where a stretch of edges fits equally well, its middle.
        let middle = (tried[first].0 + tried[last].0) / 2.0;
        let near = |wanted: bool| {
            windows.iter().filter(|(log, held)| *held == wanted && (log - middle).abs() <= AROUND.ln()).count()
        };
        let (held, missed) = (near(true), near(false));
        let (low, high) = within(drop(held + missed));
        // The ends lie between the last edge that fits and the first that does not: the latter is on the safe side.
        Self {
            middle,
            low: (low > 0 && held >= LEAST).then(|| tried[low - 1].0),
            high: (high < steps && missed >= LEAST).then(|| tried[high + 1].0),
        }
    }
}

/// How far the log likelihood may fall inside the interval: half of the squared 97.5 % quantile of Student's t. With many
/// windows that is half of the 95 % quantile of χ² with one degree of freedom; few, whose rates follow from each other, say
/// less than their number.
fn drop(windows: usize) -> f64 {
    t_quantile(0.975, windows.saturating_sub(2).max(3)).powi(2) / 2.0
}

/// The log likelihood of an edge under the steepness that suits it best.
fn profile(windows: &[Said], edge: f64) -> f64 {
    let tried = std::iter::successors(Some(STEEPEST), |scale| Some(scale * FLATTER).filter(|scale| *scale <= FLATTEST));
    tried.map(|scale| likelihood(windows, edge, scale)).fold(f64::NEG_INFINITY, f64::max)
}

fn likelihood(windows: &[Said], edge: f64, scale: f64) -> f64 {
    let one = |(log, held): &Said| {
        let beyond = (log - edge) / scale;
        let against = if *held { beyond } else { -beyond };
        // -ln(1 + e^x) without overflow.
        -(against.max(0.0) + (-against.abs()).exp().ln_1p())
    };
    windows.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(rates: &[(f64, bool)]) -> Vec<Said> {
        rates.iter().map(|(rate, held)| (rate.ln(), *held)).collect()
    }

    #[test]
    fn windows_that_do_not_contradict_each_other_put_the_edge_between_them() {
        let edge =
            Edge::of(&windows(&[(500.0, true), (970.0, true), (970.0, true), (1_030.0, false), (2_000.0, false)]));
        assert!((edge.middle.exp() / (970.0_f64 * 1_030.0).sqrt() - 1.0).abs() < 0.005, "{}", edge.middle.exp());
    }

    #[test]
    fn an_end_takes_three_windows() {
        // Two that agree do so by chance one time in four.
        let two = Edge::of(&windows(&[(970.0, true), (970.0, true), (1_030.0, false), (1_030.0, false)]));
        assert_eq!((two.low, two.high), (None, None));
        let three = Edge::of(&windows(&[(970.0, true), (1_030.0, false)].repeat(3)));
        let (low, high) = (three.low.expect("an end").exp(), three.high.expect("an end").exp());
        assert!(860.0 < low && low < 970.0 + 10.0 && 1_020.0 < high && high < 1_150.0, "{low}–{high}");
    }

    #[test]
    fn windows_that_contradict_each_other_widen_the_interval() {
        let clear = windows(&[(950.0, true), (1_050.0, false)].repeat(6));
        let mut torn = clear.clone();
        torn.extend(windows(&[(950.0, false), (1_050.0, true), (950.0, false), (1_050.0, true)]));
        let width = |edge: Edge| edge.high.unwrap_or(f64::INFINITY) - edge.low.unwrap_or(f64::NEG_INFINITY);
        assert!(width(Edge::of(&torn)) > 1.5 * width(Edge::of(&clear)));
        assert!((Edge::of(&torn).middle.exp() - 1_000.0).abs() < 20.0);
    }

    #[test]
    fn the_likelihood_is_that_of_the_logistic_curve() {
        // At the edge itself either outcome has a half; one scale beyond it, a window holds in 1 ÷ (1 + e).
        assert!((likelihood(&[(0.0, true)], 0.0, 0.1) - 0.5_f64.ln()).abs() < 1e-12);
        let expected = (1.0 / (1.0 + 1.0_f64.exp())).ln();
        assert!((likelihood(&[(0.1, true)], 0.0, 0.1) - expected).abs() < 1e-12);
        assert!(likelihood(&[(700.0, true)], 0.0, 0.005).is_finite());
    }
}
