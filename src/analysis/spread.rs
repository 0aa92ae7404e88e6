//! Each model's own p95 with the interval of its rounds: what the chart shows.

use super::analyse::{ALL, operations};
use super::cast::Cast;
use super::metric::{figure, least_per_unit, merged};
use super::paired::Paired;
use super::samples::{Latency, Samples};
use super::units::join;
use super::windows::Windows;
use crate::record::ScenarioRecord;
use crate::units::Micros;
use crate::words::Metric;

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

/// The p95 of every operation and model that has one: operations by name, the whole mix last; models in the order shown.
pub fn spreads(scenario: &ScenarioRecord) -> Vec<Spread> {
    let cast = Cast::of(&scenario.models);
    let windows = Windows::of(&scenario.rounds);
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

fn of_model(operation: &str, model: &str, samples: &Samples<'_>) -> Option<Spread> {
    let rounds: Vec<_> = samples.of_model(model).collect();
    let counts: Vec<u64> = rounds.iter().map(|histogram| histogram.len()).collect();
    let of_units = join(&counts, least_per_unit(Metric::P95)).and_then(|units| {
        let log =
            |unit: std::ops::Range<usize>| Some(figure(Metric::P95, &merged(rounds[unit].iter().copied())).ok()?.ln());
        Paired::of(&units.into_iter().map(log).collect::<Option<Vec<f64>>>()?)
    });
    let (p95, interval) = match of_units {
        Some(units) => (units.mean.exp(), Some(units.interval(0.95))),
        None => (figure(Metric::P95, &merged(rounds.iter().copied())).ok()?, None),
    };
    let interval = interval
        .map(|(low, high)| (low.exp(), high.exp()))
        .filter(|(low, high)| low.is_finite() && high.is_finite() && *low > 0.0)
        .map(|(low, high)| (Micros::new(low), Micros::new(high)));
    Some(Spread { operation: operation.to_owned(), model: model.to_owned(), p95: Micros::new(p95), interval })
}
