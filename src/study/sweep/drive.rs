//! The sweep: value after value, and a record that is whole at any time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::axis::{Axis, AxisValue, staying};
use super::point::{is_result, plan_point, point};
use super::refine::{Next, Refinement};
use crate::analysis::{analyse_sweep, keep_claims};
use crate::plan::{RunOptions, resolve_parameters};
use crate::record::{
    self, PointRecord, RecordError, SWEEP_SCHEMA, SweepRecord, SweptModelRecord, SweptScenarioRecord, Tool,
};
use crate::run::{Extent, Interrupt, Listener, RunError, RunRequest, Target, run, server_of, this_machine};
use crate::scenario::{Model, Scenario};
use crate::words::Role;

/// What is swept.
#[derive(Debug)]
pub struct SweepRequest<'a> {
    /// What to measure on; a server is kept from value to value.
    pub target: Target<'a>,
    /// How each value is measured.
    pub options: RunOptions,
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// What is varied.
    pub axis: Axis,
    /// Whether values are added around a crossover.
    pub refinement: Option<Refinement>,
    /// Where `sweep.json` goes, and a folder for each value.
    pub folder: &'a Path,
    /// What is known already: an empty record, or one that was begun ([`differences`](super::differences) says whether it may be gone on with).
    pub known: SweepRecord,
}

/// What a sweep yields, whatever happened.
#[derive(Debug)]
pub struct SweepFinish {
    /// What was measured.
    pub record: SweepRecord,
    /// What went wrong, in the order met; the last may have ended it. Models that fail at a value are no errors: the point
    /// says so.
    pub errors: Vec<RunError>,
}

/// Hears the runs of a sweep, and when they begin and end.
pub trait SweepListener: Listener {
    /// A value will be measured, after so many others; so many are planned as far as that is known.
    fn begins(&mut self, value: &AxisValue, done: usize, planned: usize);
    /// A value was measured.
    fn done(&mut self, point: &PointRecord);
}

/// The record of a sweep before anything was measured; `settings` are whatever else decides what is measured at a value.
///
/// # Errors
/// Options that do not fit the scenario.
pub fn empty_sweep(
    scenario: &Scenario,
    options: &RunOptions,
    axis: &Axis,
    refinement: Option<Refinement>,
    target: &Target<'_>,
    settings: BTreeMap<String, String>,
) -> Result<SweepRecord, RunError> {
    let parameters = resolve_parameters(scenario, options.profile, &options.set)?;
    Ok(SweepRecord {
        schema: SWEEP_SCHEMA.to_owned(),
        tool: Tool { version: env!("CARGO_PKG_VERSION").to_owned() },
        complete: false,
        started_at: record::now(),
        finished_at: None,
        label: options.label.clone(),
        profile: options.profile,
        seed: options.seed,
        server: server_of(target),
        client: this_machine(),
        scenario: SweptScenarioRecord {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            file_sha256: scenario.file_sha256.clone(),
            parameters: staying(axis, &parameters),
            models: models(scenario, options),
        },
        settings,
        axis: axis.record(refinement.map(|refinement| refinement.factor)),
        points: Vec::new(),
        fits: Vec::new(),
        crossover: Vec::new(),
        claims: Vec::new(),
        mixes: BTreeMap::new(),
        notes: Vec::new(),
    })
}

/// The models that run, in the order shown: naive, the first pattern, the others.
fn models(scenario: &Scenario, options: &RunOptions) -> Vec<SweptModelRecord> {
    let runs = |model: &&Model| {
        let asked = options.models.as_ref().is_none_or(|asked| asked.contains(&model.name));
        asked || model.role == Role::Naive
    };
    let mut models: Vec<&Model> = scenario.models.iter().filter(runs).collect();
    let pattern = models.iter().find(|model| model.role == Role::Pattern).map(|model| model.name.clone());
    models.sort_by_key(|model| match model.role {
        Role::Naive => 0,
        _ if Some(&model.name) == pattern.as_ref() => 1,
        _ => 2,
    });
    let record =
        |model: &Model| SweptModelRecord { name: model.name.clone(), role: model.role, title: model.title.clone() };
    models.into_iter().map(record).collect()
}

/// Measures every value that the record does not have yet, then those that refinement adds. Never prints: the listener
/// hears what happens.
pub async fn sweep(request: &SweepRequest<'_>, listener: &mut dyn SweepListener, interrupt: Interrupt) -> SweepFinish {
    let mut finish = SweepFinish { record: request.known.clone(), errors: Vec::new() };
    finish.record.complete = false;
    finish.record.finished_at = None;
    let outcome = go_on(request, listener, &interrupt, &mut finish).await;
    let whole = outcome.is_ok();
    finish.errors.extend(outcome.err());
    finish.record.complete = whole;
    finish.record.finished_at = Some(record::now());
    if let Err(error) = finish.record.write_atomically(request.folder) {
        finish.errors.push(error.into());
    }
    finish
}

/// Errors of one value go to `finish`; the one answered ends the sweep.
async fn go_on(
    request: &SweepRequest<'_>,
    listener: &mut dyn SweepListener,
    interrupt: &Interrupt,
    finish: &mut SweepFinish,
) -> Result<(), RunError> {
    analyse_sweep(&mut finish.record);
    finish.record.write_atomically(request.folder)?;
    while let Some((value, added)) = next(request, &mut finish.record) {
        let done = finish.record.points.len();
        listener.begins(&value, done, request.axis.values.len().max(done + 1));
        let begun = Instant::now();
        let (options, plans) = plan_point(&request.scenario, &request.options, &value)
            .map_err(|error| RunError::Usage(error.to_string()))?;
        let folder = request.folder.join(value.folder());
        std::fs::create_dir_all(&folder).map_err(|source| RecordError::Folder { path: folder.clone(), source })?;
        let asked = RunRequest {
            target: request.target.clone(),
            plans,
            options,
            folder: Some(&folder),
            extent: Extent::Everything,
        };
        let measured = run(&asked, listener, interrupt.clone()).await;
        let (ending, bearable): (Vec<RunError>, Vec<RunError>) = {
            let point = point(&value, added, begun, &measured);
            let (ending, bearable): (Vec<_>, Vec<_>) = measured.errors.into_iter().partition(RunError::ends_the_run);
            if ending.is_empty() {
                keep_claims(&mut finish.record.claims, &finish.record.axis, &point.run, &measured.record);
                listener.done(&point);
                finish.record.points.push(point);
            }
            (ending, bearable)
        };
        finish.errors.extend(bearable.into_iter().filter(|error| !is_result(error)));
        if let Some(error) = ending.into_iter().next_back() {
            return Err(error);
        }
        analyse_sweep(&mut finish.record);
        finish.record.write_atomically(request.folder)?;
    }
    Ok(())
}

/// The next value, and whether refinement adds it.
fn next(request: &SweepRequest<'_>, record: &mut SweepRecord) -> Option<(AxisValue, bool)> {
    let untried = |value: &&AxisValue| !record.points.iter().any(|point| value.is_at(point));
    if let Some(value) = request.axis.values.iter().find(untried) {
        return Some((value.clone(), false));
    }
    match request.refinement.as_ref()?.next(record, &request.axis) {
        Next::Value(value) => Some((value, true)),
        Next::Done(why) => {
            record.axis.refinement = Some(why);
            None
        }
    }
}
