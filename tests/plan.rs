//! What a plan promises before the first request: the mix is exact, numbers are never used twice, no model has a better
//! place in the order than another, and the seed decides everything.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bson::Bson;
use patternbench::operation::ModelProgram;
use patternbench::plan::{
    CALIBRATION_FROM, CalibratedPlan, Capacity, Decided, LIGHT_LOAD_FROM, Load, MAX_CONCURRENCY, MEASURED_FROM, Mix,
    Plan, PlanError, Ranges, RunOptions, balanced_order, plan_scenario, stream_sha256,
};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::units::Rate;
use patternbench::words::{ArrivalProcess, DataState, Mode, Profile, Role};
use proptest::prelude::*;

/// How often each operation occurs among these numbers.
fn counts(mix: &Mix, numbers: Range<u64>) -> BTreeMap<usize, u64> {
    let mut counts = BTreeMap::new();
    for number in numbers {
        *counts.entry(mix.operation(number)).or_default() += 1;
    }
    counts
}

#[test]
fn every_block_of_the_mix_holds_exactly_what_the_weights_say() {
    // Weights and the smallest whole numbers in the same proportion.
    let cases: [(&[f64], &[u64]); 5] = [
        (&[95.0, 5.0], &[19, 1]),
        (&[0.5, 0.25, 0.25], &[2, 1, 1]),
        (&[94.0, 4.0, 1.0, 1.0], &[94, 4, 1, 1]),
        (&[1.0], &[1]),
        (&[2.5, 0.0, 7.5], &[1, 0, 3]),
    ];
    for (weights, expected) in cases {
        let mix = Mix::new(1, weights);
        let length: u64 = expected.iter().sum();
        assert_eq!(mix.block_length(), length, "{weights:?}");
        for block in [0, 1, 2, 1_000_000] {
            let counted = counts(&mix, block * length..(block + 1) * length);
            for (operation, expected) in expected.iter().enumerate() {
                assert_eq!(counted.get(&operation).copied().unwrap_or(0), *expected, "{weights:?}, block {block}");
            }
        }
    }
}

#[test]
fn weights_that_no_short_block_holds_exactly_are_off_by_less_than_a_thousandth() {
    let weights = [1.0, 2.0_f64.sqrt(), 1e-9];
    let mix = Mix::new(1, &weights);
    let length = mix.block_length();
    assert!(length <= 1_000);
    let total: f64 = weights.iter().sum();
    let counted = counts(&mix, 0..length);
    for (operation, weight) in weights.iter().enumerate() {
        let share = counted[&operation] as f64 / length as f64;
        assert!((share - weight / total).abs() <= 1e-3 + f64::EPSILON, "operation {operation}: {share}");
    }
}

