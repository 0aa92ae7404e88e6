//! The comparison of a scenario's models, made from its rounds.

use std::collections::BTreeSet;

use super::assemble::{Sides, assemble};
use super::cast::Cast;
use super::contest::{self, View};
use super::judge::judge;
use super::samples::Latency;
use super::witness::Witness;
use super::{around, break_even, claims, load, order_effects, tuning};
use crate::record::{AnalysisRecord, ScenarioRecord};
use crate::words::{Phase, Profile};

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

/// One view after the other, so that the histograms of only one are in memory.
fn compare(scenario: &ScenarioRecord, profile: Profile) -> AnalysisRecord {
    let cast = Cast::of(&scenario.models);
    let latency = Latency::of(scenario);
    let headline = View { phase: Phase::Measured, latency };
    let (mut contests, order_effects) = {
        let (contests, mix) = contest::estimate_all(scenario, &cast, headline);
        (contests, order_effects::of(scenario, &cast, &mix))
    };
    let beside = |view: View| contest::estimate_all(scenario, &cast, view).0;
    let sides = Sides {
        service: (latency == Latency::Response)
            .then(|| beside(View { phase: Phase::Measured, latency: Latency::Service })),
        light_load: scenario
            .rounds
            .iter()
            .any(|round| round.phase == Phase::LightLoad)
            .then(|| beside(View { phase: Phase::LightLoad, latency: Latency::Service })),
    };
    let load = load::of(scenario, &cast, &contests);
    let withheld = withheld(scenario, profile);
    for (place, contest) in contests.iter_mut().enumerate() {
        let generator = || load::generator_limit(&load, contest.models()).map(|why| format!("no verdict: {why}"));
        let withheld = withheld.clone().or_else(generator);
        let lateness = load::lateness(&load, contest.models());
        let service = sides.service.as_ref().and_then(|service| service.get(place));
        let witness = lateness.as_deref().map(|why| Witness { why, service });
        judge(contest, withheld.as_deref(), witness.as_ref());
    }
    let around_event = around::of(scenario, &cast);
    let compared = cast.naive.into_iter().chain(cast.pattern).map(|model| model.name.as_str());
    let withheld = withheld.or_else(|| load::generator_limit(&load, compared));
    let break_even = break_even::of(scenario, &cast, withheld.as_deref());
    let operations = assemble(&contests, &sides);
    let mut analysis = AnalysisRecord { operations, load, order_effects, around_event, break_even };
    tuning::share(scenario, &mut analysis);
    analysis
}
