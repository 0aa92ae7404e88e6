//! What the runner costs: its throughput beside that of a bare loop of the official driver, with the same `findOne` by
//! `_id`, as many workers and as many connections, in one process against the embedded server (or the one that
//! `PATTERNBENCH_URI` names). The goal is a ratio of at least 0.97 at 1, 8 and 32 workers.
//!
//! `cargo bench --bench overhead` takes a few minutes; with `-- --test` it only shows that it works. Each round runs the
//! bare loop, a whole run of patternbench and the bare loop again, so that a machine that becomes slower or faster
//! meanwhile tells against neither; the median of the rounds is what counts.

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
/// A part of each loop that runs before it is timed, as the runner's lead-in.
const LEAD_IN: u64 = 5;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How much is done, how often.
struct Size {
    workers: &'static [u32],
    operations: u64,
    rounds: usize,
}

impl Size {
    /// Cargo says `--bench` when it measures; `--test`, or neither, only asks whether it works.
    fn from_arguments() -> Self {
        let says = |word: &str| std::env::args().any(|argument| argument == word);
        if says("--bench") && !says("--test") {
            Self { workers: &[1, 8, 32], operations: 6_000, rounds: 25 }
        } else {
            Self { workers: &[2], operations: 200, rounds: 1 }
        }
    }
}

#[expect(clippy::print_stdout, reason = "a bench shows its figures")]
#[tokio::main]
async fn main() -> Outcome<()> {
    let size = Size::from_arguments();
    let options = ServerOptions::new(ServerChoice::Auto);
    let choice = if options.surroundings.uri.is_some() { ServerChoice::Auto } else { ServerChoice::Embedded };
    let server = open(&ServerOptions { choice, ..options }).await?;
    let scenario = load_scenario(SourceText::new("overhead.yaml", SCENARIO));
    let scenario = Arc::new(scenario.map_err(|(_, problems)| format!("{problems:?}"))?);
    for workers in size.workers {
        let mut ratios = Vec::new();
        for round in 1..=size.rounds {
            let Pair { runner, bare } = one_round(&server, &scenario, *workers, size.operations).await?;
            println!("{workers} workers, round {round}: runner {runner:.0}/s, bare {bare:.0}/s, {:.3}", runner / bare);
            ratios.push(runner / bare);
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        println!("{workers} workers: runner ÷ bare {median:.3}, the median of {}; the goal is 0.97", ratios.len());
    }
    server.stop().await;
    Ok(())
}

/// Operations per second, both ways.
struct Pair {
    runner: f64,
    bare: f64,
}

async fn one_round(server: &RunningServer, scenario: &Arc<Scenario>, workers: u32, operations: u64) -> Outcome<Pair> {
    let client = server.client(workers).await?;
    let things = client.database("patternbench_bench_overhead").collection("things");
    fill(&things).await?;
    let before = bare_loop(&things, workers, operations).await?;
    let runner = whole_run(server, scenario, workers, operations).await?;
    let after = bare_loop(&things, workers, operations).await?;
    things.drop().await?;
    client.shutdown().await;
    Ok(Pair { runner, bare: (before * after).sqrt() })
}

/// The same documents as the scenario's, as far as it matters.
async fn fill(things: &Collection<RawDocumentBuf>) -> Outcome<()> {
    let documents = (0..i64::try_from(DOCUMENTS)?).map(|id| {
        let document = doc! {"_id": id, "name": "amber lamp stand", "note": "warm light ".repeat(18)};
        RawDocumentBuf::try_from(&document)
    });
    things.insert_many(documents.collect::<Result<Vec<_>, _>>()?).await?;
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

struct Deaf;

impl Listener for Deaf {
    fn hear(&mut self, _: &Event) {}
}

/// What `patternbench run --mode closed` measures: the mean rate of both models' windows.
async fn whole_run(server: &RunningServer, scenario: &Arc<Scenario>, workers: u32, operations: u64) -> Outcome<f64> {
    let options = RunOptions {
        profile: Profile::Smoke,
        mode: Some(Mode::Closed),
        concurrency: Some(workers),
        operations: Some(operations),
        rounds: Some(2),
        ..RunOptions::default()
    };
    let request = RunRequest {
        target: Target::Server { server, consent: Consent::default(), ends: false },
        plans: plan_scenario(scenario, &options)?,
        options,
        folder: None,
        extent: Extent::Everything,
    };
    let finish = run(&request, &mut Deaf, Interrupt::new()).await;
    if let Some(error) = finish.errors.into_iter().next() {
        return Err(error.into());
    }
    let rounds = &finish.record.scenarios[0].rounds;
    let measured = rounds.iter().filter(|window| window.phase == Phase::Measured);
    let logs: Vec<f64> = measured.map(|window| window.achieved_rate.get().ln()).collect();
    Ok((logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
