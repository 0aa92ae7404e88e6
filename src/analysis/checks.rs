//! The same ratio by other methods, and what it means where they disagree.

use std::ops::Range;

use super::estimate::ratio;
use super::jackknife;
use super::paired::Paired;
use super::serial::{Serial, Test};
use super::series::{Series, blocks, inference_logs};
use super::signed_rank::{Centre, hodges_lehmann};
use crate::record::{ChecksRecord, IntervalEstimate, TestRecord, UnitRatio};

/// Histograms keep three significant digits: by rounding alone two ratios of their values can differ by so much of their
/// logarithm, which is no disagreement.
const RESOLUTION: f64 = 0.002;

/// The cross-checks of a paired ratio; `units` are the places of rounds, `ratios` what they gave.
pub(super) fn of(
    series: &impl Series,
    units: &[Range<usize>],
    ratios: &[UnitRatio],
    paired: &Paired,
    serial: Option<Serial>,
) -> ChecksRecord {
    let pooled = pooled(series, units, ratios);
    let centre = hodges_lehmann(&inference_logs(ratios));
    ChecksRecord {
        jackknife: pooled.and_then(Centre::record),
        hodges_lehmann: centre.and_then(Centre::record),
        autocorrelation: serial.map(|serial| serial.autocorrelation.record()),
        trend: serial.map(|serial| serial.trend.record()),
        joined: None,
        disagreement: disagreement(paired, pooled, centre),
    }
}

/// The log ratio of the figures of all rounds together, with its jackknife interval.
fn pooled(series: &impl Series, units: &[Range<usize>], ratios: &[UnitRatio]) -> Option<Centre> {
    let log = |figures| Some(series.ratio(figures)?.ln());
    let all = units.first()?.start..units.last()?.end;
    let estimate = log(series.over(all)?)?;
    let without = |block: Range<usize>| log(series.without(units[block.start].start..units[block.end - 1].end)?);
    let deletions: Option<Vec<f64>> = blocks(ratios).into_iter().map(without).collect();
    Some(Centre { estimate, interval: deletions.and_then(|deletions| jackknife::interval(estimate, &deletions)) })
}

fn disagreement(paired: &Paired, pooled: Option<Centre>, centre: Option<Centre>) -> Option<String> {
    let (low, high) = paired.interval(0.95);
    let outside = |centre: &Centre| centre.estimate < low - RESOLUTION || centre.estimate > high + RESOLUTION;
    let figure = |centre: Centre| centre.estimate.exp();
    let pooled = pooled.filter(outside).map(|pooled| {
        format!(
            "all operations together give {:.2}, outside the interval: units differ much, and in such a figure the slow \
             ones weigh more than in the mean over units",
            figure(pooled)
        )
    });
    let centre = centre.filter(outside).map(|centre| {
        format!(
            "the Hodges–Lehmann estimate is {:.2}, outside the interval: a few outlying units pull the mean, not the \
             median",
            figure(centre)
        )
    });
    let said: Vec<String> = pooled.into_iter().chain(centre).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

impl Centre {
    /// As ratios in a record; `None` where the estimate is none.
    fn record(self) -> Option<IntervalEstimate> {
        let (low, high) = self.interval.unzip();
        let of_log = |log: f64| ratio(log.exp());
        Some(IntervalEstimate { ratio: of_log(self.estimate)?, low: low.and_then(of_log), high: high.and_then(of_log) })
    }
}

impl Test {
    fn record(self) -> TestRecord {
        TestRecord { estimate: self.estimate, p: self.p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(estimate: f64) -> Option<Centre> {
        Some(Centre { estimate, interval: None })
    }

    #[test]
    fn methods_that_agree_within_the_interval_say_nothing() {
        // Mean 0.2, error 0.01, t(4) = 2.776: 0.172 … 0.228.
        let paired = Paired { mean: 0.2, deviation: 0.01 * 5.0_f64.sqrt(), units: 5 };
        assert_eq!(disagreement(&paired, at(0.18), at(0.22)), None);
        assert_eq!(disagreement(&paired, at(0.229), None), None, "by less than histograms resolve");
        assert_eq!(disagreement(&paired, None, None), None);
    }

    #[test]
    fn each_method_outside_the_interval_is_named_with_its_reason() {
        let paired = Paired { mean: 0.2, deviation: 0.01 * 5.0_f64.sqrt(), units: 5 };
        let both = disagreement(&paired, at(0.7), at(0.1)).expect("both lie outside");
        assert!(both.contains("all operations together give 2.01") && both.contains("slow ones weigh more"), "{both}");
        assert!(both.contains("Hodges–Lehmann estimate is 1.11") && both.contains("pull the mean"), "{both}");
        let one = disagreement(&paired, at(0.2), at(0.1)).expect("one lies outside");
        assert!(!one.contains("all operations"), "{one}");
    }
}
