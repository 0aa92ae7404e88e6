//! What HdrHistogram's tools read: distributions with the record's quantiles, and a log that its reader takes.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use patternbench::analysis::analyse;
use patternbench::record::{RunRecord, histogram};
use patternbench::report::{Export, Wish};
use patternbench::words::{Metric, Phase, Profile};

use crate::known::{of, on_naive, product_page, run_of, wobble};
use crate::terminal::{troubled, typical};

/// Three significant digits: two values that a histogram does not tell apart differ by less.
const PRECISION: f64 = 1e-3;

/// A distribution as its tools read it: for each row the value in ms, the share, the number up to there.
pub(crate) struct Distribution {
    rows: Vec<(f64, f64, u64)>,
    total: u64,
}

impl Distribution {
    /// Reads the text strictly.
    pub(crate) fn read(text: &str) -> Self {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("       Value     Percentile TotalCount 1/(1-Percentile)"));
        assert_eq!(lines.next(), Some(""));
        let (notes, rows): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('#'));
        let rows: Vec<_> = rows.into_iter().map(row).collect();
        assert!(rows.is_sorted(), "values, shares and numbers rise together");
        let total = notes.iter().find_map(|note| note.split_once("Total count    =")).expect("the total is told");
        let total = total.1.trim_end_matches(']').trim().parse().expect("a number");
        assert_eq!(rows.last().map(|(_, share, number)| (*share, *number)), Some((1.0, total)));
        Self { rows, total }
    }

    /// Between which values a quantile lies, in µs: the rows around its share.
    fn around(&self, share: f64) -> (f64, f64) {
        let below = self.rows.iter().rfind(|(_, of, _)| *of <= share + 1e-9).expect("shares begin at 0");
        let above = self.rows.iter().find(|(_, of, _)| *of >= share - 1e-9).expect("shares end at 1");
        (below.0 * 1e3, above.0 * 1e3)
    }
}

fn row(line: &str) -> (f64, f64, u64) {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let number = |place: usize| fields[place].parse::<f64>().expect("a number");
    let (value, share) = (number(0), number(1));
    if share < 1.0 {
        assert_eq!(fields.len(), 4, "{line}");
        assert!((number(3) * (1.0 - share) - 1.0).abs() < 0.01, "{line}");
    } else {
        assert_eq!(fields.len(), 3, "{line}");
    }
    (value, share, fields[2].parse().expect("a whole number"))
}

/// The distributions of a record by the names of their files.
pub(crate) fn distributions(run: &RunRecord, wish: &Wish) -> BTreeMap<String, Distribution> {
    let made = Export::Hgrm.of(run, wish);
    assert_eq!(made.main, None, "it is a folder");
    let files = made.beside.iter().map(|file| (file.path.clone(), Distribution::read(&file.text)));
    let files: BTreeMap<_, _> = files.collect();
    assert_eq!(files.len(), made.beside.len(), "no file overwrites another");
    files
}

fn assert_quantiles(found: &Distribution, run: &RunRecord, model: &str, operation: &str) {
    for (metric, share) in [(Metric::P50, 0.5), (Metric::P95, 0.95), (Metric::P99, 0.99)] {
        let known = of(&run.scenarios[0], operation, metric);
        let value = match model {
            "naive" => known.naive,
            "page" => known.pattern,
            other => known.others[other].pattern,
        };
        let Some(value) = value else { continue };
        let (low, high) = found.around(share);
        // The rows of 0.5 and 0.95 are there; that of 0.99 lies between two.
        let exact = metric != Metric::P99;
        assert!(!exact || (high / low - 1.0).abs() <= PRECISION, "{metric}: {low} to {high}");
        assert!(
            value >= low * (1.0 - PRECISION) && value <= high * (1.0 + PRECISION),
            "{metric}: {value} in {low} to {high}"
        );
    }
}

#[test]
fn every_distribution_has_the_quantiles_of_the_record() {
    // In the second run a round of naive was disturbed, so that round leaves the comparison in the other model as well.
    for run in [typical(), troubled()] {
        let found = distributions(&run, &Wish::default());
        for model in ["naive", "page", "tuned"] {
            for operation in ["list_page", "add_review", "all"] {
                let file = format!("product-list-page.default.{model}.{operation}.service.hgrm");
                assert_quantiles(&found[&file], &run, model, operation);
            }
        }
    }
}