#[test]
fn a_number_is_the_same_operation_whoever_asks_and_whatever_was_asked_before() {
    let mix = Mix::new(7, &[60.0, 30.0, 10.0]);
    let forwards: Vec<usize> = (0..1_000).map(|number| mix.operation(number)).collect();
    let again = Mix::new(7, &[60.0, 30.0, 10.0]);
    let backwards: Vec<usize> = (0..1_000).rev().map(|number| again.operation(number)).collect();
    assert_eq!(forwards, backwards.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn blocks_are_shuffled_each_in_its_own_way_and_by_the_seed() {
    let places_of_the_rare_one = |seed: u64| -> Vec<u64> {
        let mix = Mix::new(seed, &[19.0, 1.0]);
        (0..400)
            .map(|block| (0..20).find(|place| mix.operation(block * 20 + place) == 1).expect("once a block"))
            .collect()
    };
    let places = places_of_the_rare_one(1);
    for place in 0..20 {
        // 400 blocks put it at each of 20 places 20 times on average, with a standard deviation of 4.4.
        let times = places.iter().filter(|other| **other == place).count();
        assert!((2..=42).contains(&times), "place {place}: {times} times");
    }
    assert_ne!(places, places_of_the_rare_one(2));
}

proptest! {
    #[test]
    fn no_number_belongs_to_two_phases(
        block in 1_u64..=1_000,
        lead_in in 0_u64..5_000,
        operations in 1_u64..50_000,
        rounds in 1_u32..40,
    ) {
        let ranges = Ranges::new(MEASURED_FROM, block, lead_in, operations);
        let mut phases = vec![Ranges::parity(), Ranges::calibration(block), Ranges::light_load(block)];
        for round in 0..rounds {
            phases.push(ranges.lead_in(round));
            phases.push(ranges.window(round));
        }
        let closing = ranges.round_from(rounds);
        phases.push(closing..closing + 1);
        for pair in phases.windows(2) {
            prop_assert!(pair[0].end <= pair[1].start, "{:?} and {:?}", pair[0], pair[1]);
        }
        for round in 0..rounds {
            prop_assert_eq!(ranges.window(round).end - ranges.window(round).start, operations);
            prop_assert_eq!(ranges.window(round).start % block, 0, "a window starts with a block of the mix");
        }
    }
}

#[test]
fn the_ranges_stand_where_records_say_they_do() {
    assert_eq!(Ranges::parity(), 0..CALIBRATION_FROM);
    assert_eq!(Ranges::calibration(20), CALIBRATION_FROM..LIGHT_LOAD_FROM);
    assert_eq!(Ranges::light_load(20), LIGHT_LOAD_FROM..MEASURED_FROM);
    let ranges = Ranges::new(MEASURED_FROM, 20, 200, 1_000);
    assert_eq!(ranges.lead_in(0), 2_000_000..2_000_200);
    assert_eq!(ranges.window(0), 2_000_200..2_001_200);
    assert_eq!(ranges.lead_in(1), 2_001_200..2_001_400);
    assert_eq!(ranges.round_from(2), 2_002_400);
}

/// How often each model stands in each position, and how often directly after each other model.
type Places = (BTreeMap<(usize, usize), u32>, BTreeMap<(usize, usize), u32>);

fn places(order: &[Vec<usize>]) -> Places {
    let (mut positions, mut followers) = Places::default();
    for round in order {
        for (position, model) in round.iter().enumerate() {
            *positions.entry((*model, position)).or_default() += 1;
        }
        for pair in round.windows(2) {
            *followers.entry((pair[0], pair[1])).or_default() += 1;
        }
    }
    (positions, followers)
}

#[test]
fn over_a_full_cycle_every_model_stands_equally_often_everywhere_and_after_each_other() {
    for models in 2..=7 {
        let cycle = if models % 2 == 0 { models } else { 2 * models };
        let rounds = u32::try_from(3 * cycle).expect("small");
        let (positions, followers) = places(&balanced_order(models, rounds, 1));
        let each = rounds / u32::try_from(models).expect("small");
        assert_eq!(positions.len(), models * models);
        assert!(positions.values().all(|times| *times == each), "{models} models: {positions:?}");
        // `models - 1` neighbours a round, over `models · (models - 1)` ordered pairs.
        assert_eq!(followers.len(), models * (models - 1));
        assert!(followers.values().all(|times| *times == each), "{models} models: {followers:?}");
    }
}

#[test]
fn a_cycle_cut_short_keeps_positions_within_one_of_each_other() {
    for models in 2..=5 {
        for rounds in 1..=40 {
            let order = balanced_order(models, rounds, 3);
            assert_eq!(order.len(), rounds as usize);
            for round in &order {
                let mut sorted = round.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..models).collect::<Vec<_>>(), "every model once in each round");
            }
            let (positions, _) = places(&order);
            let times = |model, position| positions.get(&(model, position)).copied().unwrap_or(0);
            let all: Vec<u32> =
                (0..models).flat_map(|model| (0..models).map(move |position| times(model, position))).collect();
            let spread = all.iter().max().expect("some") - all.iter().min().expect("some");
            assert!(spread <= 1, "{models} models, {rounds} rounds: {positions:?}");
        }
    }
}

#[test]
fn the_seed_decides_the_order() {
    assert_eq!(balanced_order(3, 20, 5), balanced_order(3, 20, 5));
    assert_ne!(balanced_order(3, 20, 5), balanced_order(3, 20, 6));
}

/// Notes of authors, with parameters of every kind.
const NOTES: &str = "
format: 1
title: Notes
summary: Notes of authors.
parameters:
  authors: {default: 1000, smoke: 50, nightly: 9000, min: 10, max: 100000}
  share: {default: 0.5, min: 0, max: 1}
  colour: {default: red}
dataset:
  notes: {count: ^authors, document: {_id: ^index, author: ^index, colour: ^colour, share: ^share}}
