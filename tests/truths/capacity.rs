//! A capacity that is known is found: that of servers that take a fixed time, and that which an objective in closed form
//! leaves.

use patternbench::analysis::capacity as answer_of;
use patternbench::backend::simulated::{SimulatedClock, SimulatedServer};
use patternbench::clock::VirtualClock;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{CAPACITY_FILE, CapacityModel, CapacityRecord, Objective};
use patternbench::run::{Event, Interrupt, Listener, Target, simulated_server_record};
use patternbench::study::{CapacityFinish, CapacityRequest, capacity, capacity_begun};
use patternbench::units::{Micros, Seconds, Share};
use patternbench::words::{CapacityFound, Metric, ProbeOutcome, Profile};

use crate::support::{options, scenario, simulation};

/// How close a capacity must be found.
const TOLERANCE: f64 = 0.05;

fn objective(p95: f64, hold: f64) -> Objective {
    Objective {
        latencies: [(Metric::P95, Micros::new(p95))].into(),
        errors: Share::new(0.001),
        operation: None,
        hold: Seconds::new(hold),
        rate: None,
    }
}

/// Hears nothing, and wishes the study to end after so many windows.
struct After(u32, Interrupt);

impl Listener for After {
    fn hear(&mut self, event: &Event) {
        if matches!(event, Event::WindowFinished { .. }) {
            self.0 = self.0.saturating_sub(1);
            if self.0 == 0 {
                self.1.trigger();
            }
        }
    }
}

/// A study on what is declared, in virtual time; `earlier` is where it goes on from.
fn study(declared: &str, objective: Objective, earlier: Option<CapacityRecord>, windows: u32) -> CapacityFinish {
    let options = RunOptions { concurrency: Some(4), ..options(Profile::Quick) };
    let plan = plan_scenario(&scenario(), &options).expect("the options fit").remove(0);
    let (clock, runtime) = VirtualClock::runtime().expect("a runtime can be made");
    let server = std::sync::Arc::new(SimulatedServer::start(simulation(declared), SimulatedClock::Virtual(clock)));
    let record = earlier.unwrap_or_else(|| capacity_begun(&plan, simulated_server_record(&server), objective, None));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = CapacityRequest { target: Target::Simulated(server), plan, options, record, folder: folder.path() };
    let interrupt = Interrupt::new();
    let mut listener = After(windows, interrupt.clone());
    let finish = runtime.block_on(capacity(request, &mut listener, interrupt));
    assert!(folder.path().join(CAPACITY_FILE).is_file(), "the record is written");
    finish
}

fn studied(declared: &str, objective: Objective) -> CapacityRecord {
    let CapacityFinish { record, error } = study(declared, objective, None, u32::MAX);
    assert!(error.is_none() && record.complete, "{error:?}");
    record
}

fn model<'a>(record: &'a CapacityRecord, name: &str) -> &'a CapacityModel {
    record.models.iter().find(|model| model.name == name).expect("it was studied")
}

fn assert_capacity(record: &CapacityRecord, name: &str, expected: f64) {
    let answer = model(record, name).answer.as_ref().expect("an answer");
    assert_eq!(answer.found, CapacityFound::Within, "{answer:?}");
    let rate = answer.rate.expect("a rate").get();
    assert!((rate / expected - 1.0).abs() <= TOLERANCE, "{name}: {rate}/s is not {expected}/s");
}

#[test]
fn servers_that_take_a_fixed_time_sustain_their_number_divided_by_it() {
    // Four places of 2 ms: 2,000 a second, however far above its 2 ms the objective lies: beyond it the queue grows for as
    // long as the rate is held. The pattern's places take half as long.
    let declared = "
concurrency: 4
models:
  naive: {read: {latency: {constant: 2ms}}}
  pattern: {read: {latency: {constant: 1ms}}}";
    let record = studied(declared, objective(10_000.0, 2.0));
    assert_capacity(&record, "naive", 2_000.0);
    assert_capacity(&record, "pattern", 4_000.0);
    let naive = model(&record, "naive");
    assert!(naive.curve.first().is_some_and(|point| (point.latency.get() / 2_000.0 - 1.0).abs() < 0.01));
    let knee = naive.knee.expect("it passes twice 2 ms").get();
    assert!((1_900.0..2_200.0).contains(&knee), "{knee}");
}

