//! A window second by second.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::record::IntervalRecord;
use crate::record::histogram::{HIGHEST, LOWEST};
use crate::units::Micros;

/// The most intervals of a window; those of a longer one are wider than a second.
const MOST: u32 = 64;
/// Quantiles of an interval are good to one percent.
const DIGITS: u8 = 2;

/// Latencies of one operation in one interval: 10 KiB.
type Small = Histogram<u32>;

/// How a window is cut into intervals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    start: Instant,
    /// Seconds per interval.
    width: u32,
}

impl Span {
    /// A window from `start`, whose last operation ends within `longest`.
    pub(super) fn new(start: Instant, longest: Duration) -> Self {
        let seconds = u32::try_from(longest.as_secs() + 1).unwrap_or(u32::MAX);
        Self { start, width: seconds.div_ceil(MOST) }
    }

    /// The interval in which something ended.
    fn interval(&self, ended: Instant) -> usize {
        let second = ended.saturating_duration_since(self.start).as_secs();
        // In 32 bits, since this is done for every operation and a division in 64 takes long.
        let second = u32::try_from(second).unwrap_or(u32::MAX);
        (second / self.width).min(MOST - 1) as usize
    }
}

/// The latencies of each operation in each interval.
#[derive(Debug)]
pub(super) struct Intervals {
    span: Span,
    /// By operation, then by interval. All are made beforehand; memory that is never written to is never taken.
    operations: Vec<Vec<Small>>,
}

impl Intervals {
    /// Room for so many operations.
    pub(super) fn new(operations: usize, span: Span) -> Self {
        let small = || Histogram::new_with_bounds(LOWEST, HIGHEST, DIGITS).expect("the bounds are valid");
        let of_operation = || (0..MOST).map(|_| small()).collect();
        Self { span, operations: (0..operations).map(|_| of_operation()).collect() }
    }

    /// Forgets everything, to be used for another window.
    pub(super) fn reset(&mut self, span: Span) {
        self.span = span;
        self.operations.iter_mut().flatten().filter(|small| !small.is_empty()).for_each(Small::reset);
    }

    /// Records a latency in µs of an operation that ended then.
    pub(super) fn record(&mut self, operation: usize, ended: Instant, micros: u64) {
        let interval = self.span.interval(ended);
        self.operations[operation][interval].saturating_record(micros.clamp(LOWEST, HIGHEST));
    }
}

/// What parts recorded together, in the order of time; `operations` are the names of those that are wanted.
pub(super) fn records(parts: &[&Intervals], operations: &[Option<&str>]) -> Vec<IntervalRecord> {
    let Some(first) = parts.first() else { return Vec::new() };
    let of_interval = |interval: usize| {
        let second = u32::try_from(interval).expect("there are few") * first.span.width;
        let of_operation = move |(operation, name): (usize, &Option<&str>)| {
            let smalls = parts.iter().map(|part| &part.operations[operation][interval]);
            Some(record(&sum(smalls)?, second, (*name)?))
        };
        operations.iter().enumerate().filter_map(of_operation)
    };
    (0..MOST as usize).flat_map(of_interval).collect()
}

/// `None` where all are empty.
fn sum<'a>(smalls: impl Iterator<Item = &'a Small>) -> Option<Small> {
    smalls.filter(|small| !small.is_empty()).fold(None, |sum, small| match sum {
        None => Some(small.clone()),
        Some(mut sum) => {
            sum.add(small).expect("all have the same range");
            Some(sum)
        }
    })
}

fn record(small: &Small, second: u32, operation: &str) -> IntervalRecord {
    let quantile = |quantile| Micros::new(small.value_at_quantile(quantile) as f64);
    IntervalRecord {
        second,
        operation: operation.to_owned(),
        count: small.len(),
        p50: quantile(0.5),
        p95: quantile(0.95),
        max: Micros::new(small.max() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_latency_counts_in_the_second_in_which_it_ended() {
        let start = Instant::now();
        let span = Span::new(start, Duration::from_secs(17));
        let mut parts = [Intervals::new(3, span), Intervals::new(3, span)];
        let at = |millis| start + Duration::from_millis(millis);
        for (part, operation, millis, micros) in
            [(0, 0, 0, 100), (1, 0, 999, 300), (0, 0, 1_000, 50), (1, 1, 16_500, 7_000), (0, 2, 500, 1)]
        {
            parts[part].record(operation, at(millis), micros);
        }
        let records = records(&[&parts[0], &parts[1]], &[Some("read"), Some("write"), None]);
        let shown: Vec<_> = records.iter().map(|one| (one.second, one.operation.as_str(), one.count)).collect();
        assert_eq!(shown, [(0, "read", 2), (1, "read", 1), (16, "write", 1)], "the third is not wanted");
        let within = |figure: Micros, micros: f64| (figure.get() / micros - 1.0).abs() < 0.01;
        let first = &records[0];
        assert!(within(first.p50, 100.0) && within(first.p95, 300.0) && within(first.max, 300.0), "{first:?}");
        assert!(within(records[2].p50, 7_000.0));
    }

    #[test]
    fn a_long_window_has_wider_intervals_and_loses_nothing() {
        let start = Instant::now();
        // Five minutes and no more than 64 intervals: 5 s each.
        let mut part = Intervals::new(1, Span::new(start, Duration::from_secs(300)));
        for second in 0..=300 {
            part.record(0, start + Duration::from_secs(second), 10);
        }
        // Later than it could have been.
        part.record(0, start + Duration::from_secs(3_000), 10);
        let records = records(&[&part], &[Some("read")]);
        assert!(records.len() <= MOST as usize);
        assert!(records[..60].iter().all(|one| one.count == 5), "{records:?}");
        assert_eq!(records[1].second, 5);
        assert_eq!(records.iter().map(|one| one.count).sum::<u64>(), 302);
    }

    #[test]
    fn a_second_window_starts_from_nothing() {
        let start = Instant::now();
        let span = Span::new(start, Duration::from_secs(3));
        let mut part = Intervals::new(1, span);
        part.record(0, start, 10);
        part.reset(span);
        assert_eq!(records(&[&part], &[Some("read")]), []);
    }
}
