//! Which charts a scenario has.

use super::drawn;
use super::dress::Chart;
use crate::analysis::{ALL, Shape, shapes};
use crate::record::ScenarioRecord;
use crate::report::view::operations_shown;

/// Operations whose curves are drawn.
const MOST_OPERATIONS: usize = 6;

/// The charts of a scenario.
#[derive(Debug, Clone)]
pub(in crate::report) struct Charts {
    /// p95 by operation and model.
    pub(in crate::report) p95: Option<Chart>,
    /// Speed-ups around 1.
    pub(in crate::report) speedups: Option<Chart>,
    /// Curves of the whole mix, where that is more than one operation.
    pub(in crate::report) mix: OfOperation,
    /// Curves of each operation.
    pub(in crate::report) operations: Vec<OfOperation>,
    /// Operations done by second.
    pub(in crate::report) throughput: Option<Chart>,
    /// Latencies through a round with its events.
    pub(in crate::report) course: Option<Chart>,
    /// The storage bill.
    pub(in crate::report) storage: Option<Chart>,
}

/// The curves of an operation.
#[derive(Debug, Clone)]
pub(in crate::report) struct OfOperation {
    pub(in crate::report) operation: String,
    /// Latency by percentile.
    pub(in crate::report) percentiles: Option<Chart>,
    /// The distribution of latencies.
    pub(in crate::report) distribution: Option<Chart>,
    /// p95 by second.
    pub(in crate::report) over_time: Option<Chart>,
}

impl OfOperation {
    fn of(scenario: &ScenarioRecord, operation: &str, shapes: &[Shape]) -> Self {
        let own: Vec<&Shape> = shapes.iter().filter(|shape| shape.spread.operation == operation).collect();
        Self {
            operation: operation.to_owned(),
            percentiles: drawn::percentiles(scenario, operation, &own),
            distribution: drawn::distribution(scenario, operation, &own),
            over_time: drawn::latencies(scenario, operation),
        }
    }

    /// Its charts, those that there are.
    pub(in crate::report) fn charts(&self) -> impl Iterator<Item = &Chart> {
        [&self.percentiles, &self.distribution, &self.over_time].into_iter().flatten()
    }
}

impl Charts {
    /// The charts, with curves of at most so many operations, the heaviest ones.
    pub(in crate::report) fn of(scenario: &ScenarioRecord, most_operations: usize) -> Self {
        let shapes = shapes(scenario);
        let operations = operations_shown(scenario).into_iter().filter(|operation| *operation != ALL);
        let operations = operations.take(most_operations);
        Self {
            p95: drawn::dots(scenario, &shapes),
            speedups: drawn::speedups(scenario),
            mix: OfOperation::of(scenario, ALL, &shapes),
            operations: operations.map(|operation| OfOperation::of(scenario, operation, &shapes)).collect(),
            throughput: drawn::throughput(scenario),
            course: drawn::course(scenario),
            storage: drawn::storage(scenario),
        }
    }

    fn all(self) -> Vec<Chart> {
        let curves = std::iter::once(self.mix).chain(self.operations);
        let curves = curves.flat_map(|curves| [curves.percentiles, curves.distribution, curves.over_time]);
        let first = [self.p95, self.speedups].into_iter();
        first.chain(curves).chain([self.throughput, self.course, self.storage]).flatten().collect()
    }
}

/// The p95 chart of a scenario as an SVG document; `None` where no p95 was measured.
///
/// It needs nothing besides itself, adapts to light and dark surroundings, and can stand in an HTML page as it is.
pub fn chart(scenario: &ScenarioRecord) -> Option<String> {
    Some(drawn::dots(scenario, &shapes(scenario))?.svg())
}

/// Every chart of a scenario, those that its record has figures for; each has a name of its own.
pub fn charts(scenario: &ScenarioRecord) -> Vec<Chart> {
    let mut charts: Vec<Chart> = Vec::new();
    for chart in Charts::of(scenario, MOST_OPERATIONS).all() {
        let alike = charts.iter().filter(|known| known.name() == chart.name()).count();
        charts.push(if alike > 0 { chart.renamed(charts.len()) } else { chart });
    }
    charts
}
