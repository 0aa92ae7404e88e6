//! How values are measured unless the user says otherwise.

use std::time::Duration;

use super::axis::Axis;
use crate::plan::{LightLoadTimes, Plan, RunOptions, Stretch};
use crate::scenario::Scenario;
use crate::words::{Mode, SweepAxis};

/// Rounds at each value: an interval needs five, and two may be disturbed.
const ROUNDS: u32 = 7;
/// Window of a round.
const WINDOW: Duration = Duration::from_secs(1);
/// Times that each operation should be done in a round: what a p95 needs.
const EACH: u64 = 100;
/// The longest window that is borne for that; operations slower than this allows get fewer figures, as the plan says.
const LONGEST: Duration = Duration::from_secs(10);

/// Completes what the user left open: short rounds, and, unless `has_load` says that the user chose the load, one worker
/// under closed load. Then the curve shows how the cost of an operation grows, and not how long the queue is that it makes.
/// Where the scenario has claims about values of the axis, load is offered as `run` does it, since claims are judged so.
pub fn usual_load(options: RunOptions, scenario: &Scenario, axis: &Axis, has_load: bool) -> RunOptions {
    let mut usual = RunOptions { rounds: options.rounds.or(Some(ROUNDS)), ..options };
    if usual.operations.is_none() {
        usual.round_time = usual.round_time.or(Some(WINDOW));
    }
    if !has_load && !judges_claims(scenario, axis) {
        usual.mode = Some(Mode::Closed);
        usual.concurrency = usual.concurrency.or(Some(1));
    }
    usual
}

/// The plan of a value: windows long enough for a p95 of its own in every round, where that does not take too long; and no
/// rounds at light load, where its own rounds are just that.
pub(super) fn fitted(plan: Plan, options: &RunOptions) -> Plan {
    let stretch = options.operations.is_none().then_some(Stretch { each: EACH, longest: LONGEST });
    without_repetition(Plan { stretch, ..plan }, options)
}

/// Whether the scenario claims something about a value of the axis.
fn judges_claims(scenario: &Scenario, axis: &Axis) -> bool {
    axis.kind == SweepAxis::Parameter && scenario.claims.iter().any(|claim| claim.at.contains_key(&axis.name))
}

/// The plan without rounds at light load, where its own rounds are just that.
fn without_repetition(plan: Plan, options: &RunOptions) -> Plan {
    if options.mode != Some(Mode::Closed) || plan.concurrency > 1 {
        return plan;
    }
    let models = plan.models.clone();
    Plan { light_load: LightLoadTimes { rounds: 0, ..plan.light_load }, ..plan }.of_models(models)
}