#[test]
fn response_times_are_exported_and_service_times_where_they_are_asked_for() {
    let mut maker = product_page().open();
    maker.waiting = |round, model| on_naive(model, 2.0) + wobble(round + 7, model);
    let mut scenario = maker.build();
    analyse(&mut scenario, Profile::Quick);
    let run = run_of(Profile::Quick, vec![scenario]);
    let responses = distributions(&run, &Wish::default());
    let response = &responses["product-list-page.default.naive.list_page.response.hgrm"];
    assert_quantiles(response, &run, "naive", "list_page");
    let services = distributions(&run, &Wish { service: true, ..Wish::default() });
    let service = &services["product-list-page.default.naive.list_page.service.hgrm"];
    assert_eq!(service.total, response.total);
    // Every response takes twice as long as its service, give or take what the test adds to each round.
    let ratio = response.around(0.5).0 / service.around(0.5).0;
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
}

/// An interval of a log, read by the crate's reader.
pub(crate) struct Interval {
    pub(crate) tag: String,
    start: Duration,
    length: Duration,
    max: f64,
    latencies: Histogram<u64>,
}

pub(crate) fn log(run: &RunRecord) -> (String, Vec<Interval>) {
    let text = Export::Hlog.of(run, &Wish::default()).main.expect("a log is a file");
    let entries: Vec<_> = IntervalLogIterator::new(text.as_bytes()).collect();
    let intervals = entries.into_iter().filter_map(|entry| match entry.expect("the reader takes every line") {
        LogEntry::Interval(interval) => {
            let bytes = STANDARD.decode(interval.encoded_histogram()).expect("base64");
            Some(Interval {
                tag: interval.tag().expect("every interval has a tag").to_string(),
                start: interval.start_timestamp(),
                length: interval.duration(),
                max: interval.max(),
                latencies: Deserializer::new().deserialize(&mut bytes.as_slice()).expect("a histogram"),
            })
        }
        LogEntry::StartTime(_) | LogEntry::BaseTime(_) => None,
    });
    let intervals = intervals.collect();
    (text, intervals)
}

#[test]
fn the_log_holds_every_rounds_histograms_as_recorded() {
    let run = typical();
    let (text, intervals) = log(&run);
    assert!(text.starts_with("#[Histogram log format version 1.3]\n"), "{}", &text[..200]);
    assert!(text.contains("\n#[StartTime: 1735689600.000 (seconds since epoch)]\n"), "2025-01-01 in seconds");
    assert!(text.contains("not mongod's"), "the stamp is there");
    let scenario = &run.scenarios[0];
    let windows = scenario.rounds.iter().filter(|window| window.phase == Phase::Measured);
    let mut expected = windows.flat_map(|window| window.operations.iter().map(move |operation| (window, operation)));
    assert_eq!(intervals.len(), scenario.rounds.len() * 2, "two operations in each window");
    for interval in &intervals {
        let (window, (operation, figures)) = expected.next().expect("as many as in the record");
        assert_eq!(interval.tag, format!("product-list-page/default/{}/{operation}/service", window.model));
        let recorded = histogram::decode(figures.service.as_deref().expect("timed")).expect("whole");
        assert_eq!(interval.latencies, recorded);
        assert_eq!(interval.max, recorded.max() as f64 / 1e3, "in ms");
        assert!((interval.length.as_secs_f64() - window.seconds.get()).abs() < 1e-3);
        // The test's windows begin at minute `round` and second `place`.
        let begun = u64::from(window.round) * 60 + u64::from(window.position);
        assert_eq!(interval.start, Duration::from_secs(begun));
    }
}

#[test]
fn windows_that_do_not_count_are_told_and_damaged_histograms_too() {
    let mut run = troubled();
    let window = &mut run.scenarios[0].rounds[0];
    window.operations.get_mut("list_page").expect("every window has both").service = Some("broken".to_owned());
    let (text, intervals) = log(&run);
    assert!(text.contains("\n#[round 3 of naive does not count: disturbed: steal 12 %]\n"), "{text}");
    assert!(text.contains("\n#[round 7 of tuned does not count: saturated]\n"));
    assert!(text.contains("\n#[the histogram of product-list-page/default/naive/list_page/service is damaged]\n"));
    assert_eq!(intervals.len(), run.scenarios[0].rounds.len() * 2 - 1);
}

#[test]
fn a_record_that_does_not_say_when_its_windows_began_makes_a_log_in_their_order() {
    let mut run = typical();
    run.started_at = "<yesterday>".to_owned();
    let (text, intervals) = log(&run);
    assert!(!text.contains("StartTime"));
    assert!(intervals.iter().map(|interval| interval.start).is_sorted());
    assert!(intervals.last().expect("there are some").start > intervals[0].start);
}
