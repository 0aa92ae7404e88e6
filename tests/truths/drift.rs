//! Truth 5: a server that becomes a fifth slower over the run makes no ratio larger or smaller, since models take turns.

use patternbench::plan::RunOptions;
use patternbench::record::{ScenarioRecord, histogram};
use patternbench::words::{Metric, Mode, Phase, Profile};

use crate::support::{comparison, measured, options};

/// How far the ratio may be off.
const BIAS: f64 = 0.01;

/// A narrow distribution: the p95 of a window is good to a fraction of a percent, so that a bias would show.
const DRIFTING: &str = "
models:
  naive: {read: {latency: {uniform: [5.7ms, 6.3ms]}, drift: 0.2}}
  pattern: {read: {latency: {uniform: [3.8ms, 4.2ms]}, drift: 0.2}}";

fn p95(scenario: &ScenarioRecord, model: &str, round: u32) -> f64 {
    let is_it = |window: &&patternbench::record::RoundRecord| {
        window.phase == Phase::Measured && window.round == round && window.model == model
    };
    let window = scenario.rounds.iter().find(is_it).expect("the window was measured");
    let text = window.operations["read"].service.as_deref().expect("it was timed");
    histogram::decode(text).expect("a run writes whole histograms").value_at_quantile(0.95) as f64
}

#[test]
fn a_drift_of_a_fifth_across_the_run_leaves_the_ratio_alone() {
    let closed = RunOptions { mode: Some(Mode::Closed), ..options(Profile::Quick) };
    let record = measured(DRIFTING, closed);
    let scenario = &record.scenarios[0];
    // The drift is there: over ten rounds whose middles lie at 1/20, 3/20 … 19/20 of the run, latencies grow by
    // (1 + 0.2 · 0.95) ÷ (1 + 0.2 · 0.05); lead-ins shift both ends alike.
    let grown = p95(scenario, "naive", 9) / p95(scenario, "naive", 0);
    assert!((grown / (1.19 / 1.01) - 1.0).abs() < 0.02, "{grown}");
    for metric in [Metric::P50, Metric::P95, Metric::Mean] {
        let found = comparison(&record, metric).speedup.speedup.expect("both models were measured").get();
        assert!((found / 1.5 - 1.0).abs() < BIAS, "{metric}: {found}");
    }
    // What it would do to models that run one after the other: naive in the first half, the pattern in the second.
    let mean_log = |model: &str, rounds: std::ops::Range<u32>| {
        let logs: Vec<f64> = rounds.map(|round| p95(scenario, model, round).ln()).collect();
        logs.iter().sum::<f64>() / logs.len() as f64
    };
    let in_blocks = (mean_log("naive", 0..5) - mean_log("pattern", 5..10)).exp();
    assert!((in_blocks / 1.5 - 1.0).abs() > 5.0 * BIAS, "{in_blocks}");
}
