//! Counts and latencies of the operations of a workload.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::gate::Slot;
use super::work::Finished;
use crate::backend::{CallError, CallErrorKind};
use crate::record::OperationRound;
use crate::record::histogram::{self, LatencyHistogram};
use crate::units::Micros;
use crate::words::ErrorName;

/// When an operation was due, was sent, and was complete.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// When it was due, under open load.
    pub due: Option<Slot>,
    /// When it was sent.
    pub sent: Instant,
    /// When its answer was complete.
    pub complete: Instant,
}

/// What they come to, in whole µs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latencies {
    /// From sent to complete.
    pub(super) service: u64,
    /// Under open load.
    pub(super) paced: Option<PacedLatencies>,
}

/// What only open load has.
#[derive(Debug, Clone, Copy)]
pub(super) struct PacedLatencies {
    /// From due to complete.
    pub(super) response: u64,
    /// From due to sent, where a worker stood ready: what else came late waited for a worker.
    lag: Option<u64>,
}

impl Times {
    /// What they come to.
    pub(super) fn latencies(&self) -> Latencies {
        let micros = |later: Instant, earlier| micros(later.saturating_duration_since(earlier));
        let paced = |slot: Slot| PacedLatencies {
            response: micros(self.complete, slot.intended),
            lag: slot.awaited.then(|| micros(self.sent, slot.intended)),
        };
        Latencies { service: micros(self.complete, self.sent), paced: self.due.map(paced) }
    }
}

/// What was recorded of every operation of a workload.
#[derive(Debug, Clone)]
pub struct Tally {
    operations: Vec<OperationTally>,
}

/// What was recorded of one operation.
#[derive(Debug, Clone)]
pub struct OperationTally {
    count: u64,
    empty: u64,
    backlogged: u64,
    retries: u64,
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
pub struct Failures {
    /// How many.
    pub count: u64,
    /// What the first of them said.
    pub first: String,
}

impl Tally {
    /// An empty tally for so many operations.
    pub(super) fn new(operations: usize) -> Self {
        Self { operations: vec![OperationTally::new(); operations] }
    }

    /// Records an operation that did what it says.
    pub(super) fn finished(&mut self, operation: usize, latencies: &Latencies, finished: &Finished) {
        self.operations[operation].finished(latencies, finished);
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

    /// Forgets everything, to be used again; under open load it makes room for what only open load has.
    pub(super) fn reset(&mut self, paced: bool) {
        self.operations.iter_mut().for_each(|operation| operation.reset(paced));
    }

    /// What was recorded of each operation, in the workload's order.
    pub fn operations(&self) -> &[OperationTally] {
        &self.operations
    }

    /// Operations that ended, failures included.
    pub fn attempts(&self) -> u64 {
        self.operations.iter().map(OperationTally::attempts).sum()
    }

    /// 95th percentile of the whole mix's service time; `None` without samples.
    pub fn service_p95(&self) -> Option<Micros> {
        self.service_quantile(0.95)
    }

    /// A quantile of the whole mix's service time; `None` without samples.
    pub fn service_quantile(&self, quantile: f64) -> Option<Micros> {
        let whole = self.service();
        (!whole.is_empty()).then(|| Micros::new(whole.value_at_quantile(quantile) as f64))
    }

    /// Mean of the whole mix's service time; `None` without samples.
    pub fn service_mean(&self) -> Option<Micros> {
        let whole = self.service();
        (!whole.is_empty()).then(|| Micros::new(whole.mean()))
    }

    fn service(&self) -> LatencyHistogram {
        let mut whole = histogram::empty();
        for operation in &self.operations {
            whole.add(&operation.service).expect("histograms of a record have the same range");
        }
        whole
    }
}

impl OperationTally {
    fn new() -> Self {
        Self {
            count: 0,
            empty: 0,
            backlogged: 0,
            retries: 0,
            expected: BTreeMap::new(),
            failures: BTreeMap::new(),
            above_range: 0,
            service: histogram::empty(),
            paced: None,
        }
    }

