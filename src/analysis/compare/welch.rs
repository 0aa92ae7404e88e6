//! The difference of two sides' mean logarithms, with what its interval is made of.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::super::paired::Paired;
use crate::words::Repetition;

/// Runs, or restarts, from which on they tell how much they vary.
pub(super) const ENOUGH: usize = 3;

/// Degrees of freedom from which on Student's t is normal to all digits that matter.
const NORMAL_FROM: f64 = 1e6;

/// What one run says of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// The logarithm of the figure.
    pub(super) log: f64,
    /// The units that it is the mean of: rounds, or restarts where there are several; `None` where it has no interval.
    pub(super) within: Option<Paired>,
    /// Fresh loads of the data in the run.
    pub(super) restarts: usize,
}

/// A difference of means: new less base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    pub(super) mean: f64,
    /// Its standard error.
    pub(super) error: f64,
    /// Degrees of freedom, by Welch and Satterthwaite; infinite where nothing is estimated.
    pub(super) freedom: f64,
    /// What it is estimated from.
    pub(super) repetition: Repetition,
    /// Standard deviation from run to run, where runs tell.
    pub(super) run_to_run: Option<f64>,
}

/// A part of a variance with the degrees of freedom of its estimate.
type Part = (f64, f64);

/// The mean of the sides' logarithms, new less base; `None` without a figure on each side.
pub(super) fn change(base: &[Sample], new: &[Sample]) -> Option<f64> {
    let difference = mean(new)? - mean(base)?;
    difference.is_finite().then_some(difference)
}

/// The mean logarithm of a side.
pub(super) fn mean(side: &[Sample]) -> Option<f64> {
    let mean = side.iter().map(|sample| sample.log).sum::<f64>() / side.len() as f64;
    mean.is_finite().then_some(mean)
}

/// The difference with its error; `None` where nothing tells how large that is.
///
/// `run_to_run` is the standard deviation that each run is credited with where runs do not tell.
pub(super) fn difference(base: &[Sample], new: &[Sample], run_to_run: f64) -> Option<Difference> {
    let mean = change(base, new)?;
    let (repetition, parts, told) = match (base, new) {
        _ if base.len().max(new.len()) >= ENOUGH => {
            let (parts, deviation) = between_runs(base, new)?;
            (Repetition::Runs, parts, Some(deviation))
        }
        ([base], [new]) if base.restarts.min(new.restarts) >= ENOUGH => {
            (Repetition::Restarts, vec![own(base)?, own(new)?], None)
        }
        _ => {
            let mut parts = within_runs(base)?;
            parts.extend(within_runs(new)?);
            let each = run_to_run * run_to_run;
            parts.push((each / base.len() as f64 + each / new.len() as f64, f64::INFINITY));
            (Repetition::Rounds, parts, None)
        }
    };
    let (error, freedom) = combined(&parts)?;
    Some(Difference { mean, error, freedom, repetition, run_to_run: told })
}

/// The variance of a run's mean over its units.
fn own(sample: &Sample) -> Option<Part> {
    let units = sample.within?;
    Some((units.error().powi(2), units.units as f64 - 1.0))
}

/// The variances of the mean of a side's runs, from their units alone.
fn within_runs(side: &[Sample]) -> Option<Vec<Part>> {
    let runs = side.len() as f64;
    side.iter().map(|sample| own(sample).map(|(variance, freedom)| (variance / (runs * runs), freedom))).collect()
}

/// The variances of both means from how the runs spread, and that spread.
///
/// Where one side has too few runs to tell its own, both are taken to spread alike; a run whose own rounds say that it is
/// less sure than that counts as they say.
fn between_runs(base: &[Sample], new: &[Sample]) -> Option<(Vec<Part>, f64)> {
    let spreads = [squares(base)?, squares(new)?];
    let freedom: f64 = spreads.iter().map(|(_, freedom)| freedom).sum();
    let pooled = spreads.iter().map(|(squares, _)| squares).sum::<f64>() / freedom;
    let sides = [base, new];
    let parts = if sides.iter().all(|side| side.len() >= ENOUGH) {
        let of_side =
            |(side, (squares, freedom)): (&&[Sample], &(f64, f64))| (squares / freedom / side.len() as f64, *freedom);
        sides.iter().zip(&spreads).map(of_side).collect()
    } else {
        let shared: f64 = sides.iter().map(|side| pooled / side.len() as f64).sum();
        let mut parts = vec![(shared, freedom)];
        for side in sides.into_iter().filter(|side| side.len() < ENOUGH) {
            let runs = side.len() as f64;
            let excess = side.iter().filter_map(own).filter(|(variance, _)| *variance > pooled);
            parts.extend(excess.map(|(variance, freedom)| ((variance - pooled) / (runs * runs), freedom)));
        }
        parts
    };
    Some((parts, pooled.sqrt()))
}

/// The sum of squares of a side's runs around their mean, and its degrees of freedom.
fn squares(side: &[Sample]) -> Option<(f64, f64)> {
    let mean = mean(side)?;
    Some((side.iter().map(|sample| (sample.log - mean).powi(2)).sum(), side.len() as f64 - 1.0))
}

/// Standard error and degrees of freedom of a sum of independent variances.
fn combined(parts: &[Part]) -> Option<(f64, f64)> {
    let variance: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let quartic: f64 = parts.iter().map(|(variance, freedom)| variance * variance / freedom).sum();
    let freedom = if quartic > 0.0 { variance * variance / quartic } else { f64::INFINITY };
    (variance.is_finite() && freedom >= 1.0).then(|| (variance.sqrt(), freedom))
}

impl Difference {
    /// The interval that covers with this probability.
    pub(super) fn interval(&self, confidence: f64) -> (f64, f64) {
        let reach = self.reach(0.5 + confidence / 2.0);
        (self.mean - reach, self.mean + reach)
    }

    /// How far from the mean the quantile of this probability lies.
    pub(super) fn reach(&self, probability: f64) -> f64 {
        if self.error <= 0.0 { 0.0 } else { self.error * self.quantile(probability) }
    }

    /// p of the hypothesis that the true |difference| is at most `bound`: at most 0.05 exactly where the 95 % interval lies
    /// beyond it, on either side.
    pub(super) fn p_within(&self, bound: f64) -> f64 {
        let excess = self.mean.abs() - bound;
        if excess <= 0.0 {
            return 1.0;
        }
        if self.error <= 0.0 {
            return 0.0;
        }
        (2.0 * self.tail(excess / self.error)).min(1.0)
    }

    fn quantile(&self, probability: f64) -> f64 {
        match self.students() {
            Some(students) => students.inverse_cdf(probability),
            None => normal().inverse_cdf(probability),
        }
    }

    fn tail(&self, t: f64) -> f64 {
        self.students().map_or_else(|| normal().sf(t), |students| students.sf(t))
    }

    fn students(&self) -> Option<StudentsT> {
        if self.freedom >= NORMAL_FROM { None } else { StudentsT::new(0.0, 1.0, self.freedom.max(1.0)).ok() }
    }
}

fn normal() -> Normal {
    Normal::new(0.0, 1.0).expect("scale one")
}