/// The rate at which the response time's p95 reaches a bound, where operations come due at equal distances and one server
/// takes exponential times of rate μ: the queue D/M/1.
///
/// The waiting line seen by an arrival is geometric with the root σ of σ = exp(−(1 − σ) μ ÷ λ), so a response time is
/// exponential with rate μ (1 − σ), and its p95 is ln 20 ÷ (μ (1 − σ)). Set equal to the bound b, 1 − σ = ln 20 ÷ (b μ); and
/// the equation of σ, solved for λ, is λ = −(1 − σ) μ ÷ ln σ.
fn closed_form(service: f64, bound: f64) -> f64 {
    let mu = 1.0 / service;
    let left = 20.0_f64.ln() / (bound * mu);
    -left * mu / (1.0 - left).ln()
}

#[test]
fn an_objective_in_closed_form_is_met_up_to_the_rate_that_it_leaves() {
    // 2 ms and a bound of 20 ms leave 421 a second of 500; 1 ms and the same bound 925 of 1,000.
    let declared = "
concurrency: 1
models:
  naive: {read: {latency: {exponential: {mean: 2ms}}}}
  pattern: {read: {latency: {exponential: {mean: 1ms}}}}";
    let record = studied(declared, objective(20_000.0, 8.0));
    assert_capacity(&record, "naive", closed_form(0.002, 0.020));
    assert_capacity(&record, "pattern", closed_form(0.001, 0.020));
}

#[test]
fn where_the_load_generator_is_the_limit_no_capacity_is_named() {
    // It needs 2 ms for an operation, and so comes to 500 a second, on a server that would do many more.
    let record = studied("generator: {cost: 2ms}\ndefault: {latency: {constant: 500us}}", objective(10_000.0, 1.0));
    for name in ["naive", "pattern"] {
        let answer = model(&record, name).answer.as_ref().expect("an answer");
        assert_ne!(answer.found, CapacityFound::Within, "{answer:?}");
        assert!(answer.reason.as_ref().is_some_and(|why| why.contains("load generator")), "{answer:?}");
    }
}

#[test]
fn errors_beyond_the_objective_are_a_miss() {
    let declared = "default: {latency: {constant: 1ms}, errors: {share: 0.005, kind: Timeout}}";
    let record = studied(declared, objective(10_000.0, 1.0));
    for probe in &model(&record, "naive").probes {
        assert_eq!(probe.outcome == ProbeOutcome::Missed, probe.errors.get() > 0.001, "{probe:?}");
        let why = probe.why.as_deref().unwrap_or_default();
        assert_eq!(why.ends_with("of operations failed, at most 0.100 % may"), probe.errors.get() > 0.001, "{why}");
    }
    let answer = model(&record, "naive").answer.as_ref().expect("an answer");
    let light = answer.rate.or(answer.high).expect("some window missed").get();
    assert!(light < 250.0, "what could be served is no matter where half a percent fails: {light}");
}

#[test]
fn a_study_that_was_interrupted_goes_on_without_repeating_a_window() {
    let declared = "concurrency: 4\ndefault: {latency: {constant: 2ms}}";
    let CapacityFinish { record, error } = study(declared, objective(10_000.0, 1.0), None, 7);
    assert!(error.is_some() && !record.complete);
    let done: Vec<_> = record.models.iter().map(|model| model.probes.clone()).collect();
    let windows = done.iter().map(Vec::len).sum::<usize>();
    assert!((6..=7).contains(&windows), "{windows} windows were kept");
    let CapacityFinish { record: whole, error } = study(declared, objective(10_000.0, 1.0), Some(record), u32::MAX);
    assert!(error.is_none() && whole.complete, "{error:?}");
    for (model, before) in whole.models.iter().zip(&done) {
        assert_eq!(model.probes[..before.len()], before[..], "what was done stays");
        assert_eq!(answer_of(&model.probes), model.answer, "the answer follows from the windows alone");
    }
    let mut numbers: Vec<u32> = whole.models.iter().flat_map(|model| &model.probes).map(|probe| probe.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..numbers.len() as u32).collect::<Vec<_>>());
    // The same answer as without interruption.
    let straight = studied(declared, objective(10_000.0, 1.0));
    for (one, other) in whole.models.iter().zip(&straight.models) {
        let rate = |model: &CapacityModel| model.answer.as_ref().and_then(|answer| answer.rate).expect("a rate").get();
        assert!((rate(one) / rate(other) - 1.0).abs() < TOLERANCE);
    }
}