models:
  plain:
    role: naive
    collections: {notes: {from: notes}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      write: [{insertOne: {collection: notes, document: {_id: ^id}}}]
  fancy:
    role: pattern
    collections: {notes: {from: notes}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      write: [{insertOne: {collection: notes, document: {_id: ^id}}}]
  tuned:
    role: alternative
    collections: {notes: {from: notes}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      write: [{insertOne: {collection: notes, document: {_id: ^id}}}]
workload:
  read: {weight: 3, args: {note: {^key: notes}}, returns: {fields: [_id]}}
  write: {weight: 1, args: {id: ^objectId}}
";

fn notes() -> Arc<Scenario> {
    let loaded = load_scenario(SourceText::new("notes.yaml", NOTES));
    Arc::new(loaded.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

fn plan(options: &RunOptions) -> Plan {
    plan_scenario(&notes(), options).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

fn refused(options: &RunOptions) -> PlanError {
    plan_scenario(&notes(), options).expect_err("it does not fit")
}

fn set(assignments: &[(&str, &str)]) -> RunOptions {
    let set = assignments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    RunOptions { set, ..RunOptions::default() }
}

#[test]
fn parameters_are_the_profiles_until_they_are_set() {
    let authors = |options: &RunOptions| plan(options).parameters["authors"].clone();
    let profile = |profile| RunOptions { profile, ..RunOptions::default() };
    assert_eq!(authors(&profile(Profile::Smoke)), Bson::Int32(50));
    assert_eq!(authors(&profile(Profile::Quick)), Bson::Int32(1_000));
    assert_eq!(authors(&profile(Profile::Standard)), Bson::Int32(1_000));
    assert_eq!(authors(&profile(Profile::Nightly)), Bson::Int32(9_000));
    let changed = plan(&set(&[("authors", "300"), ("authors", "400"), ("share", "1"), ("colour", "7")]));
    assert_eq!(changed.parameters["authors"], Bson::Int32(400), "the last one stands");
    assert_eq!(changed.parameters["share"], Bson::Double(1.0), "of the kind that the default has");
    assert_eq!(changed.parameters["colour"], Bson::String("7".to_owned()));
    assert_eq!(changed.world.count("notes"), Some(400));
}

#[test]
fn answers_are_compared_on_smoke_sizes_with_whatever_else_was_set() {
    let large = plan(&set(&[("authors", "300"), ("colour", "blue")]));
    assert_eq!(large.parity_parameters["authors"], Bson::Int32(50));
    assert_eq!(large.parity_parameters["colour"], Bson::String("blue".to_owned()), "it has no smoke value");
    assert_eq!(large.parity_world.count("notes"), Some(50));
    let small = plan(&set(&[("authors", "20")]));
    assert_eq!(small.parity_parameters["authors"], Bson::Int32(20), "smaller than smoke was asked for");
}

#[test]
fn a_parameter_that_does_not_fit_is_refused_with_what_would() {
    let cases = [
        (("author", "5"), "did you mean `authors`?"),
        (("zzz", "5"), "it has authors, share, colour"),
        (("authors", "many"), "is a whole number"),
        (("authors", "2.5"), "is a whole number"),
        (("authors", "9"), "must be at least 10"),
        (("authors", "100001"), "must be at most 100000"),
        (("share", "NaN"), "is a number"),
        (("share", "1.5"), "must be at most 1"),
    ];
    for (assignment, hint) in cases {
        let message = refused(&set(&[assignment])).to_string();
        assert!(message.contains(hint), "{assignment:?}: {message}");
    }
}

#[test]
fn naive_always_runs_and_a_comparison_needs_two() {
    let with = |models: &[&str]| RunOptions {
        models: Some(models.iter().map(|name| (*name).to_owned()).collect()),
        ..RunOptions::default()
    };
    let names = |plan: &Plan| plan.models().map(|model| model.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&plan(&RunOptions::default())), ["plain", "fancy", "tuned"]);
    assert_eq!(names(&plan(&with(&["tuned"]))), ["plain", "tuned"]);
    assert!(refused(&with(&["tined"])).to_string().contains("did you mean `tuned`?"));
    assert!(refused(&with(&["plain"])).to_string().contains("needs two"));
    for order in &plan(&with(&["tuned"])).order {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 2], "places in the scenario");
    }
}

#[test]
fn rounds_are_sized_by_naive_and_pattern_unless_no_pattern_runs() {
    let all = plan(&RunOptions::default());
    assert_eq!([0, 1, 2].map(|model| all.sizes_rounds(model)), [true, true, false]);
    let without = plan(&RunOptions { models: Some(vec!["tuned".to_owned()]), ..RunOptions::default() });
    assert_eq!([0, 2].map(|model| without.sizes_rounds(model)), [true, true]);
}

#[test]
fn figures_out_of_range_are_refused() {
    let none = RunOptions { concurrency: Some(0), ..RunOptions::default() };
    assert!(refused(&none).to_string().contains("--concurrency"));
    let many = RunOptions { concurrency: Some(MAX_CONCURRENCY + 1), ..RunOptions::default() };
    assert!(refused(&many).to_string().contains("--concurrency"));
    assert!(refused(&RunOptions { rounds: Some(0), ..RunOptions::default() }).to_string().contains("--rounds"));
    assert!(refused(&RunOptions { restarts: 0, ..RunOptions::default() }).to_string().contains("--restarts"));
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let message = refused(&RunOptions { rate: Some(Rate::new(rate)), ..RunOptions::default() }).to_string();
        assert!(message.contains("--rate"), "{message}");
    }
    let closed = RunOptions { mode: Some(Mode::Closed), ..RunOptions::default() };
    let contradictions = [
        RunOptions { rate: Some(Rate::new(100.0)), ..closed.clone() },
        RunOptions { arrivals: ArrivalProcess::Poisson, ..closed },
    ];
    for options in contradictions {
        assert!(matches!(refused(&options), PlanError::Contradiction { .. }), "{options:?}");
    }
}

#[test]
fn profiles_have_their_rounds_and_windows() {
    let of = |profile| {
        let plan = plan(&RunOptions { profile, ..RunOptions::default() });
        (plan.rounds, plan.order.len(), plan.window.as_millis())
    };
    assert_eq!(of(Profile::Smoke), (2, 2, 500));
    assert_eq!(of(Profile::Quick), (10, 10, 1_500));
    assert_eq!(of(Profile::Standard), (20, 20, 6_000));
    assert_eq!(of(Profile::Nightly), (30, 30, 6_000));
}

#[test]
fn the_slower_models_capacity_fills_the_window_in_whole_blocks() {
    let plan = plan(&closed());
    // 1,000 a second for 1.5 s are 1,500; the mix 3 : 1 has blocks of four, and 1,500 is 375 of them.
    let rounds = calibrated(&plan, 1_000.0).rounds;
    assert_eq!(rounds.operations_per_round, 1_500);
    // A fifth of that is 300; half a second is 500.
    assert_eq!(rounds.lead_in_operations, 500);
    assert_eq!(rounds.planned, Duration::from_millis(1_500));
    // 1 a second for 1.5 s is less than half a block, and a round has at least one.
    assert_eq!(calibrated(&plan, 1.0).rounds.operations_per_round, 4);
    assert_eq!(calibrated(&plan, 0.0).rounds.operations_per_round, 4, "nothing was done in time");
}

#[test]
fn a_model_is_given_up_at_twice_the_planned_time_and_those_that_made_the_plan_later() {
    let plan = plan(&RunOptions { round_time: Some(Duration::from_secs(6)), ..closed() });
    let rounds = calibrated(&plan, 100.0).rounds;
    let limit = |sizes_rounds, slowest| rounds.limit(600, sizes_rounds, Duration::from_secs(slowest)).as_secs();
    assert_eq!(limit(false, 0), 12);
    assert_eq!(limit(false, 9), 18, "the machine has become slow: twice what the slowest took");
    assert_eq!(limit(true, 0), 48);
    assert_eq!(limit(true, 9), 72, "the data have grown: eight times what the slowest took");
    let short = rounds.limit(6, false, Duration::ZERO);
    assert_eq!(short.as_millis(), 2_060, "60 ms planned: a stall of two seconds is no saturation");
}

#[test]
fn data_that_grow_by_more_than_a_tenth_are_said_to_grow() {
    let of = |operations| {
        let plan = plan(&RunOptions { operations: Some(operations), ..RunOptions::default() });
        calibrated(&plan, 1_000.0).state(&plan)
    };
    // Ten rounds of n and a lead-in of n / 5, a quarter of them inserts: 3 n documents beside a thousand.
    assert_eq!(of(32), (DataState::Steady, Some("notes of plain grows by 10 %".to_owned())));
    // A round takes a fraction of a second, and loading a thousand documents as well.
    let (state, why) = of(40);
    assert_eq!(state, DataState::Growing);
    assert!(why.as_ref().is_some_and(|why| why.starts_with("notes of plain grows by 12 %; loading")), "{why:?}");
    // 4,000 operations and their lead-in of 800 at 500 a second.
    let (state, why) = of(4_000);
    assert_eq!(state, DataState::Reload);
    assert!(why.as_ref().is_some_and(|why| why.contains("of a round of 9.6 s")), "{why:?}");
}

fn closed() -> RunOptions {
    RunOptions { mode: Some(Mode::Closed), ..RunOptions::default() }
}

/// What calibration makes of a plan whose slower model does that many operations a second, 99 of 100 within 20 ms.
fn calibrated(plan: &Plan, capacity: f64) -> CalibratedPlan {
    CalibratedPlan::new(plan, Capacity { slower: Rate::new(capacity), p99: Duration::from_millis(20) })
}

#[test]
fn open_load_offers_a_preferred_rate_up_to_sixty_percent_of_the_slower_capacity_with_workers_for_a_slow_moment() {
    let plan = plan(&RunOptions { concurrency: Some(4), ..RunOptions::default() });
    let found = calibrated(&plan, 1_400.0);
    // 60 % are 840 a second, and the preferred number below is 800: 1,200 operations in 1.5 s. If each took 20 ms, 16 would
    // be under way; twice as many have workers.
    let expected = Load::Open { workers: 32, rate: Rate::new(800.0), arrivals: ArrivalProcess::Constant, seed: 1 };
    assert_eq!((found.rounds.load, found.rounds.operations_per_round), (expected, 1_200));
    assert_eq!(calibrated(&plan, 1_600.0).rounds.load, expected, "a machine that is a little faster changes nothing");
    assert_eq!(found.rounds.planned, Duration::from_millis(1_500));
    let limit = |sizes_rounds| found.rounds.limit(1_200, sizes_rounds, Duration::from_secs(9)).as_millis();
    // Twice 1.5 s are less than a stall beyond the planned time.
    assert_eq!(
        (limit(true), limit(false)),
        (3_500, 3_500),
        "the rate is the same for every model, however slow one was"
    );
    assert_eq!(found.workers(), 32);
}

#[test]
fn every_window_has_random_arrivals_of_its_own_which_are_the_same_for_every_model() {
    let options = RunOptions { arrivals: ArrivalProcess::Poisson, ..RunOptions::default() };
    let load = calibrated(&plan(&options), 1_000.0).rounds.load;
    let seeds: Vec<Load> = (0..20).map(|window| load.of_window(window)).collect();
    for (place, seed) in seeds.iter().enumerate() {
        assert!(!seeds[..place].contains(seed), "window {place} repeats the arrivals of another");
        assert_eq!(seed.rate(), load.rate());
    }
    assert_eq!(load.of_window(7), load.of_window(7));
}

#[test]
fn a_low_rate_is_planned_in_whole_blocks_and_takes_as_long_as_they_do() {
    // 0.2 operations a second; the mix 3 : 1 has blocks of four, so a window takes 20 s.
    let slow = plan(&RunOptions { rate: Some(Rate::new(0.2)), rounds: Some(5), ..RunOptions::default() });
    assert_eq!(calibrated(&slow, 1_000.0).rounds.operations_per_round, 4);
    assert!(slow.estimate().total() >= Duration::from_secs(3 * 5 * 20), "{:?}", slow.estimate());
    let rows = slow.outline();
    assert!(rows.iter().any(|row| row.what == "operations" && row.value.starts_with("4 per round")));
}

#[test]
fn a_model_too_slow_for_open_load_is_measured_closed_and_the_plan_says_why() {
    let plan = plan(&RunOptions { concurrency: Some(4), ..RunOptions::default() });
    let slow = calibrated(&plan, 49.0);
    assert_eq!(slow.rounds.load, Load::Closed { workers: 4 });
    assert!(slow.reason.as_ref().is_some_and(|why| why.contains("49.0/s")), "{:?}", slow.reason);
    assert_eq!(calibrated(&plan, 50.0).rounds.load.mode(), Mode::Open);
}

#[test]
fn a_rate_asked_for_is_offered_whatever_the_models_can_do() {
    let options = RunOptions { rate: Some(Rate::new(3_000.0)), concurrency: Some(4), ..RunOptions::default() };
    let found = calibrated(&plan(&options), 10.0);
    assert_eq!(found.rounds.load.rate(), Some(Rate::new(3_000.0)));
    assert_eq!(found.rounds.operations_per_round, 4_500, "in 1.5 s");
    assert_eq!(found.workers(), 120, "twice 3,000/s times 20 ms");
    let slowest = RunOptions { rate: Some(Rate::new(1e6)), ..RunOptions::default() };
    assert_eq!(calibrated(&plan(&slowest), 10.0).workers(), MAX_CONCURRENCY);
}

#[test]
fn rounds_at_light_load_fit_their_numbers_however_quick_the_operations_are() {
    let plan = plan(&RunOptions::default());
    let left = || LIGHT_LOAD_FROM + 400..MEASURED_FROM;
    for pace in [0.0, 1.0, 20.0, 1_000.0, 20_000.0, 1e7] {
        let mut found = calibrated(&plan, 1_000.0);
        found.size_light_load(&plan, Rate::new(pace), left());
        let rounds = found.light_load.expect("the numbers are always enough");
        assert_eq!(rounds.load, Load::Closed { workers: 1 });
        assert_eq!(rounds.lead_in(0).start, left().start);
        assert!(rounds.window(5).end <= MEASURED_FROM, "{pace}: {:?}", rounds.window(5));
        if (20.0..=20_000.0).contains(&pace) {
            assert_eq!(
                rounds.operations_per_round,
                (pace / 2.0 / 4.0).round() as u64 * 4,
                "half a second in blocks of 4"
            );
        }
    }
}

#[test]
fn a_control_run_compares_a_model_with_itself() {
    let names = |plan: &Plan| plan.models().map(|model| (model.name.clone(), model.role)).collect::<Vec<_>>();
    let pair = |name: &str| vec![(name.to_owned(), Role::Naive), (format!("{name}-control"), Role::Pattern)];
    let of = |models: Option<Vec<String>>| plan(&RunOptions { control: true, models, ..RunOptions::default() });
    let usual = of(None);
    assert_eq!(names(&usual), pair("fancy"), "the first pattern unless another is named");
    assert_eq!(usual.record().control.as_deref(), Some("fancy"));
    assert_eq!(names(&of(Some(vec!["tuned".to_owned()]))), pair("tuned"));
    let two = RunOptions {
        control: true,
        models: Some(vec!["plain".to_owned(), "tuned".to_owned()]),
        ..RunOptions::default()
    };
    assert!(refused(&two).to_string().contains("--control"));
    let unknown = RunOptions { control: true, models: Some(vec!["tined".to_owned()]), ..RunOptions::default() };
    assert!(refused(&unknown).to_string().contains("did you mean `tuned`?"));
}

#[test]
fn restarts_multiply_the_rounds_and_share_one_balanced_order() {
    let plan = plan(&RunOptions { restarts: 3, ..RunOptions::default() });
    assert_eq!((plan.rounds, plan.rounds_per_restart(), plan.order.len()), (30, 10, 30));
    assert_eq!(plan.light_load_order.len(), 3 * 6);
}

fn fingerprint(options: &RunOptions) -> String {
    let plan = plan(options);
    let program = ModelProgram::new(&plan.scenario, 0, plan.models[0], Arc::clone(&plan.world)).expect("it compiles");
    stream_sha256(&plan, |operation, number| program.arguments(operation, number)).expect("arguments can be rendered")
}

#[test]
fn the_stream_depends_on_seed_and_parameters_and_on_nothing_else() {
    let usual = fingerprint(&RunOptions::default());
    let alike = [
        RunOptions { concurrency: Some(1), ..RunOptions::default() },
        RunOptions { concurrency: Some(64), ..RunOptions::default() },
        RunOptions { rounds: Some(3), operations: Some(7), ..RunOptions::default() },
        RunOptions { profile: Profile::Standard, ..RunOptions::default() },
        RunOptions { models: Some(vec!["tuned".to_owned()]), ..RunOptions::default() },
    ];
    for options in &alike {
        assert_eq!(fingerprint(options), usual, "{options:?}");
    }
    assert_ne!(fingerprint(&RunOptions { seed: 2, ..RunOptions::default() }), usual);
    assert_ne!(fingerprint(&set(&[("authors", "300")])), usual, "keys are drawn from other authors");
}

/// Model, collection, field, added, loaded.
type Grows = (String, String, Option<String>, f64, Option<f64>);

/// What `plan` is said to add between two loads.
fn growth(plan: &Plan) -> Vec<Grows> {
    let records = calibrated(plan, 1_000.0).growth(plan).into_iter();
    records.map(|grows| (grows.model, grows.collection, grows.field, grows.added, grows.loaded)).collect()
}

/// Models that keep the same facts in documents, in arrays, in buckets, and in a queue.
const SHELVES: &str = "
format: 1
title: Shelves
summary: Books on shelves.
parameters:
  shelves: {default: 100, min: 1}
dataset:
  shelves: {count: ^shelves, document: {_id: ^index, books: {^array: {count: 4, of: {_id: ^position}}}}}
models:
  documents:
    role: naive
    collections: {shelves: {from: shelves}, loans: {from: null}}
    operations:
      add:
        - insertMany: {collection: loans, documents: ^books}
      lend:
        - insertOne: {collection: loans, document: {_id: ^id}, forEach: ^books}
        - deleteOne: {collection: shelves, filter: {_id: ^shelf}}
  arrays:
    role: pattern
    collections:
      shelves: {from: shelves}
      copies: {from: shelves, pipeline: [{$set: {books: []}}]}
    operations:
      add:
        - updateOne: {collection: shelves, filter: {_id: ^shelf}, update: {$push: {books: {$each: ^books}}}}
        - updateOne:
            collection: copies
            filter: {_id: ^shelf}
            update: {$push: {books: {$each: ^books, $slice: -5}, history: 1}}
      lend:
        - findOne: {collection: shelves, filter: {_id: ^shelf}, as: found}
        - updateOne: {collection: shelves, filter: {_id: ^shelf}, update: {$inc: {lent: 1}}}
        - updateOne:
            collection: copies
            filter: {_id: ^shelf}
            update: {$addToSet: {lent: ^found._id}}
            upsert: true
        - insertOne: {collection: copies, document: {_id: ^id}, when: {^eq: [1, 2]}}
workload:
  add: {weight: 1, args: {shelf: {^key: shelves}, books: {^array: {count: 3, of: {_id: ^objectId}}}}}
  lend: {weight: 1, args: {shelf: {^key: shelves}, id: ^objectId, books: {^array: {count: 2, of: {_id: ^objectId}}}}}
";

fn shelves(options: &RunOptions) -> Plan {
    let loaded = load_scenario(SourceText::new("shelves.yaml", SHELVES));
    let scenario = loaded.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)));
    plan_scenario(&Arc::new(scenario), options).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

