//! What the runner costs: its throughput beside that of a bare loop of the official driver, with the same `findOne` by
//! `_id`, as many workers and as many connections, in one process against the embedded server (or the one that
//! `PATTERNBENCH_URI` names). The goal is a ratio of at least 0.97 at 1, 8 and 32 workers.
//!
//! `cargo bench --bench overhead` takes a few minutes; with `-- --test` it only shows that it works. It is one whole run of
//! patternbench for each number of workers. Before and after every window comes the bare loop, as long as the window, over
//! the same documents: both see the same server in the same state. The median of the windows is what counts.

#[path = "support/asked.rs"]
mod asked;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bson::{RawDocumentBuf, doc};
use mongodb::Collection;
use patternbench::guard::Consent;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunRequest, Target, run};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::server::{RunningServer, ServerChoice, ServerOptions, open};
use patternbench::source::SourceText;
use patternbench::words::{Mode, Phase, Profile};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// Two models that do the same.
const SCENARIO: &str = "
format: 1
title: Overhead
summary: Finds a document by its identity, in two models that are the same.
dataset:
  things: {count: 1000, document: {_id: ^index, name: {^words: 3}, note: {^text: 200}}}
models:
  first:
    role: naive
    collections: {things: {from: things}}
    operations:
      find: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
  second:
    role: pattern
    collections: {things: {from: things}}
    operations:
      find: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
workload:
  find: {weight: 1, args: {thing: {^int: {min: 0, max: 999}}}, returns: {fields: [_id, name, note]}}
";
const DOCUMENTS: u64 = 1_000;
/// Where they are.
const DATABASE: &str = "patternbench_overhead_first";
/// A part of each loop that runs before it is timed, as the runner's lead-in.
const LEAD_IN: u64 = 5;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How much is done, how often.
#[derive(Clone, Copy)]
struct Size {
    workers: &'static [u32],
    operations: u64,
    rounds: u32,
}

impl Size {
    /// Cargo says `--bench` when it measures; `--test`, or neither, only asks whether it works.
    fn from_arguments() -> Self {
        let says = |word: &str| std::env::args().any(|argument| argument == word);
        if says("--bench") && !says("--test") {
            Self { workers: &[1, 8, 32], operations: 3_000, rounds: 20 }
        } else {
            Self { workers: &[2], operations: 200, rounds: 1 }
        }
    }
}

#[expect(clippy::print_stdout, reason = "a bench shows its figures")]
#[tokio::main]
async fn main() -> Outcome<()> {
    if !asked::is_asked_for("overhead") {
        return Ok(());
    }
    let size = Size::from_arguments();
    let options = ServerOptions::new(ServerChoice::Auto);
    let choice = if options.surroundings.uri.is_some() { ServerChoice::Auto } else { ServerChoice::Embedded };
    let server = open(&ServerOptions { choice, ..options }).await?;
    let scenario = load_scenario(SourceText::new("overhead.yaml", SCENARIO));
    let scenario = Arc::new(scenario.map_err(|(_, problems)| format!("{problems:?}"))?);
    for workers in size.workers {
        let mut ratios = whole_run(&server, &scenario, *workers, size).await?;
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        println!("{workers} workers: runner ÷ bare {median:.3}, the median of {}; the goal is 0.97", ratios.len());
    }
    server.stop().await;
    Ok(())
}

/// As one would write it by hand.
async fn bare_loop(things: &Collection<RawDocumentBuf>, workers: u32, operations: u64) -> Outcome<f64> {
    finds(things, workers, operations / LEAD_IN).await?;
    let started = Instant::now();
    finds(things, workers, operations).await?;
    Ok(operations as f64 / started.elapsed().as_secs_f64())
}

async fn finds(things: &Collection<RawDocumentBuf>, workers: u32, operations: u64) -> Outcome<()> {
    let next = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..workers {
        let (things, next) = (things.clone(), Arc::clone(&next));
        tasks.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= operations {
                    return Ok::<(), mongodb::error::Error>(());
                }
                let id = (number.wrapping_mul(7_919) % DOCUMENTS) as i64;
                things.find_one(doc! {"_id": id}).await?.expect("every identity exists");
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// Follows every window of the run with the bare loop.
struct Pairing {
    things: Collection<RawDocumentBuf>,
    workers: u32,
    operations: u64,
    /// Operations per second of the bare loop that came before the window at hand.
    before: Option<f64>,
    ratios: Vec<f64>,
    failure: Option<Box<dyn Error + Send + Sync>>,
}

impl Listener for Pairing {
    #[expect(clippy::print_stdout, reason = "a bench shows its figures")]
    fn hear(&mut self, event: &Event) {
        let Event::WindowFinished { record, .. } = event else { return };
        if record.phase != Phase::Measured {
            return;
        }
        let bare = bare_loop(&self.things, self.workers, self.operations);
        match tokio::task::block_in_place(|| Handle::current().block_on(bare)) {
            Ok(bare) => {
                // Between two bare loops, so that a machine that becomes slower or faster tells against neither.
                if let Some(before) = self.before.replace(bare) {
                    let (runner, bare) = (record.achieved_rate.get(), (before * bare).sqrt());
                    println!("{} workers: runner {runner:.0}/s, bare {bare:.0}/s, {:.3}", self.workers, runner / bare);
                    self.ratios.push(runner / bare);
                }
            }
            Err(failure) => self.failure = Some(failure),
        }
    }
}

/// Runs what `patternbench run --mode closed` runs; gives the ratio of each window's rate to that of the bare loops
/// around it.
async fn whole_run(server: &RunningServer, scenario: &Arc<Scenario>, workers: u32, size: Size) -> Outcome<Vec<f64>> {
    let options = RunOptions {
        profile: Profile::Smoke,
        mode: Some(Mode::Closed),
        concurrency: Some(workers),
        operations: Some(size.operations),
        rounds: Some(size.rounds),
        ..RunOptions::default()
    };
    let client = server.client(workers).await?;
    let request = RunRequest {
        target: Target::Server { server, consent: Consent::default(), ends: false },
        plans: plan_scenario(scenario, &options)?,
        options,
        folder: None,
        extent: Extent::Everything,
    };
    let things = client.database(DATABASE).collection("things");
    let operations = size.operations;
    let mut pairing = Pairing { things, workers, operations, before: None, ratios: Vec::new(), failure: None };
    let finish = run(&request, &mut pairing, Interrupt::new()).await;
    client.shutdown().await;
    if let Some(error) = finish.errors.into_iter().next() {
        return Err(error.into());
    }
    pairing.failure.map_or(Ok(pairing.ratios), Err)
}