    fn finished(&mut self, latencies: &Latencies, finished: &Finished) {
        self.count += 1;
        self.empty += u64::from(finished.empty);
        self.retries += u64::from(finished.retries);
        for name in &finished.expected {
            *self.expected.entry(*name).or_default() += 1;
        }
        let mut above = histogram::record(&mut self.service, latencies.service);
        if let Some(PacedLatencies { response, lag }) = latencies.paced {
            let paced = self.paced.get_or_insert_with(Paced::new);
            above |= histogram::record(&mut paced.response, response);
            match lag {
                Some(lag) => drop(histogram::record(&mut paced.lag, lag)),
                None => self.backlogged += 1,
            }
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
        self.backlogged += other.backlogged;
        self.retries += other.retries;
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

    fn reset(&mut self, paced: bool) {
        self.count = 0;
        self.empty = 0;
        self.backlogged = 0;
        self.retries = 0;
        self.above_range = 0;
        self.expected.clear();
        self.failures.clear();
        self.service.reset();
        match &mut self.paced {
            Some(paced) => paced.reset(),
            None if paced => self.paced = Some(Paced::new()),
            None => {}
        }
    }

    /// Operations that did what they say.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Of these, reads that found nothing.
    pub fn empty(&self) -> u64 {
        self.empty
    }

    /// Failures by kind.
    pub fn failures(&self) -> &BTreeMap<CallErrorKind, Failures> {
        &self.failures
    }

    /// Operations that ended, failures included.
    pub fn attempts(&self) -> u64 {
        self.count + self.failures.values().map(|failures| failures.count).sum::<u64>()
    }

    /// The figures as a record keeps them.
    pub fn record(&self, counted_only: bool) -> OperationRound {
        let encode = |histogram: &LatencyHistogram| if counted_only { None } else { histogram::encode(histogram) };
        OperationRound {
            count: self.count,
            empty: self.empty,
            expected: self.expected.iter().map(|(name, count)| (name.to_string(), *count)).collect(),
            errors: self.failures.iter().map(|(kind, failures)| (kind.to_string(), failures.count)).collect(),
            retries: self.retries,
            backlogged: self.backlogged,
            above_range: self.above_range,
            service: encode(&self.service),
            response: self.paced.as_ref().and_then(|paced| encode(&paced.response)),
            pacer_lag: self.paced.as_ref().and_then(|paced| encode(&paced.lag)),
            slices: Vec::new(),
        }
    }
}

impl Paced {
    fn new() -> Self {
        Self { response: histogram::empty(), lag: histogram::empty() }
    }

    fn reset(&mut self) {
        self.response.reset();
        self.lag.reset();
    }

    fn merge(&mut self, other: &Self) {
        self.response.add(&other.response).expect("histograms of a record have the same range");
        self.lag.add(&other.lag).expect("histograms of a record have the same range");
    }
}

/// Whole microseconds, rounded to the nearest.
fn micros(duration: Duration) -> u64 {
    duration.as_secs() * 1_000_000 + u64::from((duration.subsec_nanos() + 500) / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(micros: u64) -> Latencies {
        let sent = Instant::now();
        Times { due: None, sent, complete: sent + Duration::from_micros(micros) }.latencies()
    }

    fn max(text: Option<String>) -> u64 {
        histogram::decode(&text.expect("a sample")).expect("just encoded").max()
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let mut parts = [Tally::new(2), Tally::new(2)];
        parts[0].finished(0, &after(100), &Finished { empty: true, ..Finished::default() });
        parts[1].finished(0, &after(300), &Finished::default());
        let duplicate = Finished { expected: vec![ErrorName::DuplicateKey], retries: 3, ..Finished::default() };
        parts[1].finished(1, &after(5), &duplicate);
        parts[0].finished(1, &after(5), &duplicate);
        let mut whole = Tally::new(2);
        parts.iter().for_each(|part| whole.merge(part));
        let [read, write] = [whole.operations()[0].record(false), whole.operations()[1].record(false)];
        assert_eq!((read.count, read.empty), (2, 1));
        assert_eq!(write.expected, BTreeMap::from([("DuplicateKey".to_owned(), 2)]));
        assert_eq!((read.retries, write.retries), (0, 3 + 3));
        let service = histogram::decode(&read.service.expect("two samples")).expect("just encoded");
        assert_eq!((service.len(), service.min(), service.max()), (2, 100, 300));
    }

    #[test]
    fn failures_are_counted_by_kind_and_never_timed() {
        let mut parts = [Tally::new(1), Tally::new(1)];
        for (part, message) in [(0, "first"), (0, "second"), (1, "third")] {
            parts[part].failed(0, CallError::new(CallErrorKind::Timeout, message));
        }
        parts[1].finished(0, &after(9), &Finished::default());
        let mut whole = Tally::new(1);
        parts.iter().for_each(|part| whole.merge(part));
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
        tally.finished(0, &after(9), &Finished::default());
        let record = tally.operations()[0].record(true);
        assert_eq!((record.count, record.service), (1, None));
    }

    #[test]
    fn response_time_counts_from_when_an_operation_was_due() {
        let intended = Instant::now();
        let sent = intended + Duration::from_micros(70);
        let mut tally = Tally::new(1);
        let due = Some(Slot { intended, awaited: true });
        let times = Times { due, sent, complete: sent + Duration::from_micros(30) };
        tally.finished(0, &times.latencies(), &Finished::default());
        let record = tally.operations()[0].record(false);
        assert_eq!((max(record.service), max(record.response), max(record.pacer_lag)), (30, 100, 70));
        assert_eq!(record.backlogged, 0);
    }

    #[test]
    fn the_wait_for_a_busy_worker_is_no_lag_of_the_pacer() {
        let intended = Instant::now();
        let sent = intended + Duration::from_micros(70);
        let mut tally = Tally::new(1);
        let due = Some(Slot { intended, awaited: false });
        let times = Times { due, sent, complete: sent + Duration::from_micros(30) };
        tally.finished(0, &times.latencies(), &Finished::default());
        let record = tally.operations()[0].record(false);
        assert_eq!((max(record.service), max(record.response), record.pacer_lag), (30, 100, None));
        assert_eq!(record.backlogged, 1);
    }

    #[test]
    fn a_latency_is_the_nearest_whole_microsecond() {
        let nanos = |nanos| micros(Duration::from_nanos(nanos));
        assert_eq!([nanos(499), nanos(500), nanos(1_499), nanos(3_000_000_501)], [0, 1, 1, 3_000_001]);
    }

    #[test]
    fn a_tally_that_was_reset_is_empty() {
        let mut tally = Tally::new(1);
        let now = Instant::now();
        let times = Times { due: Some(Slot { intended: now, awaited: false }), sent: now, complete: now };
        tally.finished(
            0,
            &times.latencies(),
            &Finished { empty: true, expected: vec![ErrorName::DuplicateKey], retries: 1 },
        );
        tally.failed(0, CallError::new(CallErrorKind::Driver, ""));
        tally.reset(false);
        assert_eq!(tally.attempts(), 0);
        assert_eq!(tally.operations()[0].record(false), OperationRound::default());
        assert_eq!(tally.service_p95(), None);
    }
}