#[test]
fn each_collection_and_array_grows_by_what_the_steps_add_to_it() {
    let plan = shelves(&RunOptions { operations: Some(10), rounds: Some(5), ..RunOptions::default() });
    // Five rounds of ten operations and lead-ins of two are 60 operations, 30 of each.
    let expected = |model: &str, collection: &str, field: Option<&str>, added, loaded| {
        (model.to_owned(), collection.to_owned(), field.map(str::to_owned), added, loaded)
    };
    let told = [
        // Three books in one call, or two calls for two books.
        expected("documents", "loans", None, 30.0 * 3.0 + 30.0 * 2.0, Some(0.0)),
        expected("documents", "shelves", None, -30.0, Some(100.0)),
        // What a pipeline made is not known before it is loaded; an array cut to a length does not grow.
        expected("arrays", "copies", Some("history"), 30.0, None),
        expected("arrays", "copies", Some("lent"), 30.0, None),
        // A hundred shelves have four books each.
        expected("arrays", "shelves", Some("books"), 30.0 * 3.0, Some(400.0)),
    ];
    assert_eq!(growth(&plan), told);
    let (state, why) = calibrated(&plan, 1_000.0).state(&plan);
    assert_eq!(state, DataState::Growing);
    let why = why.expect("the plan decided it");
    assert!(why.starts_with("loans of documents starts empty and grows by 150 documents"), "{why}");
}

