//! Holm's step-down adjustment: several questions asked of one run, one error rate.

/// Adjusted p of each hypothesis, in the order given.
///
/// Sorted upwards, the i-th smallest of m is multiplied by m − i (from 0), then made monotone and capped at 1. Rejecting
/// where the adjusted p is at most α keeps the chance of any false rejection at α.
pub fn adjusted(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|left, right| ps[*left].total_cmp(&ps[*right]));
    let mut adjusted = vec![1.0; ps.len()];
    let mut running = 0.0_f64;
    for (rank, place) in order.into_iter().enumerate() {
        let factor = (ps.len() - rank) as f64;
        running = running.max((ps[place] * factor).min(1.0));
        adjusted[place] = running;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_four() {
        // p = 0.01, 0.04, 0.03, 0.005. Sorted 0.005·4 = 0.02, 0.01·3 = 0.03, 0.03·2 = 0.06, 0.04·1 = 0.04 → 0.06.
        let found = adjusted(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in found.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }

    #[test]
    fn one_question_needs_no_adjustment() {
        assert_eq!(adjusted(&[0.04]), [0.04]);
        assert!(adjusted(&[]).is_empty());
    }

    #[test]
    fn nothing_rises_above_one() {
        assert_eq!(adjusted(&[0.9, 0.8, 1.0]), [1.0, 1.0, 1.0]);
    }
}
