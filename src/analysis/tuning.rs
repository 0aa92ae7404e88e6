//! How much of the pattern's speed-up query and index alone would bring.

use super::cast::Cast;
use super::limited::engine_limited;
use crate::record::{AnalysisRecord, ComparisonRecord, ScenarioRecord};
use crate::units::Share;
use crate::words::Verdict;

/// The model that has naive's layout with the best query and index.
const TUNED: &str = "tuned";

/// Fills in `tuning_share` where a model `tuned` was compared, no row it needs is engine-limited, and the pattern is
/// clearly faster: ln(naive ÷ tuned) ÷ ln(naive ÷ pattern), kept within 0 and 1.
pub(super) fn share(scenario: &ScenarioRecord, analysis: &mut AnalysisRecord) {
    let cast = Cast::of(&scenario.models);
    let tuned = cast.others.iter().copied().find(|model| model.name == TUNED);
    let (Some(naive), Some(pattern), Some(tuned)) = (cast.naive, cast.pattern, tuned) else { return };
    for (operation, metrics) in &mut analysis.operations {
        if [naive, pattern, tuned].into_iter().any(|model| engine_limited(scenario, model, operation).is_some()) {
            continue;
        }
        for comparison in metrics.values_mut() {
            comparison.tuning_share = of(comparison);
        }
    }
}

fn of(comparison: &ComparisonRecord) -> Option<Share> {
    if comparison.speedup.verdict != Some(Verdict::Faster) {
        return None;
    }
    let tuned = comparison.others.get(TUNED)?.speedup.speedup?.get();
    let pattern = comparison.speedup.speedup?.get();
    let share = tuned.ln() / pattern.ln();
    share.is_finite().then(|| Share::new(share.clamp(0.0, 1.0)))
}
