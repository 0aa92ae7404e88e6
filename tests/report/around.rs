//! What is said around an event, over records whose truth is known: everything takes as long in both models, but for a
//! part of each round in which naive takes four times as long.

use patternbench::analysis::analyse;
use patternbench::record::{
    BackgroundRecord, RoundEventRecord, RunRecord, SLICES, ScenarioRecord, StalenessRecord, histogram,
};
use patternbench::report::{Style, terminal};
use patternbench::units::Seconds;
use patternbench::words::{EventOutcome, Profile, Role};
use serde_json::json;

use crate::known::{Maker, run_of};

/// Slices in which naive is held up: the event goes from 30 % to 50 % of the round.
const HELD_UP: std::ops::Range<usize> = 6..10;
const PER_ROUND: u64 = 2_000;
const FACTOR: u64 = 4;

fn event(name: &str, number: u64, end_number: u64) -> RoundEventRecord {
    RoundEventRecord {
        name: name.to_owned(),
        number,
        start: Some(Seconds::new(0.3)),
        end: Some(Seconds::new(0.7)),
        end_number: Some(end_number),
        outcome: EventOutcome::Complete,
        why: None,
        requests: 1,
        matched: 5_000,
        written: 5_000,
        retries: 0,
        result: None,
    }
}

/// Each slice holds the latencies 1,000 … 1,099 µs, those of a round 1 % longer than those of the round before.
fn slices(round: u32, factor: impl Fn(usize) -> u64) -> Vec<String> {
    let slice = |slice: usize| {
        let mut latencies = histogram::empty();
        for place in 0..100 {
            let micros = (1_000 + place) * factor(slice) * u64::from(100 + round) / 100;
            histogram::record(&mut latencies, micros);
        }
        histogram::encode(&latencies).expect("it holds values")
    };
    (0..SLICES).map(slice).collect()
}

/// A run with an event in both models: naive's ends at 50 %, the pattern's at 40 % of each round.
pub(crate) fn migrated() -> RunRecord {
    let mix = [("read", 3.0), ("save", 1.0)];
    let maker = Maker::new("people", &mix)
        .model("naive", Role::Naive, &[("read", 900.0), ("save", 1_200.0)])
        .model("page", Role::Pattern, &[("read", 900.0), ("save", 1_200.0)])
        .rounds(10, PER_ROUND);
    let mut scenario = maker.build();
    for window in &mut scenario.rounds {
        let is_naive = window.model == "naive";
        let (round, ends) = (window.round, if is_naive { 1_000 } else { 800 });
        window.events = vec![event("migrate", 600, ends)];
        let mut left = event("left", PER_ROUND, PER_ROUND);
        (left.matched, left.written, left.result) = (0, 0, Some(json!(if is_naive { 0.0 } else { 0.25 })));
        window.events.push(left);
        if !is_naive {
            window.background = vec![BackgroundRecord {
                name: "copy".to_owned(),
                turns: 12,
                requests: 20,
                matched: 40,
                written: 40,
                ..BackgroundRecord::default()
            }];
        }
        for figures in window.operations.values_mut() {
            figures.slices = slices(round, |slice| if is_naive && HELD_UP.contains(&slice) { FACTOR } else { 1 });
        }
    }
    let stale = StalenessRecord { reads: 40, older: 3 };
    scenario.parity.as_mut().expect("answers were compared").staleness = [("page".to_owned(), stale)].into();
    analysed(scenario)
}

fn analysed(mut scenario: ScenarioRecord) -> RunRecord {
    analyse(&mut scenario, Profile::Quick);
    run_of(Profile::Quick, vec![scenario])
}

#[test]
fn operations_are_compared_from_the_events_start_to_the_slowest_models_end() {
    let record = migrated();
    let around = record.scenarios[0].analysis.around_event.as_ref().expect("events happened");
    assert_eq!((around.rounds, around.cut), (10, 0));
    assert_eq!((around.from.map(|share| share.get()), around.to.map(|share| share.get())), (Some(0.3), Some(0.5)));
    for operation in ["read", "save", "all"] {
        let comparison = &around.operations[operation]["page"];
        for side in [&comparison.p95, &comparison.max] {
            let speedup = &side.speedup;
            assert_eq!(speedup.units.len(), 10);
            for ratio in [speedup.speedup, speedup.low, speedup.high].map(|ratio| ratio.expect("ten rounds").get()) {
                assert!((ratio / FACTOR as f64 - 1.0).abs() < 0.002, "{operation}: {ratio}");
            }
        }
        // p95 of 1,000 … 1,099 is 1,094; rounds are longer by 0 to 9 %, 4.46 % in the geometric mean.
        let expected =
            1_094.0 * (0..10).map(|round| (1.0 + f64::from(round) / 100.0).ln()).sum::<f64>().mul_add(0.1, 0.0).exp();
        let found = comparison.p95.pattern.expect("ten rounds");
        assert!((found / expected - 1.0).abs() < 0.002, "{found} µs, not {expected} µs");
    }
    let [migrate, left] = &around.models["naive"][..] else { panic!("two events: {:?}", around.models) };
    assert_eq!(
        (migrate.complete, migrate.written, migrate.seconds),
        (10, Some(5_000.0), Some(Seconds::new(0.7 - 0.3)))
    );
    assert_eq!(left.result, Some(0.0));
    assert_eq!(around.models["page"][1].result, Some(0.25));
}

#[test]
fn no_more_than_sixty_percent_of_a_round_is_looked_at() {
    let mut scenario = migrated().scenarios.remove(0);
    for window in scenario.rounds.iter_mut().filter(|window| window.model == "page") {
        let endless = &mut window.events[0];
        (endless.end, endless.end_number, endless.outcome) = (None, None, EventOutcome::Unfinished);
    }
    let record = analysed(scenario);
    let around = record.scenarios[0].analysis.around_event.as_ref().expect("events happened");
    assert_eq!((around.to.map(|share| share.get()), around.cut), (Some(0.9), 10), "30 % and 60 % more");
    assert_eq!(around.models["page"][0].complete, 0);
    // Naive is held up in 4 of 12 slices: its p95 and its longest are of those, the pattern's are as ever.
    let max = around.operations["read"]["page"].max.speedup.speedup.expect("ten rounds").get();
    assert!((max / FACTOR as f64 - 1.0).abs() < 0.002, "{max}");
}

#[test]
fn where_nothing_happens_nothing_is_said_of_it() {
    let maker = Maker::new("plain", &[("read", 1.0)]).model("naive", Role::Naive, &[("read", 900.0)]).model(
        "page",
        Role::Pattern,
        &[("read", 900.0)],
    );
    let record = analysed(maker.build());
    assert_eq!(record.scenarios[0].analysis.around_event, None);
    let text = terminal(&record, &Style { width: 120, ..Style::default() });
    assert!(!text.contains("Around the event") && !text.contains("beside the operations"));
    assert!(!serde_json::to_string(&record).expect("it serialises").contains("slices"), "nothing is kept by slice");
}

#[test]
fn a_person_reads_what_happened_around_the_event() {
    let text = terminal(&migrated(), &Style { width: 120, ..Style::default() });
    let from = text.find("Around the event").expect("it is said");
    let part: Vec<&str> = text[from..].lines().take_while(|line| !line.starts_with('[')).collect();
    insta::assert_snapshot!(part.join("\n"));
    let stale = "staleness of page: 7.5 % of 40 reads returned something older before its background actor had acted";
    assert!(text.replace("\n  ", " ").contains(stale), "{text}");
}
