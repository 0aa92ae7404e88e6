//! Each built-in scenario's operations, naive beside pattern, on a live server: one Criterion group per scenario and
//! operation, a line per model, one worker. What Criterion shows is service time at light load; the comparison under load
//! is `patternbench run`'s.
//!
//! `cargo bench --bench patterns -- product-list-page` measures one scenario; filters are Criterion's, and data are loaded
//! only of scenarios that they leave. The server is found as `patternbench run` finds it (`PATTERNBENCH_URI`, a `mongod`, the
//! embedded server); `PATTERNBENCH_ALLOW_LOAD=HOST` is its `--allow-load`. Data have smoke sizes, or those of the profile
//! that `PATTERNBENCH_PROFILE` names.
//!
//! Operations that write do a fixed block of operation numbers each time, on data loaded afresh outside the time: what is
//! timed is always the same work on the same state. Operations that take over 100 ms are left to `patternbench run`, and
//! it is said. `-- --list` and `-- --test` need no server: the latter makes the calls of every operation and sends none.

mod data;
mod selection;
mod timing;

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use patternbench::guard::{self, Consent};
use patternbench::plan::{self, Plan, RunOptions};
use patternbench::scenario::{self, Scenario};
use patternbench::server::{self, RunningServer, ServerChoice, ServerOptions};
use patternbench::source::SourceText;
use patternbench::words::Profile;
use tokio::runtime::Runtime;

use self::data::Loaded;
use self::selection::{How, Selection, id};

/// Names the profile whose sizes the data have.
const PROFILE: &str = "PATTERNBENCH_PROFILE";
/// Hosts that may be loaded, with commas between them.
const ALLOW_LOAD: &str = "PATTERNBENCH_ALLOW_LOAD";

/// The warm-up and the time over which the ten samples are spread: there are hundreds of lines.
const WARM_UP: Duration = Duration::from_millis(300);
const MEASUREMENT: Duration = Duration::from_secs(1);

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(WARM_UP).measurement_time(MEASUREMENT);
    targets = patterns
}
criterion_main!(benches);

fn patterns(criterion: &mut Criterion) {
    let selection = Selection::of_arguments();
    let runtime = Runtime::new().expect("threads can be started");
    let _within = runtime.enter();
    let mut server = None;
    for plan in scenario::builtin_names().filter_map(|name| wanted(name, &selection)) {
        match selection.how() {
            How::Listed => list(criterion, &plan),
            How::Tried => attempt(criterion, &plan),
            How::Measured => {
                let server = server.get_or_insert_with(|| runtime.block_on(open()));
                measure(criterion, &runtime, server, &plan, &selection);
            }
        }
    }
    if let Some(server) = server {
        runtime.block_on(server.stop());
    }
}

/// A bench has nobody to hand an error to: it is said, and the bench ends.
fn or_stop<T, E: std::fmt::Display>(outcome: Result<T, E>) -> T {
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

async fn open() -> RunningServer {
    let server = or_stop(server::open(&ServerOptions::new(ServerChoice::Auto)).await);
    let hosts = std::env::var(ALLOW_LOAD).unwrap_or_default();
    let allow_load = hosts.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect();
    or_stop(guard::judge(server.facts(), &Consent { allow_load, shared_server: false }));
    server
}

/// The plan of a scenario's first workload, if the filters leave anything of it. Nothing is planned for others.
fn wanted(name: &str, selection: &Selection) -> Option<Plan> {
    let scenario = built_in(name);
    let operations = scenario.workloads[0].operations.iter();
    let mut ids = operations
        .flat_map(|operation| scenario.models.iter().map(|model| id(&scenario.name, &operation.name, &model.name)));
    if !ids.any(|id| selection.wants(&id)) {
        return None;
    }
    let options = RunOptions { profile: profile(), ..RunOptions::default() };
    Some(or_stop(plan::plan_scenario(&scenario, &options)).remove(0))
}

fn built_in(name: &str) -> Arc<Scenario> {
    let text = scenario::builtin(name).expect("a listed scenario is built in");
    let scenario = scenario::load_scenario(SourceText::new(format!("{name}.yaml"), text));
    Arc::new(scenario.expect("built-in scenarios are valid"))
}

fn profile() -> Profile {
    let named = std::env::var(PROFILE).ok().filter(|word| !word.is_empty());
    named.map_or(Profile::Smoke, |word| or_stop(word.parse().map_err(|error| format!("{PROFILE}: {error}"))))
}

/// Only names are asked for.
fn list(criterion: &mut Criterion, plan: &Plan) {
    each_operation(criterion, plan, |group, _, _| {
        for model in plan.models() {
            group.bench_function(&model.name, |_| unreachable!("a list runs nothing"));
        }
    });
}

/// Makes the calls of every operation, and sends none.
fn attempt(criterion: &mut Criterion, plan: &Plan) {
    let programs = data::programs(plan);
    each_operation(criterion, plan, |group, operation, _| {
        for program in &programs {
            group.bench_function(program.model(), |bencher| {
                bencher.iter(|| or_stop(program.calls(operation, plan.measured_from())));
            });
        }
    });
}

fn measure(criterion: &mut Criterion, runtime: &Runtime, server: &RunningServer, plan: &Plan, selection: &Selection) {
    let mut loaded = runtime.block_on(Loaded::of(server, plan));
    each_operation(criterion, plan, |group, operation, name| {
        for place in 0..loaded.models() {
            let id = id(&plan.scenario.name, name, loaded.model(place));
            if !selection.wants(&id) {
                continue;
            }
            let block = match runtime.block_on(timing::look(&mut loaded, place, operation)) {
                Ok(block) => block,
                Err(why) => {
                    selection::tell(&format!("{id}: left out: {why}"));
                    continue;
                }
            };
            let model = loaded.model(place).to_owned();
            group.bench_function(model, |bencher| {
                bencher.iter_custom(|iterations| {
                    runtime.block_on(timing::timed(&mut loaded, place, operation, block, iterations, &id))
                });
            });
        }
    });
    runtime.block_on(loaded.drop_databases());
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn each_operation(criterion: &mut Criterion, plan: &Plan, mut with: impl FnMut(&mut Group<'_>, usize, &str)) {
    for (operation, described) in plan.workload().operations.iter().enumerate() {
        let mut group = criterion.benchmark_group(format!("{}/{}", plan.scenario.name, described.name));
        group.sampling_mode(SamplingMode::Flat);
        with(&mut group, operation, &described.name);
        group.finish();
    }
}
