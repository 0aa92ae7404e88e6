//! What a run says of each operation of each model, for a point of a sweep.

use std::collections::BTreeMap;

use super::super::analyse::{ALL, operations};
use super::super::cast::Cast;
use super::super::limited::engine_limited;
use super::super::samples::{Latency, Samples};
use super::super::spread::{ends, over_rounds};
use super::super::windows::Windows;
use crate::record::{
    ComparisonRecord, FigureInterval, FigureRecord, IntervalEstimate, ModelRecord, ScenarioRecord, SideRecord,
    SpeedupRecord,
};
use crate::units::Micros;
use crate::words::{Metric, Phase};

/// The quantiles that are followed along an axis.
const FOLLOWED: [Metric; 2] = [Metric::P50, Metric::P95];

/// The figures of every operation and model that was timed: operations by name, the whole mix last; models in the order
/// shown.
pub fn figures(scenario: &ScenarioRecord) -> Vec<FigureRecord> {
    let cast = Cast::of(&scenario.models);
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let latency = Latency::of(scenario);
    let mut mix = Samples::default();
    let mut found = Vec::new();
    let mut collect = |operation: &str, samples: &Samples<'_>| {
        found.extend(cast.shown().filter_map(|model| figure(scenario, &cast, operation, model, samples)));
    };
    for operation in operations(scenario) {
        let samples = Samples::of(cast.shown().flat_map(|model| windows.telling(&model.name)), operation, latency);
        collect(operation, &samples);
        mix.add(&samples);
    }
    collect(ALL, &mix);
    found
}

fn figure(
    scenario: &ScenarioRecord,
    cast: &Cast<'_>,
    operation: &str,
    model: &ModelRecord,
    samples: &Samples<'_>,
) -> Option<FigureRecord> {
    let latency: BTreeMap<Metric, FigureInterval> =
        FOLLOWED.into_iter().filter_map(|metric| Some((metric, quantile(metric, &model.name, samples)?))).collect();
    if latency.is_empty() {
        return None;
    }
    let compared = Compared { scenario, cast, operation, model };
    let mean = compared.mean_service();
    let naive = cast.naive.filter(|naive| naive.name != model.name);
    let limited = [Some(model), naive].into_iter().flatten().find_map(|one| engine_limited(scenario, one, operation));
    Some(FigureRecord {
        workload: scenario.workload.clone(),
        operation: operation.to_owned(),
        model: model.name.clone(),
        latency,
        mean_service: mean.as_ref().and_then(|mean| mean.figure).map(Micros::new),
        speedup: FOLLOWED.into_iter().filter_map(|metric| Some((metric, compared.speedup(metric)?))).collect(),
        mean_service_speedup: mean.and_then(|mean| mean.speedup),
        engine_limited: limited,
    })
}

fn quantile(metric: Metric, model: &str, samples: &Samples<'_>) -> Option<FigureInterval> {
    let (value, units) = over_rounds(metric, model, samples)?;
    let interval = units.as_ref().and_then(ends);
    let (low, high) = interval.map(|(low, high)| (Micros::new(low), Micros::new(high))).unzip();
    let units = units.filter(|_| interval.is_some()).map_or(0, |units| u32::try_from(units.units).unwrap_or(u32::MAX));
    Some(FigureInterval { value: Micros::new(value), low, high, units })
}

/// An operation of a model, beside naive.
struct Compared<'a> {
    scenario: &'a ScenarioRecord,
    cast: &'a Cast<'a>,
    operation: &'a str,
    model: &'a ModelRecord,
}

/// Mean service time of a model, and its speed-up over naive.
struct MeanService {
    figure: Option<f64>,
    speedup: Option<IntervalEstimate>,
}

impl Compared<'_> {
    fn is(&self, part: Option<&ModelRecord>) -> bool {
        part.is_some_and(|part| part.name == self.model.name)
    }

    fn comparison(&self, metric: Metric) -> Option<&ComparisonRecord> {
        self.scenario.analysis.operations.get(self.operation)?.get(&metric)
    }

    /// The comparison with naive; `None` for naive itself.
    fn speedup(&self, metric: Metric) -> Option<IntervalEstimate> {
        let comparison = self.comparison(metric)?;
        if self.is(self.cast.naive) {
            return None;
        }
        if self.is(self.cast.pattern) {
            return estimate(&comparison.speedup);
        }
        estimate(&comparison.others.get(&self.model.name)?.speedup)
    }

    /// Of service times: where response times are compared they stand beside.
    fn mean_service(&self) -> Option<MeanService> {
        let comparison = self.comparison(Metric::Mean)?;
        if self.is(self.cast.naive) || self.is(self.cast.pattern) {
            let side = (comparison.naive, comparison.pattern, &comparison.speedup);
            return Some(self.of_side(comparison.service.as_ref(), side));
        }
        let other = comparison.others.get(&self.model.name)?;
        Some(self.of_side(other.service.as_ref(), (other.naive, other.pattern, &other.speedup)))
    }

    fn of_side(
        &self,
        service: Option<&SideRecord>,
        headline: (Option<f64>, Option<f64>, &SpeedupRecord),
    ) -> MeanService {
        let (naive, model, speedup) = match service {
            Some(side) => (side.naive, side.pattern, &side.speedup),
            None => headline,
        };
        if self.is(self.cast.naive) {
            return MeanService { figure: naive, speedup: None };
        }
        MeanService { figure: model, speedup: estimate(speedup) }
    }
}

fn estimate(speedup: &SpeedupRecord) -> Option<IntervalEstimate> {
    speedup.speedup.map(|ratio| IntervalEstimate { ratio, low: speedup.low, high: speedup.high })
}
