//! The latencies that each model's figures are made of, all rounds in one: what distributions are exported from.

use hdrhistogram::Histogram;

use super::analyse::{ALL, operations};
use super::cast::Cast;
use super::metric::merged;
use super::samples::{Latency, Samples};
use super::windows::Windows;
use crate::record::{ModelRecord, ScenarioRecord};
use crate::words::Phase;

/// The latencies of an operation in a model.
#[derive(Debug, Clone)]
pub struct Pooled<'a> {
    /// The operation, or the whole mix.
    pub operation: &'a str,
    /// The model.
    pub model: &'a str,
    /// Their number by length, in µs; never empty.
    pub latencies: Histogram<u64>,
    /// Rounds that they are of.
    pub rounds: usize,
}

/// The latencies of every operation and model that has some: operations by name, the whole mix last; models in the order
/// shown.
///
/// They are of the rounds that the record's figures are made of, so their quantiles are the record's: of naive those
/// compared with the pattern, of another model those compared with naive, and of a model without any to compare its own.
pub fn pooled(scenario: &ScenarioRecord, latency: Latency) -> Vec<Pooled<'_>> {
    let cast = Cast::of(&scenario.models);
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let mut mix = Samples::default();
    let mut found = Vec::new();
    for operation in operations(scenario) {
        let samples = Samples::of(cast.shown().flat_map(|model| windows.telling(&model.name)), operation, latency);
        found.extend(of_models(operation, &cast, &windows, &samples));
        mix.add(&samples);
    }
    found.extend(of_models(ALL, &cast, &windows, &mix));
    found
}

fn of_models<'a>(operation: &'a str, cast: &Cast<'a>, windows: &Windows<'a>, samples: &Samples<'a>) -> Vec<Pooled<'a>> {
    let of_model = |model: &'a ModelRecord| {
        let rounds = rounds(cast, model, windows, samples);
        let latencies = merged(rounds.iter().copied());
        let known = Pooled { operation, model: &model.name, latencies, rounds: rounds.len() };
        (!known.latencies.is_empty()).then_some(known)
    };
    cast.shown().filter_map(of_model).collect()
}

/// The histograms of a model in the rounds that its figures are made of.
fn rounds<'a, 's>(
    cast: &Cast<'_>,
    model: &ModelRecord,
    windows: &Windows<'a>,
    samples: &'s Samples<'a>,
) -> Vec<&'s Histogram<u64>> {
    let is_naive = cast.naive.is_some_and(|naive| std::ptr::eq(naive, model));
    let opponent = if is_naive { cast.pattern } else { cast.naive };
    let pairs = opponent.map(|opponent| {
        let (naive, other) = if is_naive { (model, opponent) } else { (opponent, model) };
        samples.pairs(&windows.pairs(&naive.name, &other.name)).0
    });
    match pairs.filter(|pairs| !pairs.is_empty()) {
        Some(pairs) => pairs.into_iter().filter_map(|pair| if is_naive { pair.naive } else { pair.model }).collect(),
        None => samples.of_model(&model.name).collect(),
    }
}
