//! The paired log ratio and its Student t interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The mean of K paired log ratios, with what its interval is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// Mean of the log ratios; its exponential is the geometric mean of the ratios.
    pub mean: f64,
    /// Standard deviation of the log ratios (K − 1 in the denominator).
    pub deviation: f64,
    /// K, at least 2.
    pub units: usize,
}

impl Paired {
    /// The summary of log ratios; `None` for fewer than two, or if one is not finite.
    pub fn of(logs: &[f64]) -> Option<Self> {
        if logs.len() < 2 || !logs.iter().all(|log| log.is_finite()) {
            return None;
        }
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let squares = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        let deviation = (squares / (count - 1.0)).sqrt();
        (mean.is_finite() && deviation.is_finite()).then_some(Self { mean, deviation, units: logs.len() })
    }

    /// Standard error of the mean.
    pub fn error(&self) -> f64 {
        self.deviation / (self.units as f64).sqrt()
    }

    /// The quantile of Student's t with K − 1 degrees of freedom that an interval of this confidence reaches to.
    pub fn t(&self, confidence: f64) -> f64 {
        t_quantile(0.5 + confidence / 2.0, self.units - 1)
    }

    /// The interval of the mean log ratio that covers with this probability: mean ± t · error.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let reach = self.t(confidence) * self.error();
        (self.mean - reach, self.mean + reach)
    }

    /// p of the hypothesis that the true |log ratio| is at most `threshold`.
    ///
    /// Twice the upper tail of (|mean| − threshold) ÷ error: at most 0.05 exactly where the 95 % interval lies beyond
    /// the threshold, on either side.
    pub fn p_within(&self, threshold: f64) -> f64 {
        let excess = self.mean.abs() - threshold;
        if excess <= 0.0 {
            return 1.0;
        }
        let error = self.error();
        if error <= 0.0 {
            return 0.0;
        }
        two_sided_p(excess / error, self.units - 1)
    }
}

/// Quantile of Student's t.
pub(super) fn t_quantile(probability: f64, freedom: usize) -> f64 {
    students(freedom).inverse_cdf(probability)
}

/// Two-sided p of a t statistic.
pub(super) fn two_sided_p(t: f64, freedom: usize) -> f64 {
    (2.0 * students(freedom).sf(t.abs())).min(1.0)
}

fn students(freedom: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom.max(1) as f64).expect("at least one degree of freedom, scale one")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance, "{left} is not {right} within {tolerance}");
    }

    #[test]
    fn quantiles_of_t_are_those_of_the_tables() {
        for (freedom, expected) in [(1, 12.706_205), (4, 2.776_445), (9, 2.262_157), (19, 2.093_024), (29, 2.045_230)] {
            close(t_quantile(0.975, freedom), expected, 1e-5);
        }
        close(t_quantile(0.95, 9), 1.833_113, 1e-5);
    }

    #[test]
    fn quantile_and_tail_of_t_are_inverse_at_every_number_of_units() {
        for freedom in 1..=2_000 {
            for probability in [0.95, 0.975, 0.9995] {
                let tail = students(freedom).sf(t_quantile(probability, freedom));
                close(tail, 1.0 - probability, 1e-8);
            }
        }
    }

    #[test]
    fn the_interval_of_five_ratios_is_the_one_worked_by_hand() {
        // Logs 1, 2, 3, 4, 5: mean 3, sum of squares 10, deviation √2.5, error √0.5; t(4, 97.5 %) = 2.776445.
        let paired = Paired::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("five finite logs");
        close(paired.mean, 3.0, 1e-12);
        close(paired.deviation, 2.5_f64.sqrt(), 1e-12);
        let (low, high) = paired.interval(0.95);
        close(low, 3.0 - 2.776_445 * 0.5_f64.sqrt(), 1e-5);
        close(high, 3.0 + 2.776_445 * 0.5_f64.sqrt(), 1e-5);
    }

    #[test]
    fn p_is_five_percent_exactly_where_the_interval_touches_the_threshold() {
        let paired = Paired::of(&[0.9, 1.1, 1.0, 1.2, 0.8]).expect("five finite logs");
        let (low, _) = paired.interval(0.95);
        close(paired.p_within(low), 0.05, 1e-9);
        assert!(paired.p_within(low - 0.01) < 0.05);
        assert!(paired.p_within(low + 0.01) > 0.05);
    }

    #[test]
    fn units_that_agree_exactly_leave_no_doubt() {
        let paired = Paired::of(&[0.5; 6]).expect("six finite logs");
        assert_eq!(paired.interval(0.95), (0.5, 0.5));
        assert_eq!(paired.p_within(0.4), 0.0);
        assert_eq!(paired.p_within(0.5), 1.0);
    }

    #[test]
    fn what_is_not_finite_has_no_summary() {
        assert_eq!(Paired::of(&[]), None);
        assert_eq!(Paired::of(&[1.0]), None);
        assert_eq!(Paired::of(&[1.0, f64::INFINITY]), None);
        assert_eq!(Paired::of(&[1.0, f64::NAN]), None);
    }
}
