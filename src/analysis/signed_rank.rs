//! The Hodges–Lehmann estimate and the interval that belongs to Wilcoxon's signed ranks.
//!
//! Source: M. Hollander, D. A. Wolfe, E. Chicken, *Nonparametric statistical methods*, 3rd ed. 2014, sections 3.1–3.3:
//! the estimate is the median of the Walsh averages, the interval runs from the C-th smallest to the C-th largest.

use statrs::distribution::{ContinuousCDF, Normal};

use super::verdict::ALPHA;

/// Up to so many values the null distribution is counted out (2³⁰ sign patterns are exact in `f64`); beyond, it is normal
/// to three digits.
const MOST_EXACT: usize = 30;

/// A centre of values with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Centre {
    /// The estimate.
    pub(super) estimate: f64,
    /// The interval; `None` where even the outermost Walsh averages cover less than 95 % (fewer than six values).
    pub(super) interval: Option<(f64, f64)>,
}

/// The Hodges–Lehmann estimate of finite values with its interval; `None` without values.
pub(super) fn hodges_lehmann(values: &[f64]) -> Option<Centre> {
    let averages = walsh_averages(values);
    let (last, middle) = (averages.len().checked_sub(1)?, averages.len() / 2);
    let estimate = f64::midpoint(averages[last - middle], averages[middle]);
    let depth = depth(values.len());
    let interval = (depth > 0).then(|| (averages[depth - 1], averages[averages.len() - depth]));
    Some(Centre { estimate, interval })
}

/// The means of all pairs of values, each paired with itself too, upwards.
fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let mut averages: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(|(place, first)| values[place..].iter().map(move |second| f64::midpoint(*first, *second)))
        .collect();
    averages.sort_by(f64::total_cmp);
    averages
}

/// C: how far from each end of the Walsh averages the 95 % interval begins, counted from 1; 0 where there is none.
///
/// The largest C with 2 · P(T⁺ ≤ C − 1) ≤ 5 %; for many values n(n+1)/4 − z · √(n(n+1)(2n+1)/24), rounded down.
fn depth(values: usize) -> usize {
    if values > MOST_EXACT {
        let n = values as f64;
        let z = Normal::standard().inverse_cdf(1.0 - ALPHA / 2.0);
        return (n * (n + 1.0) / 4.0 - z * (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt()).floor().max(0.0) as usize;
    }
    let half_of_alpha = ALPHA / 2.0 * 2.0_f64.powi(values as i32);
    let mut below = 0.0;
    rank_sums(values)
        .into_iter()
        .take_while(|patterns| {
            below += patterns;
            below <= half_of_alpha
        })
        .count()
}

/// For each sum of ranks, how many of the sign patterns of so many values have it: the null distribution of T⁺ times 2ⁿ.
fn rank_sums(values: usize) -> Vec<f64> {
    let mut patterns = vec![0.0; values * (values + 1) / 2 + 1];
    patterns[0] = 1.0;
    for rank in 1..=values {
        for sum in (rank..patterns.len()).rev() {
            patterns[sum] += patterns[sum - rank];
        }
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_null_distribution_is_that_of_all_sign_patterns() {
        for values in 0..=8_usize {
            let mut counted = vec![0.0; values * (values + 1) / 2 + 1];
            for signs in 0..1_usize << values {
                let sum: usize = (0..values).filter(|place| signs >> place & 1 == 1).map(|place| place + 1).sum();
                counted[sum] += 1.0;
            }
            assert_eq!(rank_sums(values), counted);
        }
    }

    #[test]
    fn critical_values_are_those_of_the_tables() {
        // Two-sided 5 %: T ≤ 0 at 6, 2 at 7, 3 at 8, 5 at 9, 8 at 10, 25 at 15, 52 at 20, 89 at 25, 137 at 30 (Wilcoxon's
        // table); C is one more.
        let table = [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (15, 25), (20, 52), (25, 89), (30, 137)];
        for (values, critical) in table {
            assert_eq!(depth(values), critical + 1, "{values} values");
        }
    }

    #[test]
    fn the_normal_approximation_continues_the_exact_distribution() {
        for values in MOST_EXACT + 1..=45 {
            let exact = {
                let half = ALPHA / 2.0 * 2.0_f64.powi(values as i32);
                let mut below = 0.0;
                let within = |patterns: &f64| {
                    below += patterns;
                    below <= half
                };
                rank_sums(values).into_iter().take_while(within).count()
            };
            assert!(exact.abs_diff(depth(values)) <= 1, "{values}: {exact} and {}", depth(values));
        }
    }

    #[test]
    fn five_values_have_an_estimate_but_no_interval_at_95_percent() {
        // The smallest attainable two-sided level is 2 / 2⁵ = 6.25 %.
        let centre = hodges_lehmann(&[1.0, 2.0, 3.0, 4.0, 100.0]).expect("five values");
        assert_eq!(centre.interval, None);
        assert_eq!(hodges_lehmann(&[]), None);
    }

    #[test]
    fn the_depression_scores_of_hollander_and_wolfe() {
        // Example 3.1 (Hamilton depression scale, nine patients): differences, estimate −0.46 and 96 % interval
        // (−0.786, −0.010) as in Examples 3.3 and 3.4, which is C = 6.
        let differences = [-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010];
        let centre = hodges_lehmann(&differences).expect("nine values");
        assert!((centre.estimate + 0.46).abs() < 1e-9, "{}", centre.estimate);
        let (low, high) = centre.interval.expect("nine values have one");
        assert!((low + 0.786).abs() < 1e-9 && (high + 0.010).abs() < 1e-9, "{low} … {high}");
    }

    #[test]
    fn the_interval_of_six_values_is_their_range() {
        let centre = hodges_lehmann(&[3.0, 1.0, 2.0, 6.0, 5.0, 4.0]).expect("six values");
        assert_eq!((centre.estimate, centre.interval), (3.5, Some((1.0, 6.0))));
    }
}
