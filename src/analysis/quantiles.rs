//! Many quantiles of a histogram in one pass.

use hdrhistogram::Histogram;

/// The values of rank ⌈part × n⌉ of a histogram of n values, for ascending parts between 0 and 1; 0 of an empty one.
pub fn quantiles(latencies: &Histogram<u64>, parts: &[f64]) -> Vec<u64> {
    let mut recorded = latencies.iter_recorded();
    let (mut reached, mut value) = (0_u64, 0);
    let of_part = |part: &f64| {
        let rank = ((part * latencies.len() as f64).ceil() as u64).max(1);
        while reached < rank {
            let Some(bucket) = recorded.next() else { break };
            reached = reached.saturating_add(bucket.count_at_value());
            value = bucket.value_iterated_to();
        }
        value
    };
    parts.iter().map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_what_the_histogram_gives_for_it() {
        let mut histogram = Histogram::new(3).expect("valid");
        for value in 1..=5_000_u64 {
            histogram.record(value * value).expect("it resizes itself");
        }
        let parts = [0.0, 0.001, 0.25, 0.5, 0.95, 0.999, 1.0];
        let expected: Vec<u64> = parts.iter().map(|part| histogram.value_at_quantile(*part)).collect();
        assert_eq!(quantiles(&histogram, &parts), expected);
    }

    #[test]
    fn an_empty_histogram_has_none() {
        assert_eq!(quantiles(&Histogram::new(3).expect("valid"), &[0.5]), [0]);
    }
}
