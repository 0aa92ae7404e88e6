//! A run for github-action-benchmark, `tool: customSmallerIsBetter`: a list of `{name, unit, value, range, extra}`.

use serde_json::{Value, json};

use super::named::benchmark;
use crate::analysis::{Cast, Spread, engine_limited, spreads};
use crate::record::{ComparisonRecord, RunRecord, ScenarioRecord, SpeedupRecord};
use crate::units::Ratio;
use crate::words::Metric;

/// The p95 of every operation and model in µs, and that of every model ÷ naive's: of both smaller is better. The latter is
/// the one to set alerts on, since naive is each run's own control.
pub fn github(run: &RunRecord) -> String {
    let measured = run.scenarios.iter().filter(|scenario| scenario.complete && scenario.plan.control.is_none());
    let entries: Vec<Value> = measured.flat_map(|scenario| of_scenario(run, scenario)).collect();
    format!("{:#}\n", Value::from(entries))
}

fn of_scenario(run: &RunRecord, scenario: &ScenarioRecord) -> Vec<Value> {
    let latencies = spreads(scenario);
    let latencies = latencies.iter().map(|spread| latency(run, scenario, spread));
    let compared =
        scenario.analysis.operations.iter().filter_map(|(name, metrics)| Some((name, metrics.get(&Metric::P95)?)));
    let ratios = compared.flat_map(|(operation, compared)| ratios(run, scenario, operation, compared));
    latencies.chain(ratios).collect()
}

fn latency(run: &RunRecord, scenario: &ScenarioRecord, spread: &Spread) -> Value {
    let interval = spread.interval.map(|(low, high)| (low.get(), high.get()));
    let name = format!("{} p95", benchmark(scenario, &spread.operation, &spread.model));
    entry(name, "µs", spread.p95.get(), interval, extra(run, scenario, &spread.operation, &spread.model))
}

/// What a model takes of what naive takes: the speed-up turned over.
fn ratios(run: &RunRecord, scenario: &ScenarioRecord, operation: &str, compared: &ComparisonRecord) -> Vec<Value> {
    let pattern = Cast::of(&scenario.models).pattern.map(|model| (model.name.as_str(), &compared.speedup));
    let others = compared.others.iter().map(|(name, other)| (name.as_str(), &other.speedup));
    let ratio = |(model, found): (&str, &SpeedupRecord)| {
        let turned = |ratio: Option<Ratio>| ratio.map(|ratio| 1.0 / ratio.get()).filter(|value| value.is_finite());
        let name = format!("{} p95 ÷ naive p95", benchmark(scenario, operation, model));
        let interval = turned(found.high).zip(turned(found.low));
        Some(entry(name, "ratio", turned(found.speedup)?, interval, extra(run, scenario, operation, model)))
    };
    pattern.into_iter().chain(others).filter_map(ratio).collect()
}

fn entry(name: String, unit: &str, value: f64, interval: Option<(f64, f64)>, extra: String) -> Value {
    let mut entry = json!({"name": name, "unit": unit, "value": value});
    if let Some((low, high)) = interval {
        entry["range"] = format!("{low:.4} … {high:.4} (95 %)").into();
    }
    entry["extra"] = extra.into();
    entry
}

/// What a person wants to know of a figure that raised an alert.
fn extra(run: &RunRecord, scenario: &ScenarioRecord, operation: &str, model: &str) -> String {
    let server = format!("{} {}", run.server.product, run.server.version);
    let label = run.label.as_deref().map(|label| format!("\nrun: {label}")).unwrap_or_default();
    let limited = scenario.models.iter().find(|known| known.name == model);
    let limited = limited.and_then(|model| engine_limited(scenario, model, operation));
    let limited = limited.map(|why| format!("\nengine-limited: {why}")).unwrap_or_default();
    format!("measured on {server}\nprofile: {}{label}{limited}", run.profile)
}
