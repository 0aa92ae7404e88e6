//! Fresh servers and fresh data: restarts, models with a server process of their own, and data that are loaded anew for
//! every round.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bson::{Document, doc};

use patternbench::guard::Consent;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{RoundRecord, ScenarioRecord};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunError, RunFinish, RunRequest, Target, run};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::server::{RunningServer, SecretUri, ServerChoice, ServerOptions, open};
use patternbench::source::{SourceText, show};
use patternbench::units::Rate;
use patternbench::words::{DataState, Isolation, Mode, Phase, Profile, RoundOutcome};

/// Notes that are written, and counted on reading or on writing.
const NOTES: &str = r#"
format: 1
title: Notes
summary: Notes are added to topics and counted.
parameters:
  notes_per_topic: {default: 3}
dataset:
  topics: {count: 8, document: {_id: ^index, name: {^words: 2}}}
  notes:
    children: {of: topics, count: ^notes_per_topic}
    document: {_id: ^index, topic: ^parent._id}
models:
  scattered:
    role: naive
    collections:
      topics: {from: topics}
      notes: {from: notes, indexes: [{key: {topic: 1}}]}
    operations:
      count:
        growth: linear in notes_per_topic
        steps:
          - aggregate:
              collection: topics
              pipeline:
                - {$match: {_id: ^topic}}
                - {$lookup: {from: notes, localField: _id, foreignField: topic, as: notes}}
                - {$project: {notes: {$size: "$notes"}}}
      add:
        - insertOne: {collection: notes, document: ^note}
  counted:
    role: pattern
    collections:
      topics:
        from: topics
        pipeline: [{$set: {notes: ^notes_per_topic}}]
      notes: {from: notes, indexes: [{key: {topic: 1}}]}
    operations:
      count:
        growth: constant
        steps:
          - find: {collection: topics, filter: {_id: ^topic}, projection: {notes: 1}}
      add:
        - insertOne: {collection: notes, document: ^note}
        - updateOne: {collection: topics, filter: {_id: ^note.topic}, update: {$inc: {notes: 1}}}
workload:
  count: {weight: 1, args: {topic: {^key: topics}}, returns: {fields: [notes], order: true}}
  add: {weight: 1, args: {note: {_id: ^objectId, topic: {^key: topics}}}}
"#;
/// Eight topics with three notes each.
const LOADED_NOTES: u64 = 8 * 3;
const MODELS: [&str; 2] = ["counted", "scattered"];

