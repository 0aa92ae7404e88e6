//! The delete-one-unit jackknife.
//!
//! Source: B. Efron, R. J. Tibshirani, *An introduction to the bootstrap*, 1993, chapter 11.

use super::paired::t_quantile;

/// The 95 % interval of an estimate from what it becomes without each of its units in turn: estimate ± t · error with
/// K − 1 degrees of freedom, where error² is (K − 1) ÷ K times the sum of squares of the deletions around their mean.
///
/// `None` for fewer than two units, or where a figure is not finite.
pub(super) fn interval(estimate: f64, deletions: &[f64]) -> Option<(f64, f64)> {
    if deletions.len() < 2 || !estimate.is_finite() || !deletions.iter().all(|deletion| deletion.is_finite()) {
        return None;
    }
    let reach = t_quantile(0.975, deletions.len() - 1) * error(deletions);
    Some((estimate - reach, estimate + reach))
}

fn error(deletions: &[f64]) -> f64 {
    let count = deletions.len() as f64;
    let mean = deletions.iter().sum::<f64>() / count;
    let squares = deletions.iter().map(|deletion| (deletion - mean).powi(2)).sum::<f64>();
    ((count - 1.0) / count * squares).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Paired;

    #[test]
    fn for_a_mean_it_is_the_classical_t_interval() {
        let values = [1.0, 2.5, 0.3, 4.0, 2.2, 1.1];
        let sum: f64 = values.iter().sum();
        let deletions: Vec<f64> = values.iter().map(|value| (sum - value) / 5.0).collect();
        let (low, high) = interval(sum / 6.0, &deletions).expect("six units");
        let (expected_low, expected_high) = Paired::of(&values).expect("finite").interval(0.95);
        assert!((low - expected_low).abs() < 1e-12 && (high - expected_high).abs() < 1e-12);
    }

    #[test]
    fn one_unit_or_what_is_not_finite_has_no_interval() {
        assert_eq!(interval(1.0, &[1.0]), None);
        assert_eq!(interval(f64::NAN, &[1.0, 2.0]), None);
        assert_eq!(interval(1.0, &[1.0, f64::INFINITY]), None);
    }
}
