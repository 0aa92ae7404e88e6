//! A record as other programs want it that do not need its histograms.

use serde_json::Value;

use crate::record::RunRecord;

/// The record as JSON without its rounds: what was measured on, the plan, the models, the analysis, claims. Names are
/// those of `run.json`.
pub fn digest(mut record: RunRecord) -> Value {
    record.scenarios.iter_mut().for_each(|scenario| scenario.rounds.clear());
    let mut value = serde_json::to_value(record).unwrap_or_default();
    let scenarios = value.get_mut("scenarios").and_then(Value::as_array_mut).into_iter().flatten();
    for scenario in scenarios.filter_map(Value::as_object_mut) {
        scenario.shift_remove("rounds");
    }
    value
}
