//! The main job, end to end against the embedded server: what is measured, what is refused, and what bad luck leaves.

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bson::{Document, doc};

use patternbench::guard::Consent;
use patternbench::plan::{Plan, RunOptions, plan_scenario};
use patternbench::record::{RoundRecord, RunRecord, ScenarioRecord, histogram};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunError, RunFinish, RunRequest, Target, run};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::server::{RunningServer, SecretUri, ServerChoice, ServerOptions, open};
use patternbench::source::{SourceText, show};
use patternbench::units::Rate;
use patternbench::words::{ErrorName, Mode, Phase, Profile, RoundOutcome};

/// A catalogue of products with their reviews: counted on every read, or counted when a review is written.
const CATALOGUE: &str = r#"
format: 1
title: Product list page
summary: A page of products with the number of their reviews.
patterns: [computed]
antipatterns: [recalculating-on-read]
tags: [test]
parameters:
  products: {default: 200, smoke: 40, min: 1}
  reviews_per_product: {default: 5, smoke: 2}
sweep: {reviews_per_product: [1, 10]}
expect: {list_page: faster, add_review: slower}
dataset:
  products: {count: ^products, document: {_id: ^index, name: {^words: 2}, category: {^mod: [^index, 4]}}}
  reviews:
    children: {of: products, count: ^reviews_per_product}
    document: {_id: ^index, productId: ^parent._id, rating: {^int: {min: 1, max: 5}}}
    indexes: [{key: {productId: 1}}]
models:
  naive:
    role: naive
    collections:
      products: {from: products, indexes: [{key: {category: 1, _id: 1}}]}
      reviews: {from: reviews, indexes: [{key: {productId: 1}}]}
    operations:
      list_page:
        growth: linear in reviews_per_product
        steps:
          - aggregate:
              collection: products
              pipeline:
                - {$match: {category: ^category}}
                - {$sort: {_id: 1}}
                - {$limit: 10}
                - {$lookup: {from: reviews, localField: _id, foreignField: productId, as: reviews}}
                - {$project: {name: 1, reviewCount: {$size: "$reviews"}}}
      add_review:
        - insertOne: {collection: reviews, document: ^review}
  counted:
    role: pattern
    collections:
      products:
        from: products
        pipeline:
          - {$lookup: {from: reviews, localField: _id, foreignField: productId, as: reviews}}
          - {$set: {reviewCount: {$size: "$reviews"}}}
          - {$unset: reviews}
        indexes: [{key: {category: 1, _id: 1}}]
      reviews: {from: reviews, indexes: [{key: {productId: 1}}]}
    operations:
      list_page:
        growth: constant
        steps:
          - find: {collection: products, filter: {category: ^category}, projection: {name: 1, reviewCount: 1}, sort: {_id: 1}, limit: 10}
      add_review:
        - insertOne: {collection: reviews, document: ^review}
        - updateOne: {collection: products, filter: {_id: ^review.productId}, update: {$inc: {reviewCount: 1}}}
workload:
  list_page: {weight: 80, args: {category: {^int: {min: 0, max: 3}}}, returns: {fields: [name, reviewCount], order: true}}
  add_review: {weight: 20, args: {review: {_id: ^objectId, productId: {^key: products}, rating: {^int: {min: 1, max: 5}}}}}
"#;

