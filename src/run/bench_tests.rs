//! Calibration and rounds over scripted work: which numbers each model does, and what becomes of one that cannot.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::Notify;

use super::super::describe;
use super::super::event::Event;
use super::super::stage::Observed;
use super::super::watchdog::Health;
use super::super::work::Finished;
use super::*;
use crate::backend::{CallError, CallErrorKind};
use crate::clock::WallClock;
use crate::plan::{CALIBRATION_FROM, LIGHT_LOAD_FROM, MEASURED_FROM, RoundPlan, RunOptions, plan_scenario};
use crate::scenario::load_scenario;
use crate::source::SourceText;
use crate::words::{ErrorName, Mode, Phase, Profile, RoundOutcome};

/// Two models and an alternative; what they do is scripted, so their steps never run.
const SCENARIO: &str = "
format: 1
title: Scripted
summary: What the models do is scripted.
dataset:
  things: {count: 10, document: {_id: ^index}}
models:
  plain:
    role: naive
    collections: {things: {from: things}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
      write: [{insertOne: {collection: things, document: {_id: ^id}}}]
  fancy:
    role: pattern
    collections: {things: {from: things}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
      write: [{insertOne: {collection: things, document: {_id: ^id}}}]
  other:
    role: alternative
    collections: {things: {from: things}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
      write: [{insertOne: {collection: things, document: {_id: ^id}}}]
workload:
  read: {weight: 3, args: {thing: {^int: {min: 0, max: 9}}}, returns: {fields: [_id]}}
  write: {weight: 1, args: {id: ^objectId}}
";

fn plan(options: &RunOptions) -> Plan {
    plan_of(SCENARIO, options)
}

fn plan_of(text: &str, options: &RunOptions) -> Plan {
    let loaded = load_scenario(SourceText::new("scripted.yaml", text));
    let scenario = loaded.map_err(|(text, problems)| crate::source::show(&text, &problems, false));
    let scenario = Arc::new(scenario.unwrap_or_else(|problems| panic!("{problems}")));
    plan_scenario(&scenario, options).expect("the options fit").remove(0)
}

fn smoke() -> RunOptions {
    RunOptions { profile: Profile::Smoke, mode: Some(Mode::Closed), concurrency: Some(2), ..RunOptions::default() }
}

/// How long a model takes at a number, and what comes of it.
type Script = fn(u64) -> (Duration, Result<(), CallErrorKind>);

/// Long enough for calibration to end after a few thousand operations.
const SHORT: Duration = Duration::from_micros(50);
const WORKS: Script = |_| (SHORT, Ok(()));

/// A model that keeps the numbers it was asked for.
#[derive(Clone)]
struct Scripted {
    script: Script,
    numbers: Arc<Mutex<Vec<u64>>>,
}

impl Work for Scripted {
    type Prepared = u64;

    fn prepare(&self, _operation: usize, number: u64) -> Result<u64, CallError> {
        self.numbers.lock().expect("no test panics while it holds the lock").push(number);
        Ok(number)
    }

    async fn execute(&self, number: u64) -> Result<Finished, CallError> {
        let (time, outcome) = (self.script)(number);
        tokio::time::sleep(time).await;
        outcome.map(|()| Finished::default()).map_err(|kind| CallError::new(kind, "as the script says"))
    }
}

struct Immortal;

impl Health for Immortal {
    async fn lost(&self) -> String {
        std::future::pending().await
    }

    fn suspicion(&self) -> Arc<Notify> {
        Arc::default()
    }
}

impl Stage for Immortal {
    type Clock = WallClock;

    fn clock(&self) -> WallClock {
        WallClock
    }

    async fn enter(&self, _contender: usize, _fresh: bool) -> Result<(), RunError> {
        Ok(())
    }

    async fn begin(&self, _contender: usize) {}

    async fn end(&self, _contender: usize) -> Observed {
        Observed::default()
    }

    async fn leave(&self, _contender: usize) {}
}

struct Ignored;

impl Listener for Ignored {
    fn hear(&mut self, _event: &Event) {}
}

/// What a bench came to.
struct Came {
    outcome: Result<Measured, RunError>,
    record: ScenarioRecord,
    /// The numbers each model did, sorted.
    numbers: Vec<Vec<u64>>,
}

async fn measured<W: Work, S: Stage>(bench: &mut Bench<'_, W, S>) -> Result<Measured, RunError> {
    let calibrated = bench.calibrate(0, None).await?;
    bench.rounds(0, &calibrated).await?;
    Ok(Measured { calibrated, standing: bench.standing() })
}

async fn measure(plan: &Plan, scripts: [Script; 3]) -> Came {
    let works = scripts.map(|script| Scripted { script, numbers: Arc::default() });
    let contenders = plan.models.iter().zip(&works).map(|(place, work)| Contender::new(*place, work.clone())).collect();
    let mut record = describe::scenario(plan, String::new(), String::new());
    let mut listener = Ignored;
    let mut bench = Bench::new(plan, contenders, Interrupt::new(), &Immortal, &mut listener, &mut record);
    let outcome = measured(&mut bench).await;
    let numbers = works.iter().map(|work| {
        let mut numbers = work.numbers.lock().expect("no test panics while it holds the lock").clone();
        numbers.sort_unstable();
        numbers
    });
    Came { outcome, record, numbers: numbers.collect() }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_models_do_the_same_numbers_and_each_number_once() {
    let plan = plan(&RunOptions { round_time: Some(Duration::from_millis(50)), ..smoke() });
    let came = measure(&plan, [WORKS; 3]).await;
    let measured = came.outcome.expect("nothing goes wrong");
    assert_eq!(measured.standing, [0, 1, 2]);
    assert_eq!(came.numbers[0], came.numbers[1]);
    assert_eq!(came.numbers[0], came.numbers[2]);
    assert!(came.numbers[0].windows(2).all(|pair| pair[0] < pair[1]), "no number twice");

    let of_phase = |from: u64, to: u64| -> Vec<u64> {
        came.numbers[0].iter().copied().filter(|number| (from..to).contains(number)).collect()
    };
    let in_rounds = |rounds: &RoundPlan| -> Vec<u64> {
        (0..2).flat_map(|round| rounds.lead_in(round).chain(rounds.window(round))).collect()
    };
    let rounds = &measured.calibrated.rounds;
    assert_eq!(rounds.operations_per_round % 4, 0, "the mix 3 : 1 has blocks of four");
    assert_eq!(of_phase(MEASURED_FROM, u64::MAX), in_rounds(rounds));
    let calibration = of_phase(CALIBRATION_FROM, LIGHT_LOAD_FROM);
    let expected: Vec<u64> = (CALIBRATION_FROM..).take(calibration.len()).collect();
    assert_eq!(calibration, expected, "calibration leaves no gap");
    let light_load = of_phase(LIGHT_LOAD_FROM, MEASURED_FROM);
    let light_rounds = measured.calibrated.light_load.as_ref().expect("there are numbers enough");
    let of_rounds = in_rounds(light_rounds);
    assert!(light_load.ends_with(&of_rounds), "rounds at light load follow their calibration");
    let expected: Vec<u64> = (LIGHT_LOAD_FROM..).take(light_load.len() - of_rounds.len()).collect();
    assert_eq!(light_load[..expected.len()], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_are_recorded_in_the_planned_order_without_their_lead_ins() {
    let plan = plan(&RunOptions { operations: Some(40), rounds: Some(5), ..smoke() });
    let came = measure(&plan, [WORKS; 3]).await;
    came.outcome.expect("nothing goes wrong");
    let measured: Vec<_> = came.record.rounds.iter().filter(|window| window.phase == Phase::Measured).collect();
    let run: Vec<_> = measured.iter().map(|window| (window.round, window.position, window.model.as_str())).collect();
    let mut planned = Vec::new();
    for (round, order) in (0..).zip(&plan.order) {
        for (position, place) in (0..).zip(order) {
            planned.push((round, position, plan.scenario.models[*place].name.as_str()));
        }
    }
    assert_eq!(run, planned);
    for window in measured {
        let counts: BTreeMap<_, _> =
            window.operations.iter().map(|(name, figures)| (name.as_str(), figures.count)).collect();
        assert_eq!(counts, BTreeMap::from([("read", 30), ("write", 10)]), "40 operations in the proportion 3 : 1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_asked_for_by_number_give_the_same_numbers_on_any_machine() {
    let plan = plan(&RunOptions { operations: Some(42), ..smoke() });
    let came = measure(&plan, [WORKS; 3]).await;
    let calibrated = came.outcome.expect("nothing goes wrong").calibrated;
    // A fifth of 42 is 8.4, in whole blocks of four 12: once for calibration and once before each window.
    let rounds = &calibrated.rounds;
    assert_eq!((rounds.operations_per_round, rounds.lead_in_operations), (42, 12));
    // At light load a fifth of 42 in whole is 9, and a fifth of those in whole blocks is 4.
    let light_load = calibrated.light_load.expect("there are numbers enough");
    assert_eq!((light_load.operations_per_round, light_load.lead_in_operations), (9, 4));
    assert_eq!(came.numbers[0].len(), 12 + 2 * (12 + 42) + 12 + 2 * (4 + 9));
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_failures_in_calibration_are_found_before_any_round() {
    let came = measure(&plan(&smoke()), [WORKS, |_| (SHORT, Err(CallErrorKind::Timeout)), WORKS]).await;
    let Err(RunError::TooManyFailures { model, operations, .. }) = came.outcome else {
        panic!("every operation of `fancy` fails")
    };
    assert_eq!(model, "fancy");
    assert_eq!(operations.iter().map(|failed| failed.operation.as_str()).collect::<Vec<_>>(), ["read", "write"]);
    assert!(came.record.rounds.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_up_to_one_in_a_hundred_are_counted_and_shown() {
    let plan = plan(&RunOptions { operations: Some(1_000), ..smoke() });
    let sometimes: Script = |number| (SHORT, if number % 400 == 7 { Err(CallErrorKind::Timeout) } else { Ok(()) });
    let came = measure(&plan, [WORKS, sometimes, WORKS]).await;
    let measured = came.outcome.expect("one in 400 is borne");
    let failed = |model: &str| -> u64 {
        let of_model = came.record.rounds.iter().filter(|window| window.model == model);
        let windows = of_model.filter(|window| window.phase == Phase::Measured);
        windows.flat_map(|window| window.operations.values()).flat_map(|figures| figures.errors.values()).sum()
    };
    let windows = (0..2).flat_map(|round| measured.calibrated.rounds.window(round));
    let failing = windows.filter(|number| number % 400 == 7).count() as u64;
    assert!(failing >= 4, "two windows of a thousand numbers hold at least two each");
    assert_eq!((failed("plain"), failed("fancy")), (0, failing));
    assert!(came.record.rounds.iter().all(|window| window.outcome == RoundOutcome::Complete));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alternative_that_cannot_keep_up_is_shown_as_saturated_and_the_others_go_on() {
    let plan = plan(&RunOptions { rounds: Some(3), round_time: Some(Duration::from_millis(100)), ..smoke() });
    let slow: Script = |_| (Duration::from_secs(1), Ok(()));
    let came = measure(&plan, [WORKS, WORKS, slow]).await;
    assert_eq!(came.outcome.expect("the others are well").standing, [0, 1]);
    let outcomes = |model: &str| -> Vec<RoundOutcome> {
        let of_model = came.record.rounds.iter().filter(|window| window.model == model);
        of_model.filter(|window| window.phase == Phase::Measured).map(|window| window.outcome).collect()
    };
    assert_eq!(outcomes("plain"), [RoundOutcome::Complete; 3]);
    assert_eq!(outcomes("fancy"), [RoundOutcome::Complete; 3]);
    assert_eq!(
        outcomes("other"),
        [RoundOutcome::Saturated],
        "its first round shows how slow it is; then it runs no more"
    );
    let other = came.record.models.iter().find(|model| model.name == "other").expect("it is in the record");
    assert!(other.skipped.as_ref().is_some_and(|why| why.contains("saturated")), "{:?}", other.skipped);
    assert!(came.record.events.iter().any(|event| event.model.as_deref() == Some("other")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_comes_to_its_end_in_calibration_is_a_result_and_sizes_no_round() {
    let ending = SCENARIO.replacen("role: naive", "role: naive\n    ends_when: DocumentTooLarge", 1);
    let plan = plan_of(&ending, &RunOptions { round_time: Some(Duration::from_millis(50)), ..smoke() });
    let full: Script = |_| (SHORT, Err(CallErrorKind::Named(ErrorName::DocumentTooLarge)));
    let came = measure(&plan, [full, WORKS, WORKS]).await;
    assert_eq!(came.outcome.expect("the others are well").standing, [1, 2]);
    let plain = &came.record.models[0];
    let end = plain.ended.as_ref().expect("how it ended is in the record");
    assert_eq!((end.error, end.phase, end.round), (ErrorName::DocumentTooLarge, Phase::Calibration, None));
    assert_eq!((end.message.as_str(), end.held), ("as the script says", None));
    assert!(plain.skipped.as_ref().is_some_and(|why| why.contains("in calibration")), "{:?}", plain.skipped);
    assert!(!came.record.calibration.contains_key("plain"), "what it did until then is no capacity");
    assert!(
        came.record.rounds.iter().all(|window| window.model != "plain" && window.outcome == RoundOutcome::Complete)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn light_load_is_one_worker_in_rounds_of_its_own() {
    let came = measure(&plan(&smoke()), [WORKS; 3]).await;
    came.outcome.expect("nothing goes wrong");
    let (light, measured): (Vec<_>, Vec<_>) =
        came.record.rounds.iter().partition(|window| window.phase == Phase::LightLoad);
    assert_eq!((light.len(), measured.len()), (2 * 3, 2 * 3), "two rounds of three models each");
    assert!(light.iter().all(|window| window.workers == 1) && measured.iter().all(|window| window.workers == 2));
    assert_eq!(light.iter().map(|window| window.round).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
    for calibration in came.record.calibration.values() {
        let mean = calibration.light_load_mean.expect("it was measured").get();
        assert!(mean >= SHORT.as_secs_f64() * 1e6, "a scripted operation takes at least that long: {mean}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_brings_fresh_data_to_the_same_state_and_goes_on_counting_rounds() {
    let plan = plan(&RunOptions { restarts: 2, round_time: Some(Duration::from_millis(50)), ..smoke() });
    let works = [WORKS; 3].map(|script| Scripted { script, numbers: Arc::default() });
    let contenders = plan.models.iter().zip(&works).map(|(place, work)| Contender::new(*place, work.clone())).collect();
    let mut record = describe::scenario(&plan, String::new(), String::new());
    let mut listener = Ignored;
    let mut bench = Bench::new(&plan, contenders, Interrupt::new(), &Immortal, &mut listener, &mut record);
    let taken = || {
        let mut numbers =
            std::mem::take(&mut *works[0].numbers.lock().expect("no test panics while it holds the lock"));
        numbers.sort_unstable();
        numbers
    };
    let calibrated = bench.calibrate(0, None).await.expect("nothing goes wrong");
    bench.rounds(0, &calibrated).await.expect("nothing goes wrong");
    let first = taken();
    let again = bench.calibrate(1, Some(&calibrated)).await.expect("nothing goes wrong");
    bench.rounds(1, &again).await.expect("nothing goes wrong");
    assert_eq!(again, calibrated, "the plan is not chosen anew");
    assert_eq!(taken(), first, "the same numbers bring fresh data to the same states");
    let rounds: Vec<_> = record
        .rounds
        .iter()
        .filter(|window| window.phase == Phase::Measured && window.model == "plain")
        .map(|window| (window.restart, window.round))
        .collect();
    assert_eq!(rounds, [(0, 0), (0, 1), (1, 2), (1, 3)]);
}
