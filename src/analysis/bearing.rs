//! How a model bore the rate that was offered.

use crate::record::ScenarioRecord;
use crate::words::{Bottleneck, Mode, Phase, RoundOutcome};

/// How a model bore the rate offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// It kept up, or no rate was offered.
    Holds,
    /// The server could not keep up.
    Saturated,
    /// The load generator did not offer the rate.
    Generator,
}

/// How a model bore the load; the analysis says what the limit was, a saturated window that it was one.
pub fn bearing(scenario: &ScenarioRecord, model: &str) -> Bearing {
    if scenario.plan.mode != Mode::Open {
        return Bearing::Holds;
    }
    let mut measured = scenario.rounds.iter().filter(|window| window.phase == Phase::Measured && window.model == model);
    match scenario.analysis.load.get(model).and_then(|load| load.bottleneck) {
        Some(Bottleneck::Server) => Bearing::Saturated,
        Some(Bottleneck::Generator) => Bearing::Generator,
        None if measured.any(|window| window.outcome == RoundOutcome::Saturated) => Bearing::Saturated,
        None => Bearing::Holds,
    }
}
