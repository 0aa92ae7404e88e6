//! Contests as they stand in a record.

use std::collections::BTreeMap;

use super::contest::Contest;
use crate::record::{ComparisonRecord, OtherComparison, SideRecord};
use crate::words::Metric;

/// What stands beside the headline: the same contests, in the same order.
#[derive(Debug)]
pub(super) struct Sides<'a> {
    /// Service times, where response times are the headline.
    pub(super) service: Option<Vec<Contest<'a>>>,
    /// Service times at light load.
    pub(super) light_load: Option<Vec<Contest<'a>>>,
}

type Operations = BTreeMap<String, BTreeMap<Metric, ComparisonRecord>>;

/// The comparisons by operation and metric: the first contest with the others beside it.
pub(super) fn assemble(contests: &[Contest<'_>], sides: &Sides<'_>) -> Operations {
    let Some(primary) = contests.first() else { return Operations::new() };
    let mut operations = Operations::new();
    for (operation, estimates) in &primary.operations {
        let by_metric = operations.entry((*operation).to_owned()).or_default();
        for (metric, estimate) in estimates {
            let others = (1..contests.len()).filter_map(|place| other(contests, sides, place, operation, *metric));
            let comparison = ComparisonRecord {
                naive: estimate.naive,
                pattern: estimate.model,
                speedup: estimate.record(),
                others: others.collect(),
                service: side(sides.service.as_deref(), 0, operation, *metric),
                light_load: side(sides.light_load.as_deref(), 0, operation, *metric),
                tuning_share: None,
            };
            by_metric.insert(*metric, comparison);
        }
    }
    operations
}

fn other(
    contests: &[Contest<'_>],
    sides: &Sides<'_>,
    place: usize,
    operation: &str,
    metric: Metric,
) -> Option<(String, OtherComparison)> {
    let contest = contests.get(place)?;
    let estimate = contest.operations.get(operation)?.get(&metric)?;
    let record = OtherComparison {
        naive: estimate.naive,
        pattern: estimate.model,
        speedup: estimate.record(),
        service: side(sides.service.as_deref(), place, operation, metric),
        light_load: side(sides.light_load.as_deref(), place, operation, metric),
    };
    Some((contest.model?.name.clone(), record))
}

/// The side figures of a contest; throughput has none.
fn side(contests: Option<&[Contest<'_>]>, place: usize, operation: &str, metric: Metric) -> Option<SideRecord> {
    if metric == Metric::Throughput {
        return None;
    }
    Some(contests?.get(place)?.operations.get(operation)?.get(&metric)?.side())
}