fn scenario(name: &str, text: &str) -> Arc<Scenario> {
    let text = SourceText::new(format!("{}.yaml", support::unique_name(name)), text);
    Arc::new(load_scenario(text).unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

/// Few operations under closed load, so that a test takes a second.
fn small() -> RunOptions {
    RunOptions {
        profile: Profile::Smoke,
        mode: Some(Mode::Closed),
        operations: Some(100),
        concurrency: Some(4),
        ..RunOptions::default()
    }
}

/// The windows of the measured rounds.
fn measured(record: &ScenarioRecord) -> Vec<&RoundRecord> {
    record.rounds.iter().filter(|window| window.phase == Phase::Measured).collect()
}

fn plans(scenario: &Arc<Scenario>, options: &RunOptions) -> Vec<Plan> {
    plan_scenario(scenario, options).unwrap_or_else(|error| panic!("{error}"))
}

/// Keeps all events, and does something at each.
struct Heard<F> {
    events: Vec<Event>,
    react: F,
}

impl<F: FnMut(&Event) + Send> Listener for Heard<F> {
    fn hear(&mut self, event: &Event) {
        self.events.push(event.clone());
        (self.react)(event);
    }
}

/// A run with all that can be varied.
struct Trial<'a> {
    server: &'a RunningServer,
    options: RunOptions,
    consent: Consent,
    folder: Option<&'a Path>,
    interrupt: Interrupt,
}

impl<'a> Trial<'a> {
    fn on(server: &'a RunningServer, options: RunOptions) -> Self {
        Self { server, options, consent: Consent::default(), folder: None, interrupt: Interrupt::new() }
    }

    async fn run(self, scenario: &Arc<Scenario>) -> RunFinish {
        self.run_and(scenario, |_| {}).await.0
    }

    /// Runs, and does something at each event.
    async fn run_and(self, scenario: &Arc<Scenario>, react: impl FnMut(&Event) + Send) -> (RunFinish, Vec<Event>) {
        let request = RunRequest {
            target: Target::Server { server: self.server, consent: self.consent, ends: false },
            plans: plans(scenario, &self.options),
            options: self.options,
            folder: self.folder,
            extent: Extent::Everything,
        };
        let mut heard = Heard { events: Vec::new(), react };
        let finish = tokio::time::timeout(Duration::from_secs(120), run(&request, &mut heard, self.interrupt)).await;
        (finish.expect("a small run takes seconds"), heard.events)
    }
}

async fn run_small(scenario: &Arc<Scenario>) -> RunFinish {
    Trial::on(support::shared_server(), small()).run(scenario).await
}

/// A server that was started by hand, as far as patternbench can tell.
struct ByHand {
    server: RunningServer,
    // Stopped when dropped.
    process: RunningServer,
}

impl ByHand {
    async fn start() -> Self {
        let process = support::own_server().await;
        let uri: SecretUri = process.shown_uri().parse().expect("a server's URI is one");
        let server = open(&ServerOptions::new(ServerChoice::Uri(uri))).await.expect("the server was just started");
        Self { server, process }
    }

    fn trial(&self, options: RunOptions) -> Trial<'_> {
        Trial::on(&self.server, options)
    }

    /// Names of patternbench's databases that are there now.
    async fn databases(&self) -> Vec<String> {
        let client = self.server.client(1).await.expect("the server answers");
        let mut names = client.list_database_names().await.expect("the server lists databases");
        names.retain(|name| name.starts_with("patternbench_"));
        names.sort();
        names
    }
}

