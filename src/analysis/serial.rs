//! Whether neighbouring units can be taken as independent: autocorrelation and trend of their log ratios.
//!
//! A drift of both models is taken out by the pairing; a trend of their *ratio* is told, and widens the interval by
//! itself. What makes an interval too short is correlation of neighbours around that trend, so the autocorrelation is
//! that of the residuals of a straight line.
//!
//! Joining helps and does not heal: of simulated runs of 30 rounds whose log ratios carry over 0.4 (0.6, 0.8) of the last,
//! the 95 % interval covers in 80 (67, 46) % without and in 86 (82, 72) % with it, since the test finds only some of them
//! and few units remain. With fewer than 20 rounds nothing is tested: at 10 rounds and 0.4 it covers in 81 %.
//!
//! Source: J. Durbin, G. S. Watson, *Testing for serial correlation in least squares regression I*, Biometrika 37 (1950),
//! section 3, for the moments of d = Σ(eᵢ₊₁ − eᵢ)² ÷ Σeᵢ², which without regressors is the ratio of J. von Neumann, Ann.
//! Math. Statist. 12 (1941).

use statrs::function::erf::erfc;

use super::paired::two_sided_p;

/// Units below which neither is tested: the power would be small, and d is not near enough to normal.
pub(super) const FEWEST: usize = 20;

/// Level of the test of the autocorrelation.
const LEVEL: f64 = 0.05;

/// Autocorrelation that matters: an interval that ignores 0.2 is shorter than it should be by a factor of about
/// √((1 − 0.2) ÷ (1 + 0.2)) = 0.82, and covers 90 % instead of 95 %. Less than that is let pass.
const MATERIAL: f64 = 0.2;

/// A scatter of log ratios that is nothing but rounding.
const ROUNDING: f64 = 1e-9;

/// A statistic and its two-sided p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Test {
    pub(super) estimate: f64,
    pub(super) p: f64,
}

/// What the order of units says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Serial {
    /// Lag-1 autocorrelation around the trend.
    pub(super) autocorrelation: Test,
    /// Slope per unit.
    pub(super) trend: Test,
}

impl Serial {
    /// Tests finite log ratios in the order run; `None` for fewer than [`FEWEST`], or where they do not vary.
    pub(super) fn of(logs: &[f64]) -> Option<Self> {
        if logs.len() < FEWEST {
            return None;
        }
        let line = Line::through(logs);
        let scatter = (line.squares / logs.len() as f64).sqrt();
        (scatter > ROUNDING).then(|| Self { autocorrelation: line.autocorrelation(), trend: line.trend() })
    }

    /// Whether neighbours must be joined.
    pub(super) fn is_material(&self) -> bool {
        self.autocorrelation.p < LEVEL && self.autocorrelation.estimate > MATERIAL
    }
}

/// Whether units that were joined once must be joined again. That neighbours are correlated is known by then, and few units
/// would not show it significantly: the size alone decides.
pub(super) fn still_material(logs: &[f64]) -> bool {
    let line = Line::through(logs);
    (line.squares / logs.len() as f64).sqrt() > ROUNDING && line.lag_one() > MATERIAL
}

/// A straight line through values at equal distances.
struct Line {
    slope: f64,
    /// Sum of squares of the places around their mean.
    places: f64,
    residuals: Vec<f64>,
    /// Sum of squares of the residuals.
    squares: f64,
}

impl Line {
    fn through(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let (middle, mean) = ((n - 1.0) / 2.0, values.iter().sum::<f64>() / n);
        let places = n * (n * n - 1.0) / 12.0;
        let slope =
            values.iter().enumerate().map(|(place, value)| (place as f64 - middle) * (value - mean)).sum::<f64>()
                / places;
        let residual = |(place, value): (usize, &f64)| value - mean - slope * (place as f64 - middle);
        let residuals: Vec<f64> = values.iter().enumerate().map(residual).collect();
        let squares = residuals.iter().map(|residual| residual * residual).sum();
        Self { slope, places, residuals, squares }
    }

    fn lag_one(&self) -> f64 {
        self.residuals.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / self.squares
    }

    fn autocorrelation(&self) -> Test {
        let d = self.residuals.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>() / self.squares;
        let (mean, variance) = moments(self.residuals.len());
        Test { estimate: self.lag_one(), p: erfc((mean - d).abs() / (2.0 * variance).sqrt()) }
    }

    fn trend(&self) -> Test {
        let freedom = self.residuals.len() - 2;
        let error = (self.squares / freedom as f64 / self.places).sqrt();
        Test { estimate: self.slope, p: two_sided_p(self.slope / error, freedom) }
    }
}

