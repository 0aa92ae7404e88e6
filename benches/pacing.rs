//! How late the whole runner sends operations: the built-in scenario product-list-page on a simulated server in real time,
//! 2,000 operations a second. The goal: 99 of 100 within 300 µs of when they were due, on a machine that does nothing else.
//!
//! `cargo bench --bench pacing`

#[path = "support/asked.rs"]
mod asked;

use std::sync::Arc;
use std::time::Duration;

use patternbench::backend::simulated::{SimulatedClock, SimulatedServer, Simulation};
use patternbench::clock::WallClock;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{RunRecord, histogram};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunRequest, Target, run};
use patternbench::scenario::{builtin, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::units::Rate;
use patternbench::words::{Phase, Profile};

/// Operations due per second.
const RATE: f64 = 2_000.0;

/// Operations that take a few milliseconds, so that a timer of a millisecond does not matter.
const SERVER: &str = "
time: real
default: {latency: {constant: 3ms}}
";

struct Silent;

impl Listener for Silent {
    fn hear(&mut self, _: &Event) {}
}

#[expect(clippy::print_stdout, reason = "a bench shows its figures")]
fn main() {
    if !asked::is_asked_for("pacing") {
        return;
    }
    let measures = std::env::args().any(|argument| argument == "--bench");
    let record = measured(if measures { Duration::from_secs(2) } else { Duration::from_millis(50) });
    let scenario = &record.scenarios[0];
    for model in &scenario.models {
        let mut lag = histogram::empty();
        let windows =
            scenario.rounds.iter().filter(|round| round.phase == Phase::Measured && round.model == model.name);
        for text in
            windows.flat_map(|round| round.operations.values()).filter_map(|figures| figures.pacer_lag.as_deref())
        {
            lag.add(histogram::decode(text).expect("a run writes whole histograms")).expect("they have one range");
        }
        let quantile = |share: f64| lag.value_at_quantile(share);
        println!(
            "{}: {} operations at {RATE}/s; pacer lag p50 {} µs, p95 {} µs, p99 {} µs, max {} µs; the goal is p99 under 300 µs",
            model.name,
            lag.len(),
            quantile(0.5),
            quantile(0.95),
            quantile(0.99),
            lag.max()
        );
    }
}

/// Two rounds of that length.
fn measured(round_time: Duration) -> RunRecord {
    let options = RunOptions {
        profile: Profile::Smoke,
        rate: Some(Rate::new(RATE)),
        round_time: Some(round_time),
        ..RunOptions::default()
    };
    let text = builtin("product-list-page").expect("it is built in");
    let loaded = load_scenario(SourceText::new("product-list-page.yaml", text));
    let scenario = loaded.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)));
    let plans = plan_scenario(&Arc::new(scenario), &options).expect("the options fit");
    let declared = Simulation::read(SourceText::new("server.yaml", SERVER));
    let declared = declared.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)));
    let target = Target::Simulated(Arc::new(SimulatedServer::start(declared, SimulatedClock::Wall(WallClock))));
    let request = RunRequest { target, plans, options, folder: None, extent: Extent::Everything };
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    let finish = runtime.block_on(run(&request, &mut Silent, Interrupt::new()));
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    finish.record
}
