//! Everything that a ratio and its interval are made of, so that an expert can compute them again.

use std::collections::BTreeSet;

use super::facts::operations_shown;
use crate::analysis::{
    ALL, Cast, Latency, Paired, THRESHOLD, headline, headline_of_other, holm_adjusted, inference_logs, restarts,
};
use crate::record::{ComparisonRecord, ModelRecord, ScenarioRecord, SideRecord, SpeedupRecord, UnitRatio};
use crate::words::Metric;

/// One metric of one operation, naive against another model.
#[derive(Debug, Clone)]
pub(in crate::report) struct Statistic<'a> {
    pub(in crate::report) operation: &'a str,
    pub(in crate::report) naive: &'a str,
    pub(in crate::report) model: &'a str,
    pub(in crate::report) metric: Metric,
    /// Which latency, where the metric is one.
    pub(in crate::report) latency: Option<Latency>,
    /// Whether it carries the verdict of its operation.
    pub(in crate::report) carries: bool,
    pub(in crate::report) part: Part,
    /// Both models' figures over the rounds used.
    pub(in crate::report) figures: (Option<f64>, Option<f64>),
    pub(in crate::report) speedup: &'a SpeedupRecord,
    /// What the interval is made of.
    pub(in crate::report) inference: Option<Inference>,
    /// The same by service time, and at light load.
    pub(in crate::report) sides: Vec<Side<'a>>,
}

/// Whether it is the first pattern that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Part {
    Pattern,
    Other,
}

/// The mean log ratio over the units of inference.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Inference {
    pub(in crate::report) paired: Paired,
    /// Whether these are fresh loads of the data and not units of rounds.
    pub(in crate::report) over_restarts: bool,
    /// p of the hypothesis that the true ratio lies within the practical threshold, before any adjustment.
    pub(in crate::report) p: f64,
    /// p by Holm's adjustment, and for how many operations; only where a verdict hangs on it.
    pub(in crate::report) adjusted: Option<(f64, usize)>,
}

impl Inference {
    fn of(units: &[UnitRatio]) -> Option<Self> {
        let paired = Paired::of(&inference_logs(units))?;
        let p = paired.p_within(THRESHOLD.ln_1p());
        Some(Self { paired, over_restarts: restarts(units) > 1, p, adjusted: None })
    }

    /// Degrees of freedom.
    pub(in crate::report) fn freedom(&self) -> usize {
        self.paired.units - 1
    }
}

/// A comparison beside the headline.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Side<'a> {
    pub(in crate::report) name: &'static str,
    pub(in crate::report) record: &'a SideRecord,
}

/// All statistics: operations in the order shown; of each first the metric that carries the verdict, the pattern first.
pub(super) fn statistics(scenario: &ScenarioRecord) -> Vec<Statistic<'_>> {
    let cast = Cast::of(&scenario.models);
    let Some(naive) = cast.naive else { return Vec::new() };
    let mut found = Vec::new();
    for operation in operations_shown(scenario) {
        for (place, model) in cast.compared().enumerate() {
            let part = if place == 0 && cast.pattern.is_some() { Part::Pattern } else { Part::Other };
            let start = found.len();
            found.extend(of_model(scenario, operation, naive, model, part));
            found[start..].sort_by_key(|statistic: &Statistic<'_>| !statistic.carries);
        }
    }
    adjust(&mut found);
    found
}

/// Holm's adjustment, as the verdicts have it: per model the operations are one family, the whole mix a question of its
/// own.
fn adjust(statistics: &mut [Statistic<'_>]) {
    let models: BTreeSet<&str> = statistics.iter().map(|statistic| statistic.model).collect();
    for model in models {
        for of_mix in [false, true] {
            let mut family: Vec<&mut Inference> = statistics
                .iter_mut()
                .filter(|statistic| {
                    statistic.model == model && statistic.carries && (statistic.operation == ALL) == of_mix
                })
                .filter_map(|statistic| statistic.inference.as_mut())
                .collect();
            let ps: Vec<f64> = family.iter().map(|inference| inference.p).collect();
            let size = ps.len();
            for (inference, adjusted) in family.iter_mut().zip(holm_adjusted(&ps)) {
                inference.adjusted = Some((adjusted, size));
            }
        }
    }
}

fn of_model<'a>(
    scenario: &'a ScenarioRecord,
    operation: &'a str,
    naive: &'a ModelRecord,
    model: &'a ModelRecord,
    part: Part,
) -> Vec<Statistic<'a>> {
    let Some((operation, metrics)) = scenario.analysis.operations.get_key_value(operation) else { return Vec::new() };
    let carrier = match part {
        Part::Pattern => headline(metrics),
        Part::Other => headline_of_other(metrics, &model.name),
    };
    let one = |(metric, comparison): (&Metric, &'a ComparisonRecord)| {
        let (figures, speedup, service, light) = match part {
            Part::Pattern => (
                (comparison.naive, comparison.pattern),
                &comparison.speedup,
                comparison.service.as_ref(),
                comparison.light_load.as_ref(),
            ),
            Part::Other => {
                let other = comparison.others.get(&model.name)?;
                ((other.naive, other.pattern), &other.speedup, other.service.as_ref(), other.light_load.as_ref())
            }
        };
        let side = |name, record: Option<&'a SideRecord>| record.map(|record| Side { name, record });
        Some(Statistic {
            operation,
            naive: &naive.name,
            model: &model.name,
            metric: *metric,
            latency: (*metric != Metric::Throughput).then(|| Latency::of(scenario)),
            carries: carrier.as_ref().is_some_and(|carrier| carrier.metric == *metric),
            part,
            figures,
            speedup,
            inference: Inference::of(&speedup.units).filter(|_| speedup.low.is_some()),
            sides: side("service time", service).into_iter().chain(side("light load", light)).collect(),
        })
    };
    metrics.iter().filter_map(one).collect()
}

impl Statistic<'_> {
    /// The operation as people read it.
    pub(in crate::report) fn operation_name(&self) -> &str {
        if self.operation == ALL { "whole mix" } else { self.operation }
    }

    /// The metric with the latency that it is of: `p95 of response time`.
    pub(in crate::report) fn metric_name(&self) -> String {
        match self.latency {
            Some(latency) => format!("{} of {}", self.metric, latency.name()),
            None => self.metric.to_string(),
        }
    }

    /// The quotient that the ratio is.
    pub(in crate::report) fn quotient(&self) -> String {
        match self.metric {
            Metric::Throughput => format!("{} ÷ {}", self.model, self.naive),
            _ => format!("{} ÷ {}", self.naive, self.model),
        }
    }
}
