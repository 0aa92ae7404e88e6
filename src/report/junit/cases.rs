//! What is judged of a scenario, and how it came out.

use crate::analysis::{ALL, Accord, accords, too_disturbed};
use crate::record::{ClaimRecord, RunRecord, ScenarioRecord};
use crate::report::format;
use crate::words::{ClaimOutcome, Profile};

/// A test case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) group: Group,
    pub(super) name: String,
    pub(super) outcome: Outcome,
}

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Claims,
    Expectations,
    Conditions,
}

impl Group {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Claims => "claims",
            Self::Expectations => "expectations",
            Self::Conditions => "conditions",
        }
    }
}

/// How a case came out; all but the first with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    /// What was measured contradicts it.
    Failed(String),
    /// It could not be measured as planned.
    Error(String),
    /// It was not decided, or not asked here.
    Skipped(String),
}

/// The cases of a scenario: its conditions, its claims, and what its author expects.
pub(super) fn cases(run: &RunRecord, scenario: &ScenarioRecord) -> Vec<Case> {
    let mut found = conditions(run, scenario);
    found.extend(scenario.claims.iter().map(|claim| case(Group::Claims, claim_name(claim), claimed(claim))));
    let expected = accords(scenario).into_iter();
    found.extend(expected.map(|(operation, accord)| {
        case(Group::Expectations, format!("{} as expected", operation_name(operation)), expected_outcome(accord))
    }));
    found
}

fn case(group: Group, name: impl Into<String>, outcome: Outcome) -> Case {
    Case { group, name: name.into(), outcome }
}

fn operation_name(operation: &str) -> &str {
    if operation == ALL { "whole mix" } else { operation }
}

fn claim_name(claim: &ClaimRecord) -> String {
    let at: Vec<String> = claim.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
    format!("{} {} {}{at} ({})", operation_name(&claim.operation), claim.metric, claim.wanted, claim.source)
}

fn claimed(claim: &ClaimRecord) -> Outcome {
    let measured = claim.measured.map(|ratio| match claim.low.zip(claim.high) {
        Some((low, high)) => format!("measured {}", format::ratio_with_interval(ratio, low, high)),
        None => format!("measured {}", format::ratio(ratio)),
    });
    let told = [measured, claim.reason.clone()].into_iter().flatten().collect::<Vec<_>>().join("; ");
    let or = |otherwise: &str| if told.is_empty() { otherwise.to_owned() } else { told.clone() };
    match claim.outcome {
        Some(ClaimOutcome::Confirmed) => Outcome::Passed,
        Some(ClaimOutcome::Refuted) => Outcome::Failed(or("refuted")),
        Some(ClaimOutcome::Inconclusive) => Outcome::Skipped(or("inconclusive")),
        Some(ClaimOutcome::NotTestedHere) => Outcome::Skipped(or("not tested here")),
        None => Outcome::Skipped(or("not judged")),
    }
}

fn expected_outcome(accord: Accord) -> Outcome {
    match accord {
        Accord::AsExpected => Outcome::Passed,
        Accord::Against { expected, found } => Outcome::Failed(format!("expected to be {expected}, but is {found}")),
        Accord::NotDecided => Outcome::Skipped("the rounds do not decide".to_owned()),
        Accord::Depends => Outcome::Skipped("its author says that it depends".to_owned()),
        Accord::Limited => Outcome::Skipped("engine-limited: this server executes it unlike mongod".to_owned()),
        Accord::NotJudged(why) => Outcome::Skipped(why),
    }
}

/// Whether the measurement is one to judge by.
fn conditions(run: &RunRecord, scenario: &ScenarioRecord) -> Vec<Case> {
    let condition = |name: &str, outcome| case(Group::Conditions, name, outcome);
    if let Some(why) = &scenario.not_measurable {
        return vec![condition("measurable on this server", Outcome::Skipped(why.clone()))];
    }
    let mut found = vec![
        condition("measured to the end", measured_to_the_end(scenario)),
        condition(
            "models answer alike before measuring",
            alike(scenario.parity.as_ref().map(|parity| (parity.operations, parity.mismatches))),
        ),
        condition(
            "models answer alike after the last round",
            alike(scenario.closing_parity.as_ref().map(|parity| (parity.operations, parity.mismatches))),
        ),
    ];
    for model in &scenario.models {
        // A declared end is a result.
        let outcome = match (&model.ended, &model.skipped) {
            (None, Some(why)) => Outcome::Skipped(why.clone()),
            _ => Outcome::Passed,
        };
        found.push(condition(&format!("model {} measured", model.name), outcome));
    }
    found.push(condition("enough rounds undisturbed", undisturbed(run, scenario)));
    found
}

fn measured_to_the_end(scenario: &ScenarioRecord) -> Outcome {
    if scenario.complete {
        return Outcome::Passed;
    }
    let told: Vec<&str> = scenario.events.iter().map(|event| event.what.as_str()).collect();
    let told = if told.is_empty() { String::new() } else { format!(": {}", told.join("; ")) };
    Outcome::Error(format!("incomplete: not everything that was planned was measured{told}"))
}

fn alike(compared: Option<(u64, u64)>) -> Outcome {
    match compared {
        None => Outcome::Skipped("answers were not compared".to_owned()),
        Some((_, 0)) => Outcome::Passed,
        Some((operations, mismatches)) => {
            let (mismatches, operations) = (format::count(mismatches), format::count(operations));
            Outcome::Failed(format!("{mismatches} of {operations} answers differ between the models"))
        }
    }
}

/// `run --fail-on disturbed` asks the same. Smoke runs are too short to be judged by it.
fn undisturbed(run: &RunRecord, scenario: &ScenarioRecord) -> Outcome {
    let few = too_disturbed(scenario);
    if few.is_empty() {
        return Outcome::Passed;
    }
    let told = few
        .iter()
        .map(|few| format!("{} of {} rounds are left to compare {} with naive", few.left, few.rounds, few.model));
    let told = told.collect::<Vec<_>>().join("; ");
    if run.profile == Profile::Smoke { Outcome::Skipped(told) } else { Outcome::Error(told) }
}
