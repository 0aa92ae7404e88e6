//! One value of the axis: a run of its own, and what the sweep keeps of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::axis::{AxisError, AxisValue};
use super::load::fitted;
use super::mix::with_mix;
use crate::analysis::renew_point;
use crate::plan::{Plan, RunOptions, plan_scenario};
use crate::record::{PointFailureRecord, PointRecord, RunRecord, ScenarioRecord};
use crate::run::{RunError, RunFinish};
use crate::scenario::Scenario;
use crate::units::Seconds;
use crate::words::{Phase, RoundOutcome};

/// Characters of an error that a point keeps; the run's record and the log have the rest.
const LONGEST_REASON: usize = 400;

/// Plans every workload at a value, and the options that it follows from.
///
/// # Errors
/// Whatever of the value or the options does not fit the scenario.
pub fn plan_point(
    scenario: &Arc<Scenario>,
    options: &RunOptions,
    value: &AxisValue,
) -> Result<(RunOptions, Vec<Plan>), AxisError> {
    let mixed = match value.reads {
        Some(reads) => with_mix(scenario, reads).map_err(AxisError::Unfit)?,
        None => Arc::clone(scenario),
    };
    let options = RunOptions {
        set: options.set.iter().chain(&value.set).cloned().collect(),
        cache_bytes: value.cache.map(crate::units::Bytes::get).or(options.cache_bytes),
        ..options.clone()
    };
    let plans = plan_scenario(&mixed, &options)?;
    let plans = plans.into_iter().map(|plan| fitted(plan, &options)).collect();
    Ok((options, plans))
}

/// What the sweep keeps of a run at a value.
pub(super) fn point(value: &AxisValue, added: bool, begun: Instant, finish: &RunFinish) -> PointRecord {
    let mut point = PointRecord {
        value: value.value.clone(),
        at: value.at,
        in_step: value.in_step.clone(),
        run: value.folder(),
        added,
        seconds: Seconds::from(begun.elapsed()),
        failed: failures(&finish.record, &finish.errors),
        storage: BTreeMap::new(),
        cache_bytes: None,
        disturbed: None,
        figures: Vec::new(),
        break_even: Default::default(),
    };
    renew_point(&mut point, &finish.record);
    point
}

/// Whether an error is what a value can come to, so that it belongs to the curve: a model that cannot bear its data or its
/// load. Others are faults of scenario or harness.
pub(super) const fn is_result(error: &RunError) -> bool {
    matches!(error, RunError::TooManyFailures { .. } | RunError::Load { .. })
}

fn failures(record: &RunRecord, errors: &[RunError]) -> Vec<PointFailureRecord> {
    let mut failed: Vec<PointFailureRecord> = record.scenarios.iter().flat_map(of_scenario).collect();
    failed.extend(errors.iter().map(|error| {
        let model = match error {
            RunError::TooManyFailures { model, .. } | RunError::TooManyEmpty { model, .. } => Some(model.clone()),
            _ => None,
        };
        PointFailureRecord { workload: None, model, why: in_a_line(&error.to_string()) }
    }));
    failed
}

fn of_scenario(scenario: &ScenarioRecord) -> Vec<PointFailureRecord> {
    let failure = |model: Option<&str>, why: String| PointFailureRecord {
        workload: Some(scenario.workload.clone()),
        model: model.map(str::to_owned),
        why,
    };
    if let Some(why) = &scenario.not_measurable {
        return vec![failure(None, format!("not measurable on this server: {why}"))];
    }
    let mut failed = Vec::new();
    for model in &scenario.models {
        if let Some(ended) = &model.ended {
            let why = format!("ended {}: {} met {}", ended.when(), ended.operation, ended.error);
            failed.push(failure(Some(&model.name), why));
        } else if let Some(why) = &model.skipped {
            failed.push(failure(Some(&model.name), why.clone()));
        } else if let Some(round) = saturated(scenario, &model.name) {
            let why = format!("saturated in round {}: not done in twice the planned time", round.saturating_add(1));
            failed.push(failure(Some(&model.name), why));
        }
    }
    failed
}

/// The round in which a model was too slow for its numbers.
fn saturated(scenario: &ScenarioRecord, model: &str) -> Option<u32> {
    let mut windows = scenario.rounds.iter().filter(|window| window.phase == Phase::Measured && window.model == model);
    windows.find(|window| window.outcome == RoundOutcome::Saturated).map(|window| window.round)
}

/// A message of several lines in one.
fn in_a_line(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let whole = lines.join("; ");
    match whole.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}
