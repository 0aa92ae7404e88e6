//! Throughput of the whole mix under closed load: pattern ÷ naive, so that above 1 the pattern is better.

use std::ops::Range;

use super::estimate::{Estimate, quotient, rounds_in_words};
use super::metric::MIN_UNITS;
use super::series::{Figures, Series, infer};
use super::units::{Joinable, join};
use super::windows::WindowPair;
use crate::record::{RoundRecord, ScenarioRecord};
use crate::words::Mode;

/// Compares the throughput of two models.
///
/// Closed load: the rounds' achieved rates, paired. Open load offers every model the same rate, so there the closed
/// calibration is compared, which is one figure per model and has no interval.
pub(super) fn compare(scenario: &ScenarioRecord, pairs: &[WindowPair<'_>], naive: &str, model: &str) -> Estimate {
    match scenario.plan.mode {
        Mode::Closed => of_rounds(pairs),
        Mode::Open => of_calibration(scenario, naive, model),
    }
}

fn of_rounds(pairs: &[WindowPair<'_>]) -> Estimate {
    let mut estimate = Estimate {
        naive: rate(pairs.iter().map(|pair| pair.naive)),
        model: rate(pairs.iter().map(|pair| pair.model)),
        ..Estimate::default()
    };
    estimate.speedup = estimate.naive.zip(estimate.model).and_then(|(naive, model)| quotient(model, naive));
    if estimate.speedup.is_none() {
        estimate.reason = Some("no round has a rate in both models".to_owned());
        return estimate;
    }
    let series = Rates { pairs };
    match join(&series.joinable(), 1).and_then(|units| infer(&series, units)) {
        Some(inference) => estimate.set_units(inference),
        None => {
            let rounds = rounds_in_words(pairs.len());
            estimate.reason = Some(format!("{rounds} in the comparison; an interval needs {MIN_UNITS}"));
        }
    }
    estimate
}

/// Rates of paired rounds.
struct Rates<'a> {
    pairs: &'a [WindowPair<'a>],
}

impl Rates<'_> {
    fn figures<'w>(pairs: impl Iterator<Item = &'w WindowPair<'w>> + Clone) -> Option<Figures> {
        let naive = rate(pairs.clone().map(|pair| pair.naive))?;
        Some(Figures { naive, model: rate(pairs.map(|pair| pair.model))? })
    }
}

impl Series for Rates<'_> {
    fn rounds(&self) -> Vec<u32> {
        self.pairs.iter().map(|pair| pair.naive.round).collect()
    }

    fn joinable(&self) -> Vec<Joinable> {
        self.pairs.iter().map(|pair| Joinable { restart: pair.naive.restart, operations: 1 }).collect()
    }

    fn over(&self, rounds: Range<usize>) -> Option<Figures> {
        Self::figures(self.pairs[rounds].iter())
    }

    fn without(&self, rounds: Range<usize>) -> Option<Figures> {
        Self::figures(self.pairs[..rounds.start].iter().chain(&self.pairs[rounds.end..]))
    }

    fn ratio(&self, figures: Figures) -> Option<f64> {
        quotient(figures.model, figures.naive)
    }
}

/// A model's rate over windows: operations ÷ seconds.
pub(super) fn rate<'a>(windows: impl Iterator<Item = &'a RoundRecord>) -> Option<f64> {
    let (operations, seconds) = windows.fold((0.0, 0.0), |(operations, seconds), window| {
        let length = window.seconds.get();
        (operations + window.achieved_rate.get() * length, seconds + length)
    });
    quotient(operations, seconds)
}

fn of_calibration(scenario: &ScenarioRecord, naive: &str, model: &str) -> Estimate {
    let capacity =
        |model: &str| scenario.calibration.get(model).and_then(|calibration| quotient(calibration.capacity.get(), 1.0));
    let (naive, model) = (capacity(naive), capacity(model));
    let speedup = naive.zip(model).and_then(|(naive, model)| quotient(model, naive));
    let reason = if speedup.is_some() {
        "open load offers every model the same rate; compared is one closed calibration each, which has no interval"
    } else {
        "open load offers every model the same rate, and there is no closed calibration of both models"
    };
    Estimate { naive, model, speedup, reason: Some(reason.to_owned()), ..Estimate::default() }
}