#[test]
fn data_are_not_reloaded_under_reads_that_go_on_with_time() {
    for argument in
        ["^index", "{^date: {start: 2025-01-01, every: 1s}}", "{^add: [^now, 1h]}", "{^date: {before_now: 1h}}"]
    {
        let text = NOTES.replace("args: {note: {^key: notes}}", &format!("args: {{note: {argument}}}"));
        let loaded = load_scenario(SourceText::new("notes.yaml", text));
        let scenario = loaded.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)));
        let options = RunOptions { operations: Some(4_000), ..RunOptions::default() };
        let plan = plan_scenario(&Arc::new(scenario), &options).expect("it can be planned").remove(0);
        let (state, why) = calibrated(&plan, 1_000.0).state(&plan);
        assert_eq!(state, DataState::Growing, "{argument}");
        assert!(why.as_ref().is_some_and(|why| why.contains("what read asks for")), "{why:?}");
    }
}

#[test]
fn growth_is_told_between_two_loads() {
    let of = |options: RunOptions| growth(&plan(&RunOptions { operations: Some(4_000), ..options }))[0].3;
    // Loaded anew for each round: 4,000 operations and a lead-in of 800, a quarter of them inserts.
    assert_eq!(of(RunOptions::default()), 1_200.0);
    let plan = plan(&RunOptions { operations: Some(32), restarts: 3, ..RunOptions::default() });
    // Ten rounds of each restart, of 32 and 8 operations.
    assert_eq!(growth(&plan)[0].3, 100.0);
}

