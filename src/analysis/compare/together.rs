//! The whole comparison.

use std::collections::{BTreeMap, BTreeSet};

use super::super::analyse::analyse;
use super::super::disturbance::too_disturbed;
use super::basis;
use super::changes::changes;
use super::differences::differences;
use super::evidence::evidence;
use super::incomparable::Incomparable;
use super::judge::judge;
use super::missing::missing;
use super::pair::{Pair, heading};
use super::sample::{Of, Ran};
use crate::record::{
    COMPARE_SCHEMA, CompareRecord, ComparedRun, ComparedScenario, ComparedSide, DifferenceRecord, RunRecord,
    ScenarioRecord, SpeedupRecord, Tool,
};
use crate::units::Share;
use crate::words::{Change, DataState, Metric, Sameness};

/// What the speed-up of a single run is taken to vary by from run to run: standard deviation of its logarithm.
pub const RUN_TO_RUN: Share = Share::new(0.05);

/// What is asked of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    /// The practical threshold: a change up to this is none.
    pub threshold: Share,
    /// The metrics that are compared.
    pub metrics: Vec<Metric>,
    /// What may differ between the runs.
    pub allowed: BTreeSet<Sameness>,
    /// What a speed-up is taken to vary by from run to run, where too few runs tell.
    pub run_to_run: Share,
}

/// One side of a comparison: runs of the same, from the oldest to the latest.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// How it was named.
    pub asked: String,
    /// Its runs, each with the place that its record was read from.
    pub runs: Vec<(String, RunRecord)>,
}

impl Compared {
    /// One side; records that were written before units kept each model's figures are analysed again.
    pub fn new(asked: String, runs: Vec<(String, RunRecord)>) -> Self {
        let renewed = runs.into_iter().map(|(path, run)| (path, renewed(run)));
        Self { asked, runs: renewed.collect() }
    }

    fn records(&self) -> Vec<&RunRecord> {
        self.runs.iter().map(|(_, run)| run).collect()
    }

    fn record(&self) -> ComparedSide {
        let run = |(path, run): &(String, RunRecord)| ComparedRun {
            path: path.clone(),
            started_at: run.started_at.clone(),
            label: run.label.clone(),
            complete: run.complete,
            profile: run.profile,
            tool: run.tool.clone(),
            server: run.server.clone(),
            client: run.client.clone(),
        };
        ComparedSide { asked: self.asked.clone(), runs: self.runs.iter().map(run).collect() }
    }
}

/// The record with the analysis of today, where it holds none, or one that lacks what is compared.
fn renewed(mut run: RunRecord) -> RunRecord {
    let profile = run.profile;
    for scenario in run.scenarios.iter_mut().filter(|scenario| lacks_units(scenario)) {
        analyse(scenario, profile);
    }
    run
}

/// Whether an interval does not say what it is made of.
fn lacks_units(scenario: &ScenarioRecord) -> bool {
    let comparisons = scenario.analysis.operations.values().flat_map(BTreeMap::values);
    let without_units = |found: &SpeedupRecord| {
        found.units.iter().any(|unit| unit.naive.is_none()) || (found.low.is_some() && found.units.is_empty())
    };
    scenario.analysis.operations.is_empty() || comparisons.into_iter().any(|found| without_units(&found.speedup))
}

/// Compares two sides, each of one run at least.
///
/// # Errors
/// When they differ in what must be the same and may not differ, or have nothing in common.
pub fn compare(base: &Compared, new: &Compared, options: &CompareOptions) -> Result<CompareRecord, Incomparable> {
    let (before, now) = (base.records(), new.records());
    let same = before == now;
    if !same {
        refuse_overlap(base, new)?;
    }
    let differences = all_differences(&before, &now);
    let refused = |difference: &&DifferenceRecord| {
        difference.sameness.is_some_and(|sameness| !options.allowed.contains(&sameness))
    };
    let refused: Vec<DifferenceRecord> = differences.iter().filter(refused).cloned().collect();
    if !refused.is_empty() {
        return Err(Incomparable::Different(refused));
    }
    let pairs = Pair::all(&before, &now);
    if pairs.is_empty() {
        return Err(Incomparable::NothingInCommon { base: names(&before), new: names(&now) });
    }
    let scenarios = pairs.iter().map(|pair| scenario(pair, options, same)).collect();
    let mut record = CompareRecord {
        schema: COMPARE_SCHEMA.to_owned(),
        tool: Tool { version: env!("CARGO_PKG_VERSION").to_owned() },
        base: base.record(),
        new: new.record(),
        same,
        threshold: options.threshold,
        run_to_run: options.run_to_run,
        regressions: 0,
        improvements: 0,
        differences,
        missing: missing(&before, &now, &pairs),
        scenarios,
    };
    record.regressions = record.judged(Change::Regression).count() as u64;
    record.improvements = record.judged(Change::Improvement).count() as u64;
    Ok(record)
}

/// A run among both sides would be taken for two that agree.
fn refuse_overlap(base: &Compared, new: &Compared) -> Result<(), Incomparable> {
    let twice = new.runs.iter().find(|(_, run)| base.runs.iter().any(|(_, other)| other == run));
    twice.map_or(Ok(()), |(path, _)| Err(Incomparable::OnBothSides { path: path.clone() }))
}

/// What differs between the oldest run of the base and each other run, each once.
fn all_differences(base: &[&RunRecord], new: &[&RunRecord]) -> Vec<DifferenceRecord> {
    let mut found: Vec<DifferenceRecord> = Vec::new();
    let Some((first, rest)) = base.split_first() else { return found };
    for run in rest.iter().chain(new) {
        for difference in differences(first, run) {
            if !found.contains(&difference) {
                found.push(difference);
            }
        }
    }
    found
}

fn names(runs: &[&RunRecord]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in runs {
        for scenario in &run.scenarios {
            let name = heading(run, scenario);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn scenario(pair: &Pair<'_>, options: &CompareOptions, same: bool) -> ComparedScenario {
    let now = pair.latest_new().scenario;
    let mut open = changes(pair, Of::Speedup, options, same);
    let speedups = open.len();
    open.extend(changes(pair, Of::Model, options, same));
    let mut speedups_and_figures = judge(open, options.threshold);
    let figures = speedups_and_figures.split_off(speedups);
    ComparedScenario {
        name: now.name.clone(),
        workload: now.workload.clone(),
        title: now.title.clone(),
        base_runs: pair.base.len() as u64,
        new_runs: pair.new.len() as u64,
        remarks: remarks(pair),
        speedups: speedups_and_figures,
        figures,
        evidence: evidence(pair),
    }
}

/// What must be known of a scenario's figures.
fn remarks(pair: &Pair<'_>) -> Vec<String> {
    let mut said = basis::remarks(pair);
    let any = |side: &[Ran<'_>], wanted: fn(&Ran<'_>) -> bool| side.iter().any(wanted);
    let mut on = |words: &str, wanted: fn(&Ran<'_>) -> bool| {
        let sides = match (any(&pair.base, wanted), any(&pair.new, wanted)) {
            (false, false) => return,
            (true, false) => "in the base",
            (false, true) => "in the new run",
            (true, true) => "on both sides",
        };
        said.push(format!("{words} {sides}"));
    };
    on("not everything that was planned was measured", |ran| !ran.scenario.complete);
    on("data grow over the run, so that figures of a model are averages over it,", |ran| {
        ran.scenario.plan.state == DataState::Growing
    });
    on("fewer than half of the rounds ran undisturbed", |ran| !too_disturbed(ran.scenario).is_empty());
    said
}
