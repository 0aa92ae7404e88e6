//! The figures of a scenario, one after the other.

use crate::analysis::{ALL, Cast, Latency, engine_limited};
use crate::record::{
    ComparisonRecord, ModelOperationRecord, ModelRecord, RoundRecord, ScenarioRecord, SideRecord, SpeedupRecord,
    StorageRecord,
};
use crate::report::view::{Tally, operations_shown};
use crate::words::{Metric, Mode, Phase};

/// A figure, and what it is compared with.
#[derive(Debug, Clone)]
pub(super) struct Figure<'a> {
    pub(super) model: &'a ModelRecord,
    /// Empty where it is of the model's data.
    pub(super) operation: &'a str,
    pub(super) metric: &'static str,
    pub(super) load: Option<Phase>,
    pub(super) time: Option<Latency>,
    pub(super) unit: &'static str,
    pub(super) value: Option<f64>,
    /// Against naive.
    pub(super) speedup: Option<&'a SpeedupRecord>,
    pub(super) reason: Option<&'a str>,
    pub(super) limited: Option<String>,
}

/// All figures of a scenario: models in the order shown, of each its operations, its traffic, and its data.
pub(super) fn figures(scenario: &ScenarioRecord) -> Vec<Figure<'_>> {
    let cast = Cast::of(&scenario.models);
    let mut found = Vec::new();
    for model in cast.shown() {
        for operation in operations_shown(scenario) {
            let of = Of { scenario, cast: &cast, model, operation };
            of.compared(&mut found);
            of.counted(&mut found);
            of.traffic(&mut found);
        }
        found.extend(model.storage.iter().flat_map(|storage| stored(model, storage)));
        found.extend(
            model.load.map(|load| Figure { value: Some(load.seconds.get()), ..plain(model, "", "load_time", "s") }),
        );
    }
    found
}

/// A figure that is compared with nothing, still without its value.
fn plain<'a>(model: &'a ModelRecord, operation: &'a str, metric: &'static str, unit: &'static str) -> Figure<'a> {
    Figure {
        model,
        operation,
        metric,
        load: None,
        time: None,
        unit,
        value: None,
        speedup: None,
        reason: None,
        limited: None,
    }
}

fn stored<'a>(model: &'a ModelRecord, storage: &StorageRecord) -> Vec<Figure<'a>> {
    let of = |metric, unit, value: Option<u64>| Figure {
        value: value.map(|value| value as f64),
        ..plain(model, "", metric, unit)
    };
    vec![
        of("documents", "count", Some(storage.documents)),
        of("data_bytes", "bytes", Some(storage.data_bytes.get())),
        of("storage_bytes", "bytes", storage.storage_bytes.map(|bytes| bytes.get())),
        of("index_bytes", "bytes", Some(storage.index_bytes.get())),
        of("collections", "count", Some(storage.collections)),
        of("indexes", "count", Some(storage.indexes)),
    ]
}

/// An operation of a model.
struct Of<'a, 'c> {
    scenario: &'a ScenarioRecord,
    cast: &'c Cast<'a>,
    model: &'a ModelRecord,
    operation: &'a str,
}

/// One side of a comparison: the model's own figure, and how it compares with naive.
type Side<'a> = (Option<f64>, &'a SpeedupRecord);

/// The same by service time, and at light load.
type Beside<'a> = (Option<&'a SideRecord>, Option<&'a SideRecord>);

