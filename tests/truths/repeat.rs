//! A run in virtual time is the same every time, apart from the times of day that it bears.

use patternbench::plan::RunOptions;
use patternbench::record::RunRecord;
use patternbench::words::{ArrivalProcess, Mode, Profile};
use serde_json::Value;

use crate::support::{measured, options};

const DECLARED: &str = "
concurrency: 3
stalls: [{every: 700ms, lasts: 50ms}]
generator: {cost: 10us}
models:
  naive: {read: {latency: {exponential: {mean: 3ms}}, errors: {share: 0.005, kind: Timeout}, between_windows: 0.05}}
  pattern: {read: {latency: {lognormal: {median: 1ms, sigma: 0.7}}, drift: 0.1}}";

/// Everything but times of day.
fn timeless(record: &RunRecord) -> Value {
    let mut value = serde_json::to_value(record).expect("a record is JSON");
    forget_times(&mut value);
    value
}

fn forget_times(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            for stamp in ["started_at", "finished_at", "at"] {
                if entries.get(stamp).is_some_and(Value::is_string) {
                    entries.remove(stamp);
                }
            }
            entries.values_mut().for_each(forget_times);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        _ => {}
    }
}

fn assert_repeatable(options: &RunOptions) {
    let [first, second] = [measured(DECLARED, options.clone()), measured(DECLARED, options.clone())];
    assert!(timeless(&first) == timeless(&second), "{options:?}");
    let other = measured(DECLARED, RunOptions { seed: options.seed + 1, ..options.clone() });
    assert!(timeless(&first) != timeless(&other), "another seed is another run");
}

#[test]
fn a_run_under_closed_load_is_the_same_every_time() {
    assert_repeatable(&RunOptions { mode: Some(Mode::Closed), ..options(Profile::Smoke) });
}

#[test]
fn a_run_under_open_load_is_the_same_every_time() {
    let open = RunOptions { mode: Some(Mode::Open), arrivals: ArrivalProcess::Poisson, ..options(Profile::Smoke) };
    assert_repeatable(&open);
}

#[test]
fn a_run_with_restarts_is_the_same_every_time() {
    assert_repeatable(&RunOptions { restarts: 2, ..options(Profile::Smoke) });
}
