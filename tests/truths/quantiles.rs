//! Truth 6: quantiles of the histograms are those of the values themselves, to a tenth of a percent.

use patternbench::plan::RunOptions;
use patternbench::record::histogram;
use patternbench::units::Share;
use patternbench::words::{Mode, Profile};

use patternbench::backend::simulated::{Moment, SimulatedModel};

use crate::support::{SEED, measured, micros, model, options, service, simulation};

const QUANTILES: [f64; 6] = [0.25, 0.5, 0.9, 0.95, 0.99, 0.999];
const TOLERANCE: f64 = 0.001;
const VALUES: u64 = 100_000;

const DISTRIBUTIONS: [&str; 5] = [
    "{uniform: [1ms, 9ms]}",
    "{exponential: {mean: 5ms}}",
    "{lognormal: {median: 5ms, sigma: 1}}",
    "{pareto: {minimum: 1ms, shape: 1.5}}",
    "{mixture: [{share: 0.9, of: {exponential: {mean: 200us}}}, {share: 0.1, of: {uniform: [50ms, 2s]}}]}",
];

fn declared(latency: &str) -> String {
    format!("default: {{latency: {latency}}}")
}

fn latency(model: &SimulatedModel, number: u64) -> u64 {
    let moment = Moment { number, progress: Share::new(0.0), common: model.common(0, 0) };
    micros(model.step(0, &moment).latency)
}

/// The smallest value that a share of all values does not exceed.
fn exact(sorted: &[u64], quantile: f64) -> u64 {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted[rank.max(1) - 1]
}

fn assert_agree(histogram: &histogram::LatencyHistogram, mut values: Vec<u64>, what: &str) {
    values.sort_unstable();
    for quantile in QUANTILES {
        let (found, exact) = (histogram.value_at_quantile(quantile) as f64, exact(&values, quantile) as f64);
        assert!((found / exact - 1.0).abs() <= TOLERANCE, "{what}, {quantile}: {found} is not {exact}");
    }
}

#[test]
fn quantiles_of_a_record_are_those_of_the_values_in_five_distributions() {
    for distribution in DISTRIBUTIONS {
        let model = model(&simulation(&declared(distribution)), "naive", SEED);
        let values: Vec<u64> = (0..VALUES).map(|number| latency(&model, number)).collect();
        let mut recorded = histogram::empty();
        for value in &values {
            histogram::record(&mut recorded, *value);
        }
        let kept = histogram::encode(&recorded).expect("it holds values");
        assert_agree(&histogram::decode(&kept).expect("it was just encoded"), values, distribution);
    }
}

#[test]
fn what_a_run_records_is_what_was_drawn_for_its_numbers() {
    let closed = RunOptions { mode: Some(Mode::Closed), operations: Some(1_000), ..options(Profile::Quick) };
    let text = declared(DISTRIBUTIONS[2]);
    let record = measured(&text, closed);
    let scenario = &record.scenarios[0];
    let (round, lead_in) = (1_000, scenario.plan.lead_in_operations.expect("it was planned"));
    let windows = (0..u64::from(scenario.plan.rounds)).map(|place| {
        let start = patternbench::plan::MEASURED_FROM + place * (lead_in + round) + lead_in;
        start..start + round
    });
    let numbers: Vec<u64> = windows.flatten().collect();
    for name in ["naive", "pattern"] {
        let model = model(&simulation(&text), name, SEED);
        let values: Vec<u64> = numbers.iter().map(|number| latency(&model, *number)).collect();
        let recorded = service(scenario, name);
        assert_eq!(recorded.len(), values.len() as u64);
        assert_agree(&recorded, values, name);
    }
}