#[test]
fn the_plan_says_which_figures_each_operation_will_get() {
    let plan = plan(&RunOptions { operations: Some(400), ..RunOptions::default() });
    let figures: BTreeMap<_, _> = calibrated(&plan, 1_000.0).figures(&plan).into_iter().collect();
    // Of 400 operations a round, 300 read and 100 write; ten rounds.
    assert_eq!(figures["write"], "p50, p95 and mean with interval (10 units); p99 pooled, without interval or verdict");
    // A thousand reads take four rounds, and ten rounds make two such units.
    assert_eq!(figures["read"], figures["write"]);
    // The whole mix: three rounds make 1,200, and ten rounds three units.
    assert_eq!(figures["all"], figures["write"]);
    let few = self::plan(&RunOptions { operations: Some(4), ..RunOptions::default() });
    let figures: BTreeMap<_, _> = calibrated(&few, 1_000.0).figures(&few).into_iter().collect();
    // Ten writes in all.
    assert_eq!(figures["write"], "p50 and mean pooled, without interval or verdict; no p95 and p99");
}

#[test]
fn the_outline_says_what_is_fixed_and_what_calibration_decides() {
    let open = |options: &RunOptions| -> Vec<&'static str> {
        let rows = plan(options).outline();
        let open = rows.iter().filter(|row| row.decided == Decided::ByCalibration).map(|row| row.what);
        open.filter(|what| !what.is_empty()).collect()
    };
    let everything = ["mode", "rate", "workers", "operations", "figures", "growth", "state"];
    assert_eq!(open(&RunOptions::default()), everything);
    assert_eq!(open(&closed()), ["operations", "figures", "growth", "state"]);
    assert_eq!(open(&RunOptions { operations: Some(500), ..closed() }), Vec::<&str>::new());
    let rate = Some(Rate::new(500.0));
    assert_eq!(open(&RunOptions { rate, ..RunOptions::default() }), ["workers"]);
}

