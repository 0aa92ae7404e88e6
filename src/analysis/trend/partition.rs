//! The best way to cut a history into segments.

use super::detector::LEAST_SEGMENT;

/// Where the segments but the first begin of the partition that has the least sum of absolute deviations from the medians
/// of its segments plus `penalty` for each cut; of equal ones that with the first segments longest. Segments have at least
/// [`LEAST_SEGMENT`] values.
pub(super) fn partition(values: &[f64], penalty: f64) -> Vec<usize> {
    // For each number of values from the start on: what their best partition costs, and where its last segment begins.
    let mut best: Vec<(f64, usize)> = vec![(f64::INFINITY, 0); values.len() + 1];
    best[0].0 = 0.0;
    for start in 0..values.len() {
        let so_far = best[start].0 + if start > 0 { penalty } else { 0.0 };
        if !so_far.is_finite() {
            continue;
        }
        for (length, deviations) in deviations(&values[start..]).into_iter().enumerate().skip(LEAST_SEGMENT) {
            let known = &mut best[start + length];
            if so_far + deviations < known.0 {
                *known = (so_far + deviations, start);
            }
        }
    }
    let mut cuts = Vec::new();
    let mut start = best[values.len()].1;
    while start > 0 {
        cuts.push(start);
        start = best[start].1;
    }
    cuts.reverse();
    cuts
}

/// The sum of absolute deviations from the median, of the first 0, 1, 2, … values.
fn deviations(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = Vec::with_capacity(values.len());
    let mut sum = 0.0;
    let mut sums = vec![sum];
    for value in values {
        // Any value between the middle ones is a median; the sum grows by the distance from the nearest.
        if let Some(last) = sorted.len().checked_sub(1) {
            let (low, high) = (sorted[last / 2], sorted[sorted.len() / 2]);
            sum += (low - value).max(value - high).max(0.0);
        }
        sorted.insert(sorted.partition_point(|known| known < value), *value);
        sums.push(sum);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_from_the_median() {
        // Medians 3, 2, 3, 3.5 (any value between the middle ones), 4.
        assert_eq!(deviations(&[3.0, 1.0, 9.0, 4.0, 5.0]), [0.0, 0.0, 2.0, 8.0, 9.0, 10.0]);
    }

    #[test]
    fn a_cut_is_made_where_it_saves_more_than_it_costs() {
        let values = [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0];
        // Around the common median of 1 three values are 2 away.
        assert_eq!(partition(&values, 5.9), [4]);
        assert!(partition(&values, 6.1).is_empty());
        assert!(partition(&values[..5], 0.1).is_empty(), "too short for two segments of three");
        assert!(partition(&[], 1.0).is_empty());
    }

    #[test]
    fn what_rises_and_falls_back_is_cut_twice_although_one_cut_saves_nothing() {
        let values = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0];
        assert_eq!(partition(&values, 1.0), [3, 6]);
    }
}
