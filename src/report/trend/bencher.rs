//! A run in Bencher Metric Format: by benchmark, then by measure, `{value, lower_value, upper_value}`.

use serde_json::{Map, Value, json};

use super::named::benchmark;
use crate::analysis::{Cast, spreads};
use crate::record::{RunRecord, ScenarioRecord, SpeedupRecord};
use crate::units::Ratio;
use crate::words::Metric;

/// Bencher's own measure of latency is in nanoseconds.
const NANOS: f64 = 1e3;

/// The p95 of every operation and model as `latency` in ns, and the speed-up of every model but naive as `speedup`, both
/// with their 95 % interval.
pub fn bencher(run: &RunRecord) -> String {
    let mut benchmarks: Map<String, Value> = Map::new();
    for scenario in run.scenarios.iter().filter(|scenario| scenario.complete && scenario.plan.control.is_none()) {
        for (name, measure, metric) in latencies(scenario).into_iter().chain(speedups(scenario)) {
            benchmarks.entry(name).or_insert_with(|| json!({}))[measure] = metric;
        }
    }
    format!("{:#}\n", Value::Object(benchmarks))
}

type Measured = (String, &'static str, Value);

fn latencies(scenario: &ScenarioRecord) -> Vec<Measured> {
    let latency = |spread: crate::analysis::Spread| {
        let interval = spread.interval.map(|(low, high)| (low.get() * NANOS, high.get() * NANOS));
        let name = benchmark(scenario, &spread.operation, &spread.model);
        (name, "latency", metric(spread.p95.get() * NANOS, interval))
    };
    spreads(scenario).into_iter().map(latency).collect()
}

fn speedups(scenario: &ScenarioRecord) -> Vec<Measured> {
    let pattern = Cast::of(&scenario.models).pattern.map(|model| model.name.as_str());
    let mut found = Vec::new();
    for (operation, metrics) in &scenario.analysis.operations {
        let Some(compared) = metrics.get(&Metric::P95) else { continue };
        let others = compared.others.iter().map(|(name, other)| (name.as_str(), &other.speedup));
        let all = pattern.map(|name| (name, &compared.speedup)).into_iter().chain(others);
        found.extend(
            all.filter_map(|(model, speedup)| {
                Some((benchmark(scenario, operation, model), "speedup", ratio(speedup)?))
            }),
        );
    }
    found
}

fn ratio(found: &SpeedupRecord) -> Option<Value> {
    let interval = found.low.map(Ratio::get).zip(found.high.map(Ratio::get));
    Some(metric(found.speedup?.get(), interval))
}

fn metric(value: f64, interval: Option<(f64, f64)>) -> Value {
    match interval {
        Some((low, high)) => json!({"value": value, "lower_value": low, "upper_value": high}),
        None => json!({"value": value}),
    }
}
