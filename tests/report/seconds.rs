//! Windows with what a run records of each second.

use patternbench::record::{IntervalRecord, ScenarioRecord};
use patternbench::units::{Micros, Seconds};
use patternbench::words::Phase;

/// Length of every measured window.
pub(crate) const WINDOW: f64 = 3.4;
/// Operations of a kind in a whole second.
pub(crate) const IN_A_SECOND: u64 = 500;

/// Adds the seconds of each measured window: `IN_A_SECOND` operations of each kind, in the last part of a second so many
/// fewer; their p95 is 1 ms in the first second and longer by half in each further one, twice that in the pattern.
pub(crate) fn by_second(scenario: &mut ScenarioRecord) {
    for window in scenario.rounds.iter_mut().filter(|window| window.phase == Phase::Measured) {
        window.seconds = Seconds::new(WINDOW);
        let factor = if window.model == "naive" { 1.0 } else { 2.0 };
        let names: Vec<String> = window.operations.keys().cloned().collect();
        window.intervals = (0..4_u32)
            .flat_map(|second| names.iter().map(move |name| (second, name.clone())))
            .map(|(second, operation)| {
                let part = (WINDOW - f64::from(second)).min(1.0);
                let p95 = 1_000.0 * factor * (1.0 + 0.5 * f64::from(second));
                IntervalRecord {
                    second,
                    operation,
                    count: (IN_A_SECOND as f64 * part).round() as u64,
                    p50: Micros::new(p95 / 2.0),
                    p95: Micros::new(p95),
                    max: Micros::new(p95 * 3.0),
                }
            })
            .collect();
    }
}
