//! What is left of a comparison whose windows were disturbed.

use patternbench::analysis::{TooDisturbed, too_disturbed};
use patternbench::record::ScenarioRecord;
use patternbench::words::{Role, RoundOutcome};

use super::known::Maker;

/// Ten rounds of three models that all take a millisecond.
fn ten_rounds() -> ScenarioRecord {
    let reads = [("read", 1_000.0)];
    let maker = Maker::new("notes", &[("read", 1.0)]).rounds(10, 200);
    let maker = maker.model("plain", Role::Naive, &reads).model("fancy", Role::Pattern, &reads);
    maker.model("tuned", Role::Alternative, &reads).build()
}

fn disturb(scenario: &mut ScenarioRecord, model: &str, rounds: std::ops::Range<u32>) {
    let windows = scenario.rounds.iter_mut();
    for window in windows.filter(|window| window.model == model && rounds.contains(&window.round)) {
        window.disturbed = vec!["steal 12 % of CPU time".to_owned()];
    }
}

#[test]
fn half_of_the_rounds_are_enough_and_fewer_are_not() {
    let mut scenario = ten_rounds();
    disturb(&mut scenario, "plain", 0..3);
    disturb(&mut scenario, "fancy", 2..5);
    assert_eq!(too_disturbed(&scenario), [], "five rounds are left, in which neither was disturbed");
    disturb(&mut scenario, "fancy", 9..10);
    let left = TooDisturbed { model: "fancy".to_owned(), left: 4, rounds: 10 };
    assert_eq!(too_disturbed(&scenario), [left]);
}

#[test]
fn alternatives_and_rounds_that_were_cut_short_are_no_matter_of_disturbance() {
    let mut scenario = ten_rounds();
    disturb(&mut scenario, "tuned", 0..10);
    assert_eq!(too_disturbed(&scenario), []);
    for window in scenario.rounds.iter_mut().filter(|window| window.model == "fancy" && window.round >= 2) {
        window.outcome = RoundOutcome::Saturated;
    }
    assert_eq!(too_disturbed(&scenario), [], "two rounds were run to their end, and both are left");
    disturb(&mut scenario, "plain", 0..2);
    assert_eq!(too_disturbed(&scenario).first().map(|few| (few.left, few.rounds)), Some((0, 2)));
}

#[test]
fn a_run_without_a_pattern_or_without_rounds_is_not_disturbed() {
    let mut scenario = ten_rounds();
    scenario.rounds.clear();
    assert_eq!(too_disturbed(&scenario), []);
    let mut scenario = ten_rounds();
    scenario.models.retain(|model| model.role != Role::Pattern);
    disturb(&mut scenario, "plain", 0..10);
    assert_eq!(too_disturbed(&scenario), []);
}
