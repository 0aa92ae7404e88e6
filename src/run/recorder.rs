//! Where latencies and counts go while a window is under way: a shard per worker, merged when the window has ended.
//!
//! Recording takes no lock, formats nothing, and allocates nothing but the name of a kind of error seen for the first
//! time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::work::Finished;
use crate::backend::{CallError, CallErrorKind};
use crate::record::OperationRound;
use crate::record::histogram::{self, LatencyHistogram};
use crate::units::Micros;
use crate::words::ErrorName;

/// When an operation was due, was sent, and was complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// When it was due, under open load.
    pub(super) intended: Option<Instant>,
    /// When it was sent.
    pub(super) sent: Instant,
    /// When its answer was complete.
    pub(super) complete: Instant,
}

/// What one worker, or all of them together, recorded of every operation of the workload.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    operations: Vec<OperationTally>,
}

/// What was recorded of one operation.
#[derive(Debug, Clone)]
pub(super) struct OperationTally {
    count: u64,
    empty: u64,
    expected: BTreeMap<ErrorName, u64>,
    failures: BTreeMap<CallErrorKind, Failures>,
    above_range: u64,
    service: LatencyHistogram,
    /// Only under open load.
    paced: Option<Paced>,
}

/// What only open load has.
#[derive(Debug, Clone)]
struct Paced {
    response: LatencyHistogram,
    lag: LatencyHistogram,
}

/// Failures of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failures {
    /// How many.
    pub(super) count: u64,
    /// What the first of them said.
    pub(super) first: String,
}

impl Tally {
    /// An empty tally for so many operations.
    pub(super) fn new(operations: usize) -> Self {
        Self { operations: vec![OperationTally::new(); operations] }
    }

    /// Records an operation that did what it says.
    pub(super) fn finished(&mut self, operation: usize, times: Times, finished: &Finished) {
        self.operations[operation].finished(times, finished);
    }

    /// Counts an operation that failed.
    pub(super) fn failed(&mut self, operation: usize, error: CallError) {
        self.operations[operation].failed(error);
    }

    /// Adds what another tally holds.
    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.operations.iter_mut().zip(&other.operations) {
            mine.merge(theirs);
        }
    }

    /// Forgets everything, to be used again.
    pub(super) fn reset(&mut self) {
        self.operations.iter_mut().for_each(OperationTally::reset);
    }

    /// What was recorded of each operation, in the workload's order.
    pub(super) fn operations(&self) -> &[OperationTally] {
        &self.operations
    }

    /// Operations that ended, failures included.
    pub(super) fn attempts(&self) -> u64 {
        self.operations.iter().map(OperationTally::attempts).sum()
    }

    /// 95th percentile of the whole mix's service time; `None` without samples.
    pub(super) fn service_p95(&self) -> Option<Micros> {
        let mut whole = histogram::empty();
        for operation in &self.operations {
            whole.add(&operation.service).expect("histograms of a record have the same range");
        }
        (!whole.is_empty()).then(|| Micros::new(whole.value_at_quantile(0.95) as f64))
    }
}

impl OperationTally {
    fn new() -> Self {
        Self {
            count: 0,
            empty: 0,
            expected: BTreeMap::new(),
            failures: BTreeMap::new(),
            above_range: 0,
            service: histogram::empty(),
            paced: None,
        }
    }

    fn finished(&mut self, times: Times, finished: &Finished) {
        self.count += 1;
        self.empty += u64::from(finished.empty);
        for name in &finished.expected {
            *self.expected.entry(*name).or_default() += 1;
        }
        let mut above = histogram::record(&mut self.service, micros(times.complete - times.sent));
        if let Some(intended) = times.intended {
            let paced = self.paced.get_or_insert_with(Paced::new);
            above |= histogram::record(&mut paced.response, micros(times.complete.saturating_duration_since(intended)));
            histogram::record(&mut paced.lag, micros(times.sent.saturating_duration_since(intended)));
        }
        self.above_range += u64::from(above);
    }

    fn failed(&mut self, error: CallError) {
        let failures = self.failures.entry(error.kind).or_insert_with(|| Failures { count: 0, first: error.message });
        failures.count += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.empty += other.empty;
        self.above_range += other.above_range;
        for (name, count) in &other.expected {
            *self.expected.entry(*name).or_default() += count;
        }
        for (kind, failures) in &other.failures {
            match self.failures.get_mut(kind) {
                Some(mine) => mine.count += failures.count,
                None => drop(self.failures.insert(kind.clone(), failures.clone())),
            }
        }
        self.service.add(&other.service).expect("histograms of a record have the same range");
        if let Some(theirs) = &other.paced {
            self.paced.get_or_insert_with(Paced::new).merge(theirs);
        }
    }

    fn reset(&mut self) {
        self.count = 0;
        self.empty = 0;
        self.above_range = 0;
        self.expected.clear();
        self.failures.clear();
        self.service.reset();
        if let Some(paced) = &mut self.paced {
            paced.response.reset();
            paced.lag.reset();
        }
    }

    /// Operations that did what they say.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Of these, reads that found nothing.
    pub(super) fn empty(&self) -> u64 {
        self.empty
    }

