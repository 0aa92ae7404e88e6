//! What stands beside the headline: the same comparison by service time, and at light load.

use std::collections::BTreeMap;

use super::facts::operations_shown;
use super::notes::Notes;
use super::table::Cell;
use crate::analysis::{ALL, THRESHOLD, headline};
use crate::record::{ComparisonRecord, ScenarioRecord, SideRecord, SpeedupRecord};
use crate::report::format;
use crate::words::Metric;

/// Ratio with interval, where it has one.
pub(super) fn ratio(speedup: &SpeedupRecord) -> Option<String> {
    let ratio = speedup.speedup?;
    Some(match speedup.low.zip(speedup.high) {
        Some((low, high)) => format::ratio_with_interval(ratio, low, high),
        None => format::ratio(ratio),
    })
}

/// The ratio of a comparison beside the headline, or why there is none.
pub(super) fn cell(side: Option<&SideRecord>, without: &str, notes: &mut Notes) -> Cell {
    let speedup = side.map(|side| &side.speedup);
    match speedup.and_then(ratio) {
        Some(ratio) => Cell::new(ratio),
        None => {
            Cell::not_available(notes.note(speedup.and_then(|speedup| speedup.reason.as_deref()).unwrap_or(without)))
        }
    }
}

/// Whether any operation was compared so.
pub(super) fn any(scenario: &ScenarioRecord, side: fn(&ComparisonRecord) -> Option<&SideRecord>) -> bool {
    scenario.analysis.operations.values().flat_map(BTreeMap::values).any(|comparison| side(comparison).is_some())
}

/// The pattern's ratio at light load, where it says something else than the headline: the intervals lie apart, and the
/// ratios by more than the practical threshold.
pub(super) fn differing_light_load(metrics: &BTreeMap<Metric, ComparisonRecord>) -> Option<&SpeedupRecord> {
    let headline = headline(metrics)?;
    let light = &metrics.get(&headline.metric)?.light_load.as_ref()?.speedup;
    let (low, high) = headline.comparison.low.zip(headline.comparison.high)?;
    let apart = light.low? > high || light.high? < low;
    let factor = light.speedup?.get() / headline.comparison.speedup?.get();
    (apart && factor.ln().abs() > THRESHOLD.ln_1p()).then_some(light)
}

/// Operations named at most.
const MOST: usize = 3;

/// The operations whose ratio is another at light load, for the answer; the whole mix follows from them.
pub(super) fn at_light_load(scenario: &ScenarioRecord) -> Option<String> {
    let differing: Vec<String> = operations_shown(scenario)
        .into_iter()
        .filter(|operation| *operation != ALL)
        .filter_map(|operation| {
            let metrics = scenario.analysis.operations.get(operation)?;
            let light = differing_light_load(metrics)?.speedup?;
            let headline = headline(metrics)?.comparison.speedup?;
            Some(format!("{operation} {} (headline {})", format::ratio(light), format::ratio(headline)))
        })
        .collect();
    if differing.is_empty() {
        return None;
    }
    let mut said = differing[..differing.len().min(MOST)].join(", ");
    if differing.len() > MOST {
        said.push_str(&format!(" and {} more", differing.len() - MOST));
    }
    Some(format!("at light load: {said}"))
}
