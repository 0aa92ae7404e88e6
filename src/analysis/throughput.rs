//! Throughput of the whole mix under closed load: pattern ÷ naive, so that above 1 the pattern is better.

use super::estimate::{Estimate, quotient, rounds_in_words};
use super::metric::MIN_UNITS;
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
    let ratios: Option<Vec<_>> = pairs
        .iter()
        .map(|pair| {
            let ratio = quotient(pair.model.achieved_rate.get(), pair.naive.achieved_rate.get())?;
            Some((vec![pair.naive.round], ratio))
        })
        .collect();
    match ratios {
        Some(ratios) if ratios.len() >= MIN_UNITS => estimate.set_units(ratios),
        _ => {
            let rounds = rounds_in_words(pairs.len());
            estimate.reason = Some(format!("{rounds} in the comparison; an interval needs {MIN_UNITS}"));
        }
    }
    estimate
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
