//! Runs as the statistics see them: windows of two models, drawn as a run would draw them and without a run around them,
//! so that there can be thousands.

use patternbench::analysis::{Paired, analyse};
use patternbench::backend::simulated::{Moment, SimulatedModel, Simulation};
use patternbench::plan::RunOptions;
use patternbench::record::{OperationRound, RoundRecord, ScenarioRecord, SpeedupRecord, histogram};
use patternbench::units::{Rate, Seconds, Share};
use patternbench::words::{Metric, Mode, Phase, Profile, RoundOutcome};

use crate::support::{SEED, comparison, measured, micros, model, options, simulation};

/// Runs of each truth.
pub(crate) const RUNS: u64 = 2_000;
/// Rounds of each run.
const ROUNDS: u32 = 10;
/// Operations of a model in a round: enough for a p95 of its own.
const OPERATIONS: u64 = 400;
const P95: f64 = 0.95;
/// The standard normal quantile of a 95 % interval.
const Z: f64 = 1.959_964;

/// The windows of one run: latencies in whole µs.
pub(crate) struct Trial {
    naive: Vec<Vec<u64>>,
    pattern: Vec<Vec<u64>>,
}

impl Trial {
    /// Draws a run.
    pub(crate) fn draw(declared: &Simulation, seed: u64) -> Self {
        let windows = |name: &str| {
            let model = model(declared, name, seed);
            (0..ROUNDS).map(|round| window(&model, u64::from(round))).collect()
        };
        Self { naive: windows("naive"), pattern: windows("pattern") }
    }

    /// The paired log ratios of the windows' p95.
    pub(crate) fn paired(&self) -> Paired {
        let logs: Vec<f64> =
            self.naive.iter().zip(&self.pattern).map(|(naive, pattern)| (p95(naive) / p95(pattern)).ln()).collect();
        Paired::of(&logs).expect("ten finite logs")
    }

    /// What the analysis of a record makes of the same windows.
    pub(crate) fn analysed(&self) -> SpeedupRecord {
        let mut scenario = self.scenario();
        analyse(&mut scenario, Profile::Quick);
        scenario.analysis.operations["read"][&Metric::P95].speedup.clone()
    }

    /// The interval of the log ratio that takes all operations for independent: ranks of each model's pooled p95 by the
    /// binomial distribution, joined as independent errors are.
    pub(crate) fn pooled_interval(&self) -> (f64, f64) {
        let (naive, pattern) = (Ranks::of(&self.naive), Ranks::of(&self.pattern));
        let ratio = naive.middle - pattern.middle;
        let low = (naive.middle - naive.low).hypot(pattern.high - pattern.middle);
        let high = (naive.high - naive.middle).hypot(pattern.middle - pattern.low);
        (ratio - low, ratio + high)
    }

    /// A record with these windows.
    fn scenario(&self) -> ScenarioRecord {
        let mut scenario = template();
        for (name, windows) in [("naive", &self.naive), ("pattern", &self.pattern)] {
            let rounds = (0..).zip(windows).map(|(round, window)| round_record(name, round, window));
            scenario.rounds.extend(rounds);
        }
        scenario
    }
}

fn window(model: &SimulatedModel, round: u64) -> Vec<u64> {
    let common = model.common(0, round);
    let from = round * OPERATIONS;
    let step = |number| model.step(0, &Moment { number, progress: Share::new(0.0), common });
    (from..from + OPERATIONS).map(|number| micros(step(number).latency)).collect()
}

/// The value at the rank of p95.
fn p95(window: &[u64]) -> f64 {
    let mut values = window.to_vec();
    let rank = (P95 * values.len() as f64).ceil() as usize;
    *values.select_nth_unstable(rank - 1).1 as f64
}

/// Logs of a pooled p95 and of the ends of its binomial interval.
struct Ranks {
    low: f64,
    middle: f64,
    high: f64,
}

