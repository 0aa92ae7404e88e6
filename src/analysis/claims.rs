//! What became of a scenario's claims.

use serde_json::Value;

use super::analyse::withheld;
use super::cast::Cast;
use super::estimate::{quotient, ratio};
use super::limited::engine_limited;
use crate::record::{ClaimRecord, ScenarioRecord, StorageRecord};
use crate::units::Ratio;
use crate::words::{ClaimMetric, ClaimOutcome, Metric, Profile};

/// Judges every claim; what an earlier analysis wrote is forgotten.
pub(super) fn judge_all(scenario: &mut ScenarioRecord, profile: Profile) {
    let mut claims = std::mem::take(&mut scenario.claims);
    for claim in &mut claims {
        let finding = find(scenario, claim, profile);
        claim.measured = finding.measured.and_then(ratio);
        (claim.low, claim.high) = finding.interval.unzip();
        claim.outcome = Some(finding.outcome);
        claim.reason = finding.reason;
    }
    scenario.claims = claims;
}

/// What a claim comes to.
struct Finding {
    measured: Option<f64>,
    interval: Option<(Ratio, Ratio)>,
    outcome: ClaimOutcome,
    reason: Option<String>,
}

impl Finding {
    fn without_figure(outcome: ClaimOutcome, reason: String) -> Self {
        Self { measured: None, interval: None, outcome, reason: Some(reason) }
    }
}

fn find(scenario: &ScenarioRecord, claim: &ClaimRecord, profile: Profile) -> Finding {
    if let Some(reason) = not_tested(scenario, claim, profile) {
        return Finding::without_figure(ClaimOutcome::NotTestedHere, reason);
    }
    match metric(claim.metric) {
        Some(metric) => of_rounds(scenario, claim, metric, profile),
        None => of_storage(scenario, claim),
    }
}

/// Why this run cannot speak of the claim, if it cannot.
fn not_tested(scenario: &ScenarioRecord, claim: &ClaimRecord, profile: Profile) -> Option<String> {
    let differs = |(name, wanted): (&String, &Value)| {
        let here = scenario.parameters.get(name);
        if here.is_some_and(|here| same(here, wanted)) {
            return None;
        }
        Some(format!("claimed for {name} = {wanted}; here it is {}", here.map_or("not set".into(), Value::to_string)))
    };
    if let Some(reason) = claim.at.iter().find_map(differs) {
        return Some(reason);
    }
    if profile == Profile::Smoke {
        return Some("smoke sizes are too small to judge a claim".to_owned());
    }
    metric(claim.metric)?;
    let cast = Cast::of(&scenario.models);
    [cast.naive, cast.pattern].into_iter().flatten().find_map(|model| {
        let reason = engine_limited(scenario, model, &claim.operation)?;
        Some(format!("{} is engine-limited on this server (†): {reason}", model.name))
    })
}

/// Whether two parameters are the same: numbers by value, whatever their type.
fn same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

/// The metric of rounds that a claim speaks of; `None` where it speaks of the bill.
fn metric(metric: ClaimMetric) -> Option<Metric> {
    Metric::ALL.iter().copied().find(|known| ClaimMetric::from(*known) == metric)
}

fn of_rounds(scenario: &ScenarioRecord, claim: &ClaimRecord, metric: Metric, profile: Profile) -> Finding {
    let comparison = scenario.analysis.operations.get(&claim.operation).and_then(|metrics| metrics.get(&metric));
    let Some(speedup) = comparison.map(|comparison| &comparison.speedup) else {
        let reason = format!("{metric} of {} was not compared", claim.operation);
        return Finding::without_figure(ClaimOutcome::Inconclusive, reason);
    };
    let measured = speedup.speedup.map(Ratio::get);
    let Some((low, high)) = speedup.low.zip(speedup.high) else {
        let reason = speedup.reason.clone().unwrap_or_else(|| "there is no interval".to_owned());
        return Finding { measured, interval: None, outcome: ClaimOutcome::Inconclusive, reason: Some(reason) };
    };
    let (outcome, reason) = match withheld(scenario, profile) {
        Some(reason) => (ClaimOutcome::Inconclusive, Some(reason)),
        None => against_bounds(claim, low.get(), high.get()),
    };
    Finding { measured, interval: Some((low, high)), outcome, reason }
}

/// The bill is counted, not sampled: it has no interval.
fn of_storage(scenario: &ScenarioRecord, claim: &ClaimRecord) -> Finding {
    let cast = Cast::of(&scenario.models);
    let figure = |storage: &StorageRecord| match claim.metric {
        ClaimMetric::DataBytes => storage.data_bytes.get() as f64,
        ClaimMetric::IndexBytes => storage.index_bytes.get() as f64,
        _ => storage.documents as f64,
    };
    let bill = |model: Option<&crate::record::ModelRecord>| Some(figure(model?.storage.as_ref()?));
    let measured = bill(cast.naive).zip(bill(cast.pattern)).and_then(|(naive, pattern)| quotient(naive, pattern));
    let Some(measured) = measured else {
        let reason = format!("there are no {} of both models", claim.metric);
        return Finding::without_figure(ClaimOutcome::Inconclusive, reason);
    };
    let (outcome, reason) = against_bounds(claim, measured, measured);
    Finding { measured: Some(measured), interval: None, outcome, reason }
}

/// Confirmed where the whole interval satisfies the claim, refuted where the whole interval contradicts it.
fn against_bounds(claim: &ClaimRecord, low: f64, high: f64) -> (ClaimOutcome, Option<String>) {
    let (at_least, at_most) = (claim.at_least.map(Ratio::get), claim.at_most.map(Ratio::get));
    if at_least.is_none() && at_most.is_none() {
        return (ClaimOutcome::Inconclusive, Some("the claim names no bound".to_owned()));
    }
    let satisfied = at_least.is_none_or(|bound| low >= bound) && at_most.is_none_or(|bound| high <= bound);
    let contradicted = at_least.is_some_and(|bound| high < bound) || at_most.is_some_and(|bound| low > bound);
    match (satisfied, contradicted) {
        (true, _) => (ClaimOutcome::Confirmed, None),
        (_, true) => (ClaimOutcome::Refuted, None),
        _ => (ClaimOutcome::Inconclusive, Some("the interval contains the bound".to_owned())),
    }
}
