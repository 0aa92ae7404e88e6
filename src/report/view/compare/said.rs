//! What is said of a comparison in sentences.

use super::super::facts;
use crate::analysis::ALL;
use crate::record::{ChangeRecord, CompareRecord, ComparedScenario, ComparedSide, MissingRecord};
use crate::report::format::{self, plural};
use crate::report::view::Tone;
use crate::units::{Ratio, Share};
use crate::words::{Basis, Change, Metric, Repetition, Side};

/// A side in a line: how it was named, which runs that is, what was measured.
pub(super) fn side(side: &ComparedSide) -> String {
    let Some(latest) = side.latest() else { return side.asked.clone() };
    let label = latest.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
    let when = match side.runs.as_slice() {
        [first, .., last] => {
            format!("{} runs from {} to {}{label}", side.runs.len(), first.started_at, last.started_at)
        }
        _ => format!("the run of {}{label}", latest.started_at),
    };
    let mut said = format!("{when} on {}, profile {}", facts::server(&latest.server), latest.profile);
    if side.asked != latest.path {
        said = format!("{}: {said}", side.asked);
    }
    if !side.runs.iter().all(|run| run.complete) {
        said.push_str(", INCOMPLETE");
    }
    said
}

/// The answer in a line.
pub(super) fn answer(record: &CompareRecord) -> String {
    if record.same {
        return "The same run stands on both sides: nothing changed, and nothing is judged".to_owned();
    }
    let scenarios = plural(record.scenarios.len() as u64, "scenario", "scenarios");
    let judged = record.changes().filter(|(_, change)| change.verdict.is_some()).count();
    if judged == 0 {
        return format!("No verdict on {scenarios}: {}; {}", why_none(record), evidence(record));
    }
    let regressions = match record.regressions {
        0 => "No regression".to_owned(),
        number => plural(number, "regression", "regressions"),
    };
    let improvements = match record.improvements {
        0 => String::new(),
        number => format!(", {}", plural(number, "improvement", "improvements")),
    };
    format!("{regressions}{improvements} in {scenarios}; {}", evidence(record))
}

/// How much changed of the evidence.
fn evidence(record: &CompareRecord) -> String {
    let changes = || record.scenarios.iter().flat_map(|scenario| &scenario.evidence);
    let worse = match changes().filter(|change| change.worse == Some(true)).count() {
        0 => String::new(),
        number => format!(", {} for the worse", format::count(number as u64)),
    };
    match changes().count() {
        0 => "the evidence is the same".to_owned(),
        number => format!("{} of the evidence{worse}", plural(number as u64, "change", "changes")),
    }
}

fn why_none(record: &CompareRecord) -> String {
    let reasons = record.changes().filter_map(|(_, change)| change.reason.clone());
    reasons.into_iter().next().unwrap_or_else(|| "both sides have no operation of a model in common".to_owned())
}

/// A line for each change that counts, regressions first.
pub(super) fn judged(record: &CompareRecord) -> Vec<(String, Tone)> {
    let lines = |wanted, tone| {
        record.judged(wanted).map(move |(scenario, change)| (line(record, scenario, change), tone)).collect::<Vec<_>>()
    };
    let mut said = lines(Change::Regression, Tone::Bad);
    said.extend(lines(Change::Improvement, Tone::Good));
    said
}

fn line(record: &CompareRecord, scenario: &ComparedScenario, change: &ChangeRecord) -> String {
    let what = match is_speedup(scenario, change) {
        true => format!("speed-up of {}", of(change)),
        false => of(change),
    };
    let figures = figure(scenario, change, change.base)
        .zip(figure(scenario, change, change.new))
        .map(|(base, new)| format!(" {base} → {new},"))
        .unwrap_or_default();
    let verdict = change.verdict.map(|verdict| word(verdict, record.threshold)).unwrap_or_default();
    format!(
        "{verdict}: {}, {} of {}: {what}{figures} {}",
        heading(record, scenario),
        operation(&change.operation),
        change.model,
        interval(change).unwrap_or_default()
    )
}

