//! Latencies through a round, where models have events: what the chart around an event shows.

use hdrhistogram::Histogram;

use super::cast::Cast;
use super::metric::{figure, merged};
use super::windows::Windows;
use crate::record::{OperationRound, RoundRecord, SLICES, ScenarioRecord, histogram};
use crate::units::Micros;
use crate::words::{Metric, Phase};

/// The latencies of a model through a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The model.
    pub model: String,
    /// The p95 of the whole mix in each of [`SLICES`] slices of a round's operation numbers, over all rounds that count;
    /// `None` where too few operations were timed.
    pub p95: Vec<Option<Micros>>,
}

/// The course of every model whose rounds are kept by slices, in the order shown.
pub fn courses(scenario: &ScenarioRecord) -> Vec<Course> {
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let course = |model: &str| {
        let usable: Vec<&RoundRecord> = windows.usable(model).collect();
        let p95: Vec<_> = (0..SLICES).map(|place| of_slice(&usable, place)).collect();
        p95.iter().any(Option::is_some).then(|| Course { model: model.to_owned(), p95 })
    };
    Cast::of(&scenario.models).shown().filter_map(|model| course(&model.name)).collect()
}

fn of_slice(windows: &[&RoundRecord], place: usize) -> Option<Micros> {
    let operations = windows.iter().flat_map(|window| window.operations.values());
    let latencies = |figures: &OperationRound| histogram::decode(figures.slices.get(place)?).ok();
    let decoded: Vec<Histogram<u64>> = operations.filter_map(latencies).collect();
    figure(Metric::P95, &merged(&decoded)).ok().map(Micros::new)
}