impl Ranks {
    fn of(windows: &[Vec<u64>]) -> Self {
        let mut pooled: Vec<u64> = windows.concat();
        pooled.sort_unstable();
        let count = pooled.len() as f64;
        let reach = Z * (count * P95 * (1.0 - P95)).sqrt();
        let at = |rank: f64| (pooled[rank.clamp(1.0, count) as usize - 1] as f64).ln();
        Self {
            low: at((count * P95 - reach).floor()),
            middle: at((count * P95).ceil()),
            high: at((count * P95 + reach).ceil()),
        }
    }
}

/// A record of both models without a window.
fn template() -> ScenarioRecord {
    let declared = "default: {latency: {constant: 1ms}}";
    let small = patternbench::plan::RunOptions {
        operations: Some(1),
        rounds: Some(1),
        mode: Some(Mode::Closed),
        ..options(Profile::Smoke)
    };
    let record = measured(declared, small);
    let mut scenario = record.scenarios.into_iter().next().expect("one scenario was run");
    scenario.rounds.clear();
    scenario
}

fn round_record(model: &str, round: u32, window: &[u64]) -> RoundRecord {
    let mut service = histogram::empty();
    for micros in window {
        histogram::record(&mut service, *micros);
    }
    let figures = OperationRound {
        count: window.len() as u64,
        service: histogram::encode(&service),
        ..OperationRound::default()
    };
    RoundRecord {
        round,
        restart: 0,
        phase: Phase::Measured,
        model: model.to_owned(),
        position: 0,
        started_at: String::new(),
        seconds: Seconds::new(1.0),
        workers: 1,
        planned: window.len() as u64,
        achieved_rate: Rate::new(window.len() as f64),
        outcome: RoundOutcome::Complete,
        disturbed: Vec::new(),
        pool_wait: None,
        cpu: patternbench::record::CpuRecord::default(),
        memory: patternbench::record::MemoryRecord::default(),
        server_counters: std::collections::BTreeMap::new(),
        intervals: Vec::new(),
        background: Vec::new(),
        events: Vec::new(),
        operations: [("read".to_owned(), figures)].into(),
    }
}

#[test]
fn trials_are_judged_as_the_analysis_of_a_record_judges_them() {
    let declared = simulation("default: {latency: {lognormal: {median: 5ms, sigma: 0.5}}, between_windows: 0.1}");
    for seed in 1..=20 {
        let trial = Trial::draw(&declared, seed);
        let (paired, analysed) = (trial.paired(), trial.analysed());
        let (low, high) = paired.interval(0.95);
        let ends =
            [analysed.speedup, analysed.low, analysed.high].map(|end| end.expect("ten units have an interval").get());
        for (trial, record) in [paired.mean, low, high].into_iter().zip(ends) {
            // Histograms keep three digits.
            assert!((trial.exp() / record - 1.0).abs() < 0.002, "{} is not {record}", trial.exp());
        }
    }
}

#[test]
fn a_run_finds_what_trials_find() {
    // The same truth through the windows of real runs. Of twenty 95 % intervals fewer than sixteen hold it in 3 of 1,000
    // cases.
    let declared = "
default: {latency: {lognormal: {median: 3ms, sigma: 0.5}}, between_windows: 0.05}
models: {naive: {read: {latency: {lognormal: {median: 4.5ms, sigma: 0.5}}, between_windows: 0.05}}}";
    let found = (SEED..SEED + 20).map(|seed| {
        let closed = RunOptions { mode: Some(Mode::Closed), seed, ..options(Profile::Quick) };
        let record = measured(declared, closed);
        let found = &comparison(&record, Metric::P95).speedup;
        let (low, high) = (found.low.expect("ten rounds").get(), found.high.expect("ten rounds").get());
        assert!(high / low < 1.25, "the interval is no excuse: {low}–{high}");
        (low, high)
    });
    let found: Vec<(f64, f64)> = found.collect();
    let holding = found.iter().filter(|(low, high)| *low < 1.5 && 1.5 < *high).count();
    assert!(holding >= 16, "{holding} of 20: {found:?}");
}