/// Name and, where the runs have several of the scenario, workload.
pub(super) fn heading(record: &CompareRecord, scenario: &ComparedScenario) -> String {
    let siblings = record.scenarios.iter().filter(|other| other.name == scenario.name).count();
    if siblings > 1 { format!("{} · {}", scenario.name, scenario.workload) } else { scenario.name.clone() }
}

pub(super) fn operation(name: &str) -> &str {
    if name == ALL { "all (whole mix)" } else { name }
}

/// Whether a change is one of the scenario's speed-ups.
fn is_speedup(scenario: &ComparedScenario, change: &ChangeRecord) -> bool {
    scenario.speedups.iter().any(|speedup| std::ptr::eq(speedup, change))
}

/// A figure of a change with its unit.
fn figure(scenario: &ComparedScenario, change: &ChangeRecord, value: Option<f64>) -> Option<String> {
    let value = value?;
    Some(if is_speedup(scenario, change) {
        format::ratio(Ratio::new(value))
    } else {
        format::figure(change.metric, value)
    })
}

/// The metric and what it is of: `p95 of response time`.
pub(super) fn of(change: &ChangeRecord) -> String {
    match (change.metric, change.basis) {
        (Metric::Throughput, Basis::Capacity) => "capacity at calibration".to_owned(),
        (Metric::Throughput, _) => "throughput".to_owned(),
        (metric, Basis::Response) => format!("{metric} of response time"),
        (metric, Basis::LightLoad) => format!("{metric} at light load"),
        (metric, _) => format!("{metric} of service time"),
    }
}

/// New ÷ base with its interval, where it has one.
pub(super) fn interval(change: &ChangeRecord) -> Option<String> {
    let ratio = change.change?;
    Some(match change.low.zip(change.high) {
        Some((low, high)) => format::ratio_with_interval(ratio, low, high),
        None => format::ratio(ratio),
    })
}

/// A verdict in words.
pub(super) fn word(verdict: Change, threshold: Share) -> String {
    match verdict {
        Change::Equal => format!("no change beyond {}", format::small_share(threshold)),
        Change::Inconclusive => "not decided".to_owned(),
        other => other.to_string(),
    }
}

/// What the intervals cover, a sentence for each kind that there is.
pub(super) fn coverage(record: &CompareRecord) -> Vec<String> {
    if record.same {
        return Vec::new();
    }
    let speedups = || record.scenarios.iter().flat_map(|scenario| &scenario.speedups);
    let any = |wanted| speedups().any(|change| change.repetition == Some(wanted));
    let mut said = Vec::new();
    if any(Repetition::Rounds) {
        said.push(format!(
            "Intervals of speed-ups cover the rounds of these runs and, for each run, an allowance of {} for what a \
             speed-up differs by from one run to the next. That is taken for granted, not measured; groups of runs measure \
             it: compare latest~7..latest~1 latest, or all:LABEL on a side.",
            format::small_share(record.run_to_run)
        ));
    }
    if any(Repetition::Restarts) {
        said.push(
            "Intervals are over restarts: they cover fresh loads and server starts, not what another night differs in."
                .to_owned(),
        );
    }
    if any(Repetition::Runs) {
        let spread = speedups().filter_map(|change| change.run_to_run).map(Share::get).fold(None, largest);
        let spread = spread.map(|spread| {
            format!(
                " The speed-up that varies most does so by {} from run to run.",
                format::small_share(Share::new(spread))
            )
        });
        said.push(format!(
            "Intervals are over runs: they cover whatever varied between them.{}",
            spread.unwrap_or_default()
        ));
    }
    said
}

fn largest(most: Option<f64>, value: f64) -> Option<f64> {
    Some(most.map_or(value, |most: f64| most.max(value)))
}

/// What a side has not, in a line.
pub(super) fn missing(missing: &MissingRecord) -> String {
    let from = match missing.from {
        Side::Base => "the base has no",
        Side::New => "the new run has no",
    };
    let what = match (&missing.model, &missing.operation) {
        (Some(model), None) => format!("figures of model {model} in {}", missing.scenario),
        (_, Some(operation)) => format!("operation {operation} in {}", missing.scenario),
        (None, None) => format!("scenario {}", missing.scenario),
    };
    let why = missing.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("{from} {what}{why}")
}