fn scenario(name: &str, text: &str) -> Arc<Scenario> {
    let text = SourceText::new(format!("{}.yaml", support::unique_name(name)), text);
    Arc::new(load_scenario(text).unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

/// Few operations, so that a test takes seconds.
fn small() -> RunOptions {
    RunOptions {
        profile: Profile::Smoke,
        mode: Some(Mode::Closed),
        operations: Some(40),
        concurrency: Some(2),
        rounds: Some(2),
        ..RunOptions::default()
    }
}

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

/// Runs a scenario on a server that is the run's to stop, and does something at each event.
async fn run_on(
    server: &RunningServer,
    scenario: &Arc<Scenario>,
    options: &RunOptions,
    interrupt: Interrupt,
    react: impl FnMut(&Event) + Send,
) -> (RunFinish, Vec<Event>) {
    let request = RunRequest {
        target: Target::Server { server, consent: Consent::default(), ends: true },
        plans: plan_scenario(scenario, options).unwrap_or_else(|error| panic!("{error}")),
        options: options.clone(),
        folder: None,
        extent: Extent::Everything,
    };
    let mut heard = Heard { events: Vec::new(), react };
    let finish = tokio::time::timeout(Duration::from_secs(120), run(&request, &mut heard, interrupt)).await;
    (finish.expect("a small run takes seconds"), heard.events)
}

/// Servers that are children of this process: number and state (`T` stands still), by the kernel's word.
fn servers() -> BTreeMap<u32, char> {
    let me = std::process::id();
    let entries = std::fs::read_dir("/proc").expect("a folder of processes").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let of_process = |number: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let (head, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let is_mine = fields.next()?.parse() == Ok(me);
        (is_mine && head.contains("secantusd") && state != 'Z').then_some((number, state))
    };
    numbers.filter_map(of_process).collect()
}

/// Processes that the record names, in its order, with the model whose they are.
fn processes(record: &ScenarioRecord) -> Vec<(Option<String>, u32)> {
    let named = |what: &str| what.split_once("(process ")?.1.split(')').next()?.parse().ok();
    record.events.iter().filter_map(|event| Some((event.model.clone(), named(&event.what)?))).collect()
}

/// Every operation of every window did what it says, although servers stood still in between.
fn nothing_failed(record: &ScenarioRecord) {
    for round in &record.rounds {
        assert_eq!(round.outcome, RoundOutcome::Complete, "{}", round.model);
        assert!(round.operations.values().all(|figures| figures.errors.is_empty()), "{:?}", round.operations);
    }
}

fn measured(record: &ScenarioRecord) -> Vec<&RoundRecord> {
    record.rounds.iter().filter(|round| round.phase == Phase::Measured).collect()
}

/// Documents of each model whenever it was loaded, parity's left out.
fn loaded(events: &[Event]) -> BTreeMap<String, Vec<u64>> {
    let mut all: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut parity = false;
    for event in events {
        match event {
            Event::LoadStarted { parity: is_parity, .. } => parity = *is_parity,
            Event::LoadFinished { target, documents, .. } if !parity => {
                all.entry(target.clone()).or_default().push(*documents);
            }
            _ => {}
        }
    }
    all
}

// The tests look at all servers of this process, so they take turns.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test(flavor = "multi_thread")]
async fn every_restart_has_a_fresh_server_fresh_data_and_a_comparison_of_its_own() {
    let _turn = TURN.lock().await;
    let server = support::own_server().await;
    let options = RunOptions { restarts: 2, ..small() };
    let (finish, events) = run_on(&server, &scenario("notes", NOTES), &options, Interrupt::new(), |_| {}).await;
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];

    let rounds: Vec<_> = measured(record).into_iter().map(|round| (round.restart, round.round)).collect();
    assert_eq!(rounds, [(0, 0), (0, 0), (0, 1), (0, 1), (1, 2), (1, 2), (1, 3), (1, 3)], "rounds count on");
    let documents = loaded(&events);
    // 8 topics and 24 notes in the source and in each model, twice.
    assert_eq!(documents.keys().collect::<Vec<_>>(), ["counted", "scattered", "source"]);
    assert!(documents.values().all(|loads| *loads == [8 + LOADED_NOTES; 2]), "{documents:?}");
    // Eight topics are the eight argument tuples of the only read, compared twice.
    let closing = record.closing_parity.as_ref().expect("answers were compared");
    assert_eq!((closing.operations, closing.mismatches), (16, 0));
    let processes: BTreeSet<u32> = processes(record).into_iter().map(|(_, process)| process).collect();
    assert_eq!(processes.len(), 2, "{:?}", record.events);
    assert!(processes.contains(&server.process_id().expect("it was ours")), "the first restart has the given server");
    assert_eq!(servers(), BTreeMap::new(), "both are gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_ones_own_is_not_restarted_but_has_fresh_data_in_every_restart() {
    let _turn = TURN.lock().await;
    let process = support::own_server().await;
    let uri: SecretUri = process.shown_uri().parse().expect("a server's URI is one");
    let server = open(&ServerOptions::new(ServerChoice::Uri(uri))).await.expect("the server was just started");
    let options = RunOptions { restarts: 2, ..small() };
    let (finish, events) = run_on(&server, &scenario("notes", NOTES), &options, Interrupt::new(), |_| {}).await;
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    assert_eq!(measured(record).len(), 8);
    let documents = loaded(&events);
    assert_eq!(documents["source"], [8 + LOADED_NOTES], "no operation touches the source");
    assert!(MODELS.iter().all(|model| documents[*model] == [8 + LOADED_NOTES; 2]), "{documents:?}");
    assert!(record.events.iter().any(|event| event.what.contains("the server went on")), "{:?}", record.events);
    let client = server.client(1).await.expect("it was not stopped");
    let names = client.list_database_names().await.expect("it lists databases");
    assert!(!names.iter().any(|name| name.starts_with("patternbench_")), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_model_has_a_process_of_its_own_and_the_others_stand_still_while_it_is_measured() {
    let _turn = TURN.lock().await;
    let server = support::own_server().await;
    let main = server.process_id().expect("it is ours");
    let options = RunOptions { isolation: Some(Isolation::Process), ..small() };
    let mut seen = Vec::new();
    let react = |event: &Event| {
        if let Event::WindowStarted { model, .. } = event {
            seen.push((model.clone(), servers()));
        }
    };
    let (finish, _) = run_on(&server, &scenario("notes", NOTES), &options, Interrupt::new(), react).await;
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    assert_eq!(record.plan.isolation, Isolation::Process);
    let own: BTreeMap<String, u32> =
        processes(record).into_iter().filter_map(|(model, process)| Some((model?, process))).collect();
    assert_eq!(own.keys().collect::<Vec<_>>(), MODELS.iter().collect::<Vec<_>>());
    assert!(own[MODELS[0]] != own[MODELS[1]] && own.values().all(|process| *process != main), "{own:?}, {main}");

    assert!(seen.len() >= 4, "{seen:?}");
    for (model, states) in &seen {
        assert_eq!(states.len(), 3, "{states:?}");
        for (process, state) in states {
            assert_eq!(*state != 'T', *process == own[model], "{model} is measured: {states:?}, {own:?}");
        }
    }
    assert_eq!(record.closing_parity.as_ref().map(|closing| (closing.operations, closing.mismatches)), Some((8, 0)));
    nothing_failed(record);
    assert!(record.models.iter().all(|model| model.storage.is_some_and(|bill| bill.documents == 8 + LOADED_NOTES)));
    assert_eq!(servers().into_keys().collect::<Vec<_>>(), [main], "the models' servers are gone");
    server.client(1).await.expect("the given server goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_leaves_no_server_behind_even_if_it_stands_still() {
    let _turn = TURN.lock().await;
    let server = support::own_server().await;
    let options = RunOptions { isolation: Some(Isolation::Process), operations: Some(1_000), ..small() };
    let interrupt = Interrupt::new();
    let react = |event: &Event| {
        if matches!(event, Event::WindowStarted { phase: Phase::Measured, round: 1, .. }) {
            interrupt.trigger();
        }
    };
    let (finish, _) = run_on(&server, &scenario("notes", NOTES), &options, interrupt.clone(), react).await;
    assert!(matches!(&finish.errors[..], [RunError::Interrupted]), "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    let outcomes: Vec<_> = measured(record).into_iter().map(|round| round.outcome).collect();
    assert_eq!(outcomes, [RoundOutcome::Complete, RoundOutcome::Complete, RoundOutcome::Interrupted]);
    assert_eq!(servers().len(), 1, "only the given server is left");
    drop(server);
    assert_eq!(servers(), BTreeMap::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_while_it_stands_still_is_noticed_with_its_model() {
    let _turn = TURN.lock().await;
    let server = support::own_server().await;
    let options = RunOptions { isolation: Some(Isolation::Process), operations: Some(1_000), ..small() };
    let mut killed = false;
    let react = |event: &Event| {
        let Event::WindowStarted { phase: Phase::Measured, .. } = event else { return };
        let main = server.process_id().expect("it is ours");
        let still = servers().into_iter().find(|(process, state)| *state == 'T' && *process != main);
        if let (false, Some((process, _))) = (killed, still) {
            let process = nix::unistd::Pid::from_raw(i32::try_from(process).expect("small"));
            nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL).expect("it was alive");
            killed = true;
        }
    };
    let (finish, _) = run_on(&server, &scenario("notes", NOTES), &options, Interrupt::new(), react).await;
    let [error @ RunError::Lost { .. }] = &finish.errors[..] else { panic!("{:?}", finish.errors) };
    let error = error.to_string();
    assert!(error.contains("the server of model"), "{error}");
    // Its log is kept for whoever looks into it.
    let log = error.split_once("its log is ").and_then(|(_, rest)| rest.split_once(".log")).map(|(log, _)| log);
    std::fs::remove_file(format!("{}.log", log.expect("the log is named"))).expect("it was kept");
    assert_eq!(servers().len(), 1, "only the given server is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn isolated_models_get_fresh_servers_in_every_restart_and_as_many_connections_as_open_load_has_workers() {
    let _turn = TURN.lock().await;
    let server = support::own_server().await;
    // 40 operations due within 8 ms: by Little's law that takes 10 workers even if each is done in a millisecond.
    let open_load = RunOptions { mode: Some(Mode::Open), rate: Some(Rate::new(5_000.0)), ..small() };
    let options = RunOptions { isolation: Some(Isolation::Process), restarts: 2, ..open_load };
    let (finish, _) = run_on(&server, &scenario("notes", NOTES), &options, Interrupt::new(), |_| {}).await;
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    assert_eq!(measured(record).len(), 8);
    let own: BTreeSet<u32> = processes(record).into_iter().map(|(_, process)| process).collect();
    assert_eq!(own.len(), 4, "two models, two restarts: {:?}", record.events);
    let workers = record.plan.open_workers.expect("load is open");
    assert!(workers > 2 && measured(record).iter().all(|round| round.workers == workers), "{workers}");
    nothing_failed(record);
    assert_eq!(record.closing_parity.as_ref().map(|closing| (closing.operations, closing.mismatches)), Some((16, 0)));
    assert_eq!(servers().len(), 1, "only the given server is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn isolation_needs_servers_that_patternbench_starts() {
    let _turn = TURN.lock().await;
    let process = support::own_server().await;
    let uri: SecretUri = process.shown_uri().parse().expect("a server's URI is one");
    let server = open(&ServerOptions::new(ServerChoice::Uri(uri))).await.expect("the server was just started");
    let asked = RunOptions { isolation: Some(Isolation::Process), ..small() };
    let (finish, _) = run_on(&server, &scenario("notes", NOTES), &asked, Interrupt::new(), |_| {}).await;
    assert!(matches!(&finish.errors[..], [RunError::Usage(_)]), "{:?}", finish.errors);
    assert!(finish.record.scenarios.is_empty());

    let demanding = NOTES.replace("title: Notes", "isolation: process\ntitle: Notes");
    let (finish, events) = run_on(&server, &scenario("notes", &demanding), &small(), Interrupt::new(), |_| {}).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    assert_eq!(record.plan.isolation, Isolation::Shared, "what was done, not what was wished");
    assert!(record.events.iter().any(|event| event.what.contains("share the one")), "{:?}", record.events);
    assert!(events.iter().any(|event| matches!(event, Event::Warning(what) if what.contains("share the one"))));
}

#[tokio::test(flavor = "multi_thread")]
async fn isolated_data_may_be_reloaded_too() {
    let _turn = TURN.lock().await;
    let server = support::own_server().await;
    let reloaded = scenario("notes", &NOTES.replace("workload:\n", "workload:\n  state: reload\n"));
    let options = RunOptions { isolation: Some(Isolation::Process), ..small() };
    let (finish, _) = run_on(&server, &reloaded, &options, Interrupt::new(), |_| {}).await;
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    nothing_failed(record);
    assert_eq!(record.closing_parity.as_ref().map(|closing| (closing.operations, closing.mismatches)), Some((8, 0)));
}

/// Counts the notes of a model's database on a server, over a connection and a runtime of its own.
fn notes(uri: &str, database: &str) -> u64 {
    let (uri, database) = (uri.to_owned(), database.to_owned());
    let counting = async move {
        let client = mongodb::Client::with_uri_str(uri).await.expect("a client");
        let notes = client.database(&database).collection::<Document>("notes");
        notes.count_documents(doc! {}).await.expect("counted")
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    std::thread::spawn(move || runtime().block_on(counting)).join().expect("counting does not panic")
}

#[tokio::test(flavor = "multi_thread")]
async fn reloaded_data_are_the_same_at_the_start_of_every_round() {
    let _turn = TURN.lock().await;
    let server = support::own_server().await;
    let scenario = scenario("notes", &NOTES.replace("workload:\n", "workload:\n  state: reload\n"));
    let uri = server.shown_uri();
    let mut counts: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let react = |event: &Event| {
        if let Event::WindowStarted { phase: Phase::Measured, model, .. } = event {
            let database = format!("patternbench_{}_{model}", scenario.name);
            counts.entry(model.clone()).or_default().push(notes(&uri, &database));
        }
    };
    let options = RunOptions { rounds: Some(3), ..small() };
    let (finish, _) = run_on(&server, &scenario, &options, Interrupt::new(), react).await;
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    let record = &finish.record.scenarios[0];
    assert_eq!(record.plan.state, DataState::Reload);
    let lead_in = record.plan.lead_in_operations.expect("it was calibrated");
    // Half of the operations of the lead-in add a note.
    let at_start = LOADED_NOTES + lead_in / 2;
    assert!(MODELS.iter().all(|model| counts[*model] == [at_start; 3]), "{counts:?}, {at_start}");
    assert_eq!(record.closing_parity.as_ref().map(|closing| (closing.operations, closing.mismatches)), Some((8, 0)));
}
