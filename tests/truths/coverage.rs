//! Truth 2: of the intervals that are called 95 % intervals, 95 % hold the true ratio, although operations inside a window
//! are correlated. Taking all operations for independent does not: that is why rounds are the unit.

use crate::support::{in_parallel, simulation};
use crate::trials::{RUNS, Trial};

/// 95 % and three standard errors of a share in 2,000 runs, either way.
const COVERED: std::ops::RangeInclusive<f64> = 0.935..=0.965;
/// Pooled operations cover less than this.
const POOLED: f64 = 0.75;

/// Shares of runs whose interval holds the ratio: that of paired rounds, and that of pooled operations.
fn coverage(naive: &str, pattern: &str, ratio: f64) -> (f64, f64) {
    let behaviour = |latency: &str| format!("{{read: {{latency: {latency}, between_windows: 0.15}}}}");
    let declared = simulation(&format!("models: {{naive: {}, pattern: {}}}", behaviour(naive), behaviour(pattern)));
    let covered = in_parallel(RUNS, |run| {
        let trial = Trial::draw(&declared, 1 + run);
        let holds = |(low, high): (f64, f64)| (low..=high).contains(&ratio.ln());
        (holds(trial.paired().interval(0.95)), holds(trial.pooled_interval()))
    });
    let share = |held: fn(&(bool, bool)) -> bool| covered.iter().filter(|one| held(one)).count() as f64 / RUNS as f64;
    (share(|held| held.0), share(|held| held.1))
}

fn check(naive: &str, pattern: &str, ratio: f64) {
    let (paired, pooled) = coverage(naive, pattern, ratio);
    assert!(COVERED.contains(&paired), "paired rounds cover {ratio} in {paired} of runs");
    assert!(pooled < POOLED, "pooled operations cover {ratio} in {pooled} of runs");
}

#[test]
fn a_ratio_of_1_10_lies_in_95_of_100_intervals() {
    check("{lognormal: {median: 5.5ms, sigma: 0.5}}", "{lognormal: {median: 5ms, sigma: 0.5}}", 1.1);
}

#[test]
fn a_ratio_of_1_5_lies_in_95_of_100_intervals() {
    check("{exponential: {mean: 7.5ms}}", "{exponential: {mean: 5ms}}", 1.5);
}

#[test]
fn a_ratio_of_5_lies_in_95_of_100_intervals() {
    check("{pareto: {minimum: 5ms, shape: 2.5}}", "{pareto: {minimum: 1ms, shape: 2.5}}", 5.0);
}
