//! Rates that a run chooses by itself: preferred numbers, so that runs of the same are offered the same.

use crate::units::Rate;

/// The series R10 of ISO 3 within a decade: each about a quarter more than the one before.
const R10: [f64; 10] = [1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0];

/// The largest preferred number that is not above a rate.
///
/// A capacity found in half a second differs by a tenth from run to run, and what waits at a server depends on the rate
/// more than in proportion: at a rate of its own for every run, two runs of one build would tell their rates apart.
pub(super) fn preferred(rate: Rate) -> Rate {
    let decade = 10_f64.powf(rate.get().log10().floor());
    // A preferred number stays itself although its logarithm is rounded.
    let mantissa = rate.get() / decade * (1.0 + 1e-9);
    let chosen = R10.into_iter().rfind(|number| *number <= mantissa);
    chosen.map_or(rate, |number| Rate::new(number * decade))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_becomes_the_preferred_number_below_it_and_a_preferred_number_stays() {
        for (rate, expected) in [(207.0, 200.0), (197.0, 160.0), (200.0, 200.0), (999.9, 800.0), (1_000.0, 1_000.0)] {
            assert!((preferred(Rate::new(rate)).get() - expected).abs() < 1e-6, "{rate}");
        }
        assert!((preferred(Rate::new(0.3)).get() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn little_more_than_a_fifth_is_lost_at_most() {
        for step in 0..2_000 {
            let rate = 30.0 * 1.005_f64.powi(step);
            let share = preferred(Rate::new(rate)).get() / rate;
            assert!((0.781..=1.0 + 1e-9).contains(&share), "{rate}: {share}");
        }
    }

    #[test]
    fn what_is_no_rate_stays_what_it_is() {
        assert!(preferred(Rate::new(0.0)).get() <= 0.0);
        assert!(preferred(Rate::new(f64::INFINITY)).get().is_infinite());
    }
}
