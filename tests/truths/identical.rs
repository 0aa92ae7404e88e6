//! Truth 1: models that are the same are called different as rarely as the error rate says, and hardly ever where a
//! practical threshold stands between.

use patternbench::analysis::{THRESHOLD, decide};
use patternbench::words::Verdict;

use crate::support::{in_parallel, simulation};
use crate::trials::{RUNS, Trial};

/// 5 % and three standard errors of a share in 2,000 runs.
const AT_MOST: f64 = 0.065;

#[test]
fn identical_models_are_called_different_in_at_most_one_run_in_fifteen() {
    let declared = simulation("default: {latency: {lognormal: {median: 5ms, sigma: 0.5}}, between_windows: 0.1}");
    let runs = in_parallel(RUNS, |run| Trial::draw(&declared, 1 + run).paired());
    let different = |threshold: f64| {
        let decisions = runs.iter().flat_map(|paired| decide(&[*paired], threshold));
        decisions.filter(|one| matches!(one.verdict, Verdict::Faster | Verdict::Slower)).count()
    };
    let (plain, practical) = (different(0.0), different(THRESHOLD));
    assert!(plain as f64 <= AT_MOST * RUNS as f64, "{plain} of {RUNS} runs");
    assert!(practical < plain, "{practical} with a threshold, {plain} without");
    assert!(plain > 0, "a test that never errs tests nothing");
}
