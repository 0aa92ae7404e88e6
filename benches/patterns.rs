//! Each built-in scenario's operations, naive beside pattern, on a live server: one Criterion group per scenario and
//! operation, one function per model, one worker. The server is found as `patternbench run` finds it.
//!
//! `cargo bench --bench patterns -- product-list-page` measures one scenario; `-- --test` runs everything once at smoke
//! size. What Criterion shows is service time at light load; the comparison under load is `patternbench run`'s.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use patternbench::backend::MongoBackend;
use patternbench::guard::{self, ClaimedDatabase, Consent, DatabaseName, Marker, Owner, Reuse};
use patternbench::load::{LoadOptions, load_model, load_source};
use patternbench::operation::ModelProgram;
use patternbench::plan::{self, Plan, RunOptions};
use patternbench::scenario::{self, Scenario};
use patternbench::server::{self, RunningServer, ServerChoice, ServerOptions};
use patternbench::source::SourceText;
use patternbench::words::Profile;
use tokio::runtime::Runtime;

criterion_group!(benches, patterns);
criterion_main!(benches);

fn patterns(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("threads can be started");
    let _within = runtime.enter();
    let server = or_stop(runtime.block_on(server::open(&ServerOptions::new(ServerChoice::Auto))));
    or_stop(guard::judge(server.facts(), &Consent::default()));
    for name in scenario::builtin_names().filter(|name| is_wanted(name)) {
        bench_scenario(criterion, &runtime, &server, &built_in(name));
    }
    runtime.block_on(server.stop());
}

/// A bench has nobody to hand an error to: it is said, and the bench ends.
fn or_stop<T, E: std::fmt::Display>(outcome: Result<T, E>) -> T {
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

/// Whether a filter on the command line leaves anything of a scenario: others need not be loaded.
fn is_wanted(scenario: &str) -> bool {
    let filters: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    filters.is_empty()
        || filters.iter().any(|filter| filter.starts_with(scenario) || scenario.contains(filter.as_str()))
}

fn built_in(name: &str) -> Arc<Scenario> {
    let text = scenario::builtin(name).expect("a listed scenario is built in");
    let scenario = scenario::load_scenario(SourceText::new(format!("{name}.yaml"), text));
    Arc::new(scenario.expect("built-in scenarios are valid"))
}

/// A scenario's first workload on databases of its own.
struct Loaded {
    plan: Plan,
    models: Vec<Model>,
    databases: Vec<ClaimedDatabase>,
}

struct Model {
    name: String,
    program: ModelProgram,
    backend: MongoBackend,
}

fn bench_scenario(criterion: &mut Criterion, runtime: &Runtime, server: &RunningServer, scenario: &Arc<Scenario>) {
    let loaded = runtime.block_on(load(server, scenario));
    // No number is used twice, so that no document is inserted twice.
    let mut number = loaded.plan.measured_from();
    for (operation, described) in loaded.plan.workload().operations.iter().enumerate() {
        let mut group = criterion.benchmark_group(format!("{}/{}", scenario.name, described.name));
        for model in &loaded.models {
            group.bench_function(&model.name, |bencher| {
                bencher.iter_custom(|iterations| {
                    let numbers = number..number + iterations;
                    number = numbers.end;
                    runtime.block_on(timed(model, operation, numbers))
                });
            });
        }
        group.finish();
    }
    runtime.block_on(async {
        for database in loaded.databases {
            or_stop(database.drop_database().await);
        }
    });
}

/// Only sending and receiving is timed.
async fn timed(model: &Model, operation: usize, numbers: std::ops::Range<u64>) -> Duration {
    let mut total = Duration::ZERO;
    for number in numbers {
        let prepared = model.program.prepare(&model.backend, operation, number);
        let prepared = prepared.unwrap_or_else(|error| panic!("{}: {error}", model.name));
        let started = Instant::now();
        let done = model.program.execute(&model.backend, prepared, false).await;
        total += started.elapsed();
        done.unwrap_or_else(|error| panic!("{}: {error}", model.name));
    }
    total
}

async fn load(server: &RunningServer, scenario: &Arc<Scenario>) -> Loaded {
    let profile = if std::env::args().any(|argument| argument == "--test") { Profile::Smoke } else { Profile::Quick };
    let options = RunOptions { profile, ..RunOptions::default() };
    let plan = or_stop(plan::plan_scenario(scenario, &options)).remove(0);
    let pool = u32::try_from(LoadOptions::default().connections + 1).expect("a handful of connections");
    let client = or_stop(server.client(pool).await);
    let owner = Owner::this_process("cargo-bench");
    let claim = async |name: DatabaseName| {
        let marker = Marker::new(owner.clone(), &scenario.file_sha256, plan.seed, &plan.parameters);
        or_stop(guard::claim(&client, &name, marker, Reuse::Never).await)
    };
    let source = claim(or_stop(DatabaseName::source(&scenario.name, false))).await;
    let loading = LoadOptions::default();
    or_stop(load_source(source.database(), &scenario.dataset, &plan.world, &loading, &mut |_| {}).await);
    let (mut models, mut databases) = (Vec::new(), Vec::new());
    for &place in &plan.models {
        let model = &scenario.models[place];
        let name = DatabaseName::model(&scenario.name, &model.name, guard::Purpose::Measured);
        let database = claim(or_stop(name)).await;
        or_stop(load_model(source.database(), database.database(), model, &plan.world, &loading, &mut |_| {}).await);
        let program = ModelProgram::new(scenario, plan.workload_index, place, Arc::clone(&plan.world));
        models.push(Model {
            name: model.name.clone(),
            program: or_stop(program),
            backend: MongoBackend::new(&client, database.name().as_str()),
        });
        databases.push(database);
    }
    databases.push(source);
    Loaded { plan, models, databases }
}