/// Mean and variance of Durbin and Watson's d of the residuals of a straight line through n independent normal values.
///
/// With A the matrix of squared differences and M that of the residuals: E = tr MA ÷ (n − 2), and the variance is
/// 2 · (tr (MA)² − E · tr MA) ÷ ((n − 2) · n). A takes constants to 0 and a line of slope δ to (−δ, 0, …, 0, δ), which gives
/// both traces in closed form.
fn moments(n: usize) -> (f64, f64) {
    let n = n as f64;
    let slope_squared = 12.0 / (n * (n * n - 1.0));
    let of_line = (n - 1.0) * slope_squared;
    let trace = 2.0 * (n - 1.0) - of_line;
    let trace_of_square = 6.0 * n - 8.0 - 4.0 * slope_squared + of_line * of_line;
    let mean = trace / (n - 2.0);
    (mean, 2.0 * (trace_of_square - mean * trace) / ((n - 2.0) * n))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// Independent noise, and the same with each value carrying over this share of the last.
    fn series(length: usize, carried: f64, generator: &mut Pcg64Mcg) -> Vec<f64> {
        let mut last = 0.0;
        (0..length + 50)
            .map(|_| {
                let noise: f64 = StandardNormal.sample(generator);
                last = carried * last + noise;
                last
            })
            .skip(50)
            .collect()
    }

    #[test]
    fn values_that_alternate_have_a_negative_autocorrelation() {
        // ±1 in turn, 20 of them: the line is nearly flat, and neighbours multiply to −1 in 19 of 20 places.
        let logs: Vec<f64> = (0..20).map(|place| if place % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let serial = Serial::of(&logs).expect("twenty values");
        assert!((serial.autocorrelation.estimate + 0.95).abs() < 0.01, "{serial:?}");
        assert!(serial.autocorrelation.p < 1e-3 && !serial.is_material());
    }

    #[test]
    fn two_blocks_of_ten_around_a_line_are_worked_by_hand() {
        // Ten zeros, ten ones: slope = Σ(t − 9.5)·y ÷ 665 = 50 ÷ 665; residuals by the formula of the line.
        let logs: Vec<f64> = (0..20).map(|place| f64::from(u8::from(place >= 10))).collect();
        let serial = Serial::of(&logs).expect("twenty values");
        let slope = 50.0 / 665.0;
        assert!((serial.trend.estimate - slope).abs() < 1e-12);
        let e: Vec<f64> = (0..20).map(|t| logs[t] - 0.5 - slope * (t as f64 - 9.5)).collect();
        let squares: f64 = e.iter().map(|e| e * e).sum();
        let neighbours: f64 = (0..19).map(|t| e[t] * e[t + 1]).sum();
        assert!((serial.autocorrelation.estimate - neighbours / squares).abs() < 1e-12);
        // r² of the line is 50² ÷ 665 ÷ 5 = 0.7519, so t = √(18 · r² ÷ (1 − r²)) = 7.386.
        assert!(serial.trend.p < 1e-5);
    }

    #[test]
    fn the_moments_of_d_are_the_traces_of_its_matrices() {
        let n = 20;
        let middle = (n as f64 - 1.0) / 2.0;
        let places: f64 = (0..n).map(|t| (t as f64 - middle).powi(2)).sum();
        let m = |i: usize, j: usize| {
            let same = if i == j { 1.0 } else { 0.0 };
            same - 1.0 / n as f64 - (i as f64 - middle) * (j as f64 - middle) / places
        };
        let a = |i: usize, j: usize| match i.abs_diff(j) {
            0 if i == 0 || i == n - 1 => 1.0,
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let product: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| m(i, k) * a(k, j)).sum()).collect()).collect();
        let trace: f64 = (0..n).map(|i| product[i][i]).sum();
        let of_square: f64 = (0..n).map(|i| (0..n).map(|j| product[i][j] * product[j][i]).sum::<f64>()).sum();
        let freedom = n as f64 - 2.0;
        let mean = trace / freedom;
        let variance = 2.0 * (of_square - mean * trace) / (freedom * (freedom + 2.0));
        let (found_mean, found_variance) = moments(n);
        assert!((found_mean - mean).abs() < 1e-12 && (found_variance - variance).abs() < 1e-12);
    }

    #[test]
    fn independent_units_are_joined_in_few_runs_and_correlated_ones_in_most() {
        let mut generator = Pcg64Mcg::seed_from_u64(1);
        let mut joined = |carried: f64| {
            let material = |logs: &Vec<f64>| Serial::of(logs).is_some_and(|serial| serial.is_material());
            (0..1_000).map(|_| series(30, carried, &mut generator)).filter(material).count()
        };
        // Only the upper half of a two-sided 5 % joins: 25 of 1,000, and three standard errors of 5.
        assert!(joined(0.0) <= 40);
        assert!(joined(0.8) >= 800);
    }

    #[test]
    fn a_trend_alone_is_told_and_joins_nothing() {
        let mut generator = Pcg64Mcg::seed_from_u64(1);
        let mut logs = series(30, 0.0, &mut generator);
        logs.iter_mut().enumerate().for_each(|(place, log)| *log += 0.5 * place as f64);
        let serial = Serial::of(&logs).expect("thirty values");
        assert!(serial.trend.p < 1e-6 && !serial.is_material(), "{serial:?}");
    }

    #[test]
    fn what_does_not_vary_or_is_too_short_is_not_tested() {
        assert_eq!(Serial::of(&[0.3; 30]), None);
        assert_eq!(Serial::of(&[1.0, 2.0, 1.0]), None);
        let line: Vec<f64> = (0..30).map(|place| 0.1 * f64::from(place)).collect();
        assert_eq!(Serial::of(&line), None, "nothing is left around the line");
        assert!(!still_material(&[0.3; 6]));
    }
}
