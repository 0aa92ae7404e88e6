//! The course of a study: whose turn it is, what it is offered, and what is kept of it.

use std::path::{Path, PathBuf};

use crate::analysis::{Asked, SearchLimits, capacity, knee, least_operations, next_rate, probed, rate_curve};
use crate::plan::{MAX_CONCURRENCY, Mix, Plan};
use crate::record::{CapacityModel, CapacityRecord, ModelRecord, Objective, ScenarioRecord};
use crate::run::{Probe, Probed, Prober, RunError};
use crate::units::{Micros, Rate, Seconds};
use crate::words::{CapacityFound, Metric, ProbeOutcome, Profile};

/// How long a rate is held in a window, by profile, unless it is asked for.
pub const fn hold(profile: Profile) -> Seconds {
    Seconds::new(match profile {
        Profile::Smoke => 1.0,
        Profile::Quick => 3.0,
        Profile::Standard => 10.0,
        Profile::Nightly => 30.0,
    })
}

/// The longest window that is run, in seconds, so that a quantile has the operations that it needs: lower rates are not
/// offered.
const LONGEST_WINDOW: f64 = 120.0;
/// Part of a model's closed capacity below which nothing queues, so that a lower rate could hold no better.
const LIGHT: f64 = 0.02;
/// The lowest rate that is offered at all.
const LOWEST_RATE: f64 = 0.1;
/// The highest.
const HIGHEST_RATE: f64 = 1_000_000.0;
/// The capacity of a model of which calibration says nothing.
const UNKNOWN_CAPACITY: f64 = 10.0;
/// Workers for each operation that is under way where every one takes as long as the objective allows.
const WORKERS_TO_SPARE: f64 = 2.0;

/// Windows that each model's search may take.
const fn most_windows(profile: Profile) -> u32 {
    match profile {
        Profile::Smoke => 18,
        Profile::Quick => 26,
        Profile::Standard => 30,
        Profile::Nightly => 40,
    }
}

/// A study while it goes on.
#[derive(Debug)]
pub(super) struct Course {
    record: CapacityRecord,
    folder: PathBuf,
    mix: Mix,
    /// Part of the mix's operations that are judged.
    judged: f64,
    concurrency: u32,
    /// Names of the plan's models, in its order.
    names: Vec<String>,
    /// Whose turn was last.
    last: usize,
    /// Windows so far, over all models.
    windows: u32,
}

impl Course {
    /// A study that begins, or goes on, with this record.
    pub(super) fn new(record: CapacityRecord, plan: &Plan, folder: &Path) -> Self {
        let operations = plan.workload().operations.iter().enumerate();
        let only = record.objective.operation.as_deref();
        let is_judged = |name: &str, counted_only: bool| !counted_only && only.is_none_or(|only| only == name);
        let judged: u64 = operations
            .filter(|(_, operation)| is_judged(&operation.name, operation.counted_only))
            .map(|(place, _)| plan.mix.per_block(place))
            .sum();
        let windows = record.models.iter().map(|model| model.probes.len()).sum::<usize>();
        Self {
            judged: judged.max(1) as f64 / plan.mix.block_length() as f64,
            mix: plan.mix.clone(),
            concurrency: plan.concurrency,
            names: plan.models().map(|model| model.name.clone()).collect(),
            last: plan.models.len().saturating_sub(1),
            windows: u32::try_from(windows).unwrap_or(u32::MAX),
            folder: folder.to_owned(),
            record,
        }
    }

    /// What is known at the end.
    pub(super) fn into_record(self) -> CapacityRecord {
        self.record
    }

    /// Operations that a window must do so that those judged suffice for the objective's quantiles.
    fn least_operations(&self) -> f64 {
        least_operations(&self.record.objective) as f64 / self.judged
    }

    fn limits(&self, model: &CapacityModel) -> SearchLimits {
        let calibrated = model.calibrated.map_or(UNKNOWN_CAPACITY, Rate::get);
        let quickest = (self.least_operations() / LONGEST_WINDOW).max(LOWEST_RATE);
        SearchLimits {
            calibrated: Rate::new(calibrated),
            floor: Rate::new((LIGHT * calibrated).max(quickest)),
            ceiling: Rate::new(HIGHEST_RATE),
            windows: most_windows(self.record.profile),
        }
    }

    /// Operations of a window at this rate, in whole blocks of the mix.
    fn operations(&self, rate: Rate) -> u64 {
        let held = rate.get() * self.record.objective.hold.get();
        self.mix.whole_blocks(held.max(self.least_operations()).ceil() as u64)
    }

