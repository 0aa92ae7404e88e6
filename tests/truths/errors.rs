//! Truth 4: failures of one operation in a hundred are counted by kind, are in no latency, and are shown.

use patternbench::plan::RunOptions;
use patternbench::record::{RunRecord, histogram};
use patternbench::report::{Style, html, terminal};
use patternbench::words::{Mode, Phase, Profile};

use crate::support::{measured, options};

const FAILING: &str = "
models:
  naive: {read: {latency: {constant: 2ms}, errors: {share: 0.01, kind: WriteConflict}}}
  pattern: {read: {latency: {constant: 1ms}, errors: {share: 0.01, kind: Timeout}}}";

fn failing() -> RunRecord {
    measured(FAILING, RunOptions { mode: Some(Mode::Closed), ..options(Profile::Quick) })
}

/// Numbers tried and failed by a model in its measured windows, under a kind.
fn counts(record: &RunRecord, model: &str, kind: &str) -> (u64, u64) {
    let windows = record.scenarios[0].rounds.iter().filter(|round| round.phase == Phase::Measured);
    windows.filter(|round| round.model == model).fold((0, 0), |(planned, failed), round| {
        let figures = &round.operations["read"];
        assert!(figures.errors.keys().all(|known| known == kind), "{:?}", figures.errors);
        let here = figures.errors.get(kind).copied().unwrap_or(0);
        assert_eq!(figures.count + here, round.planned, "every operation succeeded or failed");
        let service = histogram::decode(figures.service.as_deref().expect("most succeeded")).expect("it is whole");
        assert_eq!(service.len(), figures.count, "only what succeeded is timed");
        (planned + round.planned, failed + here)
    })
}

#[test]
fn failures_are_counted_by_kind_and_timed_never() {
    let record = failing();
    for (model, kind) in [("naive", "WriteConflict"), ("pattern", "Timeout")] {
        let (planned, failed) = counts(&record, model, kind);
        // Independent failures: within four standard deviations of one in a hundred.
        let expected = planned as f64 * 0.01;
        assert!((failed as f64 - expected).abs() < 4.0 * expected.sqrt(), "{failed} of {planned}");
    }
}

#[test]
fn reports_show_how_many_failed_and_of_which_kind() {
    let record = failing();
    let (_, failed) = counts(&record, "naive", "WriteConflict");
    for shown in [terminal(&record, &Style::default()), html(&record)] {
        for says in ["WriteConflict", "Timeout", &failed.to_string()] {
            assert!(shown.contains(says), "{says} is missing in:\n{shown}");
        }
    }
}