#[test]
fn the_outline_of_a_plan_says_all_of_it() {
    let options = RunOptions { rate: Some(Rate::new(400.0)), restarts: 2, ..RunOptions::default() };
    let plan = plan(&options);
    let text: String = plan.outline().iter().map(|row| format!("{}: {}\n", row.what, row.value)).collect();
    let parts = [
        "models: plain (naive), fancy (pattern), tuned (alternative)",
        "parameters: authors=1000",
        "dataset: 1000 notes",
        "mix: read 75.0 %, write 25.0 %",
        "mode: open",
        "rate: 400/s, constant arrivals",
        "light load: 6 rounds of about 0.5 s per model",
        "rounds: 10 of about 1.5 s per model",
        "restarts: 2",
        "operations: 600 per round and model",
        "numbers: parity from 0",
        "order: round 1: ",
        "isolation: models share a server; of the embedded server each has its own, except at smoke size",
        "figures: read: p50, p95 and mean with interval (20 units); p99 with interval (6 units)",
        "write: p50, p95 and mean with interval (20 units); p99 pooled",
        "growth: notes of plain grows by ",
        "state: loaded anew for each round: notes of plain grows by ",
        "estimate: about ",
    ];
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn the_estimate_holds_every_window_with_its_lead_in() {
    let of = |options: &RunOptions| plan(options).estimate();
    let usual = of(&RunOptions::default());
    // Ten rounds of three models take 1.5 s and a lead-in of at least half a second each.
    assert!(usual.measure >= Duration::from_secs(60), "{usual:?}");
    // Five rounds of half a second.
    assert!(usual.light_load >= Duration::from_millis(7_500), "{usual:?}");
    let twice = of(&RunOptions { restarts: 2, ..RunOptions::default() });
    assert_eq!(twice.measure, usual.measure * 2);
    assert!(twice.load >= usual.load * 2 && twice.parity == usual.parity, "answers are compared once: {twice:?}");
    // 1,000 operations at 100 a second.
    let slow = of(&RunOptions { rate: Some(Rate::new(100.0)), operations: Some(1_000), ..RunOptions::default() });
    assert!(slow.measure >= Duration::from_secs(10 * 3 * 12), "ten seconds and a lead-in of two: {slow:?}");
}
