//! How much a figure differs from night to night where nothing has changed.

/// Of the differences of neighbours, the smallest that count: a step is one large difference, and so no noise.
const COUNTED: f64 = 0.75;

/// The mean of the smallest three quarters of |d|, where d is the difference of two standard normal values: √2 times that
/// of a half-normal distribution cut off at its upper quartile q, which is (φ(0) − φ(q)) ÷ (½ × 0.75), q = 1.1503.
const OF_NORMAL: f64 = 0.728_183;

/// The resolution of the histograms that figures come from: no history is calmer.
const LEAST: f64 = 0.001;

/// The standard deviation of independent noise around steps, of values on the log scale in the order of nights.
pub(super) fn noise(values: &[f64]) -> f64 {
    let mut differences: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    differences.sort_by(f64::total_cmp);
    differences.truncate((differences.len() as f64 * COUNTED).ceil() as usize);
    if differences.is_empty() {
        return LEAST;
    }
    (differences.iter().sum::<f64>() / differences.len() as f64 / OF_NORMAL).max(LEAST)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64Mcg;
    use statrs::distribution::{Continuous as _, ContinuousCDF as _, Normal};

    use super::*;

    #[test]
    fn the_constant_is_that_of_the_normal_distribution() {
        let normal = Normal::new(0.0, 1.0).expect("a standard normal");
        let cut = normal.inverse_cdf(0.5 + COUNTED / 2.0);
        let mean = 2.0 * (normal.pdf(0.0) - normal.pdf(cut)) / COUNTED;
        assert!((OF_NORMAL - 2.0_f64.sqrt() * mean).abs() < 1e-6, "{}", 2.0_f64.sqrt() * mean);
    }

    #[test]
    fn steps_and_wild_nights_are_no_noise() {
        let mut generator = Pcg64Mcg::seed_from_u64(1);
        let mut values: Vec<f64> =
            (0..2_000).map(|_| 0.02 * Distribution::<f64>::sample(&StandardNormal, &mut generator)).collect();
        let calm = noise(&values);
        // A mean of 1,500 values: its standard error is about 2 %.
        assert!((calm / 0.02 - 1.0).abs() < 0.06, "{calm}");
        values[1_000..].iter_mut().for_each(|value| *value += 0.5);
        (0..20).for_each(|place| values[place * 100 + 7] += 1.0);
        assert!((noise(&values) / calm - 1.0).abs() < 0.03, "{} is not {calm}", noise(&values));
    }

    #[test]
    fn a_history_that_never_moves_has_the_resolution_of_its_histograms() {
        assert_eq!(noise(&[1.0; 30]), LEAST);
        assert_eq!(noise(&[1.0]), LEAST);
        assert_eq!(noise(&[]), LEAST);
    }
}