/// The databases that were loaded, parity's left out.
fn loaded(events: &[Event]) -> Vec<String> {
    let target = |event: &Event| match event {
        Event::LoadFinished { target, .. } => Some(target.clone()),
        _ => None,
    };
    // Parity's databases come first: the source and both models.
    events.iter().filter_map(target).skip(3).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_model_does_the_same_numbers_in_every_round() {
    let finish = run_small(&scenario("catalogue", CATALOGUE)).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    assert!(finish.record.complete && finish.record.finished_at.is_some());
    let record = &finish.record.scenarios[0];
    assert_eq!(record.parity.as_ref().map(|parity| parity.mismatches), Some(0));
    let closing = record.closing_parity.as_ref().expect("answers were compared after the last round");
    // Four categories are four argument tuples of the only read.
    assert_eq!((closing.operations, closing.mismatches), (4, 0));
    assert_eq!(record.rounds.len(), 2 * 2 + 2 * 2, "two rounds of two models, at light load and measured");
    let rounds = measured(record);
    assert_eq!(rounds.len(), 2 * 2);
    for round in rounds {
        assert_eq!((round.outcome, round.planned), (RoundOutcome::Complete, 100));
        let counts: Vec<_> = round.operations.iter().map(|(name, figures)| (name.as_str(), figures.count)).collect();
        assert_eq!(counts, [("add_review", 20), ("list_page", 80)], "100 operations in the proportion 80 : 20");
        for figures in round.operations.values() {
            let service = figures.service.as_deref().expect("it has samples");
            assert_eq!(histogram::decode(service).expect("it was encoded by the run").len(), figures.count);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_says_what_was_planned_and_what_was_sent() {
    let finish = run_small(&scenario("catalogue", CATALOGUE)).await;
    assert!(finish.record.server.rtt.is_some());
    let record = &finish.record.scenarios[0];
    assert_eq!((record.plan.mode, record.plan.rounds, record.plan.concurrency), (Mode::Closed, 2, 4));
    assert_eq!((record.plan.operations_per_round, record.plan.lead_in_operations), (Some(100), Some(20)));
    assert_eq!(record.calibration.keys().collect::<Vec<_>>(), ["counted", "naive"]);
    for (round, order) in (0..).zip(&record.plan.order) {
        let of_round = measured(record).into_iter().filter(|window| window.round == round);
        let run: Vec<_> = of_round.map(|window| &window.model).collect();
        assert_eq!(run, order.iter().collect::<Vec<_>>(), "the models ran in the planned order");
    }
    let counted = record.models.iter().find(|model| model.name == "counted").expect("it ran");
    // 40 products and twice as many reviews at smoke size.
    assert_eq!(counted.load.map(|load| load.documents), Some(120));
    assert_eq!(
        counted.storage.map(|storage| (storage.documents, storage.collections, storage.indexes)),
        Some((120, 2, 4))
    );
    let add_review = &counted.operations["add_review"];
    assert_eq!(add_review.round_trips, Some(2.0), "an insert and an update");
    let commands: Vec<_> = add_review.steps.iter().filter_map(|step| step.as_object()?.keys().next()).collect();
    assert_eq!(commands, ["insert", "update"]);
    assert_eq!(counted.operations["list_page"].growth.as_deref(), Some("constant"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_is_in_its_folder_as_it_was_returned() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trial = Trial { folder: Some(folder.path()), ..Trial::on(support::shared_server(), small()) };
    let finish = trial.run(&scenario("catalogue", CATALOGUE)).await;
    assert_eq!(RunRecord::read(folder.path()).expect("it was written"), finish.record);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_counts_the_same() {
    let counts = |finish: &RunFinish| -> Vec<BTreeMap<String, (u64, u64)>> {
        let rounds = finish.record.scenarios[0].rounds.iter();
        let of_round = |round: &RoundRecord| {
            round.operations.iter().map(|(name, figures)| (name.clone(), (figures.count, figures.empty))).collect()
        };
        rounds.map(of_round).collect()
    };
    let scenario = scenario("catalogue", CATALOGUE);
    let first = run_small(&scenario).await;
    let second = run_small(&scenario).await;
    assert_eq!(counts(&first), counts(&second));
    let fingerprints = |finish: &RunFinish| {
        let record = &finish.record.scenarios[0];
        (record.dataset_sha256.clone(), record.stream_sha256.clone())
    };
    assert_eq!(fingerprints(&first), fingerprints(&second));
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_are_sized_by_calibration_in_whole_blocks_of_the_mix() {
    let options = RunOptions { operations: None, round_time: Some(Duration::from_millis(100)), ..small() };
    let finish = Trial::on(support::shared_server(), options).run(&scenario("catalogue", CATALOGUE)).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    let operations = record.plan.operations_per_round.expect("calibration decided it");
    assert_eq!(operations % 5, 0, "a block of the mix 80 : 20 has five operations");
    for round in measured(record) {
        let count: u64 = round.operations.values().map(|figures| figures.count).sum();
        assert_eq!(count, operations);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_models_are_measured_at_one_rate_that_the_slower_can_bear() {
    let options = RunOptions {
        profile: Profile::Smoke,
        round_time: Some(Duration::from_millis(300)),
        concurrency: Some(4),
        ..RunOptions::default()
    };
    let finish = Trial::on(support::shared_server(), options).run(&scenario("catalogue", CATALOGUE)).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    assert_eq!(record.plan.mode, Mode::Open);
    assert!(record.plan.mode_reason.is_some(), "nobody asked for a rate, so it says why this one");
    let capacities: Vec<f64> = record.calibration.values().map(|calibration| calibration.capacity.get()).collect();
    let slower = capacities.iter().copied().fold(f64::INFINITY, f64::min);
    let rate = record.plan.rate.expect("open load has a rate").get();
    // A preferred number is at most a fifth below what it is made from.
    assert!((0.78 * 0.6 * slower..=0.6 * slower).contains(&rate), "{rate} of {capacities:?}");
    let operations = record.plan.operations_per_round.expect("the rate decided it");
    assert_eq!(operations, (rate * 0.3 / 5.0).round() as u64 * 5, "0.3 s at that rate in blocks of five");
    for window in measured(record) {
        assert_eq!(Some(window.workers), record.plan.open_workers);
        let attempts: u64 = window.operations.values().map(|figures| figures.count).sum();
        assert_eq!(attempts, operations);
        for figures in window.operations.values() {
            let samples = |text: &Option<String>| {
                text.as_deref().map_or(0, |text| histogram::decode(text).expect("the run encoded it").len())
            };
            assert_eq!((samples(&figures.service), samples(&figures.response)), (figures.count, figures.count));
            assert_eq!(
                samples(&figures.pacer_lag) + figures.backlogged,
                figures.count,
                "a worker stood ready, or none did"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_that_no_model_can_bear_is_told_with_what_was_achieved() {
    let options = RunOptions {
        profile: Profile::Smoke,
        round_time: Some(Duration::from_millis(1_500)),
        rate: Some(Rate::new(200_000.0)),
        ..RunOptions::default()
    };
    // Data that are loaded anew for every round let a saturated model try again.
    let growing = CATALOGUE.replace("workload:\n", "workload:\n  state: growing\n");
    let finish = Trial::on(support::shared_server(), options).run(&scenario("catalogue", &growing)).await;
    assert!(finish.errors.is_empty(), "saturation is a result: {:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    for model in &record.models {
        let windows: Vec<_> = measured(record).into_iter().filter(|window| window.model == model.name).collect();
        assert!(matches!(&windows[..], [only] if only.outcome == RoundOutcome::Saturated), "{}", windows.len());
        assert!(windows[0].achieved_rate.get() < 200_000.0);
        let why = model.skipped.as_deref().expect("it left the comparison");
        assert!(why.contains("200000/s offered"), "{why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_run_loads_one_model_twice() {
    let options = RunOptions { control: true, ..small() };
    let finish = Trial::on(support::shared_server(), options).run(&scenario("catalogue", CATALOGUE)).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    let names: Vec<_> = record.models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, ["counted", "counted-control"]);
    assert_eq!(record.models[0].storage, record.models[1].storage, "the same data twice");
    assert_eq!(record.models[0].operations["add_review"].steps.len(), 2);
    // Each request names its database, whose names differ in length.
    let mut operations = record.models.iter().map(|model| model.operations.clone()).collect::<Vec<_>>();
    for operation in operations.iter_mut().flat_map(|of_model| of_model.values_mut()) {
        (operation.bytes_sent, operation.bytes_received) = (None, None);
    }
    assert_eq!(operations[0], operations[1], "and the same operations");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_forgets_to_count_is_found_before_anything_is_measured() {
    let forgets = CATALOGUE.replace("update: {$inc: {reviewCount: 1}}", "update: {$set: {touched: true}}");
    let finish = run_small(&scenario("forgets", &forgets)).await;
    assert!(!finish.record.complete);
    let [RunError::Disagreement { closing: false, .. }] = &finish.errors[..] else {
        panic!("the models disagree: {:?}", finish.errors)
    };
    let message = finish.errors[0].to_string();
    for part in ["list_page", "reviewCount", "naive", "counted"] {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
    let record = &finish.record.scenarios[0];
    assert!(record.parity.as_ref().is_some_and(|parity| parity.mismatches > 0));
    assert!(record.rounds.is_empty() && record.calibration.is_empty(), "nothing was measured");
}

/// Many workers on few products, half of the operations writes.
fn contended() -> RunOptions {
    RunOptions {
        set: vec![("products".to_owned(), "20".to_owned())],
        concurrency: Some(8),
        operations: Some(600),
        ..small()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_that_are_lost_under_load_are_found_after_the_last_round() {
    let half_writes = CATALOGUE.replace("weight: 80", "weight: 50").replace("weight: 20", "weight: 50");
    let sound = Trial::on(support::shared_server(), contended()).run(&scenario("sound", &half_writes)).await;
    assert!(sound.errors.is_empty(), "{:?}", sound.errors);

    let racy = half_writes.replace(
        "        - updateOne: {collection: products, filter: {_id: ^review.productId}, update: {$inc: {reviewCount: 1}}}",
        "        - findOne: {collection: products, filter: {_id: ^review.productId}, as: product}\n        \
         - updateOne: {collection: products, filter: {_id: ^review.productId}, \
         update: {$set: {reviewCount: {^add: [^product.reviewCount, 1]}}}}",
    );
    let finish = Trial::on(support::shared_server(), contended()).run(&scenario("racy", &racy)).await;
    let [RunError::Disagreement { closing: true, .. }] = &finish.errors[..] else {
        panic!("the models diverge under load: {:?}", finish.errors)
    };
    let message = finish.errors[0].to_string();
    assert!(message.contains("diverged under load") && message.contains("reviewCount"), "{message}");
    let record = &finish.record.scenarios[0];
    assert_eq!(measured(record).len(), 4, "what was measured is kept");
    assert!(!record.complete);
}

/// Kills a server, if it is not dead already.
fn kill(process: &RunningServer) {
    let id = i32::try_from(process.process_id().expect("it is ours")).expect("small");
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGKILL);
}

/// Runs, and kills the server when the second round begins. Answers how long the run went on after that, too.
async fn run_and_kill(trial: Trial<'_>, process: &RunningServer) -> (RunFinish, Duration) {
    let mut killed_at = None;
    let (finish, _) = trial
        .run_and(&scenario("catalogue", CATALOGUE), |event| {
            if let Event::WindowStarted { phase: Phase::Measured, round: 1, .. } = event {
                killed_at.get_or_insert_with(|| {
                    kill(process);
                    Instant::now()
                });
            }
        })
        .await;
    (finish, killed_at.expect("round 1 began").elapsed())
}

/// Rounds long enough to kill a server in.
fn long() -> RunOptions {
    RunOptions { rounds: Some(6), operations: Some(2_000), ..small() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_ends_the_run_within_seconds_and_finished_rounds_are_kept() {
    let server = support::own_server().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trial = Trial { folder: Some(folder.path()), ..Trial::on(&server, long()) };
    let (finish, after) = run_and_kill(trial, &server).await;
    assert!(after < Duration::from_secs(10), "{after:?}");
    assert!(matches!(&finish.errors[..], [RunError::Lost { .. }]), "{:?}", finish.errors);
    let kept = RunRecord::read(folder.path()).expect("it was written");
    assert!(!kept.complete && !kept.scenarios[0].complete);
    assert_eq!(measured(&kept.scenarios[0]).len(), 2, "both windows of round 0");
    assert!(kept.scenarios[0].rounds.iter().all(|round| round.outcome == RoundOutcome::Complete));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_ones_own_that_dies_is_noticed_by_its_broken_connections() {
    let by_hand = ByHand::start().await;
    let (finish, after) = run_and_kill(by_hand.trial(long()), &by_hand.process).await;
    assert!(after < Duration::from_secs(15), "{after:?}");
    assert!(matches!(&finish.errors[..], [RunError::Lost { .. }]), "{:?}", finish.errors);
    assert_eq!(measured(&finish.record.scenarios[0]).len(), 2, "both windows of round 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_the_round_keeps_what_was_measured_and_drops_the_data() {
    let by_hand = ByHand::start().await;
    let options = RunOptions { rounds: Some(6), operations: Some(2_000), ..small() };
    let trial = by_hand.trial(options);
    let interrupt = trial.interrupt.clone();
    let mut windows = 0;
    let (finish, _) = trial
        .run_and(&scenario("catalogue", CATALOGUE), |event| {
            windows += u32::from(matches!(event, Event::WindowStarted { phase: Phase::Measured, .. }));
            if windows == 2 {
                interrupt.trigger();
            }
        })
        .await;
    assert!(matches!(&finish.errors[..], [RunError::Interrupted]), "{:?}", finish.errors);
    assert!(!finish.record.complete);
    let outcomes: Vec<_> = measured(&finish.record.scenarios[0]).iter().map(|round| round.outcome).collect();
    assert_eq!(outcomes, [RoundOutcome::Complete, RoundOutcome::Interrupted]);
    assert_eq!(by_hand.databases().await, Vec::<String>::new(), "nothing is left on the server");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_while_loading_ends_the_run_too() {
    let by_hand = ByHand::start().await;
    let trial = by_hand.trial(RunOptions { profile: Profile::Quick, ..small() });
    let interrupt = trial.interrupt.clone();
    let (finish, _) = trial
        .run_and(&scenario("catalogue", CATALOGUE), |event| {
            if matches!(event, Event::LoadStarted { parity: false, .. }) {
                interrupt.trigger();
            }
        })
        .await;
    assert!(matches!(&finish.errors[..], [RunError::Interrupted]), "{:?}", finish.errors);
    assert_eq!(finish.record.scenarios[0].rounds.len(), 0);
    assert_eq!(by_hand.databases().await, Vec::<String>::new(), "nothing is left on the server");
}

/// The catalogue, whose arguments go wrong beyond the numbers that parity uses.
fn wrong_when_measured(argument: &str, right: &str, wrong: &str) -> String {
    let late = format!("{{^if: {{if: {{^lt: [^index, 1000000]}}, then: {right}, else: {wrong}}}}}");
    assert!(CATALOGUE.contains(argument), "the scenario has this argument");
    CATALOGUE.replace(argument, &argument.replace(right, &late))
}

#[tokio::test(flavor = "multi_thread")]
async fn more_failures_than_one_in_a_hundred_end_the_scenario_with_their_kinds() {
    let clashes = wrong_when_measured("review: {_id: ^objectId", "^objectId", "7");
    let finish = run_small(&scenario("clashes", &clashes)).await;
    let [RunError::TooManyFailures { operations, .. }] = &finish.errors[..] else {
        panic!("the same _id again and again: {:?}", finish.errors)
    };
    assert_eq!(operations.len(), 1);
    assert_eq!(operations[0].operation, "add_review");
    assert_eq!(operations[0].kinds[0].0, "DuplicateKey");
    assert_eq!(operations[0].failed, operations[0].attempts, "a review of that _id was loaded");
    assert!(!finish.record.complete);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_that_the_scenario_expects_are_answers() {
    let clashes = wrong_when_measured("review: {_id: ^objectId", "^objectId", "7").replace(
        "insertOne: {collection: reviews, document: ^review}",
        "insertOne: {collection: reviews, document: ^review, expect: [DuplicateKey], as: written}",
    );
    // A second review of the same _id counts nowhere.
    let counted =
        "updateOne: {collection: products, filter: {_id: ^review.productId}, update: {$inc: {reviewCount: 1}}}";
    assert!(clashes.contains(counted), "the scenario counts reviews");
    let when = counted.replace("reviewCount: 1}}}", "reviewCount: 1}}, when: {^eq: [^written.error, null]}}");
    let finish = run_small(&scenario("answers", &clashes.replace(counted, &when))).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    for round in measured(&finish.record.scenarios[0]) {
        let add_review = &round.operations["add_review"];
        assert_eq!((add_review.count, add_review.errors.len()), (20, 0));
        assert_eq!(add_review.expected, BTreeMap::from([("DuplicateKey".to_owned(), 20)]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_that_find_nothing_fail_the_scenario_unless_it_declares_them() {
    let nothing = wrong_when_measured("category: {^int: {min: 0, max: 3}}", "{^int: {min: 0, max: 3}}", "99");
    let finish = run_small(&scenario("nothing", &nothing)).await;
    let [RunError::TooManyEmpty { operation, empty, count, .. }] = &finish.errors[..] else {
        panic!("no product has that category: {:?}", finish.errors)
    };
    assert_eq!((operation.as_str(), empty), ("list_page", count));

    let declared = nothing.replace("list_page: {weight: 80,", "list_page: {weight: 80, empty_up_to: 1.0,");
    let finish = run_small(&scenario("declared", &declared)).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    assert_eq!(measured(&finish.record.scenarios[0])[0].operations["list_page"].empty, 80);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_ends_as_declared_is_a_result_and_the_others_go_on() {
    let grows = wrong_when_measured("review: {_id: ^objectId", "^objectId", "7")
        .replace("role: pattern", "role: pattern\n    ends_when: DuplicateKey")
        .replacen(
            "insertOne: {collection: reviews, document: ^review}",
            "insertOne: {collection: reviews, document: ^review, expect: [DuplicateKey]}",
            1,
        );
    let finish = run_small(&scenario("grows", &grows)).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    let outcomes = |model: &str| -> Vec<RoundOutcome> {
        measured(record).iter().filter(|round| round.model == model).map(|round| round.outcome).collect()
    };
    assert_eq!(outcomes("naive"), [RoundOutcome::Complete; 2]);
    assert_eq!(outcomes("counted"), [], "it met its end before the rounds, and runs no further");
    let counted = record.models.iter().find(|model| model.name == "counted").expect("it ran");
    let end = counted.ended.as_ref().expect("how it ended");
    assert_eq!(
        (end.error, end.phase, end.operation.as_str()),
        (ErrorName::DuplicateKey, Phase::Calibration, "add_review")
    );
    assert!(counted.skipped.as_ref().is_some_and(|why| why.contains("DuplicateKey")), "{:?}", counted.skipped);
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_data_are_taken_again_and_what_was_written_to_is_rebuilt() {
    let by_hand = ByHand::start().await;
    let scenario = scenario("catalogue", CATALOGUE);
    let names = ["counted", "naive", "source"].map(|part| format!("patternbench_{}_{part}", scenario.name));

    let keeping = by_hand.trial(RunOptions { keep_data: true, ..small() });
    let (first, events) = keeping.run_and(&scenario, |_| {}).await;
    assert!(first.errors.is_empty(), "{:?}", first.errors);
    assert_eq!(loaded(&events), ["source", "naive", "counted"]);
    assert_eq!(by_hand.databases().await, names, "the data are kept, parity's are not");

    let reusing = by_hand.trial(RunOptions { reuse: true, keep_data: true, ..small() });
    let (second, events) = reusing.run_and(&scenario, |_| {}).await;
    assert!(second.errors.is_empty(), "{:?}", second.errors);
    assert_eq!(loaded(&events), ["naive", "counted"], "the source is as loaded; operations have written to the models");
    let documents = |finish: &RunFinish| -> Vec<_> {
        finish.record.scenarios[0].models.iter().map(|model| model.storage.map(|storage| storage.documents)).collect()
    };
    assert_eq!(documents(&first), documents(&second), "both runs start from the same data");

    let last = by_hand.trial(RunOptions { reuse: true, seed: 2, ..small() });
    let (third, events) = last.run_and(&scenario, |_| {}).await;
    assert!(third.errors.is_empty(), "{:?}", third.errors);
    assert_eq!(loaded(&events), ["source", "naive", "counted"], "another seed makes other data");
    assert_eq!(by_hand.databases().await, Vec::<String>::new(), "nobody asked to keep them");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_cannot_be_kept_on_a_server_that_goes_with_the_run() {
    for options in [RunOptions { keep_data: true, ..small() }, RunOptions { reuse: true, ..small() }] {
        let finish = Trial::on(support::shared_server(), options).run(&scenario("catalogue", CATALOGUE)).await;
        assert!(matches!(&finish.errors[..], [RunError::Usage(_)]), "{:?}", finish.errors);
        assert!(finish.record.scenarios.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_database_is_refused_and_nothing_is_touched() {
    let by_hand = ByHand::start().await;
    let scenario = scenario("catalogue", CATALOGUE);
    let foreign = format!("patternbench_{}_counted", scenario.name);
    let client = by_hand.server.client(1).await.expect("the server answers");
    let collection = client.database(&foreign).collection::<Document>("orders");
    collection.insert_one(doc! {"_id": 1}).await.expect("inserted");

    let finish = by_hand.trial(small()).run(&scenario).await;
    assert!(matches!(&finish.errors[..], [RunError::Refused(_)]), "{:?}", finish.errors);
    assert!(finish.errors[0].to_string().contains(&foreign), "{}", finish.errors[0]);
    assert_eq!(by_hand.databases().await, [foreign], "what was claimed before is given back");
    assert_eq!(collection.count_documents(doc! {}).await.expect("counted"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn workloads_of_a_scenario_run_in_turn_on_fresh_models_from_one_source() {
    let (head, mix) = CATALOGUE.split_once("workload:\n").expect("the scenario has one workload");
    let mix = |reads, writes| mix.replace("weight: 80", reads).replace("weight: 20", writes).replace("\n  ", "\n    ");
    let text = format!(
        "{head}workloads:\n  read_heavy:\n  {}  write_heavy:\n  {}",
        mix("weight: 90", "weight: 10"),
        mix("weight: 20", "weight: 80")
    );
    let scenario = scenario("workloads", &text);
    let (finish, events) = Trial::on(support::shared_server(), small()).run_and(&scenario, |_| {}).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let workloads: Vec<_> = finish.record.scenarios.iter().map(|record| record.workload.as_str()).collect();
    assert_eq!(workloads, ["read_heavy", "write_heavy"]);
    let sources = events
        .iter()
        .filter(|event| matches!(event, Event::LoadStarted { target, parity: false, .. } if target == "source"));
    assert_eq!(sources.count(), 1, "no operation touches the source, so it serves both");
    let documents = |index: usize| finish.record.scenarios[index].models[1].storage.map(|storage| storage.documents);
    assert_eq!(documents(0), documents(1), "the second workload starts from fresh models");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_server_ends_the_run_and_a_failed_scenario_does_not() {
    let process = support::own_server().await;
    let clashes = wrong_when_measured("review: {_id: ^objectId", "^objectId", "7");
    let scenarios = [scenario("clashes", &clashes), scenario("good", CATALOGUE), scenario("never", CATALOGUE)];
    let options = RunOptions { operations: Some(2_000), ..small() };
    let request = RunRequest {
        target: Target::Server { server: &process, consent: Consent::default(), ends: false },
        plans: scenarios.iter().flat_map(|scenario| plans(scenario, &options)).collect(),
        options,
        folder: None,
        extent: Extent::Everything,
    };
    let second = scenarios[1].name.clone();
    let mut is_second = false;
    let react = |event: &Event| match event {
        Event::ScenarioStarted { scenario, .. } => is_second = *scenario == second,
        Event::WindowStarted { .. } if is_second => kill(&process),
        _ => {}
    };
    let mut heard = Heard { events: Vec::new(), react };
    let finish = tokio::time::timeout(Duration::from_secs(120), run(&request, &mut heard, Interrupt::new())).await;
    let finish = finish.expect("a lost server is noticed");
    let [RunError::TooManyFailures { .. }, RunError::Lost { .. }] = &finish.errors[..] else {
        panic!("the first fails, in the second the server is lost: {:?}", finish.errors)
    };
    let measured: Vec<_> = finish.record.scenarios.iter().map(|record| record.name.clone()).collect();
    assert_eq!(measured, [scenarios[0].name.clone(), second], "the third was never begun");
    assert!(!finish.record.complete);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_alone_can_be_compared() {
    let scenario = scenario("catalogue", CATALOGUE);
    let options = small();
    let request = RunRequest {
        target: Target::Server { server: support::shared_server(), consent: Consent::default(), ends: false },
        plans: plans(&scenario, &options),
        options,
        folder: None,
        extent: Extent::Answers,
    };
    let finish = run(&request, &mut Heard { events: Vec::new(), react: |_: &Event| {} }, Interrupt::new()).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    assert!(record.parity.as_ref().is_some_and(|parity| parity.operations >= 200 && parity.mismatches == 0));
    assert!(record.rounds.is_empty() && record.calibration.is_empty(), "nothing was measured");
}
