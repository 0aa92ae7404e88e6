//! `--fail-on`: conditions on what was measured, each with what it found.

use super::args::FailOn;
use crate::analysis::{Accord, accords, too_disturbed};
use crate::record::{RunRecord, ScenarioRecord};
use crate::words::ClaimOutcome;

/// What failed of the conditions asked for, a line each.
pub(super) fn failed(asked: &[FailOn], record: &RunRecord) -> Vec<String> {
    let mut failed = Vec::new();
    for measured in &record.scenarios {
        let of_scenario = asked.iter().flat_map(|condition| match condition {
            FailOn::Claim => refuted(measured),
            FailOn::Expect => contradicted(measured),
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

/// Verdicts that contradict the author.
fn contradicted(measured: &ScenarioRecord) -> Vec<String> {
    let against = accords(measured).into_iter().filter_map(|(operation, accord)| match accord {
        Accord::Against { expected, found } => {
            Some(format!("{operation} was expected to be {expected}, but is {found}"))
        }
        _ => None,
    });
    against.collect()
}
