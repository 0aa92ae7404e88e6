//! Truth 8: where an offered rate is not achieved, a server that is too slow is told from a load generator that is.

use patternbench::plan::RunOptions;
use patternbench::record::{LoadAnalysis, RunRecord};
use patternbench::report::{Style, terminal};
use patternbench::run::RunError;
use patternbench::units::Rate;
use patternbench::words::{Bottleneck, Metric, Mode, Profile};

use crate::support::{comparison, options, run_on};

/// A run at so many operations a second, and what it says of each model's load.
fn at(rate: f64, workers: u32, declared: &str) -> RunRecord {
    let open = RunOptions {
        mode: Some(Mode::Open),
        rate: Some(Rate::new(rate)),
        concurrency: Some(workers),
        operations: Some(2_000),
        rounds: Some(5),
        ..options(Profile::Quick)
    };
    let finish = run_on(declared, open);
    let fatal: Vec<&RunError> = finish.errors.iter().collect();
    assert!(fatal.is_empty(), "{fatal:?}");
    finish.record
}

fn load<'a>(record: &'a RunRecord, model: &str) -> &'a LoadAnalysis {
    &record.scenarios[0].analysis.load[model]
}

#[test]
fn a_rate_that_both_can_bear_has_no_limit() {
    let record = at(500.0, 4, "default: {latency: {exponential: {mean: 2ms}}}");
    for model in ["naive", "pattern"] {
        let load = load(&record, model);
        assert_eq!(load.bottleneck, None, "{load:?}");
        let achieved = load.achieved_rate.expect("it was measured").get();
        assert!((achieved / 500.0 - 1.0).abs() < 0.01, "{achieved}");
    }
}

#[test]
fn a_server_too_slow_for_the_rate_is_the_limit() {
    // A single place of 2 ms serves 500 a second, half of what is offered.
    for workers in [1, 4, 64] {
        let record = at(1_000.0, workers, "concurrency: 1\ndefault: {latency: {constant: 2ms}}");
        for model in ["naive", "pattern"] {
            let load = load(&record, model);
            assert_eq!(load.bottleneck, Some(Bottleneck::Server), "{workers} workers: {load:?}");
            assert!(load.reason.is_some());
        }
    }
}

#[test]
fn a_load_generator_too_slow_for_the_rate_is_the_limit() {
    // It needs 2 ms for an operation that the server does in half a millisecond, and so comes to 500 a second. Busy as it
    // is, it sees answers late too, however many or few workers there are.
    for workers in [1, 4, 64] {
        let record = at(1_000.0, workers, "generator: {cost: 2ms}\ndefault: {latency: {constant: 500us}}");
        for model in ["naive", "pattern"] {
            let load = load(&record, model);
            assert_eq!(load.bottleneck, Some(Bottleneck::Generator), "{workers} workers: {load:?}");
            assert!(load.reason.is_some());
        }
    }
}

#[test]
fn what_a_load_generator_limits_says_nothing_of_the_models() {
    let record = at(1_000.0, 4, "generator: {cost: 2ms}\ndefault: {latency: {constant: 500us}}");
    assert_eq!(comparison(&record, Metric::P95).speedup.verdict, None, "nothing is said of the models");
    assert!(terminal(&record, &Style::default()).contains("generator"), "and the report says why");
}
