//! A scenario whose steps never run, and runs of it on what a test declares.

use std::sync::Arc;
use std::thread;

use patternbench::backend::simulated::{SimulatedClock, SimulatedModel, SimulatedServer, Simulation};
use patternbench::clock::VirtualClock;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{ComparisonRecord, RunRecord, ScenarioRecord, histogram};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunFinish, RunRequest, Target, run};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::words::{Metric, Phase, Profile};

/// The seed of every truth.
pub(crate) const SEED: u64 = 1;

/// Two models with one operation. What it does is declared, so its steps never run.
const SCENARIO: &str = "
format: 1
title: Two models
summary: What they take is declared.
dataset:
  things: {count: 10, document: {_id: ^index}}
models:
  naive:
    role: naive
    collections: {things: {from: things}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
  pattern:
    role: pattern
    collections: {things: {from: things}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
workload:
  read: {weight: 1, args: {thing: {^int: {min: 0, max: 9}}}, returns: {fields: [_id]}}
";

pub(crate) fn scenario() -> Arc<Scenario> {
    let loaded = load_scenario(SourceText::new("two-models.yaml", SCENARIO));
    Arc::new(loaded.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

/// What a test declares.
pub(crate) fn simulation(declared: &str) -> Simulation {
    let read = Simulation::read(SourceText::new("declared.yaml", declared));
    read.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)))
}

/// One of the two models, to be asked for what it draws.
pub(crate) fn model(simulation: &Simulation, name: &str, seed: u64) -> SimulatedModel {
    SimulatedModel::new(simulation, name, std::iter::once("read"), seed).expect("the test declares how it behaves")
}

/// A latency as it is recorded: in whole µs.
pub(crate) fn micros(latency: std::time::Duration) -> u64 {
    u64::try_from((latency.as_nanos() + 500) / 1_000).expect("a latency is shorter than an age")
}

/// Options of a run under the seed of every truth.
pub(crate) fn options(profile: Profile) -> RunOptions {
    RunOptions { profile, seed: SEED, concurrency: Some(4), ..RunOptions::default() }
}

struct Silent;

impl Listener for Silent {
    fn hear(&mut self, _: &Event) {}
}

/// A run in virtual time.
pub(crate) fn run_on(declared: &str, options: RunOptions) -> RunFinish {
    let plans = plan_scenario(&scenario(), &options).unwrap_or_else(|error| panic!("{error}"));
    let (clock, runtime) = VirtualClock::runtime().expect("a runtime can be made");
    let server = Arc::new(SimulatedServer::start(simulation(declared), SimulatedClock::Virtual(clock)));
    let target = Target::Simulated(server);
    let request = RunRequest { target, plans, options, folder: None, extent: Extent::Everything };
    runtime.block_on(run(&request, &mut Silent, Interrupt::new()))
}

/// The record of a run that came to its planned end.
pub(crate) fn measured(declared: &str, options: RunOptions) -> RunRecord {
    let finish = run_on(declared, options);
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    finish.record
}

/// The comparison of the operation by a metric.
pub(crate) fn comparison(record: &RunRecord, metric: Metric) -> &ComparisonRecord {
    &record.scenarios[0].analysis.operations["read"][&metric]
}

/// All latencies of a model's measured windows.
pub(crate) fn service(scenario: &ScenarioRecord, model: &str) -> histogram::LatencyHistogram {
    merged(scenario, model, |operation| operation.service.as_deref())
}

/// All response times of a model's measured windows.
pub(crate) fn response(scenario: &ScenarioRecord, model: &str) -> histogram::LatencyHistogram {
    merged(scenario, model, |operation| operation.response.as_deref())
}

fn merged(
    scenario: &ScenarioRecord,
    model: &str,
    text: impl Fn(&patternbench::record::OperationRound) -> Option<&str>,
) -> histogram::LatencyHistogram {
    let mut whole = histogram::empty();
    let windows = scenario.rounds.iter().filter(|round| round.phase == Phase::Measured && round.model == model);
    for operation in windows.map(|round| &round.operations["read"]) {
        if let Some(text) = text(operation) {
            whole.add(histogram::decode(text).expect("a run writes whole histograms")).expect("they have one range");
        }
    }
    whole
}

/// Does so many things, spread over this machine's cores; what came of them, in their order.
pub(crate) fn in_parallel<T: Send>(count: u64, one: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let of_thread = |thread: u64| {
        let (from, to) = (thread * count / threads, (thread + 1) * count / threads);
        (from..to).map(&one).collect::<Vec<T>>()
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || of_thread(thread))).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("it does not panic")).collect()
    })
}
