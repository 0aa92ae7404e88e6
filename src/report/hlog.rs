//! An interval log, version 2, of every round's histograms, as HdrHistogram's log readers and processors take it.
//!
//! One interval for each measured window and operation, in the order run, tagged
//! `SCENARIO/WORKLOAD/MODEL/OPERATION/LATENCY`. Values are µs; the greatest of an interval stands in ms, as such logs
//! have it. Time counts from the start of the run.

use std::io;
use std::time::{Duration, UNIX_EPOCH};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

use super::export::Wish;
use super::format;
use super::slug::Slugs;
use super::text::clean;
use super::view::RunView;
use crate::analysis::Latency;
use crate::record::{RoundRecord, RunRecord, ScenarioRecord, Stamp, histogram};
use crate::words::{Phase, RoundOutcome};

/// µs in the unit of an interval's greatest value.
const MICROS_PER_UNIT: f64 = 1_000.0;

/// The log of a record. Windows that do not count are in it, with the reason in a comment before them; histograms that
/// are damaged are not, which is told likewise.
pub(super) fn hlog(record: &RunRecord, wish: &Wish) -> String {
    let mut bytes = Vec::new();
    match write(record, wish, &mut bytes) {
        Ok(()) => {}
        // Memory takes every byte; whatever else a histogram may do leaves the intervals before it.
        Err(error) => {
            bytes.extend_from_slice(format!("#[the log ends here: {}]\n", clean(&error.to_string())).as_bytes())
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn write(record: &RunRecord, wish: &Wish, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut serializer = V2DeflateSerializer::new();
    let begun = Stamp::parse(&record.started_at);
    let mut log = header(record, begun).begin_log_with(bytes, &mut serializer)?;
    let mut slugs = Slugs::default();
    let mut clock = Clock { begun, passed: Duration::ZERO };
    for scenario in &record.scenarios {
        let latency = wish.latency(scenario);
        for window in scenario.rounds.iter().filter(|window| window.phase == Phase::Measured) {
            let (start, length) = clock.place(window);
            if let Some(said) = does_not_count(window) {
                log.write_comment(&said)?;
            }
            for (operation, figures) in &window.operations {
                let Some(text) = latency.text(figures) else { continue };
                let tag = tag(&mut slugs, scenario, window, operation, latency);
                match histogram::decode(text) {
                    Ok(latencies) => log
                        .write_histogram(&latencies, start, length, Tag::new(&tag))
                        .map_err(|error| io::Error::other(error.to_string()))?,
                    Err(_) => log.write_comment(&format!("[the histogram of {tag} is damaged]"))?,
                }
            }
        }
    }
    Ok(())
}

/// What stands before the first interval: the format, what was measured, and when the clock of the log began.
fn header(record: &RunRecord, begun: Option<Stamp>) -> IntervalLogWriterBuilder {
    let view = RunView::of(record);
    let mut builder = IntervalLogWriterBuilder::new();
    builder.with_max_value_divisor(MICROS_PER_UNIT);
    builder.add_comment("[Histogram log format version 1.3]");
    builder.add_comment(&format!("[patternbench {}: latencies in microseconds]", clean(&record.tool.version)));
    builder.add_comment(&format!("[measured on {}]", clean(&view.server)));
    for (stamp, _) in &view.stamps {
        builder.add_comment(&format!("[note: {}]", clean(stamp)));
    }
    if let Some(begun) = begun {
        let begun = UNIX_EPOCH + begun.since_epoch();
        builder.with_start_time(begun).with_base_time(begun);
    }
    builder
}

/// The times of windows, counted from the start of the run.
struct Clock {
    begun: Option<Stamp>,
    /// Up to the end of the window placed last.
    passed: Duration,
}

impl Clock {
    /// Where a window begins and how long it took. Where the record does not tell when, it follows on the one before.
    fn place(&mut self, window: &RoundRecord) -> (Duration, Duration) {
        let told = Stamp::parse(&window.started_at).zip(self.begun).map(|(at, begun)| at.since(begun));
        let start = told.unwrap_or(self.passed);
        let length = Duration::try_from_secs_f64(window.seconds.get()).unwrap_or_default();
        self.passed = start.saturating_add(length);
        (start, length)
    }
}

/// Why a window is in no figure, if it is in none.
fn does_not_count(window: &RoundRecord) -> Option<String> {
    let why = match window.outcome {
        RoundOutcome::Complete if window.disturbed.is_empty() => return None,
        RoundOutcome::Complete => format!("disturbed: {}", window.disturbed.join(", ")),
        outcome => outcome.to_string(),
    };
    let round = format::rounds(&[window.round]);
    Some(format!("[round {round} of {} does not count: {}]", clean(&window.model), clean(&why)))
}

/// A tag may hold neither commas nor spaces nor line breaks; names become slugs.
fn tag(
    slugs: &mut Slugs,
    scenario: &ScenarioRecord,
    window: &RoundRecord,
    operation: &str,
    latency: Latency,
) -> String {
    slugs.name(&[&scenario.name, &scenario.workload, &window.model, operation, latency.word()], '/')
}
