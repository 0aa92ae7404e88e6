//! One metric of one operation, naive against another model: figures, ratio, and what its interval is made of.

use std::collections::BTreeMap;

use super::paired::Paired;
use super::series::{Inference, restarts};
use super::settle::Repeat;
use crate::record::{ChecksRecord, SideRecord, SpeedupRecord, UnitRatio};
use crate::units::Ratio;
use crate::words::{Metric, Verdict};

/// A comparison before it is judged.
#[derive(Debug, Clone, Default)]
pub(super) struct Estimate {
    /// Naive's figure over the rounds used.
    pub(super) naive: Option<f64>,
    /// The other model's.
    pub(super) model: Option<f64>,
    /// The ratio, above 1 where the other model is better.
    pub(super) speedup: Option<f64>,
    /// What the interval is made of.
    pub(super) paired: Option<Paired>,
    /// The ratio of each unit.
    pub(super) units: Vec<UnitRatio>,
    /// The same by other methods.
    pub(super) checks: Option<ChecksRecord>,
    /// The verdict, once judged.
    pub(super) verdict: Option<Verdict>,
    /// Why there is no figure, no interval or no clear verdict.
    pub(super) reason: Option<String>,
}

/// The estimates of an operation.
pub(super) type Estimates = BTreeMap<Metric, Estimate>;

impl Estimate {
    /// Takes the ratio and its interval from units.
    pub(super) fn set_units(&mut self, inference: Inference) {
        self.speedup = Some(inference.paired.mean.exp());
        self.paired = Some(inference.paired);
        self.units = inference.units;
        self.checks = Some(inference.checks);
    }

    /// What would have to be repeated for a shorter interval.
    pub(super) fn repeat(&self) -> Repeat {
        if restarts(&self.units) > 1 {
            return Repeat::Restarts;
        }
        Repeat::Rounds { per_unit: self.units.iter().map(|unit| unit.rounds.len()).max().unwrap_or(1) }
    }

    /// Says something more.
    pub(super) fn add_reason(&mut self, more: &str) {
        let said = self.reason.take().map(|reason| format!("{reason}; ")).unwrap_or_default();
        self.reason = Some(format!("{said}{more}"));
    }

    /// As it stands in a record.
    pub(super) fn record(&self) -> SpeedupRecord {
        let interval = self.paired.map(|paired| paired.interval(0.95));
        SpeedupRecord {
            speedup: self.speedup.and_then(ratio),
            low: interval.and_then(|(low, _)| ratio(low.exp())),
            high: interval.and_then(|(_, high)| ratio(high.exp())),
            verdict: self.verdict,
            reason: self.reason.clone(),
            units: self.units.clone(),
            checks: self.checks.clone(),
        }
    }

    /// As it stands beside the headline.
    pub(super) fn side(&self) -> SideRecord {
        SideRecord { naive: self.naive, pattern: self.model, speedup: self.record() }
    }
}

/// A ratio fit for a record: finite and positive.
pub(super) fn ratio(value: f64) -> Option<Ratio> {
    (value.is_finite() && value > 0.0).then(|| Ratio::new(value))
}

/// A quotient fit for a record.
pub(super) fn quotient(above: f64, below: f64) -> Option<f64> {
    let value = above / below;
    (value.is_finite() && value > 0.0).then_some(value)
}

/// `1 round`, `10 rounds`.
pub(super) fn rounds_in_words(rounds: usize) -> String {
    if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") }
}
