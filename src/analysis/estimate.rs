//! One metric of one operation, naive against another model: figures, ratio, and what its interval is made of.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use super::metric::{LATENCIES, MIN_UNITS, figure, least_per_unit, merged};
use super::paired::Paired;
use super::samples::Pair;
use super::units::join;
use crate::record::{SpeedupRecord, UnitRatio};
use crate::units::Ratio;
use crate::words::{Metric, Verdict};

/// A comparison before it is judged.
#[derive(Debug, Clone, Default)]
pub(super) struct Estimate {
    /// Naive's figure over the rounds used.
    pub(super) naive: Option<f64>,
    /// The other model's.
    pub(super) model: Option<f64>,
    /// The ratio, above 1 where the other model is better.
    pub(super) speedup: Option<f64>,
    /// What the interval is made of.
    pub(super) paired: Option<Paired>,
    /// The ratio of each unit.
    pub(super) units: Vec<UnitRatio>,
    /// The verdict, once judged.
    pub(super) verdict: Option<Verdict>,
    /// Why there is no figure, no interval or no clear verdict.
    pub(super) reason: Option<String>,
}

/// The estimates of an operation.
pub(super) type Estimates = BTreeMap<Metric, Estimate>;

impl Estimate {
    /// The ratio and its interval from the ratios of units, which stand with the rounds joined in them.
    pub(super) fn set_units(&mut self, ratios: Vec<(Vec<u32>, f64)>) {
        let logs: Vec<f64> = ratios.iter().map(|(_, ratio)| ratio.ln()).collect();
        let Some(paired) = Paired::of(&logs) else { return };
        self.speedup = Some(paired.mean.exp());
        self.paired = Some(paired);
        self.units = ratios.into_iter().map(|(rounds, ratio)| UnitRatio { rounds, ratio: Ratio::new(ratio) }).collect();
    }

    /// The most rounds that one unit joins.
    pub(super) fn rounds_per_unit(&self) -> usize {
        self.units.iter().map(|unit| unit.rounds.len()).max().unwrap_or(1)
    }

    /// As it stands in a record.
    pub(super) fn record(&self) -> SpeedupRecord {
        let interval = self.paired.map(|paired| paired.interval(0.95));
        SpeedupRecord {
            speedup: self.speedup.and_then(ratio),
            low: interval.and_then(|(low, _)| ratio(low.exp())),
            high: interval.and_then(|(_, high)| ratio(high.exp())),
            verdict: self.verdict,
            reason: self.reason.clone(),
            units: self.units.clone(),
        }
    }
}

/// A ratio fit for a record: finite and positive.
pub(super) fn ratio(value: f64) -> Option<Ratio> {
    (value.is_finite() && value > 0.0).then(|| Ratio::new(value))
}

/// A quotient fit for a record.
pub(super) fn quotient(above: f64, below: f64) -> Option<f64> {
    let value = above / below;
    (value.is_finite() && value > 0.0).then_some(value)
}

/// The latency metrics of an operation over paired rounds, of which there is at least one.
///
/// `damaged` rounds were left out since their histograms cannot be decoded.
pub(super) fn paired_latencies(pairs: &[Pair<'_>], damaged: usize) -> Estimates {
    let naive = merged(pairs.iter().filter_map(|pair| pair.naive));
    let model = merged(pairs.iter().filter_map(|pair| pair.model));
    let counts: Vec<u64> = pairs.iter().map(|pair| count(pair.naive).min(count(pair.model))).collect();
    let one = |metric| {
        let mut estimate = pooled(metric, &naive, &model);
        if estimate.speedup.is_some() {
            match join(&counts, least_per_unit(metric)) {
                Some(units) => estimate.set_units(ratios(metric, pairs, &units)),
                None => estimate.reason = Some(too_few(metric, &counts)),
            }
        }
        if damaged > 0 && estimate.paired.is_none() {
            let said = estimate.reason.take().map(|reason| format!("{reason}; ")).unwrap_or_default();
            estimate.reason = Some(format!("{said}the histograms of {damaged} rounds are damaged"));
        }
        (metric, estimate)
    };
    LATENCIES.into_iter().map(one).collect()
}

/// The latency metrics of models that share no round: each model's own figures, and why they are not compared.
pub(super) fn lone_latencies<'a>(
    naive: impl Iterator<Item = &'a Histogram<u64>>,
    model: impl Iterator<Item = &'a Histogram<u64>>,
    why: &str,
) -> Estimates {
    let (naive, model) = (merged(naive), merged(model));
    let one = |metric| {
        let (naive, model) = (figure(metric, &naive).ok(), figure(metric, &model).ok());
        (metric, Estimate { naive, model, reason: Some(why.to_owned()), ..Estimate::default() })
    };
    LATENCIES.into_iter().map(one).collect()
}

fn count(histogram: Option<&Histogram<u64>>) -> u64 {
    histogram.map_or(0, Histogram::len)
}

fn pooled(metric: Metric, naive: &Histogram<u64>, model: &Histogram<u64>) -> Estimate {
    let (naive, model) = (figure(metric, naive), figure(metric, model));
    let reason = match (&naive, &model) {
        (Err(why), Err(other)) if why == other => Some(why.clone()),
        (Err(why), _) => Some(format!("naive: {why}")),
        (_, Err(why)) => Some(format!("compared model: {why}")),
        _ => None,
    };
    let (naive, model) = (naive.ok(), model.ok());
    let speedup = naive.zip(model).and_then(|(naive, model)| quotient(naive, model));
    Estimate { naive, model, speedup, reason, ..Estimate::default() }
}

/// The ratio of each unit; empty if one of them has none, which the number of operations in a unit rules out unless
/// histograms hold zeros.
fn ratios(metric: Metric, pairs: &[Pair<'_>], units: &[std::ops::Range<usize>]) -> Vec<(Vec<u32>, f64)> {
    let of_unit = |unit: &std::ops::Range<usize>| {
        let pairs = &pairs[unit.clone()];
        let naive = of_rounds(metric, pairs.iter().filter_map(|pair| pair.naive))?;
        let model = of_rounds(metric, pairs.iter().filter_map(|pair| pair.model))?;
        Some((pairs.iter().map(|pair| pair.round).collect(), quotient(naive, model)?))
    };
    units.iter().map(of_unit).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The metric over rounds; a single round is not copied.
fn of_rounds<'a>(metric: Metric, mut rounds: impl Iterator<Item = &'a Histogram<u64>>) -> Option<f64> {
    let first = rounds.next()?;
    match rounds.next() {
        None => figure(metric, first).ok(),
        Some(second) => figure(metric, &merged([first, second].into_iter().chain(rounds))).ok(),
    }
}

fn too_few(metric: Metric, counts: &[u64]) -> String {
    let rounds = counts.len();
    if rounds < MIN_UNITS {
        return format!("{} in the comparison; an interval needs {MIN_UNITS}", rounds_in_words(rounds));
    }
    let operations = counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    let least = least_per_unit(metric);
    format!(
        "{operations} operations in {}; an interval of {metric} needs {MIN_UNITS} units of {least}",
        rounds_in_words(rounds)
    )
}

/// `1 round`, `10 rounds`.
pub(super) fn rounds_in_words(rounds: usize) -> String {
    if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") }
}
