//! Metrics of a latency histogram, and how many operations each needs.

use hdrhistogram::Histogram;

use crate::words::Metric;

/// Units that an interval needs at least.
pub(super) const MIN_UNITS: usize = 5;

/// Metrics of a latency, in the order shown.
pub(super) const LATENCIES: [Metric; 4] = [Metric::P50, Metric::P95, Metric::P99, Metric::Mean];

/// Operations that each model needs in a unit for this metric's interval.
pub(super) fn least_per_unit(metric: Metric) -> u64 {
    match metric {
        Metric::P50 | Metric::Mean => 30,
        Metric::P95 => 100,
        Metric::P99 => 1_000,
        Metric::Throughput => 1,
    }
}

/// Operations below which the figure would be no more than the largest latency, or nothing.
pub fn least_at_all(metric: Metric) -> u64 {
    match metric {
        Metric::Mean | Metric::Throughput => 1,
        Metric::P50 => 2,
        Metric::P95 => 20,
        Metric::P99 => 100,
    }
}

/// The metric of a histogram in its unit, or why it has none.
///
/// Throughput is no property of a histogram: it has no figure here.
pub(super) fn figure(metric: Metric, histogram: &Histogram<u64>) -> Result<f64, String> {
    let count = histogram.len();
    let least = least_at_all(metric);
    if count == 0 {
        return Err("no operation was timed".to_owned());
    }
    if count < least {
        return Err(format!("{count} operations timed; {metric} needs {least}"));
    }
    let value = match metric {
        Metric::P50 => histogram.value_at_quantile(0.50) as f64,
        Metric::P95 => histogram.value_at_quantile(0.95) as f64,
        Metric::P99 => histogram.value_at_quantile(0.99) as f64,
        Metric::Mean => histogram.mean(),
        Metric::Throughput => return Err("throughput is no latency".to_owned()),
    };
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("the histogram holds no positive latency".to_owned()) }
}

/// All histograms in one.
pub(super) fn merged<'a>(histograms: impl IntoIterator<Item = &'a Histogram<u64>>) -> Histogram<u64> {
    let mut whole = Histogram::new(3).expect("three significant digits are valid");
    for part in histograms {
        whole.add(part).expect("a histogram that resizes itself takes every value");
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
        let mut histogram = Histogram::new(3).expect("valid");
        for value in values {
            histogram.record(value).expect("it resizes itself");
        }
        histogram
    }

    #[test]
    fn quantiles_of_the_first_thousand_numbers_are_their_ranks() {
        let histogram = of(1..=1_000);
        assert_eq!(figure(Metric::P50, &histogram), Ok(500.0));
        assert_eq!(figure(Metric::P95, &histogram), Ok(950.0));
        assert_eq!(figure(Metric::P99, &histogram), Ok(990.0));
        assert_eq!(figure(Metric::Mean, &histogram), Ok(500.5));
    }

    #[test]
    fn too_few_operations_have_no_figure_but_a_reason() {
        assert_eq!(figure(Metric::P95, &of([])), Err("no operation was timed".to_owned()));
        assert_eq!(figure(Metric::P95, &of(1..=19)), Err("19 operations timed; p95 needs 20".to_owned()));
        assert!(figure(Metric::P95, &of(1..=20)).is_ok());
    }

    #[test]
    fn merging_adds_histograms_of_different_ranges() {
        let narrow = of(1..=10);
        let wide = of([u64::MAX]);
        let whole = merged([&narrow, &wide]);
        assert_eq!(whole.len(), 11);
        assert!(whole.equivalent(whole.max(), u64::MAX));
    }
}
