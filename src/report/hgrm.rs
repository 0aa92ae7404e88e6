//! Percentile distributions in the text format of HdrHistogram, which its plotters read: a file for each scenario,
//! model and operation.
//!
//! Values are milliseconds with three decimals, which is the µs that a record counts in. Each row holds the value that a
//! share of the latencies does not pass, that share, how many they are, and 1 ÷ (1 − share); shares come closer to 1 by
//! half of what is left every five rows. What the latencies are of stands in lines with `#`, as in every such file.

use std::fmt::Write as _;

use hdrhistogram::Histogram;

use super::export::{Exported, ExportedFile, Wish};
use super::format;
use super::slug::Slugs;
use super::text::clean;
use super::view::RunView;
use crate::analysis::{Latency, Pooled, pooled};
use crate::record::{RunRecord, ScenarioRecord};

/// Rows for each halving of what is left to 1.
const TICKS: u32 = 5;
/// Halvings after which no number of latencies that a histogram counts has a value left.
const HALVINGS: u32 = 50;
/// µs in the unit of the file.
const MICROS_PER_UNIT: f64 = 1_000.0;

/// The distributions of a record, as a folder of files `SCENARIO.WORKLOAD.MODEL.OPERATION.LATENCY.hgrm`; operation `all`
/// is the whole mix. They are of the measured rounds that the figures of the record are made of.
pub(super) fn hgrm(record: &RunRecord, wish: &Wish) -> Exported {
    let view = RunView::of(record);
    let mut slugs = Slugs::default();
    let mut files = Vec::new();
    for scenario in &record.scenarios {
        let latency = wish.latency(scenario);
        for of_operation in pooled(scenario, latency) {
            let parts = [
                scenario.name.as_str(),
                &scenario.workload,
                of_operation.model,
                of_operation.operation,
                latency.word(),
            ];
            let path = format!("{}.hgrm", slugs.name(&parts, '.'));
            files.push(ExportedFile { path, text: file(&view, scenario, latency, &of_operation) });
        }
    }
    Exported { main: None, beside: files }
}

fn file(run: &RunView<'_>, scenario: &ScenarioRecord, latency: Latency, of: &Pooled<'_>) -> String {
    let mut text = distribution(&of.latencies);
    let mut comment = |said: &str| {
        let _ = writeln!(text, "#[{}]", clean(said));
    };
    comment(&format!("{}, workload {}: {} in model {}", scenario.name, scenario.workload, of.operation, of.model));
    comment(&format!("{} in milliseconds, {}", latency.name(), format::plural(of.rounds as u64, "round", "rounds")));
    comment(&format!("measured on {}", run.server));
    run.stamps.iter().for_each(|(stamp, _)| comment(stamp));
    text
}

/// The rows, and what the format says of the whole below them.
fn distribution(latencies: &Histogram<u64>) -> String {
    let mut text = format!("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    for Step { value, share, total } in steps(latencies) {
        let _ = write!(text, "{:12.3} {share:2.12} {total:10}", in_unit(value));
        if share < 1.0 {
            let _ = write!(text, " {:14.2}", 1.0 / (1.0 - share));
        }
        text.push('\n');
    }
    let (mean, deviation) = (latencies.mean() / MICROS_PER_UNIT, latencies.stdev() / MICROS_PER_UNIT);
    let _ = writeln!(text, "#[Mean    = {mean:12.3}, StdDeviation   = {deviation:12.3}]");
    let _ = writeln!(text, "#[Max     = {:12.3}, Total count    = {:12}]", in_unit(latencies.max()), latencies.len());
    let _ = writeln!(text, "#[Buckets = {:12}, SubBuckets     = {:12}]", latencies.buckets(), sub_buckets(latencies));
    text
}

/// A row: the value that a share of the latencies does not pass, and how many they are.
struct Step {
    value: u64,
    share: f64,
    total: u64,
}

/// The rows, up to the one of all latencies. A share's value is that of rank ⌈share × n⌉, as the figures of records have
/// it (the crate's own iterator adds shares up, and passes 0.95 by the error of that).
fn steps(latencies: &Histogram<u64>) -> Vec<Step> {
    let mut recorded = latencies.iter_recorded();
    let (mut value, mut total) = (0, 0_u64);
    let mut steps = Vec::new();
    for share in (0..HALVINGS).flat_map(shares) {
        let rank = (share * latencies.len() as f64).ceil() as u64;
        while total < rank.max(1) {
            let Some(bucket) = recorded.next() else { break };
            total = total.saturating_add(bucket.count_at_value());
            value = bucket.value_iterated_to();
        }
        steps.push(Step { value, share, total });
        if total >= latencies.len() {
            break;
        }
    }
    steps.push(Step { value, share: 1.0, total });
    steps
}

/// The shares between two halvings: of the first 0, 0.1 … 0.4; of the second 0.5, 0.55 … 0.7. Each is the quotient of two
/// whole numbers, so none is off by an error of addition.
fn shares(halving: u32) -> impl Iterator<Item = f64> {
    let parts = 2.0 * f64::from(TICKS) * 2_f64.powi(halving.cast_signed());
    let first = parts - 2.0 * f64::from(TICKS);
    (0..TICKS).map(move |tick| (first + f64::from(tick)) / parts)
}

fn in_unit(micros: u64) -> f64 {
    micros as f64 / MICROS_PER_UNIT
}

/// Values that a bucket tells apart: the power of two from twice ten to the number of digits on.
fn sub_buckets(latencies: &Histogram<u64>) -> u64 {
    2_u64.saturating_mul(10_u64.saturating_pow(u32::from(latencies.sigfig()))).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hundred_milliseconds_are_spread_evenly() {
        let mut latencies = Histogram::new(3).expect("valid");
        for micros in (1..=100_u64).map(|place| place * 1_000) {
            latencies.record(micros).expect("it resizes itself");
        }
        let text = distribution(&latencies);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "       Value     Percentile TotalCount 1/(1-Percentile)");
        assert_eq!(lines[1], "");
        // The first row is the shortest latency: share 0, and one value of 1 ms up to there.
        assert_eq!(lines[2], "       1.000 0.000000000000          1           1.00");
        let shares: Vec<&str> = lines[2..9].iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
        let expected = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55].map(|share| format!("{share:.12}"));
        assert_eq!(shares, expected);
        // Half of a hundred are at most 50 ms, which is told apart from 50.015 ms at most by three digits.
        let half = lines.iter().find(|line| line.contains(" 0.500000000000 ")).expect("there is a median");
        let fields: Vec<&str> = half.split_whitespace().collect();
        assert_eq!((fields[2], fields[3]), ("50", "2.00"));
        let median: f64 = fields[0].parse().expect("a number");
        assert!((50.0..50.05).contains(&median), "{half}");
        // The last has no finite fourth column.
        let last = lines.iter().rfind(|line| !line.starts_with('#')).expect("there are rows");
        assert_eq!(last.split_whitespace().skip(1).collect::<Vec<_>>(), ["1.000000000000", "100"]);
        let mean = lines.iter().find_map(|line| line.strip_prefix("#[Mean    =")).expect("there is a mean");
        let mean: f64 = mean.split(',').next().expect("a field").trim().parse().expect("a number");
        assert!((mean - 50.5).abs() < 0.05, "{mean}");
        assert!(lines.iter().any(|line| line.ends_with("Total count    =          100]")), "{text}");
        assert!(lines.iter().any(|line| line.ends_with("SubBuckets     =         2048]")), "{text}");
    }
}
