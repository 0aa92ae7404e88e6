//! Counts of an operation over a model's windows.

use std::collections::BTreeMap;

use crate::analysis::ALL;
use crate::record::{OperationRound, ScenarioRecord};
use crate::units::Rate;
use crate::words::{Phase, RoundOutcome};

/// What became of an operation's requests in one model.
#[derive(Debug, Default)]
pub(in crate::report) struct Tally {
    pub(in crate::report) count: u64,
    pub(in crate::report) empty: u64,
    pub(in crate::report) above_range: u64,
    pub(in crate::report) retries: u64,
    pub(in crate::report) expected: BTreeMap<String, u64>,
    pub(in crate::report) errors: BTreeMap<String, u64>,
    /// Operations and seconds of complete windows: partial ones never enter a rate.
    complete: (u64, f64),
    /// Seconds of all windows, those cut short included.
    seconds: f64,
}

impl Tally {
    /// Counts an operation, or with [`ALL`] every operation, in all measured windows of a model.
    pub(in crate::report) fn of(scenario: &ScenarioRecord, operation: &str, model: &str) -> Self {
        let mut tally = Self::default();
        for window in scenario.rounds.iter().filter(|window| window.phase == Phase::Measured && window.model == model) {
            let before = tally.count;
            let wanted = window.operations.iter().filter(|(name, _)| operation == ALL || name.as_str() == operation);
            wanted.for_each(|(_, figures)| tally.add(figures));
            tally.seconds += window.seconds.get();
            if window.outcome == RoundOutcome::Complete {
                tally.complete.0 = tally.complete.0.saturating_add(tally.count - before);
                tally.complete.1 += window.seconds.get();
            }
        }
        tally
    }

    fn add(&mut self, figures: &OperationRound) {
        self.count = self.count.saturating_add(figures.count);
        self.empty = self.empty.saturating_add(figures.empty);
        self.above_range = self.above_range.saturating_add(figures.above_range);
        self.retries = self.retries.saturating_add(figures.retries);
        for (sums, parts) in [(&mut self.expected, &figures.expected), (&mut self.errors, &figures.errors)] {
            for (kind, number) in parts {
                let sum = sums.entry(kind.clone()).or_default();
                *sum = sum.saturating_add(*number);
            }
        }
    }

    pub(in crate::report) fn failed(&self) -> u64 {
        self.errors.values().fold(0, |sum, number| sum.saturating_add(*number))
    }

    /// Operations per second over complete windows.
    pub(in crate::report) fn rate(&self) -> Option<Rate> {
        let (operations, seconds) = self.complete;
        per_second(operations, seconds)
    }

    /// Operations per second over all windows, failures included: what became of a rate that was offered.
    pub(in crate::report) fn achieved(&self) -> Option<Rate> {
        per_second(self.count.saturating_add(self.failed()), self.seconds)
    }
}

fn per_second(operations: u64, seconds: f64) -> Option<Rate> {
    let rate = operations as f64 / seconds;
    (operations > 0 && rate.is_finite() && rate > 0.0).then(|| Rate::new(rate))
}

/// Kinds with their counts: `3 DuplicateKey, 1 Timeout`.
pub(super) fn kinds(counts: &BTreeMap<String, u64>) -> String {
    let said: Vec<_> = counts
        .iter()
        .filter(|(_, number)| **number > 0)
        .map(|(kind, number)| format!("{} {kind}", crate::report::format::count(*number)))
        .collect();
    said.join(", ")
}
