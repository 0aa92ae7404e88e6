//! Which metric speaks for an operation.

use std::collections::BTreeMap;

use crate::record::{ComparisonRecord, SpeedupRecord};
use crate::words::{Metric, Verdict};

/// The metrics that can carry the verdict, the first that has an interval does.
pub(super) const CARRIERS: [Metric; 2] = [Metric::P95, Metric::P50];

/// What the comparison of an operation comes to.
#[derive(Debug, Clone, Copy)]
pub struct Headline<'a> {
    /// The metric that carries the verdict: p95, or p50 where p95 has too few operations for an interval.
    pub metric: Metric,
    /// Its comparison.
    pub comparison: &'a SpeedupRecord,
}

impl Headline<'_> {
    /// The verdict, if there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.comparison.verdict
    }
}

/// What speaks for an operation of the first pattern model; `None` where it was not compared at all.
pub fn headline(metrics: &BTreeMap<Metric, ComparisonRecord>) -> Option<Headline<'_>> {
    choose(|metric| metrics.get(&metric).map(|comparison| &comparison.speedup))
}

/// The same of a further model.
pub fn headline_of_other<'a>(metrics: &'a BTreeMap<Metric, ComparisonRecord>, model: &str) -> Option<Headline<'a>> {
    choose(|metric| Some(&metrics.get(&metric)?.others.get(model)?.speedup))
}

fn choose<'a>(comparison_of: impl Fn(Metric) -> Option<&'a SpeedupRecord>) -> Option<Headline<'a>> {
    let mut known = CARRIERS
        .into_iter()
        .filter_map(|metric| comparison_of(metric).map(|comparison| Headline { metric, comparison }));
    let first = known.next()?;
    if first.comparison.low.is_some() {
        return Some(first);
    }
    Some(known.find(|headline| headline.comparison.low.is_some()).unwrap_or(first))
}
