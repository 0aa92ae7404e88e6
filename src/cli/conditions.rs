//! `--fail-on`: conditions on what was measured, each with what it found.

use std::sync::Arc;

use super::args::FailOn;
use crate::analysis::{Cast, engine_limited, headline, too_disturbed};
use crate::record::{RunRecord, ScenarioRecord, SpeedupRecord};
use crate::scenario::{Expectation, Scenario};
use crate::units::Ratio;
use crate::words::{ClaimOutcome, Verdict};

/// What failed of the conditions asked for, a line each.
pub(super) fn failed(asked: &[FailOn], record: &RunRecord, scenarios: &[Arc<Scenario>]) -> Vec<String> {
    let mut failed = Vec::new();
    for measured in &record.scenarios {
        let of_scenario = asked.iter().flat_map(|condition| match condition {
            FailOn::Claim => refuted(measured),
            FailOn::Expect => contradicted(measured, scenarios),
            FailOn::Disturbed => disturbed(measured),
        });
        failed.extend(of_scenario.map(|what| format!("{} ({}): {what}", measured.name, measured.workload)));
    }
    failed
}

fn refuted(measured: &ScenarioRecord) -> Vec<String> {
    let refuted = measured.claims.iter().filter(|claim| claim.outcome == Some(ClaimOutcome::Refuted));
    refuted.map(|claim| format!("refuted: {} of {} {}", claim.metric, claim.operation, claim.wanted)).collect()
}

fn disturbed(measured: &ScenarioRecord) -> Vec<String> {
    let too_few = too_disturbed(measured).into_iter();
    let told = too_few.map(|few| format!("{} of {} rounds of {} are undisturbed", few.left, few.rounds, few.model));
    told.collect()
}

/// Verdicts that contradict the author. A model compared with itself contradicts nobody, and an operation that this server
/// executes unlike mongod says nothing of the models.
fn contradicted(measured: &ScenarioRecord, scenarios: &[Arc<Scenario>]) -> Vec<String> {
    let scenario = scenarios.iter().find(|scenario| scenario.file_sha256 == measured.file_sha256);
    let Some(scenario) = scenario.filter(|_| measured.plan.control.is_none()) else { return Vec::new() };
    let cast = Cast::of(&measured.models);
    let limited = |operation: &str| {
        let mut compared = cast.naive.into_iter().chain(cast.pattern);
        compared.any(|model| engine_limited(measured, model, operation).is_some())
    };
    let judged = scenario.expect.iter().filter(|(operation, _)| !limited(operation));
    judged
        .filter_map(|(operation, expectation)| {
            let headline = headline(measured.analysis.operations.get(operation)?)?;
            let found = contradiction(*expectation, headline.comparison)?;
            Some(format!("{operation} was expected to be {}, but is {found}", in_words(*expectation)))
        })
        .collect()
}

/// What a comparison says, where it contradicts the expectation: a verdict must do so, or the whole interval.
fn contradiction(expectation: Expectation, found: &SpeedupRecord) -> Option<String> {
    let verdict = found.verdict.filter(|verdict| *verdict != Verdict::Inconclusive)?;
    let expected = match expectation {
        Expectation::Depends => return None,
        Expectation::Faster => Verdict::Faster,
        Expectation::Slower => Verdict::Slower,
        Expectation::Equal => Verdict::Equal,
        Expectation::Between(least, most) => return outside(found, least, most),
    };
    (verdict != expected).then(|| verdict.to_string())
}

fn outside(found: &SpeedupRecord, least: Ratio, most: Ratio) -> Option<String> {
    let (low, high) = found.low.zip(found.high)?;
    (high < least || low > most).then(|| format!("{:.2} to {:.2}", low.get(), high.get()))
}

fn in_words(expectation: Expectation) -> String {
    match expectation {
        Expectation::Faster => Verdict::Faster.to_string(),
        Expectation::Slower => Verdict::Slower.to_string(),
        Expectation::Equal => Verdict::Equal.to_string(),
        Expectation::Between(least, most) => format!("{} to {} times as fast", least.get(), most.get()),
        Expectation::Depends => "as it may be".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(verdict: Verdict, low: f64, high: f64) -> SpeedupRecord {
        let (low, high) = (Some(Ratio::new(low)), Some(Ratio::new(high)));
        SpeedupRecord { verdict: Some(verdict), low, high, ..SpeedupRecord::default() }
    }

    #[test]
    fn only_a_verdict_contradicts_and_only_another_one() {
        let faster = found(Verdict::Faster, 2.0, 3.0);
        let says = |expectation| contradiction(expectation, &faster);
        assert_eq!(says(Expectation::Faster), None);
        assert_eq!(says(Expectation::Depends), None);
        assert_eq!(says(Expectation::Slower).as_deref(), Some("faster"));
        assert_eq!(says(Expectation::Equal).as_deref(), Some("faster"));
        let undecided = found(Verdict::Inconclusive, 0.5, 3.0);
        assert_eq!(contradiction(Expectation::Slower, &undecided), None);
        assert_eq!(contradiction(Expectation::Slower, &SpeedupRecord::default()), None, "there is no verdict");
    }

    #[test]
    fn a_range_is_contradicted_by_an_interval_that_lies_wholly_outside() {
        let between = |low, high| {
            let range = Expectation::Between(Ratio::new(0.4), Ratio::new(1.1));
            contradiction(range, &found(Verdict::Faster, low, high))
        };
        assert_eq!(between(1.0, 1.3), None);
        assert_eq!(between(1.1, 1.3), None, "its end belongs to it");
        assert_eq!(between(1.2, 1.3).as_deref(), Some("1.20 to 1.30"));
        assert_eq!(between(0.1, 0.3).as_deref(), Some("0.10 to 0.30"));
    }
}
