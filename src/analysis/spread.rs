//! Each model's own latencies, and their p95 with the interval of its rounds: what the charts show.

use std::ops::Range;

use hdrhistogram::Histogram;

use super::analyse::{ALL, operations};
use super::cast::Cast;
use super::metric::{figure, least_per_unit, merged};
use super::paired::Paired;
use super::samples::{Latency, Samples};
use super::units::{Joinable, join};
use super::windows::{Key, Windows, short_restarts};
use crate::record::ScenarioRecord;
use crate::units::Micros;
use crate::words::{Metric, Phase};

/// The p95 of an operation in a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The operation, or the whole mix.
    pub operation: String,
    /// The model.
    pub model: String,
    /// Geometric mean of the p95 of its units; without interval, p95 of all operations together.
    pub p95: Micros,
    /// 95 % interval over the units, where there are enough operations for five.
    pub interval: Option<(Micros, Micros)>,
}

/// The latencies of an operation in a model.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Their p95 with its interval.
    pub spread: Spread,
    /// All of them, in µs: of the rounds that the p95 is made of.
    pub latencies: Histogram<u64>,
}

/// The p95 of every operation and model that has one: operations by name, the whole mix last; models in the order shown.
pub fn spreads(scenario: &ScenarioRecord) -> Vec<Spread> {
    shapes(scenario).into_iter().map(|shape| shape.spread).collect()
}

/// The latencies of every operation and model that has a p95, in the order of [`spreads`].
pub fn shapes(scenario: &ScenarioRecord) -> Vec<Shape> {
    let cast = Cast::of(&scenario.models);
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let latency = Latency::of(scenario);
    let mut mix = Samples::default();
    let mut found = Vec::new();
    let mut collect = |operation: &str, samples: &Samples<'_>| {
        found.extend(cast.shown().filter_map(|model| of_model(operation, &model.name, samples)));
    };
    for operation in operations(scenario) {
        let samples = Samples::of(cast.shown().flat_map(|model| windows.telling(&model.name)), operation, latency);
        collect(operation, &samples);
        mix.add(&samples);
    }
    collect(ALL, &mix);
    found
}

fn of_model(operation: &str, model: &str, samples: &Samples<'_>) -> Option<Shape> {
    let rounds = rounds_that_count(model, samples);
    let (p95, units) = over(Metric::P95, &rounds)?;
    let interval = units.and_then(|units| ends(&units)).map(|(low, high)| (Micros::new(low), Micros::new(high)));
    let spread = Spread { operation: operation.to_owned(), model: model.to_owned(), p95: Micros::new(p95), interval };
    Some(Shape { spread, latencies: merged(rounds.iter().map(|(_, histogram)| *histogram)) })
}

/// A metric of a model in µs: the geometric mean over units, and what its interval is made of; where there are too few
/// operations for units, that of all operations together.
pub(super) fn over_rounds(metric: Metric, model: &str, samples: &Samples<'_>) -> Option<(f64, Option<Paired>)> {
    over(metric, &rounds_that_count(model, samples))
}

/// The rounds of a model, without those of restarts that have too few.
fn rounds_that_count<'a>(model: &str, samples: &'a Samples<'_>) -> Vec<(Key, &'a Histogram<u64>)> {
    let mut rounds: Vec<_> = samples.rounds_of(model).collect();
    let short = short_restarts(rounds.iter().map(|((restart, _), _)| *restart));
    rounds.retain(|((restart, _), _)| !short.contains(restart));
    rounds
}

fn over(metric: Metric, rounds: &[(Key, &Histogram<u64>)]) -> Option<(f64, Option<Paired>)> {
    match over_units(metric, rounds) {
        Some(units) => Some((units.mean.exp(), Some(units))),
        None => {
            let whole = merged(rounds.iter().map(|(_, histogram)| *histogram));
            figure(metric, &whole).ok().map(|value| (value, None))
        }
    }
}

/// The ends of the 95 % interval of a mean log, where they are latencies.
pub(super) fn ends(units: &Paired) -> Option<(f64, f64)> {
    let (low, high) = units.interval(0.95);
    let (low, high) = (low.exp(), high.exp());
    (low.is_finite() && high.is_finite() && low > 0.0).then_some((low, high))
}

/// The mean log of a metric over units; where there are several restarts, over the mean of each.
fn over_units(metric: Metric, rounds: &[(Key, &Histogram<u64>)]) -> Option<Paired> {
    let joinable = |((restart, _), histogram): &(Key, &Histogram<u64>)| Joinable {
        restart: *restart,
        operations: histogram.len(),
    };
    let units = join(&rounds.iter().map(joinable).collect::<Vec<_>>(), least_per_unit(metric))?;
    let log = |unit: Range<usize>| {
        let rounds = &rounds[unit];
        let value = figure(metric, &merged(rounds.iter().map(|(_, histogram)| *histogram))).ok()?;
        Some((rounds[0].0.0, value.ln()))
    };
    let logs = units.into_iter().map(log).collect::<Option<Vec<(u32, f64)>>>()?;
    let restarts: Vec<f64> = logs
        .chunk_by(|left, right| left.0 == right.0)
        .map(|restart| restart.iter().map(|(_, log)| log).sum::<f64>() / restart.len() as f64)
        .collect();
    if restarts.len() > 1 {
        Paired::of(&restarts)
    } else {
        Paired::of(&logs.iter().map(|(_, log)| *log).collect::<Vec<_>>())
    }
}
