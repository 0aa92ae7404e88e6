//! The curve a + b·nᵏ through latencies at several values, fitted on the logarithm of the latency.
//!
//! On that scale an error of a tenth counts alike at 100 µs and at 100 ms. For a given exponent k and ratio a ÷ b the best
//! factor is a mean, so that only two parameters are searched, each within bounds: nothing depends on a starting point.
//! The variance is taken from what repeats within a point (its units) and from how far points lie off the curve, together;
//! where they lie further off than repetition explains, from that alone. The interval of k is the profile one: all k whose
//! best curve is not worse than the best of all by more than t² residual variances (D. M. Bates, D. G. Watts, *Nonlinear
//! regression analysis and its applications*, 1988, section 6.1). It is exact where the curve is a straight line in its
//! parameters, and close elsewhere, which tangents at the optimum are not.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::super::paired::t_quantile;

/// Values that a curve of three parameters needs.
const LEAST_VALUES: usize = 4;
/// Degrees of freedom that a variance needs to mean anything.
const LEAST_FREEDOM: usize = 2;
/// Exponents that are tried.
const EXPONENTS: (f64, f64) = (0.02, 5.0);
/// Steps of the first search for the exponent, evenly spread over its logarithm.
const EXPONENT_STEPS: u32 = 24;
/// Logarithms of a ÷ b (with n around 1) that are tried, and none at all.
const RATIOS: (f64, f64) = (-12.0, 12.0);
const RATIO_STEPS: u32 = 16;
/// Steps of a golden section search: each shortens the interval by a factor of 1.6.
const GOLDEN_STEPS: u32 = 20;
/// Steps of a bisection for an end of the interval.
const BISECTION_STEPS: u32 = 24;
/// Growth that is as likely as this by chance alone is not told.
const SIGNIFICANT: f64 = 0.05;
/// Points that lie off the curve as far as this by chance are no reason to doubt the curve.
const OFF_THE_CURVE: f64 = 0.01;

/// A latency at a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The value, at least 0.
    pub at: f64,
    /// Logarithm of the latency: the mean over its units.
    pub log: f64,
    /// Standard error of that mean; `None` where there are no units.
    pub error: Option<f64>,
    /// Units; 1 where there are none.
    pub units: u32,
}

/// The curve through observations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// The part that does not grow, in the latency's unit.
    pub a: f64,
    /// Factor and exponent of the part that grows; `None` where nothing grows beyond noise.
    pub grows: Option<Growing>,
    /// Whether points lie further off the curve than repetition explains.
    pub lacks_fit: bool,
}

/// The part of a curve that grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growing {
    /// The factor.
    pub b: f64,
    /// The exponent.
    pub k: f64,
    /// Lower end of its 95 % interval; `None` where the observations leave it open.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval; `None` where the observations leave it open.
    pub high: Option<f64>,
}

/// Fits the curve.
///
/// # Errors
/// Why there is none: too few values, or nothing to estimate a variance from.
pub fn curve(observations: &[Observation]) -> Result<Curve, String> {
    let problem = Problem::of(observations)?;
    let best = problem.best();
    let (variance, freedom, lacks_fit) = problem.variance(best.squares);
    let (mean, alone) = problem.without_growth();
    let gain = (alone - best.squares) / 2.0 / variance.max(f64::MIN_POSITIVE);
    if variance > 0.0 && chance(gain, 2, freedom) > SIGNIFICANT || alone <= f64::EPSILON {
        return Ok(Curve { a: mean.exp(), grows: None, lacks_fit });
    }
    let reach = best.squares + variance * t_quantile(0.975, freedom).powi(2);
    let b = (best.level.exp()) / problem.scale.powf(best.k);
    let grows = Growing {
        b,
        k: best.k,
        low: problem.end(best.k, EXPONENTS.0, reach),
        high: problem.end(best.k, EXPONENTS.1, reach),
    };
    Ok(Curve { a: best.level.exp() * best.ratio, grows: Some(grows), lacks_fit })
}

impl Curve {
    /// Its height at a value.
    pub fn height(&self, at: f64) -> f64 {
        self.a + self.grows.map_or(0.0, |grows| grows.b * at.powf(grows.k))
    }
}

/// Probability that a quotient of variances is as large by chance.
fn chance(quotient: f64, above: usize, below: usize) -> f64 {
    if !quotient.is_finite() {
        return 0.0;
    }
    FisherSnedecor::new(above as f64, below as f64).map_or(1.0, |f| f.sf(quotient.max(0.0)))
}

/// The observations, with n around 1.
struct Problem {
    /// What n is divided by.
    scale: f64,
    n: Vec<f64>,
    log: Vec<f64>,
    weights: Vec<f64>,
    /// Sum of squares of what repeats within points, and its degrees of freedom.
    repeated: (f64, usize),
}

