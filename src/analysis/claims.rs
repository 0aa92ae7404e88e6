//! What became of a scenario's claims.

use std::collections::BTreeMap;

use serde_json::Value;

use super::analyse::withheld;
use super::cast::Cast;
use super::estimate::{quotient, ratio};
use super::limited::engine_limited;
use super::load;
use crate::record::{
    ClaimRecord, ComparisonRecord, IntervalEstimate, ModelRecord, ScenarioRecord, SpeedupRecord, StorageRecord,
};
use crate::units::Ratio;
use crate::words::{ClaimMetric, ClaimOutcome, Metric, Profile};

/// Judges every claim; what an earlier analysis wrote is forgotten.
pub(super) fn judge_all(scenario: &mut ScenarioRecord, profile: Profile) {
    let mut claims = std::mem::take(&mut scenario.claims);
    for claim in &mut claims {
        let finding = find(scenario, claim, profile);
        claim.measured = finding.measured.and_then(ratio);
        (claim.low, claim.high) = finding.interval.unzip();
        claim.light_load = finding.light_load;
        claim.outcome = Some(finding.outcome);
        claim.reason = finding.reason;
    }
    scenario.claims = claims;
}

/// What a claim comes to.
struct Finding {
    measured: Option<f64>,
    interval: Option<(Ratio, Ratio)>,
    light_load: Option<IntervalEstimate>,
    outcome: ClaimOutcome,
    reason: Option<String>,
}

