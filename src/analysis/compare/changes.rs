//! How the speed-ups and the figures of a scenario changed.

use super::super::analyse::{ALL, withheld};
use super::super::estimate::ratio;
use super::super::limited::engine_limited;
use super::basis::basis;
use super::judge::Open;
use super::pair::Pair;
use super::sample::{Of, Question, Ran, sample};
use super::together::CompareOptions;
use super::welch::{ENOUGH, Sample, change, difference, mean};
use crate::record::{ChangeRecord, ModelRecord};
use crate::units::Share;
use crate::words::{Basis, Metric, Repetition};

/// Why a run is not judged against itself.
const SAME: &str = "no verdict: the same run stands on both sides";

/// The changes of one kind that were asked for: speed-ups of the models against naive, or figures of all models.
pub(super) fn changes(pair: &Pair<'_>, of: Of, options: &CompareOptions, same: bool) -> Vec<Open> {
    let models = pair.models();
    let asked = |model: &&ModelRecord| of == Of::Model || !pair.latest_new().is_naive(&model.name);
    let models: Vec<&ModelRecord> = models.into_iter().filter(asked).collect();
    let withheld = withheld_on_either_side(pair, same);
    let operations = pair.operations();
    // The only operation is the whole mix, but for its rate, which the mix alone has.
    let is_asked = |metric: Metric, operation: &str| match metric {
        Metric::Throughput => operation == ALL,
        _ => operation != ALL || operations.len() > 2,
    };
    let mut open: Vec<Open> = Vec::new();
    for metric in &options.metrics {
        for operation in operations.iter().copied().filter(|operation| is_asked(*metric, operation)) {
            for model in &models {
                let (pair, basis) = basis(pair, &model.name, *metric);
                let metric_that_speaks = carrier(&pair, operation, &model.name, *metric, basis);
                let question = Question { operation, model: &model.name, metric: metric_that_speaks, basis, of };
                // p50 may speak for p95 and be asked for itself.
                if !open.iter().any(|other| other.answers(question)) {
                    open.push(Open { asked: *metric, ..one(&pair, model, question, options, withheld.as_deref()) });
                }
            }
        }
    }
    open
}

/// Why nothing of the scenario is judged, if that is so.
fn withheld_on_either_side(pair: &Pair<'_>, same: bool) -> Option<String> {
    if same {
        return Some(SAME.to_owned());
    }
    pair.runs().find_map(|ran| withheld(ran.scenario, ran.run.profile))
}

/// p95 as long as every run has enough operations for its interval, else p50, as in a run's own verdict.
fn carrier(pair: &Pair<'_>, operation: &str, model: &str, metric: Metric, basis: Basis) -> Metric {
    let has_interval = |metric| {
        let question = Question { operation, model, metric, basis, of: Of::Model };
        pair.runs().all(|ran| sample(ran, question).is_ok_and(|sample| sample.within.is_some()))
    };
    if metric == Metric::P95 && !has_interval(Metric::P95) && has_interval(Metric::P50) { Metric::P50 } else { metric }
}

fn one(
    pair: &Pair<'_>,
    model: &ModelRecord,
    question: Question<'_>,
    options: &CompareOptions,
    withheld: Option<&str>,
) -> Open {
    let mut record = ChangeRecord {
        operation: question.operation.to_owned(),
        model: model.name.clone(),
        role: model.role,
        metric: question.metric,
        basis: question.basis,
        base: None,
        new: None,
        change: None,
        low: None,
        high: None,
        repetition: None,
        run_to_run: None,
        shows_from: None,
        verdict: None,
        reason: None,
        engine_limited: limited(pair, question),
    };
    let open = |record: ChangeRecord, difference| Open { record, asked: question.metric, of: question.of, difference };
    let (base, new) = match (answers(&pair.base, question), answers(&pair.new, question)) {
        (Ok(base), Ok(new)) => (base, new),
        (Err(why), Ok(_)) => return open(ChangeRecord { reason: Some(format!("base: {why}")), ..record }, None),
        (Ok(_), Err(why)) => return open(ChangeRecord { reason: Some(format!("new: {why}")), ..record }, None),
        (Err(why), Err(other)) => {
            let reason = if why == other { why } else { format!("base: {why}; new: {other}") };
            return open(ChangeRecord { reason: Some(reason), ..record }, None);
        }
    };
    let figure = |side: &[Sample]| mean(side).map(f64::exp).filter(|figure| figure.is_finite() && *figure > 0.0);
    (record.base, record.new) = (figure(&base), figure(&new));
    record.change = change(&base, &new).and_then(|log| ratio(log.exp()));
    // Nobody has said how much a model's own figure varies from run to run.
    let run_to_run = if question.of == Of::Speedup { options.run_to_run.get() } else { 0.0 };
    let found = if withheld == Some(SAME) { None } else { difference(&base, &new, run_to_run) };
    let Some(found) = found else {
        record.reason = Some(withheld.map_or_else(|| no_interval(question.basis), str::to_owned));
        return open(record, None);
    };
    let (low, high) = found.interval(0.95);
    (record.low, record.high) = (ratio(low.exp()), ratio(high.exp()));
    record.repetition = Some(found.repetition);
    record.run_to_run = found.run_to_run.map(Share::new);
    let why_not = withheld.map(str::to_owned).or_else(|| too_few(question.of, found.repetition, &base, &new));
    if why_not.is_some() {
        record.reason = why_not;
        return open(record, None);
    }
    open(record, Some(found))
}

/// What the runs of a side answer; those that do not are left out as long as one does.
fn answers(side: &[Ran<'_>], question: Question<'_>) -> Result<Vec<Sample>, String> {
    let all: Vec<Result<Sample, String>> = side.iter().map(|ran| sample(ran, question)).collect();
    let known: Vec<Sample> = all.iter().filter_map(|answer| answer.as_ref().ok().copied()).collect();
    match all.into_iter().find_map(Result::err) {
        Some(why) if known.is_empty() => Err(why),
        _ => Ok(known),
    }
}

/// Why the server distorts the row on both sides, if it does: naive or the model.
fn limited(pair: &Pair<'_>, question: Question<'_>) -> Option<String> {
    let of = |ran: &Ran<'_>| {
        let models = ran.scenario.models.iter();
        let mut concerned = models
            .filter(|model| model.name == question.model || (question.of == Of::Speedup && ran.is_naive(&model.name)));
        concerned.find_map(|model| engine_limited(ran.scenario, model, question.operation))
    };
    of(pair.latest_base()).and(of(pair.latest_new()))
}

fn no_interval(basis: Basis) -> String {
    match basis {
        Basis::Capacity => "one closed calibration on each side has no interval".to_owned(),
        _ => "too few operations for an interval".to_owned(),
    }
}

/// A model's own figures are judged by runs or restarts alone.
fn too_few(of: Of, repetition: Repetition, base: &[Sample], new: &[Sample]) -> Option<String> {
    if of == Of::Speedup || repetition == Repetition::Restarts {
        return None;
    }
    let enough = |side: &[Sample]| side.len() >= ENOUGH || side.iter().any(|run| run.restarts >= ENOUGH);
    match (base.len(), new.len()) {
        _ if repetition == Repetition::Runs && enough(base) && enough(new) => None,
        (1, 1) => Some("one run each: no verdict; the interval covers the rounds of these two runs alone".to_owned()),
        (base, new) => Some(format!("{base} against {new} runs: a verdict on figures needs three on each side")),
    }
}
