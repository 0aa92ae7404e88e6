//! Truth 7: where there are too few operations for a quantile, its cell is empty and says why.

use patternbench::plan::RunOptions;
use patternbench::record::RunRecord;
use patternbench::report::{Style, html, terminal};
use patternbench::words::{Metric, Mode, Profile};

use crate::support::{comparison, measured, options};

const DECLARED: &str = "default: {latency: {lognormal: {median: 5ms, sigma: 0.5}}}";

/// Ten rounds of so many operations.
fn rounds_of(operations: u64) -> RunRecord {
    let closed = RunOptions { mode: Some(Mode::Closed), operations: Some(operations), ..options(Profile::Quick) };
    measured(DECLARED, closed)
}

/// Asserts that a metric has no figure at all, and that its reason says this.
fn assert_empty(record: &RunRecord, metric: Metric, says: &str) {
    let cell = comparison(record, metric);
    assert_eq!((cell.naive, cell.pattern), (None, None), "{metric}");
    let speedup = &cell.speedup;
    assert_eq!((speedup.speedup, speedup.low, speedup.high, speedup.verdict), (None, None, None, None), "{metric}");
    let reason = speedup.reason.as_deref().expect("an empty cell says why");
    assert!(reason.contains(says), "{reason}");
}

#[test]
fn ten_operations_have_no_p95_and_no_p99() {
    let record = rounds_of(1);
    assert_empty(&record, Metric::P95, "10 operations timed; p95 needs 20");
    assert_empty(&record, Metric::P99, "10 operations timed; p99 needs 100");
    assert!(comparison(&record, Metric::P50).naive.is_some(), "but a median");
}

#[test]
fn fifty_operations_have_a_p95_without_interval_and_no_p99() {
    let record = rounds_of(5);
    assert_empty(&record, Metric::P99, "50 operations timed; p99 needs 100");
    let p95 = comparison(&record, Metric::P95);
    assert!(p95.naive.is_some() && p95.pattern.is_some());
    assert_eq!((p95.speedup.low, p95.speedup.high, p95.speedup.verdict), (None, None, None));
    let reason = p95.speedup.reason.as_deref().expect("it says why");
    assert!(reason.contains("needs 5 units of 100"), "{reason}");
}

#[test]
fn reports_show_an_empty_cell_and_its_reason() {
    let record = rounds_of(1);
    for shown in [terminal(&record, &Style::default()), html(&record)] {
        for says in ["n/a", "p99 needs 100"] {
            assert!(shown.contains(says), "{says} is missing in:\n{shown}");
        }
        assert!(!shown.contains("NaN"), "{shown}");
    }
}
