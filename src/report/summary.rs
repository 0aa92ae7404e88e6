//! A line per scenario, for `--quiet` and many scenarios at once.

use super::style::Style;
use super::text::{ascii, clean};
use super::view::{RunView, ScenarioView, Tone};
use crate::record::RunRecord;
use crate::words::{ClaimOutcome, Product};

/// One line per scenario and workload: what the pattern does to its operations, and what became of its claims.
///
/// Engine-limited operations are counted apart; a run that is incomplete, or was not measured on mongod, says so in
/// every line. Colours are not used.
pub fn summary(record: &RunRecord, style: &Style) -> String {
    let view = RunView::of(record);
    let mut out = String::new();
    for scenario in &view.scenarios {
        let line = clean(&line(record, scenario));
        out.push_str(&if style.unicode { line } else { ascii(&line) });
        out.push('\n');
    }
    out
}

fn line(record: &RunRecord, view: &ScenarioView<'_>) -> String {
    let mut parts = vec![format!("{}: {}", view.heading, view.answer)];
    parts.extend(view.facts.iter().filter(|(_, tone)| *tone == Tone::Warning).map(|(said, _)| said.clone()));
    parts.extend(claims(view));
    if !view.record.complete {
        parts.push("INCOMPLETE".to_owned());
    }
    match record.server.product {
        Product::Mongod | Product::Mongos => {}
        Product::Simulated => parts.push("SIMULATED".to_owned()),
        Product::Secantusd | Product::Other => parts.push("not mongod's figures".to_owned()),
    }
    parts.join(" · ")
}

fn claims(view: &ScenarioView<'_>) -> Option<String> {
    let claims = &view.record.claims;
    let number = |wanted| claims.iter().filter(|claim| claim.outcome == Some(wanted)).count();
    let said: Vec<_> = [
        (ClaimOutcome::Confirmed, "confirmed"),
        (ClaimOutcome::Refuted, "refuted"),
        (ClaimOutcome::Inconclusive, "inconclusive"),
        (ClaimOutcome::NotTestedHere, "not tested here"),
    ]
    .into_iter()
    .filter(|(outcome, _)| number(*outcome) > 0)
    .map(|(outcome, word)| format!("{} {word}", number(outcome)))
    .collect();
    (!said.is_empty()).then(|| format!("claims: {}", said.join(", ")))
}
