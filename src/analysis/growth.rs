//! Whether an operation that is declared constant is: its median over larger data against that over smaller ones.

use super::cast::Cast;
use crate::record::{GrownOperationRecord, ScenarioRecord};
use crate::units::{Micros, Ratio};
use crate::words::Metric;

/// What is declared constant may cost so much more over ten times the data.
pub const GROWTH_BEARABLE: Ratio = Ratio::new(1.5);

/// What a comparison of a model over larger data (as naive) with itself over smaller ones (as pattern) says of an
/// operation; `declared` is how its cost is said to grow.
pub fn grown(scenario: &ScenarioRecord, operation: &str, declared: Option<&str>) -> GrownOperationRecord {
    let declared = declared.map(str::to_owned);
    let found = scenario.analysis.operations.get(operation).and_then(|metrics| metrics.get(&Metric::P50));
    let Some(found) = found else {
        return GrownOperationRecord { declared, reason: Some(not_compared(scenario)), ..Default::default() };
    };
    let ratio = &found.speedup;
    let marked = declared.as_deref() == Some("constant") && ratio.low.is_some_and(|low| low > GROWTH_BEARABLE);
    GrownOperationRecord {
        declared,
        small_p50: found.pattern.map(Micros::new),
        large_p50: found.naive.map(Micros::new),
        ratio: ratio.speedup,
        low: ratio.low,
        high: ratio.high,
        marked,
        reason: if ratio.low.is_none() { ratio.reason.clone() } else { None },
    }
}

fn not_compared(scenario: &ScenarioRecord) -> String {
    let left = Cast::of(&scenario.models).shown().find_map(|model| model.skipped.clone());
    left.unwrap_or_else(|| "it was not measured".to_owned())
}
