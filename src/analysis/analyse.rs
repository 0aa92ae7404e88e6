//! The comparison of a scenario's models, made from its rounds.

use std::collections::{BTreeMap, BTreeSet};

use super::cast::Cast;
use super::estimate::{Estimate, Estimates, lone_latencies, paired_latencies};
use super::headline::CARRIERS;
use super::paired::Paired;
use super::samples::{Latency, Samples};
use super::settle;
use super::verdict::{THRESHOLD, decide};
use super::windows::Windows;
use super::{claims, throughput, tuning};
use crate::record::{AnalysisRecord, ComparisonRecord, ModelRecord, OtherComparison, ScenarioRecord};
use crate::words::{Metric, Phase, Profile, Verdict};

/// The reserved name of the whole mix.
pub const ALL: &str = "all";

/// Fills in `analysis` and the outcome of `claims`.
///
/// Depends on nothing but the record, so it can be made again from a `run.json` that was read back and gives the same.
/// Whatever the record holds, every figure written is finite, and one without sample is absent with a reason.
pub fn analyse(scenario: &mut ScenarioRecord, profile: Profile) {
    scenario.analysis = compare(scenario, profile);
    claims::judge_all(scenario, profile);
}

/// The operations of a scenario: those of the mix and whatever else was measured, by name.
pub fn operations(scenario: &ScenarioRecord) -> BTreeSet<&str> {
    let measured = scenario.rounds.iter().filter(|round| round.phase == Phase::Measured);
    let named = scenario.plan.mix.keys().chain(measured.flat_map(|round| round.operations.keys()));
    named.map(String::as_str).filter(|name| *name != ALL).collect()
}

/// Why nothing of a run gets a verdict, if that is so.
pub(super) fn withheld(scenario: &ScenarioRecord, profile: Profile) -> Option<String> {
    let mismatches = |count: Option<u64>| count.filter(|count| *count > 0);
    if let Some(count) = mismatches(scenario.parity.as_ref().map(|parity| parity.mismatches)) {
        return Some(format!("no verdict: the models answered {count} operations differently"));
    }
    if let Some(count) = mismatches(scenario.closing_parity.as_ref().map(|parity| parity.mismatches)) {
        return Some(format!("no verdict: the models diverged under load ({count} reads differ after the last round)"));
    }
    (profile == Profile::Smoke).then(|| "no verdict: smoke runs only show that everything works".to_owned())
}

/// One model against naive, for every operation.
struct Contest<'a> {
    naive: Option<&'a ModelRecord>,
    model: Option<&'a ModelRecord>,
    operations: BTreeMap<&'a str, Estimates>,
}

fn compare(scenario: &ScenarioRecord, profile: Profile) -> AnalysisRecord {
    let cast = Cast::of(&scenario.models);
    let mut contests = vec![Contest { naive: cast.naive, model: cast.pattern, operations: BTreeMap::new() }];
    contests.extend(cast.others.iter().map(|model| Contest {
        naive: cast.naive,
        model: Some(model),
        operations: BTreeMap::new(),
    }));
    estimate_all(scenario, &cast, &mut contests);
    let withheld = withheld(scenario, profile);
    for contest in &mut contests {
        judge(contest, withheld.as_deref());
    }
    let mut analysis = assemble(&contests);
    tuning::share(scenario, &mut analysis);
    analysis
}

/// Estimates every operation and the whole mix; histograms are decoded one operation at a time.
fn estimate_all<'a>(scenario: &'a ScenarioRecord, cast: &Cast<'a>, contests: &mut [Contest<'a>]) {
    let windows = Windows::of(&scenario.rounds);
    let latency = Latency::of(scenario);
    let mut mix = Samples::default();
    for operation in operations(scenario) {
        let usable = cast.shown().flat_map(|model| windows.telling(&model.name));
        let samples = Samples::of(usable, operation, latency);
        for contest in contests.iter_mut() {
            let estimates = estimate(contest, &windows, &samples);
            contest.operations.insert(operation, estimates);
        }
        mix.add(&samples);
    }
    for contest in contests.iter_mut() {
        let mut estimates = estimate(contest, &windows, &mix);
        estimates.insert(Metric::Throughput, rate(scenario, contest, &windows));
        contest.operations.insert(ALL, estimates);
    }
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

/// Gives each operation its verdict: the operations are one family, the whole mix is a question of its own.
fn judge(contest: &mut Contest<'_>, withheld: Option<&str>) {
    let carriers: Vec<(&str, Metric, Paired)> = contest
        .operations
        .iter()
        .filter_map(|(operation, estimates)| {
            let carrier = |metric| Some((*operation, metric, estimates.get(&metric)?.paired?));
            CARRIERS.into_iter().find_map(carrier)
        })
        .collect();
    let (mix, family): (Vec<_>, Vec<_>) = carriers.into_iter().partition(|(operation, ..)| *operation == ALL);
    for questions in [family, mix] {
        let paired: Vec<Paired> = questions.iter().map(|(.., paired)| *paired).collect();
        for ((operation, metric, paired), decision) in questions.iter().zip(decide(&paired, THRESHOLD)) {
            let estimates = contest.operations.get_mut(operation).expect("the operation was just listed");
            let estimate = estimates.get_mut(metric).expect("the metric was just listed");
            if let Some(why) = withheld {
                estimate.reason = Some(why.to_owned());
            } else {
                estimate.verdict = Some(decision.verdict);
                if decision.verdict == Verdict::Inconclusive {
                    let family = questions.len();
                    estimate.reason = Some(doubt(paired, decision.held_back, family, estimate.rounds_per_unit()));
                }
            }
            if *metric != Metric::P95 {
                say_who_carries(estimates, *metric);
            }
        }
    }
}

fn doubt(paired: &Paired, held_back: bool, family: usize, rounds_per_unit: usize) -> String {
    let advice = settle::advice(paired, THRESHOLD.ln_1p(), family, rounds_per_unit);
    if held_back {
        format!("the interval lies beyond ±5 %, but not after Holm's adjustment for {family} operations; {advice}")
    } else {
        format!("the rounds do not decide whether the ratio lies beyond ±5 %; {advice}")
    }
}

fn say_who_carries(estimates: &mut Estimates, metric: Metric) {
    if let Some(p95) = estimates.get_mut(&Metric::P95) {
        let said = p95.reason.take().map(|reason| format!("{reason}; ")).unwrap_or_default();
        p95.reason = Some(format!("{said}{metric} carries the verdict"));
    }
}

fn assemble(contests: &[Contest<'_>]) -> AnalysisRecord {
    let Some((primary, others)) = contests.split_first() else { return AnalysisRecord::default() };
    let mut analysis = AnalysisRecord::default();
    for (operation, estimates) in &primary.operations {
        let by_metric = analysis.operations.entry((*operation).to_owned()).or_default();
        for (metric, estimate) in estimates {
            let comparison = ComparisonRecord {
                naive: estimate.naive,
                pattern: estimate.model,
                speedup: estimate.record(),
                others: others.iter().filter_map(|contest| other(contest, operation, *metric)).collect(),
                tuning_share: None,
            };
            by_metric.insert(*metric, comparison);
        }
    }
    analysis
}

fn other(contest: &Contest<'_>, operation: &str, metric: Metric) -> Option<(String, OtherComparison)> {
    let estimate = contest.operations.get(operation)?.get(&metric)?;
    let record = OtherComparison { naive: estimate.naive, pattern: estimate.model, speedup: estimate.record() };
    Some((contest.model?.name.clone(), record))
}