/// The best curve of some exponent.
#[derive(Debug, Clone, Copy)]
struct Best {
    k: f64,
    /// a ÷ b, for n around 1.
    ratio: f64,
    /// Logarithm of b, for n around 1.
    level: f64,
    squares: f64,
}

impl Problem {
    fn of(observations: &[Observation]) -> Result<Self, String> {
        let fit = |one: &&Observation| one.at.is_finite() && one.at >= 0.0 && one.log.is_finite();
        let observations: Vec<&Observation> = observations.iter().filter(fit).collect();
        let mut values: Vec<f64> = observations.iter().map(|one| one.at).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() < LEAST_VALUES {
            return Err(format!("a curve needs {LEAST_VALUES} values with a latency; there are {}", values.len()));
        }
        let positive: Vec<f64> = values.iter().copied().filter(|value| *value > 0.0).collect();
        let scale = (positive.iter().map(|value| value.ln()).sum::<f64>() / positive.len().max(1) as f64).exp();
        let mut repeated = (0.0, 0);
        for one in &observations {
            if let Some(error) = one.error.filter(|error| error.is_finite() && one.units > 1) {
                let units = f64::from(one.units);
                repeated.0 += units * (units - 1.0) * error * error;
                repeated.1 += one.units as usize - 1;
            }
        }
        if observations.len() - (LEAST_VALUES - 1) + repeated.1 < LEAST_FREEDOM {
            return Err("too few values, and no intervals, to tell how sure a curve would be".to_owned());
        }
        let weight = |one: &&Observation| f64::from(one.units.max(1));
        Ok(Self {
            scale,
            n: observations.iter().map(|one| one.at / scale).collect(),
            log: observations.iter().map(|one| one.log).collect(),
            weights: observations.iter().map(weight).collect(),
            repeated,
        })
    }

    /// Mean log and sum of squares where nothing grows.
    fn without_growth(&self) -> (f64, f64) {
        self.around(&vec![0.0; self.log.len()])
    }

    /// The mean of what is left of the logs beside this shape, and the sum of squares around it.
    fn around(&self, shape: &[f64]) -> (f64, f64) {
        let (mut sum, mut weights) = (0.0, 0.0);
        for ((log, shape), weight) in self.log.iter().zip(shape).zip(&self.weights) {
            sum += weight * (log - shape);
            weights += weight;
        }
        let mean = sum / weights;
        let rest = self.log.iter().zip(shape).zip(&self.weights);
        (mean, rest.map(|((log, shape), weight)| weight * (log - shape - mean).powi(2)).sum())
    }

    /// Residual variance, its degrees of freedom, and whether points lie further off the curve than repetition explains.
    fn variance(&self, squares: f64) -> (f64, usize, bool) {
        let off = self.log.len().saturating_sub(LEAST_VALUES - 1);
        let (repeated, of_repeated) = self.repeated;
        if off > 0 && of_repeated > 0 && repeated > 0.0 {
            let quotient = (squares / off as f64) / (repeated / of_repeated as f64);
            if chance(quotient, off, of_repeated) < OFF_THE_CURVE {
                return (squares / off as f64, off, true);
            }
        }
        let freedom = off + of_repeated;
        ((squares + repeated) / freedom as f64, freedom, false)
    }

    /// The best of all curves.
    fn best(&self) -> Best {
        let (low, high) = (EXPONENTS.0.ln(), EXPONENTS.1.ln());
        let k = lowest(low, high, EXPONENT_STEPS, |k| self.of_exponent(k.exp()).squares);
        self.of_exponent(k.exp())
    }

    /// The best curve of this exponent.
    fn of_exponent(&self, k: f64) -> Best {
        let powers: Vec<f64> = self.n.iter().map(|n| n.powf(k)).collect();
        let of_ratio = |ratio: f64| {
            let shape: Vec<f64> = powers.iter().map(|power| (ratio + power).max(f64::MIN_POSITIVE).ln()).collect();
            let (level, squares) = self.around(&shape);
            Best { k, ratio, level, squares }
        };
        let inside = of_ratio(lowest(RATIOS.0, RATIOS.1, RATIO_STEPS, |log| of_ratio(log.exp()).squares).exp());
        let none = of_ratio(0.0);
        if none.squares <= inside.squares { none } else { inside }
    }

    /// The end of the interval of the exponent in the direction of `limit`; `None` where it lies beyond.
    fn end(&self, best: f64, limit: f64, reach: f64) -> Option<f64> {
        if self.of_exponent(limit).squares <= reach {
            return None;
        }
        let (mut inside, mut outside) = (best.ln(), limit.ln());
        for _ in 0..BISECTION_STEPS {
            let middle = f64::midpoint(inside, outside);
            if self.of_exponent(middle.exp()).squares <= reach { inside = middle } else { outside = middle }
        }
        Some(inside.exp())
    }
}