impl<'a> Of<'a, '_> {
    /// Latencies and throughput with their speed-ups: at the plan's load, by service time, at light load.
    fn compared(&self, found: &mut Vec<Figure<'a>>) {
        let metrics = self.scenario.analysis.operations.get(self.operation);
        let judged_by = Latency::of(self.scenario);
        for (metric, comparison) in metrics.into_iter().flatten() {
            let time = (*metric != Metric::Throughput).then_some(judged_by);
            let sides = [
                (Phase::Measured, time, self.headline(comparison)),
                (Phase::Measured, Some(Latency::Service), self.side(comparison, |sides| sides.0)),
                (Phase::LightLoad, Some(Latency::Service), self.side(comparison, |sides| sides.1)),
            ];
            for (load, time, side) in sides {
                found.extend(side.map(|side| self.figure(*metric, load, time, side)));
            }
        }
    }

    fn figure(&self, metric: Metric, load: Phase, time: Option<Latency>, (value, speedup): Side<'a>) -> Figure<'a> {
        let unit = if metric == Metric::Throughput { "1/s" } else { "us" };
        // What naive is compared with stands in the rows of the others; its own reason is only why it has no figure.
        let is_naive = self.is_naive();
        let reason = speedup.reason.as_deref().filter(|_| !is_naive || value.is_none());
        Figure {
            load: Some(load),
            time,
            value,
            speedup: (!is_naive).then_some(speedup),
            reason: reason.or_else(|| self.model.skipped.as_deref().filter(|_| value.is_none())),
            limited: engine_limited(self.scenario, self.model, self.operation),
            ..plain(self.model, self.operation, metric.word(), unit)
        }
    }

    fn is_naive(&self) -> bool {
        self.cast.naive.is_some_and(|naive| std::ptr::eq(naive, self.model))
    }

    fn is_pattern(&self) -> bool {
        self.cast.pattern.is_some_and(|pattern| std::ptr::eq(pattern, self.model))
    }

    fn headline(&self, comparison: &'a ComparisonRecord) -> Option<Side<'a>> {
        if self.is_naive() {
            return Some((comparison.naive, &comparison.speedup));
        }
        if self.is_pattern() {
            return Some((comparison.pattern, &comparison.speedup));
        }
        let other = comparison.others.get(&self.model.name)?;
        Some((other.pattern, &other.speedup))
    }

    /// The comparison by service time, or at light load.
    fn side(
        &self,
        comparison: &'a ComparisonRecord,
        which: fn(Beside<'a>) -> Option<&'a SideRecord>,
    ) -> Option<Side<'a>> {
        if self.is_naive() || self.is_pattern() {
            let side = which((comparison.service.as_ref(), comparison.light_load.as_ref()))?;
            return Some((if self.is_naive() { side.naive } else { side.pattern }, &side.speedup));
        }
        let other = comparison.others.get(&self.model.name)?;
        let side = which((other.service.as_ref(), other.light_load.as_ref()))?;
        Some((side.pattern, &side.speedup))
    }

    /// What became of the requests of the measured rounds.
    fn counted(&self, found: &mut Vec<Figure<'a>>) {
        let measured = |window: &RoundRecord| window.phase == Phase::Measured && window.model == self.model.name;
        if !self.scenario.rounds.iter().any(measured) {
            return;
        }
        let tally = Tally::of(self.scenario, self.operation, &self.model.name);
        let rate = if self.scenario.plan.mode == Mode::Open { tally.achieved() } else { tally.rate() };
        let of = |metric, unit, value| Figure {
            load: Some(Phase::Measured),
            value,
            ..plain(self.model, self.operation, metric, unit)
        };
        found.push(of("count", "count", Some(tally.count as f64)));
        found.push(of("errors", "count", Some(tally.failed() as f64)));
        found.push(of("empty", "count", Some(tally.empty as f64)));
        found.push(of("rate", "1/s", rate.map(|rate| rate.get())));
    }

    /// Requests and bytes of an operation, which no load changes.
    fn traffic(&self, found: &mut Vec<Figure<'a>>) {
        let Some(known) = self.model.operations.get(self.operation).filter(|_| self.operation != ALL) else { return };
        let ModelOperationRecord { round_trips, bytes_sent, bytes_received, .. } = known;
        let metrics = [
            ("round_trips", "count", round_trips),
            ("bytes_sent", "bytes", bytes_sent),
            ("bytes_received", "bytes", bytes_received),
        ];
        let told = metrics.into_iter().filter_map(|(metric, unit, value)| Some((metric, unit, (*value)?)));
        found.extend(told.map(|(metric, unit, value)| Figure {
            value: Some(value),
            ..plain(self.model, self.operation, metric, unit)
        }));
    }
}
