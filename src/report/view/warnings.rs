//! What a reader of a scenario's figures must know first.

use std::collections::BTreeSet;

use super::facts::is_measured;
use super::{control, load, machine};
use crate::analysis::{Fault, TakenOut, taken_out, too_disturbed};
use crate::record::{EventRecord, ScenarioRecord};
use crate::report::format;
use crate::words::{DataState, Profile, RoundOutcome};

/// The warnings of a scenario, the gravest first.
pub(super) fn warnings(scenario: &ScenarioRecord, profile: Profile) -> Vec<String> {
    let mut said: Vec<String> = control::banner(scenario).into_iter().collect();
    if !scenario.complete {
        said.push(
            "INCOMPLETE: not everything that was planned was measured; the figures are of finished windows".into(),
        );
    }
    if profile == Profile::Smoke {
        said.push(
            "smoke profile: small data and short windows that show only that everything works; no verdicts".into(),
        );
    }
    // A declared end is a result, and is told among them.
    for model in scenario.models.iter().filter(|model| model.ended.is_none()) {
        if let Some(why) = &model.skipped {
            let what = if is_measured(scenario, model) { "was not measured to the end" } else { "was not measured" };
            said.push(format!("model {} {what}: {why}", model.name));
        }
    }
    said.extend(load::limits(scenario));
    if scenario.plan.state == DataState::Growing {
        said.push("data grow over the run: ratios and verdicts stand, absolute figures are averages over it".into());
    }
    said.extend(machine::pool_waits(scenario));
    said.extend(left_out(scenario));
    said.extend(too_disturbed(scenario).into_iter().map(|few| {
        format!("disturbed: {} of {} rounds are left to compare {} with naive", few.left, few.rounds, few.model)
    }));
    said
}

/// Rounds that are taken out of the comparison as whole pairs, counted from 1; neighbours that share their faults in
/// one line. What a model's early end or its saturation explains is not told again.
fn left_out(scenario: &ScenarioRecord) -> Vec<String> {
    let skipped = |model: &str| scenario.models.iter().any(|known| known.name == model && known.skipped.is_some());
    let explained = |model: &str, fault: &Fault| match fault {
        Fault::Disturbed(_) => false,
        Fault::Ended(RoundOutcome::Saturated) => {
            skipped(model) || load::bearing(scenario, model) == load::Bearing::Saturated
        }
        _ => skipped(model),
    };
    let mut runs: Vec<(u32, TakenOut)> = Vec::new();
    for mut taken in taken_out(scenario) {
        taken.faults.retain(|(model, fault)| !explained(model, fault));
        match runs.last_mut() {
            _ if taken.faults.is_empty() => {}
            Some((_, last)) if last.faults == taken.faults && last.round.checked_add(1) == Some(taken.round) => {
                last.round = taken.round;
            }
            _ => runs.push((taken.round, taken)),
        }
    }
    if runs.len() > MOST_LEFT_OUT {
        return vec![in_short(&runs)];
    }
    let said = |(first, last): (u32, TakenOut)| {
        let faults: Vec<_> = last.faults.iter().map(|(model, why)| format!("{model} ({why})")).collect();
        let rounds = if first == last.round { "round" } else { "rounds" };
        format!(
            "left out of comparisons with {}, as whole pairs: {rounds} {}",
            faults.join(", "),
            format::rounds(&[first, last.round])
        )
    };
    runs.into_iter().map(said).collect()
}

/// Lines on rounds that are left out; more become one.
const MOST_LEFT_OUT: usize = 3;

/// All rounds that are left out in a line; the record of each window says why.
fn in_short(runs: &[(u32, TakenOut)]) -> String {
    let number: u64 = runs.iter().map(|(first, last)| u64::from(last.round - first) + 1).sum();
    let models: BTreeSet<&str> =
        runs.iter().flat_map(|(_, last)| &last.faults).map(|(model, _)| model.as_str()).collect();
    let models: Vec<&str> = models.into_iter().collect();
    let disturbed = runs.iter().flat_map(|(_, last)| &last.faults).all(|(_, why)| matches!(why, Fault::Disturbed(_)));
    format!(
        "left out of comparisons with {}, as whole pairs: {number} rounds{}; each window has its reason in the table of windows",
        models.join(", "),
        if disturbed { ", disturbed" } else { "" }
    )
}

/// Events in a line each.
pub(super) fn events(events: &[EventRecord]) -> Vec<String> {
    let said = |event: &EventRecord| match &event.model {
        Some(model) => format!("{} {model}: {}", event.at, event.what),
        None => format!("{} {}", event.at, event.what),
    };
    events.iter().map(said).collect()
}
