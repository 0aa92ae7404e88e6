//! The latency metrics of one operation, naive against another model.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use hdrhistogram::Histogram;

use super::estimate::{Estimate, Estimates, quotient, rounds_in_words};
use super::metric::{LATENCIES, MIN_UNITS, figure, least_per_unit, merged};
use super::samples::Pair;
use super::series::{Figures, Series, infer};
use super::units::{Joinable, join};
use crate::words::Metric;

/// The latency metrics of an operation over paired rounds, of which there is at least one.
///
/// `damaged` rounds were left out since their histograms cannot be decoded.
pub(super) fn paired_latencies(pairs: &[Pair<'_>], damaged: usize) -> Estimates {
    let rounds = Rounds::of(pairs);
    let one = |metric| {
        let mut estimate = pooled(metric, &rounds.naive, &rounds.model);
        if estimate.speedup.is_some() {
            let series = Latencies { metric, rounds: &rounds };
            match join(&series.joinable(), least_per_unit(metric)) {
                Some(units) => {
                    if let Some(inference) = infer(&series, units) {
                        estimate.set_units(inference);
                    }
                }
                None => estimate.reason = Some(too_few(metric, &series.joinable())),
            }
        }
        if damaged > 0 && estimate.paired.is_none() {
            estimate.add_reason(&format!("the histograms of {damaged} rounds are damaged"));
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

/// Paired rounds of an operation, with what all metrics share.
struct Rounds<'a> {
    pairs: &'a [Pair<'a>],
    /// All rounds of naive in one.
    naive: Histogram<u64>,
    /// All rounds of the other model in one.
    model: Histogram<u64>,
    /// What was computed already: for rounds left out, the figures of the rest.
    without: RefCell<BTreeMap<(usize, usize), PerMetric>>,
}

/// One for each of [`LATENCIES`].
type PerMetric = [Option<Figures>; LATENCIES.len()];

impl<'a> Rounds<'a> {
    fn of(pairs: &'a [Pair<'a>]) -> Self {
        Self { pairs, naive: merged_naive(pairs), model: merged_model(pairs), without: RefCell::default() }
    }

    fn all_without(&self, rounds: Range<usize>) -> PerMetric {
        let left_out = &self.pairs[rounds];
        let naive = without(&self.naive, left_out.iter().filter_map(|pair| pair.naive));
        let model = without(&self.model, left_out.iter().filter_map(|pair| pair.model));
        let rest = naive.zip(model);
        LATENCIES.map(|metric| rest.as_ref().and_then(|(naive, model)| figures(metric, naive, model)))
    }
}

/// A latency metric over paired rounds.
struct Latencies<'a> {
    metric: Metric,
    rounds: &'a Rounds<'a>,
}

impl Series for Latencies<'_> {
    fn rounds(&self) -> Vec<u32> {
        self.rounds.pairs.iter().map(|pair| pair.round).collect()
    }

    fn joinable(&self) -> Vec<Joinable> {
        let fewer = |pair: &Pair<'_>| count(pair.naive).min(count(pair.model));
        self.rounds.pairs.iter().map(|pair| Joinable { restart: pair.restart, operations: fewer(pair) }).collect()
    }

    fn over(&self, rounds: Range<usize>) -> Option<Figures> {
        match &self.rounds.pairs[rounds] {
            // A single round is not copied.
            [pair] => figures(self.metric, pair.naive?, pair.model?),
            pairs if pairs.len() == self.rounds.pairs.len() => {
                figures(self.metric, &self.rounds.naive, &self.rounds.model)
            }
            pairs => figures(self.metric, &merged_naive(pairs), &merged_model(pairs)),
        }
    }

    fn without(&self, rounds: Range<usize>) -> Option<Figures> {
        let place = LATENCIES.into_iter().position(|metric| metric == self.metric)?;
        let mut known = self.rounds.without.borrow_mut();
        let all = known.entry((rounds.start, rounds.end)).or_insert_with(|| self.rounds.all_without(rounds));
        *all.get(place)?
    }
}

fn figures(metric: Metric, naive: &Histogram<u64>, model: &Histogram<u64>) -> Option<Figures> {
    Some(Figures { naive: figure(metric, naive).ok()?, model: figure(metric, model).ok()? })
}

/// A histogram without some of the parts that it was merged from.
fn without<'a>(whole: &Histogram<u64>, parts: impl Iterator<Item = &'a Histogram<u64>>) -> Option<Histogram<u64>> {
    let mut rest = whole.clone();
    for part in parts {
        rest.subtract(part).ok()?;
    }
    Some(rest)
}

fn merged_naive(pairs: &[Pair<'_>]) -> Histogram<u64> {
    merged(pairs.iter().filter_map(|pair| pair.naive))
}

fn merged_model(pairs: &[Pair<'_>]) -> Histogram<u64> {
    merged(pairs.iter().filter_map(|pair| pair.model))
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

fn too_few(metric: Metric, rounds: &[Joinable]) -> String {
    if rounds.len() < MIN_UNITS {
        return format!("{} in the comparison; an interval needs {MIN_UNITS}", rounds_in_words(rounds.len()));
    }
    let operations = rounds.iter().fold(0_u64, |sum, round| sum.saturating_add(round.operations));
    let least = least_per_unit(metric);
    let restarts = rounds.chunk_by(|left, right| left.restart == right.restart).count();
    let each = if restarts > 1 { ", one at least in each restart" } else { "" };
    format!(
        "{operations} operations in {}; an interval of {metric} needs {MIN_UNITS} units of {least}{each}",
        rounds_in_words(rounds.len())
    )
}