    /// Failures by kind.
    pub(super) fn failures(&self) -> &BTreeMap<CallErrorKind, Failures> {
        &self.failures
    }

    /// Operations that ended, failures included.
    pub(super) fn attempts(&self) -> u64 {
        self.count + self.failures.values().map(|failures| failures.count).sum::<u64>()
    }

    /// The figures as a record keeps them.
    pub(super) fn record(&self, counted_only: bool) -> OperationRound {
        let encode = |histogram: &LatencyHistogram| if counted_only { None } else { histogram::encode(histogram) };
        OperationRound {
            count: self.count,
            empty: self.empty,
            expected: self.expected.iter().map(|(name, count)| (name.to_string(), *count)).collect(),
            errors: self.failures.iter().map(|(kind, failures)| (kind.to_string(), failures.count)).collect(),
            above_range: self.above_range,
            service: encode(&self.service),
            response: self.paced.as_ref().and_then(|paced| encode(&paced.response)),
            pacer_lag: self.paced.as_ref().and_then(|paced| encode(&paced.lag)),
        }
    }
}

impl Paced {
    fn new() -> Self {
        Self { response: histogram::empty(), lag: histogram::empty() }
    }

    fn merge(&mut self, other: &Self) {
        self.response.add(&other.response).expect("histograms of a record have the same range");
        self.lag.add(&other.lag).expect("histograms of a record have the same range");
    }
}

/// Whole microseconds, rounded to the nearest.
fn micros(duration: Duration) -> u64 {
    u64::try_from((duration.as_nanos() + 500) / 1_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(micros: u64) -> Times {
        let sent = Instant::now();
        Times { intended: None, sent, complete: sent + Duration::from_micros(micros) }
    }

    #[test]
    fn shards_add_up_to_what_all_workers_did() {
        let mut shards = [Tally::new(2), Tally::new(2)];
        shards[0].finished(0, after(100), &Finished { empty: true, expected: Vec::new() });
        shards[1].finished(0, after(300), &Finished::default());
        let duplicate = Finished { empty: false, expected: vec![ErrorName::DuplicateKey] };
        shards[1].finished(1, after(5), &duplicate);
        shards[0].finished(1, after(5), &duplicate);
        let mut whole = Tally::new(2);
        shards.iter().for_each(|shard| whole.merge(shard));
        let [read, write] = [whole.operations()[0].record(false), whole.operations()[1].record(false)];
        assert_eq!((read.count, read.empty), (2, 1));
        assert_eq!(write.expected, BTreeMap::from([("DuplicateKey".to_owned(), 2)]));
        let service = histogram::decode(&read.service.expect("two samples")).expect("just encoded");
        assert_eq!((service.len(), service.min(), service.max()), (2, 100, 300));
    }

    #[test]
    fn failures_are_counted_by_kind_and_never_timed() {
        let mut shards = [Tally::new(1), Tally::new(1)];
        for (shard, message) in [(0, "first"), (0, "second"), (1, "third")] {
            shards[shard].failed(0, CallError::new(CallErrorKind::Timeout, message));
        }
        shards[1].finished(0, after(9), &Finished::default());
        let mut whole = Tally::new(1);
        shards.iter().for_each(|shard| whole.merge(shard));
        assert_eq!(whole.attempts(), 4);
        let operation = &whole.operations()[0];
        assert_eq!(operation.failures()[&CallErrorKind::Timeout], Failures { count: 3, first: "first".to_owned() });
        let record = operation.record(false);
        assert_eq!(record.errors, BTreeMap::from([("Timeout".to_owned(), 3)]));
        let service = histogram::decode(&record.service.expect("one sample")).expect("just encoded");
        assert_eq!(service.len(), 1, "only the success is timed");
    }

    #[test]
    fn an_operation_that_is_only_counted_keeps_no_latency() {
        let mut tally = Tally::new(1);
        tally.finished(0, after(9), &Finished::default());
        let record = tally.operations()[0].record(true);
        assert_eq!((record.count, record.service), (1, None));
    }

    #[test]
    fn response_time_counts_from_when_an_operation_was_due() {
        let intended = Instant::now();
        let sent = intended + Duration::from_micros(70);
        let mut tally = Tally::new(1);
        let times = Times { intended: Some(intended), sent, complete: sent + Duration::from_micros(30) };
        tally.finished(0, times, &Finished::default());
        let record = tally.operations()[0].record(false);
        let max = |text: Option<String>| histogram::decode(&text.expect("a sample")).expect("just encoded").max();
        assert_eq!((max(record.service), max(record.response), max(record.pacer_lag)), (30, 100, 70));
    }

    #[test]
    fn a_tally_that_was_reset_is_empty() {
        let mut tally = Tally::new(1);
        tally.finished(0, after(9), &Finished { empty: true, expected: vec![ErrorName::DuplicateKey] });
        tally.failed(0, CallError::new(CallErrorKind::Driver, ""));
        tally.reset();
        assert_eq!(tally.attempts(), 0);
        assert_eq!(tally.operations()[0].record(false), OperationRound::default());
        assert_eq!(tally.service_p95(), None);
    }
}
