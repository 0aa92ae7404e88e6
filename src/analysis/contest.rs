//! Each model against naive, operation by operation.

use std::collections::BTreeMap;

use super::analyse::{ALL, operations};
use super::cast::Cast;
use super::estimate::{Estimate, Estimates};
use super::latencies::{lone_latencies, paired_latencies};
use super::samples::{Latency, Samples};
use super::throughput;
use super::windows::Windows;
use crate::record::{ModelRecord, ScenarioRecord};
use crate::words::{Metric, Phase};

/// What of a record is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    pub(super) phase: Phase,
    pub(super) latency: Latency,
}

/// One model against naive, for every operation and the whole mix.
#[derive(Debug)]
pub(super) struct Contest<'a> {
    pub(super) naive: Option<&'a ModelRecord>,
    pub(super) model: Option<&'a ModelRecord>,
    pub(super) operations: BTreeMap<&'a str, Estimates>,
}

impl Contest<'_> {
    /// The names of those that are there.
    pub(super) fn models(&self) -> impl Iterator<Item = &str> {
        [self.naive, self.model].into_iter().flatten().map(|model| model.name.as_str())
    }
}

/// Estimates every operation and the whole mix: the pattern against naive first, then the others in the order of the file.
/// With them goes the whole mix, window by window.
///
/// Histograms are decoded one operation at a time.
pub(super) fn estimate_all<'a>(
    scenario: &'a ScenarioRecord,
    cast: &Cast<'a>,
    view: View,
) -> (Vec<Contest<'a>>, Samples<'a>) {
    let against = |model| Contest { naive: cast.naive, model, operations: BTreeMap::new() };
    let mut contests = vec![against(cast.pattern)];
    contests.extend(cast.others.iter().map(|model| against(Some(*model))));
    let windows = Windows::of(&scenario.rounds, view.phase);
    let mut mix = Samples::default();
    for operation in operations(scenario) {
        let telling = cast.shown().flat_map(|model| windows.telling(&model.name));
        let samples = Samples::of(telling, operation, view.latency);
        for contest in &mut contests {
            let estimates = estimate(contest, &windows, &samples);
            contest.operations.insert(operation, estimates);
        }
        mix.add(&samples);
    }
    for contest in &mut contests {
        let mut estimates = estimate(contest, &windows, &mix);
        if view.phase == Phase::Measured {
            estimates.insert(Metric::Throughput, rate(scenario, contest, &windows));
        }
        contest.operations.insert(ALL, estimates);
    }
    (contests, mix)
}

fn estimate(contest: &Contest<'_>, windows: &Windows<'_>, samples: &Samples<'_>) -> Estimates {
    let alone = |why: &str| {
        let own = |model: Option<&ModelRecord>| {
            let name = model.map(|model| model.name.clone());
            name.into_iter().flat_map(|name| samples.of_model(&name).collect::<Vec<_>>())
        };
        lone_latencies(own(contest.naive), own(contest.model), why)
    };
    let (naive, model) = match parties(contest) {
        Ok(parties) => parties,
        Err(why) => return alone(&why),
    };
    let (pairs, damaged) = samples.pairs(&windows.pairs(&naive.name, &model.name));
    match (pairs.is_empty(), damaged) {
        (false, _) => paired_latencies(&pairs, damaged),
        (true, 0) => alone(&no_pair(windows, naive, model)),
        (true, _) => alone("the histograms of all rounds are damaged"),
    }
}

fn rate(scenario: &ScenarioRecord, contest: &Contest<'_>, windows: &Windows<'_>) -> Estimate {
    match parties(contest) {
        Ok((naive, model)) => {
            let pairs = windows.pairs(&naive.name, &model.name);
            throughput::compare(scenario, &pairs, &naive.name, &model.name)
        }
        Err(why) => {
            let own = |model: Option<&ModelRecord>| throughput::rate(windows.telling(&model?.name));
            let (naive, model) = (own(contest.naive), own(contest.model));
            Estimate { naive, model, reason: Some(why), ..Estimate::default() }
        }
    }
}

/// Both models of a contest, or why there are not two.
fn parties<'a>(contest: &Contest<'a>) -> Result<(&'a ModelRecord, &'a ModelRecord), String> {
    let naive = contest.naive.ok_or("the run has no model in the role naive")?;
    let model = contest.model.ok_or("the run has no model in the role pattern")?;
    Ok((naive, model))
}

fn no_pair(windows: &Windows<'_>, naive: &ModelRecord, model: &ModelRecord) -> String {
    let skipped = [naive, model].into_iter().find_map(|model| Some((&model.name, model.skipped.as_ref()?)));
    match skipped {
        Some((name, why)) if windows.has(name) => format!("{name} has no window that counts: {why}"),
        Some((name, why)) => format!("{name} was not measured: {why}"),
        None => "no round in which both models have a complete and undisturbed window".to_owned(),
    }
}