    fn model(&mut self, name: &str) -> Option<&mut CapacityModel> {
        self.record.models.iter_mut().find(|model| model.name == name)
    }
}

impl Prober for Course {
    fn is_calibrated(&self) -> bool {
        self.record.workers.is_some()
    }

    fn begin(&mut self, record: &ScenarioRecord) {
        self.record.dataset_sha256 = Some(record.dataset_sha256.clone());
        if self.is_calibrated() {
            return;
        }
        self.record.models = record.models.iter().map(|model| begun(model, record)).collect();
        let fastest = self.record.models.iter().filter_map(|model| model.calibrated).map(Rate::get);
        let fastest = fastest.fold(UNKNOWN_CAPACITY, f64::max);
        self.record.workers = Some(workers(&self.record.objective, fastest).max(self.concurrency));
    }

    fn workers(&self) -> u32 {
        self.record.workers.unwrap_or(self.concurrency)
    }

    fn next(&mut self) -> Option<Probe> {
        let count = self.names.len();
        for step in 1..=count {
            let turn = (self.last + step) % count;
            let name = &self.names[turn];
            let found = self.record.models.iter().find(|model| model.name == *name && model.skipped.is_none());
            let Some(model) = found else { continue };
            if let Some(rate) = next_rate(&model.probes, &self.limits(model)) {
                let probe = Probe { model: name.clone(), rate, operations: self.operations(rate) };
                self.last = turn;
                return Some(probe);
            }
        }
        None
    }

    fn hear(&mut self, probed: Probed) -> Result<String, RunError> {
        let Probed { probe, window, fresh } = probed;
        let objective = self.record.objective.clone();
        let asked = Asked {
            number: self.windows,
            rate: probe.rate,
            arrivals: self.record.arrivals,
            objective: &objective,
            fresh,
        };
        let judged = self::probed(&window, &asked);
        self.windows += 1;
        let mut said = String::new();
        if let Some(model) = self.model(&probe.model) {
            model.probes.push(judged.clone());
            model.answer = capacity(&model.probes);
            model.curve = rate_curve(&model.probes, &objective);
            model.knee = knee(&model.curve);
            said = line(model, &objective, judged.outcome, judged.why.as_deref());
        }
        self.record.write_atomically(&self.folder)?;
        Ok(said)
    }
}

/// A model before its first window.
fn begun(model: &ModelRecord, record: &ScenarioRecord) -> CapacityModel {
    CapacityModel {
        name: model.name.clone(),
        role: model.role,
        title: model.title.clone(),
        skipped: model.skipped.clone(),
        calibrated: record.calibration.get(&model.name).map(|known| known.capacity),
        probes: Vec::new(),
        answer: None,
        curve: Vec::new(),
        knee: None,
    }
}

/// Workers for a rate as high as the fastest model's capacity: twice as many as are busy where every operation takes as long
/// as the objective allows (Little's law). The same for all models and rates, so that no rate is held back more than another.
fn workers(objective: &Objective, fastest: f64) -> u32 {
    let longest = objective.latencies.values().copied().map(Micros::get).fold(0.0, f64::max) / 1e6;
    let busy = (WORKERS_TO_SPARE * fastest * longest).ceil();
    busy.clamp(1.0, f64::from(MAX_CONCURRENCY)) as u32
}

/// A window in a line, and what is known by now.
fn line(model: &CapacityModel, objective: &Objective, outcome: ProbeOutcome, why: Option<&str>) -> String {
    let Some(last) = model.probes.last() else { return String::new() };
    let metric = objective.latencies.keys().next().copied().unwrap_or(Metric::P95);
    let latency = last
        .latencies
        .get(&metric)
        .map_or_else(|| format!("{metric} n/a"), |latency| format!("{metric} {:.2} ms", latency.get() / 1e3));
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let mut said = format!("{} at {:.0}/s: {latency}, {outcome}{why}", model.name, last.rate.get());
    if let Some(answer) = model.answer.as_ref().filter(|answer| answer.found == CapacityFound::Within) {
        let end = |end: Option<Rate>| end.map_or_else(|| "?".to_owned(), |end| format!("{:.0}", end.get()));
        let rate = answer.rate.map_or(0.0, Rate::get);
        said.push_str(&format!("; edge near {rate:.0}/s ({}–{})", end(answer.low), end(answer.high)));
    }
    said
}
