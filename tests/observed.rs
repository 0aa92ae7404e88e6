//! What is observed beside a window's operations, end to end against the embedded server.

mod support;

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use patternbench::guard::Consent;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{RoundRecord, RunRecord};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunRequest, Target, run};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::server::{RunningServer, SecretUri, ServerChoice, ServerOptions, open};
use patternbench::source::{SourceText, show};
use patternbench::words::{Phase, Profile};

/// Notes that are read and written, by models that do the same.
const NOTES: &str = "
format: 1
title: Notes
summary: Notes of authors.
dataset:
  notes: {count: 200, document: {_id: ^index, author: ^index, text: {^text: 200}}}
models:
  plain:
    role: naive
    collections: {notes: {from: notes}}
    operations: &operations
      read: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      write: [{insertMany: {collection: notes, documents: [{_id: ^one}, {_id: ^other}]}}]
      change: [{updateOne: {collection: notes, filter: {_id: ^note}, update: {$inc: {changes: 1}}}}]
  fancy:
    role: pattern
    collections: {notes: {from: notes}}
    operations: *operations
workload:
  read: {weight: 2, args: {note: {^key: notes}}, returns: {fields: [_id]}}
  write: {weight: 1, args: {one: ^objectId, other: ^objectId}}
  change: {weight: 1, args: {note: {^key: notes}}}
";

fn notes() -> Arc<Scenario> {
    let text = SourceText::new(format!("{}.yaml", support::unique_name("observed")), NOTES);
    Arc::new(load_scenario(text).unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

struct Deaf;

impl Listener for Deaf {
    fn hear(&mut self, _: &Event) {}
}

async fn measure(server: &RunningServer, operations: u64) -> RunRecord {
    let options = RunOptions {
        profile: Profile::Smoke,
        operations: Some(operations),
        concurrency: Some(4),
        ..RunOptions::default()
    };
    let request = RunRequest {
        target: Target::Server { server, consent: Consent { shared_server: true, ..Consent::default() }, ends: false },
        plans: plan_scenario(&notes(), &options).expect("the scenario can be planned"),
        options,
        folder: None,
        extent: Extent::Everything,
    };
    let mut deaf = Deaf;
    let running = run(&request, &mut deaf, Interrupt::new());
    let finish = tokio::time::timeout(Duration::from_secs(120), running).await.expect("a small run takes seconds");
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    finish.record
}

fn rounds(record: &RunRecord) -> impl Iterator<Item = &RoundRecord> {
    record.scenarios[0].rounds.iter().filter(|round| round.phase == Phase::Measured)
}

fn notes_of_the_run(record: &RunRecord) -> Vec<&str> {
    record.scenarios[0]
        .events
        .iter()
        .map(|event| event.what.as_str())
        .filter(|what| what.contains("counters"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_for_a_connection_and_the_servers_counters_are_those_of_the_window() {
    let server = support::own_server().await;
    let record = measure(&server, 400).await;
    assert_eq!(rounds(&record).count(), 4, "two rounds of two models");
    for round in rounds(&record) {
        // Each operation is one call here.
        assert_eq!(round.pool_wait.map(|waits| waits.checkouts), Some(400));
        assert!(round.pool_wait.is_some_and(|waits| waits.mean.get() <= waits.max.get()));
        let counted = |counter: &str| round.server_counters.get(counter).copied();
        // This server counts commands, not the documents that an insertMany writes; signs of life are subtracted.
        assert_eq!(counted("commands.insert"), Some(100), "{:?}", round.server_counters);
        assert_eq!(counted("commands.update"), Some(100), "{:?}", round.server_counters);
        assert_eq!(counted("commands.query"), Some(200), "{:?}", round.server_counters);
        assert_eq!(counted("opcounters.insert"), None);
        assert!(counted("network.numRequests").is_some_and(|requests| requests >= 400), "{:?}", round.server_counters);
        assert!(counted("network.bytesIn").is_some_and(|bytes| bytes > 400 * 16), "a message has a header of 16 bytes");
    }
    assert_eq!(notes_of_the_run(&record), Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_not_ours_keeps_its_process_and_its_neighbours_to_itself() {
    let process = support::own_server().await;
    let uri: SecretUri = process.shown_uri().parse().expect("a server's URI is one");
    let server = open(&ServerOptions::new(ServerChoice::Uri(uri))).await.expect("the server was just started");
    let record = measure(&server, 100).await;
    for round in rounds(&record) {
        // It is on this machine, so that what is not ours may be its.
        assert_eq!((round.cpu.server, round.cpu.foreign, round.memory.server_bytes), (None, None, None));
        assert_eq!(round.server_counters.get("commands.insert"), Some(&25), "nobody else uses it");
        assert!(round.pool_wait.is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_that_others_raise_too_are_left_out_and_that_is_said() {
    let process = support::own_server().await;
    let uri: SecretUri = process.shown_uri().parse().expect("a server's URI is one");
    let other = process.client(2).await.expect("the server was just started");
    let server = open(&ServerOptions::new(ServerChoice::Uri(uri))).await.expect("the server was just started");
    let record = measure(&server, 100).await;
    assert!(rounds(&record).all(|round| round.server_counters.is_empty()));
    assert_eq!(notes_of_the_run(&record), ["the server's counters: n/a (other clients use the server too)"]);
    other.shutdown().immediate(true).await;
}

/// Programs that keep all cores busy until they are dropped.
#[cfg(target_os = "linux")]
struct BusyLoops(Vec<Child>);

#[cfg(target_os = "linux")]
impl BusyLoops {
    fn on_all_cores() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let busy = || {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().expect("there is a shell")
        };
        Self((0..cores).map(|_| busy()).collect())
    }
}

#[cfg(target_os = "linux")]
impl Drop for BusyLoops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg(target_os = "linux")]
async fn other_programs_on_all_cores_disturb_windows_and_the_record_says_by_how_much() {
    let server = support::own_server().await;
    let record = {
        let _busy = BusyLoops::on_all_cores();
        measure(&server, 1_000).await
    };
    let mut disturbed = BTreeMap::new();
    for round in rounds(&record) {
        assert!(round.cpu.client.is_some_and(|cpu| cpu.get() > 0.0), "{:?}", round.cpu);
        assert!(
            round.cpu.server.is_some() && round.cpu.foreign.is_some() && round.cpu.steal.is_some(),
            "{:?}",
            round.cpu
        );
        let memory = round.memory;
        assert!(memory.client_bytes.is_some_and(|bytes| bytes.get() > 1 << 20), "{memory:?}");
        assert!(memory.server_bytes.is_some_and(|bytes| bytes.get() > 1 << 20), "{memory:?}");
        disturbed.insert((round.round, &round.model), &round.disturbed);
    }
    let said = |what: &&Vec<String>| what.iter().any(|what| what.starts_with("other processes used "));
    assert!(disturbed.values().any(said), "loops on all cores took their part: {disturbed:?}");
}