/// Where a function of one variable is lowest: the best of evenly spread places, then golden sections around it.
fn lowest(low: f64, high: f64, steps: u32, function: impl Fn(f64) -> f64) -> f64 {
    let place = |step: u32| low + (high - low) * f64::from(step) / f64::from(steps);
    let tried: Vec<f64> = (0..=steps).map(|step| function(place(step))).collect();
    let best = (0_u32..).zip(&tried).min_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0, |(step, _)| step);
    let (mut left, mut right) = (place(best.saturating_sub(1)), place((best + 1).min(steps)));
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut inner_left, mut inner_right) = (right - golden * (right - left), left + golden * (right - left));
    let (mut at_left, mut at_right) = (function(inner_left), function(inner_right));
    for _ in 0..GOLDEN_STEPS {
        if at_left <= at_right {
            (right, inner_right, at_right) = (inner_right, inner_left, at_left);
            inner_left = right - golden * (right - left);
            at_left = function(inner_left);
        } else {
            (left, inner_left, at_left) = (inner_left, inner_right, at_right);
            inner_right = left + golden * (right - left);
            at_right = function(inner_right);
        }
    }
    let middle = f64::midpoint(left, right);
    if tried.iter().copied().fold(f64::INFINITY, f64::min) <= function(middle) { place(best) } else { middle }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(values: &[f64], cost: impl Fn(f64) -> f64) -> Vec<Observation> {
        let one = |at: &f64| Observation { at: *at, log: cost(*at).ln(), error: Some(0.01), units: 6 };
        values.iter().map(one).collect()
    }

    fn close(left: f64, right: f64, tolerance: f64) {
        assert!((left / right - 1.0).abs() <= tolerance, "{left} is not {right}");
    }

    #[test]
    fn points_on_a_curve_give_the_curve_back() {
        for (a, b, k) in [(500.0, 2.0, 1.0), (200.0, 0.5, 1.5), (1.0, 30.0, 0.5), (0.0, 7.0, 1.0)] {
            let found =
                curve(&exact(&[1.0, 10.0, 100.0, 1_000.0, 10_000.0], |n| a + b * n.powf(k))).expect("five values");
            let grows = found.grows.expect("it grows");
            close(grows.k, k, 0.01);
            close(grows.b, b, 0.05);
            assert!((found.a - a).abs() <= 0.05 * a.max(b), "{} is not {a}", found.a);
            let (low, high) = (grows.low.expect("it is told"), grows.high.expect("it is told"));
            assert!(low < k && k < high && !found.lacks_fit, "{low} to {high}");
        }
    }

    #[test]
    fn what_does_not_grow_beyond_noise_is_flat() {
        let noise = [0.01, -0.008, 0.004, -0.01, 0.006];
        let observations: Vec<Observation> = (1..=5)
            .zip(noise)
            .map(|(decade, noise)| Observation {
                at: 10_f64.powi(decade),
                log: 800_f64.ln() + noise,
                error: Some(0.01),
                units: 6,
            })
            .collect();
        let found = curve(&observations).expect("five values");
        assert_eq!(found.grows, None);
        close(found.a, 800.0, 0.01);
        close(found.height(5_000.0), 800.0, 0.01);
    }

    #[test]
    fn a_value_of_zero_costs_the_part_that_does_not_grow() {
        let found = curve(&exact(&[0.0, 1.0, 2.0, 4.0, 8.0, 16.0], |n| 300.0 + 40.0 * n)).expect("six values");
        close(found.a, 300.0, 0.01);
        close(found.grows.expect("it grows").k, 1.0, 0.01);
        close(found.height(0.0), 300.0, 0.01);
    }

    #[test]
    fn points_off_the_curve_are_told_and_widen_its_interval() {
        let on = exact(&[1.0, 10.0, 100.0, 1_000.0, 10_000.0], |n| 100.0 + n);
        let mut off = on.clone();
        off[2].log += 0.8;
        let width = |found: Curve| found.grows.map(|grows| grows.high.unwrap_or(5.0) - grows.low.unwrap_or(0.0));
        let (on, off) = (curve(&on).expect("five values"), curve(&off).expect("five values"));
        assert!(!on.lacks_fit && off.lacks_fit);
        assert!(width(off).is_none_or(|off| off > width(on).expect("it grows")));
    }

    #[test]
    fn too_little_to_go_by_is_said() {
        let three = curve(&exact(&[1.0, 10.0, 100.0], |n| n)).expect_err("three values");
        assert!(three.contains("needs 4 values") && three.contains("there are 3"), "{three}");
        let bare: Vec<Observation> = exact(&[1.0, 10.0, 100.0, 1_000.0], |n| n)
            .into_iter()
            .map(|one| Observation { error: None, units: 1, ..one })
            .collect();
        assert!(curve(&bare).expect_err("nothing repeats").contains("how sure"));
        assert!(curve(&[]).is_err());
    }
}
