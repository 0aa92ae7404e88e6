//! Which rate to offer next, from the windows so far.

use super::edge::{AROUND, capacity};
use crate::record::ProbeRecord;
use crate::units::Rate;
use crate::words::{CapacityFound, ProbeOutcome};

/// The first rate, as a part of the closed capacity: light load, to which the knee is compared.
const FIRST: f64 = 0.25;
/// From one rate to the next while all of them hold.
const RISE: f64 = 1.4;
/// From one rate to the next while none of them holds.
const FALL: f64 = 2.0;
/// The bracket is halved until its ends are no further apart.
const BRACKET: f64 = 1.05;
/// Steps up and down around the edge.
const STAIR: f64 = 1.05;
/// Windows around the edge before the interval may end the search.
const LEAST_AROUND: usize = 12;
/// Windows above what held in which the load generator must have been the limit, before that ends the search.
const LEAST_LIMITED: usize = 3;
/// Ends of the interval that are no further apart are good enough.
const PRECISE: f64 = 1.12;

/// What bounds a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchLimits {
    /// The model's closed capacity.
    pub calibrated: Rate,
    /// The lowest rate that is offered: below it a window would take too long.
    pub floor: Rate,
    /// The highest rate that is offered.
    pub ceiling: Rate,
    /// Windows that are spent at most.
    pub windows: u32,
}

/// The rate that a model is offered next; `None` where its search has ended.
///
/// Rates rise by steps until one is missed (or fall until one holds); then the bracket is halved on the log scale; then rates
/// go up and down around the edge, a step up after a window that held and down after one that missed, until the interval of
/// the edge is short enough or the windows are spent.
pub fn next_rate(probes: &[ProbeRecord], limits: &SearchLimits) -> Option<Rate> {
    let (floor, ceiling) = (limits.floor.get(), limits.ceiling.get());
    let within = |rate: f64| Rate::new(rate.clamp(floor, ceiling.max(floor)));
    let Some(last) = probes.last() else { return Some(within(FIRST * limits.calibrated.get())) };
    let spent = u32::try_from(probes.len()).unwrap_or(u32::MAX) >= limits.windows;
    if spent || probes.iter().any(|probe| probe.outcome == ProbeOutcome::Ended) {
        return None;
    }
    let rates = |held: bool| {
        let such = probes.iter().filter(move |probe| (probe.outcome == ProbeOutcome::Held) == held);
        such.map(|probe| probe.rate.get())
    };
    match (rates(true).reduce(f64::max), rates(false).reduce(f64::min)) {
        (Some(highest), None) => (highest < ceiling).then(|| within(highest * RISE)),
        (None, Some(lowest)) => (lowest > floor).then(|| within(lowest / FALL)),
        (Some(_), Some(missed)) => {
            let below = rates(true).filter(|held| *held < missed).reduce(f64::max);
            match below {
                // No window contradicts another so far.
                Some(held) if missed / held > BRACKET && rates(true).all(|held| held < missed) => {
                    Some(within((held * missed).sqrt()))
                }
                _ => around(probes, last).map(within),
            }
        }
        (None, None) => None,
    }
}

/// The next step up or down around the edge, unless enough is known of it.
fn around(probes: &[ProbeRecord], last: &ProbeRecord) -> Option<f64> {
    let answer = capacity(probes);
    let edge = answer.as_ref().and_then(|answer| answer.rate);
    if let Some((answer, edge)) = answer.as_ref().zip(edge) {
        let near = |probe: &&ProbeRecord| (probe.rate.get() / edge.get()).ln().abs() <= AROUND.ln();
        let precise = answer.low.zip(answer.high).is_some_and(|(low, high)| high.get() / low.get() <= PRECISE);
        // Where the load generator is the limit there is no more to be known. A single window may be a machine's bad moment.
        let is_beyond = |probe: &&ProbeRecord| probe.outcome == ProbeOutcome::Generator && probe.rate > edge;
        let limited = probes.iter().filter(is_beyond).count() >= LEAST_LIMITED;
        let known = precise || answer.found == CapacityFound::AtLeast && limited;
        if known && probes.iter().filter(near).count() >= LEAST_AROUND {
            return None;
        }
    }
    // From wherever the bracket ended, the edge is near.
    let rate = match edge {
        Some(edge) if (last.rate.get() / edge.get()).ln().abs() > AROUND.ln() => edge.get(),
        _ => last.rate.get(),
    };
    Some(if last.outcome == ProbeOutcome::Held { rate * STAIR } else { rate / STAIR })
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
