//! What one run says of a figure.

use super::super::cast::Cast;
use super::super::paired::Paired;
use super::super::samples::Latency;
use super::super::series::{inference_logs, restarts};
use super::welch::Sample;
use crate::record::{ComparisonRecord, RunRecord, ScenarioRecord, SpeedupRecord, UnitRatio};
use crate::words::{Basis, Metric};

/// A scenario as one run measured it.
#[derive(Debug, Clone)]
pub(super) struct Ran<'a> {
    pub(super) run: &'a RunRecord,
    pub(super) scenario: &'a ScenarioRecord,
    pub(super) cast: Cast<'a>,
    pub(super) latency: Latency,
}

impl<'a> Ran<'a> {
    pub(super) fn of(run: &'a RunRecord, scenario: &'a ScenarioRecord) -> Self {
        Self { run, scenario, cast: Cast::of(&scenario.models), latency: Latency::of(scenario) }
    }

    /// Whether this model is the one that others are compared with.
    pub(super) fn is_naive(&self, model: &str) -> bool {
        self.cast.naive.is_some_and(|naive| naive.name == model)
    }
}

/// Which figure is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) operation: &'q str,
    pub(super) model: &'q str,
    pub(super) metric: Metric,
    pub(super) basis: Basis,
    pub(super) of: Of,
}

/// Of which kind the figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// The model's speed-up against naive.
    Speedup,
    /// The model's own figure.
    Model,
}

/// What a run answers, or why it does not.
pub(super) fn sample(ran: &Ran<'_>, question: Question<'_>) -> Result<Sample, String> {
    if question.basis == Basis::Capacity {
        return capacity(ran, question);
    }
    let metrics = ran.scenario.analysis.operations.get(question.operation);
    let comparison = metrics.and_then(|metrics| metrics.get(&question.metric));
    let found = comparison.and_then(|comparison| found(ran, comparison, question)).ok_or("it was not measured")?;
    let answer = match question.of {
        Of::Speedup => of_speedup(found.speedup),
        Of::Model => of_model(&found, ran.is_naive(question.model)),
    };
    answer.ok_or_else(|| found.speedup.reason.clone().unwrap_or_else(|| "it has no figure".to_owned()))
}

/// A comparison with naive on one basis.
struct Found<'a> {
    naive: Option<f64>,
    model: Option<f64>,
    speedup: &'a SpeedupRecord,
}

/// The comparison that a question speaks of; naive is read against the first pattern.
fn found<'a>(ran: &Ran<'_>, comparison: &'a ComparisonRecord, question: Question<'_>) -> Option<Found<'a>> {
    let is_first = ran.cast.pattern.is_some_and(|pattern| pattern.name == question.model);
    let (headline, service, light_load) = if is_first || ran.is_naive(question.model) {
        let headline = Found { naive: comparison.naive, model: comparison.pattern, speedup: &comparison.speedup };
        (headline, &comparison.service, &comparison.light_load)
    } else {
        let other = comparison.others.get(question.model)?;
        let headline = Found { naive: other.naive, model: other.pattern, speedup: &other.speedup };
        (headline, &other.service, &other.light_load)
    };
    let side = match question.basis {
        Basis::Response if ran.latency == Latency::Response => return Some(headline),
        Basis::Service if ran.latency == Latency::Service => return Some(headline),
        Basis::Rate => return Some(headline),
        Basis::Service => service.as_ref()?,
        Basis::LightLoad => light_load.as_ref()?,
        Basis::Response | Basis::Capacity => return None,
    };
    Some(Found { naive: side.naive, model: side.pattern, speedup: &side.speedup })
}

fn of_speedup(speedup: &SpeedupRecord) -> Option<Sample> {
    let units = &speedup.units;
    if units.is_empty() {
        return pooled(speedup.speedup?.get());
    }
    over(&inference_logs(units), restarts(units))
}

/// The geometric mean of a model's figure over the units of a comparison; without units, that of all operations together.
fn of_model(found: &Found<'_>, is_naive: bool) -> Option<Sample> {
    let figure = |unit: &UnitRatio| if is_naive { unit.naive } else { unit.pattern };
    let units = &found.speedup.units;
    let figures: Option<Vec<(u32, f64)>> =
        units.iter().map(|unit| Some((unit.restart, positive(figure(unit)?)?.ln()))).collect();
    match figures.filter(|figures| !figures.is_empty()) {
        Some(figures) => {
            let blocks: Vec<f64> = figures
                .chunk_by(|left, right| left.0 == right.0)
                .map(|block| block.iter().map(|(_, log)| log).sum::<f64>() / block.len() as f64)
                .collect();
            let restarts = blocks.len();
            let rounds: Vec<f64> = figures.iter().map(|(_, log)| *log).collect();
            over(if restarts > 1 { &blocks } else { &rounds }, restarts)
        }
        None => pooled(if is_naive { found.naive? } else { found.model? }),
    }
}

fn over(logs: &[f64], restarts: usize) -> Option<Sample> {
    let log = logs.iter().sum::<f64>() / logs.len() as f64;
    log.is_finite().then(|| Sample { log, within: Paired::of(logs), restarts })
}

fn pooled(figure: f64) -> Option<Sample> {
    Some(Sample { log: positive(figure)?.ln(), within: None, restarts: 1 })
}

/// Closed calibration: one figure of each model, without interval.
fn capacity(ran: &Ran<'_>, question: Question<'_>) -> Result<Sample, String> {
    let of = |model: &str| ran.scenario.calibration.get(model).and_then(|found| positive(found.capacity.get()));
    let own = of(question.model);
    let figure = match question.of {
        Of::Model => own,
        Of::Speedup => own.zip(ran.cast.naive.and_then(|naive| of(&naive.name))).map(|(own, naive)| own / naive),
    };
    figure.and_then(pooled).ok_or_else(|| "the model was not calibrated".to_owned())
}

fn positive(figure: f64) -> Option<f64> {
    (figure.is_finite() && figure > 0.0).then_some(figure)
}
