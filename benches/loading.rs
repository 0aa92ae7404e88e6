//! How fast `load/` writes a dataset, beside a bare loop of `insert_many` over documents made beforehand, with the same
//! number of connections, on the embedded server. Loading makes its documents, creates the collection and counts it in
//! the end; it should still reach 0.8 of the bare rate.
//!
//! `cargo bench --bench loading` takes a minute or two; with `-- --test` it only shows that it works.

#[path = "support/asked.rs"]
mod asked;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bson::{Bson, RawDocumentBuf};
use mongodb::{Client, Collection, Database};
use patternbench::load::{LoadOptions, load_source};
use patternbench::scenario::DataSet;
use patternbench::server::{ServerChoice, ServerOptions, open};
use patternbench::source::{Problems, SourceText, parse};
use patternbench::value::{Parameters, Population, Scope, SetSpec, Template, World};
use tokio::task::JoinSet;

/// A document of 500 bytes on average.
const DOCUMENT: &str = "{_id: ^index, sku: {^format: 'sku-{index}'}, price: {^int: {min: 1, max: 500}}, \
                        story: {^text: {bytes: 444}}}";
const CONNECTIONS: usize = 4;
/// Documents per `insert_many` of the bare loop, as many as loading sends.
const BATCH: usize = 1_000;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How much is loaded, how often.
struct Size {
    documents: u64,
    rounds: usize,
}

impl Size {
    /// Cargo says `--bench` when it measures; `--test`, or neither, only asks whether it works.
    fn from_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().collect();
        let says = |word: &str| arguments.iter().any(|argument| argument == word);
        if says("--bench") && !says("--test") {
            Self { documents: 200_000, rounds: 10 }
        } else {
            Self { documents: 2_000, rounds: 1 }
        }
    }
}

#[expect(clippy::print_stdout, reason = "a bench shows its figures")]
#[tokio::main]
async fn main() -> Outcome<()> {
    if !asked::is_asked_for("loading") {
        return Ok(());
    }
    let size = Size::from_arguments();
    let dataset = Dataset::new(size.documents)?;
    let ready_made = dataset.ready_made()?;
    let bytes: usize = ready_made.iter().map(|document| document.as_bytes().len()).sum();
    println!("{} documents of {} bytes, {CONNECTIONS} connections", size.documents, bytes / ready_made.len());

    let server = open(&ServerOptions::new(ServerChoice::Embedded)).await?;
    let client = server.client(CONNECTIONS as u32 + 1).await?;
    let mut logs = Vec::new();
    for round in 0..size.rounds {
        let pair = one_round(&client, &dataset, &ready_made, round).await?;
        let rate = |time: Duration| size.documents as f64 / time.as_secs_f64();
        let (load, bare) = (rate(pair.load), rate(pair.bare));
        println!("round {}: load {load:.0}/s, bare {bare:.0}/s, ratio {:.2}", round + 1, load / bare);
        logs.push((load / bare).ln());
    }
    let ratio = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    println!("load ÷ bare {ratio:.2}: the geometric mean of {} rounds; the goal is 0.80", logs.len());
    server.stop().await;
    Ok(())
}

/// What one round took.
struct Pair {
    load: Duration,
    bare: Duration,
}

/// Both ways, in databases of their own; which one goes first alternates.
async fn one_round(
    client: &Client,
    dataset: &Dataset,
    ready_made: &Arc<[RawDocumentBuf]>,
    round: usize,
) -> Outcome<Pair> {
    let [load_into, bare_into] = ["load", "bare"].map(|way| client.database(&format!("patternbench_bench_{way}")));
    let (load, bare);
    if round.is_multiple_of(2) {
        load = dataset.load(&load_into).await?;
        bare = bare_loop(&bare_into, ready_made).await?;
    } else {
        bare = bare_loop(&bare_into, ready_made).await?;
        load = dataset.load(&load_into).await?;
    }
    load_into.drop().await?;
    bare_into.drop().await?;
    Ok(Pair { load, bare })
}

/// One set of a dataset.
struct Dataset {
    set: DataSet,
    world: Arc<World>,
}

impl Dataset {
    fn new(documents: u64) -> Outcome<Self> {
        let count = Template::constant(Bson::Int64(i64::try_from(documents)?));
        let set = DataSet {
            name: "products".to_owned(),
            population: Population::Count(count),
            document: Some(compile(DOCUMENT)?),
            indexes: Vec::new(),
        };
        let spec =
            SetSpec { name: set.name.clone(), population: set.population.clone(), document: set.document.clone() };
        let world = World::new(1, Parameters::new(), vec![spec], std::path::Path::new("."))?;
        Ok(Self { set, world: Arc::new(world) })
    }

    /// All documents, made beforehand.
    fn ready_made(&self) -> Outcome<Arc<[RawDocumentBuf]>> {
        let rows = self.world.count(&self.set.name).unwrap_or(0);
        let documents = (0..rows).map(|row| self.world.row(&self.set.name, row)).collect::<Result<Vec<_>, _>>()?;
        Ok(documents.into())
    }

    async fn load(&self, database: &Database) -> Outcome<Duration> {
        let options = LoadOptions { connections: CONNECTIONS, ..LoadOptions::default() };
        let started = Instant::now();
        load_source(database, std::slice::from_ref(&self.set), &self.world, &options, &mut |_| {}).await?;
        Ok(started.elapsed())
    }
}

fn compile(document: &str) -> Outcome<Template> {
    let parsed = parse(SourceText::new("bench", document)).map_err(|(_, problems)| format!("{problems:?}"))?;
    let root = parsed.file.arena.root().ok_or("no document")?;
    let scope = Scope { index: true, draws: true, ..Scope::default() };
    let mut problems = Problems::default();
    let template = Template::compile(&parsed.file.arena, root, &scope, &mut problems);
    Ok(template.ok_or_else(|| format!("{problems:?}"))?)
}

/// `insert_many` over ready-made documents on all connections.
async fn bare_loop(database: &Database, documents: &Arc<[RawDocumentBuf]>) -> Outcome<Duration> {
    let collection: Collection<RawDocumentBuf> = database.collection("products");
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    let started = Instant::now();
    for _ in 0..CONNECTIONS {
        let (collection, documents, next) = (collection.clone(), Arc::clone(documents), Arc::clone(&next));
        tasks.spawn(async move {
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                let Some(batch) = documents.get(first..documents.len().min(first + BATCH)).filter(|b| !b.is_empty())
                else {
                    return Ok::<(), mongodb::error::Error>(());
                };
                collection.insert_many(batch).ordered(false).await?;
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(started.elapsed())
}