impl Finding {
    fn without_figure(outcome: ClaimOutcome, reason: String) -> Self {
        Self { measured: None, interval: None, light_load: None, outcome, reason: Some(reason) }
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
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

/// The metric of rounds that a claim speaks of; `None` where it speaks of the bill.
fn metric(metric: ClaimMetric) -> Option<Metric> {
    Metric::ALL.iter().copied().find(|known| ClaimMetric::from(*known) == metric)
}

/// A latency is judged at the headline and at light load, a throughput at the headline alone.
fn of_rounds(scenario: &ScenarioRecord, claim: &ClaimRecord, metric: Metric, profile: Profile) -> Finding {
    let metrics = scenario.analysis.operations.get(&claim.operation);
    let Some((metrics, comparison)) = metrics.and_then(|metrics| Some((metrics, metrics.get(&metric)?))) else {
        let reason = format!("{metric} of {} was not compared", claim.operation);
        return Finding::without_figure(ClaimOutcome::Inconclusive, reason);
    };
    let at_light_load = if metric == Metric::Throughput { None } else { light_load(claim, metrics, metric) };
    // Response times of a model that cannot bear the rate grow with the length of a window: their ratio is no measure.
    let not_borne = if metric == Metric::Throughput { None } else { not_borne(scenario) };
    let is_told = not_borne.is_none();
    let (outcome, reason) = match withheld(scenario, profile) {
        Some(reason) => (ClaimOutcome::Inconclusive, Some(reason)),
        None => {
            let at_headline = not_borne.unwrap_or_else(|| at_headline(scenario, claim, metric, comparison));
            match &at_light_load {
                Some(at_light_load) => together(&at_headline, at_light_load),
                None if metric == Metric::Throughput => (at_headline.outcome, at_headline.reason),
                None => alone(at_headline),
            }
        }
    };
    Finding {
        measured: comparison.speedup.speedup.filter(|_| is_told).map(Ratio::get),
        interval: comparison.speedup.low.zip(comparison.speedup.high).filter(|_| is_told),
        light_load: at_light_load.and_then(|judged| judged.estimate),
        outcome,
        reason,
    }
}

/// A claim against one interval.
#[derive(Debug, Clone)]
struct Judged {
    estimate: Option<IntervalEstimate>,
    outcome: ClaimOutcome,
    /// Why it is inconclusive.
    reason: Option<String>,
    /// What is to be said whatever the outcome.
    note: Option<String>,
}

impl Judged {
    fn of(claim: &ClaimRecord, speedup: &SpeedupRecord) -> Self {
        let estimate = speedup.speedup.map(|ratio| IntervalEstimate { ratio, low: speedup.low, high: speedup.high });
        let (outcome, reason) = match speedup.low.zip(speedup.high) {
            Some((low, high)) => against_bounds(claim, low.get(), high.get()),
            None => {
                let reason = speedup.reason.clone().unwrap_or_else(|| "there is no interval".to_owned());
                (ClaimOutcome::Inconclusive, Some(reason))
            }
        };
        Self { estimate, outcome, reason, note: None }
    }

    fn has_interval(&self) -> bool {
        self.estimate.is_some_and(|estimate| estimate.low.is_some())
    }
}

/// The claim at light load; p50 stands in where the claim's metric has too few operations for an interval. `None` where
/// nothing was measured at light load.
fn light_load(claim: &ClaimRecord, metrics: &BTreeMap<Metric, ComparisonRecord>, metric: Metric) -> Option<Judged> {
    let judged = |metric| Some(Judged::of(claim, &metrics.get(&metric)?.light_load.as_ref()?.speedup));
    let own = judged(metric)?;
    if own.has_interval() {
        return Some(own);
    }
    let Some(p50) = judged(Metric::P50).filter(Judged::has_interval) else { return Some(own) };
    let note = format!("at light load p50 stands in for {metric}, which has no interval there");
    Some(Judged { note: Some(note), ..p50 })
}

/// Why the headline says nothing of the models, if one of them, or the load generator, could not bear the rate.
fn not_borne(scenario: &ScenarioRecord) -> Option<Judged> {
    let reason = Some(load::not_borne(&scenario.analysis.load, compared(scenario))?);
    Some(Judged { estimate: None, outcome: ClaimOutcome::Inconclusive, reason, note: None })
}

/// The claim at the headline. Where the load generator was late, response times decide only what service times, which hold
/// none of its lag, decide too.
fn at_headline(
    scenario: &ScenarioRecord,
    claim: &ClaimRecord,
    metric: Metric,
    comparison: &ComparisonRecord,
) -> Judged {
    let response = Judged::of(claim, &comparison.speedup);
    let lateness = load::lateness(&scenario.analysis.load, compared(scenario)).filter(|_| metric != Metric::Throughput);
    let Some(why) = lateness else { return response };
    let service = comparison.service.as_ref().map(|service| Judged::of(claim, &service.speedup));
    let agrees = service.is_some_and(|service| service.outcome == response.outcome);
    if agrees || response.outcome == ClaimOutcome::Inconclusive {
        return response;
    }
    let reason = format!("service time does not say the same, and the load generator was late ({why})");
    Judged { outcome: ClaimOutcome::Inconclusive, reason: Some(reason), ..response }
}

/// The models that claims compare.
fn compared(scenario: &ScenarioRecord) -> impl Iterator<Item = &str> + Clone {
    let cast = Cast::of(&scenario.models);
    [cast.naive, cast.pattern].into_iter().flatten().map(|model| model.name.as_str())
}

fn alone(at_headline: Judged) -> (ClaimOutcome, Option<String>) {
    let note = "judged at the headline alone: nothing was measured at light load".to_owned();
    (at_headline.outcome, sentence([at_headline.reason, Some(note)]))
}

/// Confirmed where both confirm, refuted where either refutes, else inconclusive; the reason says by which of them.
fn together(at_headline: &Judged, at_light_load: &Judged) -> (ClaimOutcome, Option<String>) {
    let sides = [("at the headline", at_headline), ("at light load", at_light_load)];
    let those = |outcome: ClaimOutcome| {
        sides.iter().filter(|(_, judged)| judged.outcome == outcome).copied().collect::<Vec<_>>()
    };
    let (refuted, open) = (those(ClaimOutcome::Refuted), those(ClaimOutcome::Inconclusive));
    let (outcome, said) = if !refuted.is_empty() {
        let places: Vec<&str> = refuted.iter().map(|(place, _)| *place).collect();
        (ClaimOutcome::Refuted, Some(format!("refuted {}", places.join(" and "))))
    } else if !open.is_empty() {
        let why = |(place, judged): &(&str, &Judged)| {
            format!("{place} {}", judged.reason.as_deref().unwrap_or("nothing is decided"))
        };
        (ClaimOutcome::Inconclusive, Some(open.iter().map(why).collect::<Vec<_>>().join("; ")))
    } else {
        (ClaimOutcome::Confirmed, None)
    };
    (outcome, sentence([said, at_light_load.note.clone()]))
}

fn sentence(parts: [Option<String>; 2]) -> Option<String> {
    let said: Vec<String> = parts.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// The bill is counted, not sampled: it has no interval.
fn of_storage(scenario: &ScenarioRecord, claim: &ClaimRecord) -> Finding {
    let cast = Cast::of(&scenario.models);
    let figure = |storage: &StorageRecord| match claim.metric {
        ClaimMetric::DataBytes => storage.data_bytes.get() as f64,
        ClaimMetric::IndexBytes => storage.index_bytes.get() as f64,
        _ => storage.documents as f64,
    };
    let bill = |model: Option<&ModelRecord>| Some(figure(model?.storage.as_ref()?));
    let measured = bill(cast.naive).zip(bill(cast.pattern)).and_then(|(naive, pattern)| quotient(naive, pattern));
    let Some(measured) = measured else {
        let reason = format!("there are no {} of both models", claim.metric);
        return Finding::without_figure(ClaimOutcome::Inconclusive, reason);
    };
    let (outcome, reason) = against_bounds(claim, measured, measured);
    Finding { measured: Some(measured), interval: None, light_load: None, outcome, reason }
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
