//! What became of the claims.

use super::notes::Notes;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::record::{ClaimRecord, ScenarioRecord};
use crate::report::format;
use crate::words::ClaimOutcome;

const COLUMNS: [Column; 6] = [
    Column::left("claim", "The operation and metric that it speaks of", 9),
    Column::left("wanted", "The ratio that is claimed: above 1 the pattern is better", 9),
    Column::left("measured", "The ratio measured, with its 95 % interval", 9),
    Column::left("at light load", "The ratio at light load: a claim on a latency must hold there as well", 4),
    Column::left("outcome", "What became of the claim", 9),
    Column::left("source", "Who says so", 9),
];

/// The place of the column on light load.
const LIGHT_LOAD: usize = 3;

/// The claims, or `None` where the scenario makes none.
pub(super) fn claims(scenario: &ScenarioRecord, notes: &mut Notes) -> Option<Table> {
    if scenario.claims.is_empty() {
        return None;
    }
    let rows = scenario.claims.iter().map(|claim| Row { cells: cells(claim, notes), opens_group: false }).collect();
    let mut caption = "Claims of the scenario's sources against what was measured; the ratio is naive ÷ pattern, for \
                       throughput pattern ÷ naive."
        .to_owned();
    let mut table = Table { caption: String::new(), columns: COLUMNS.to_vec(), rows };
    if scenario.claims.iter().any(|claim| claim.light_load.is_some()) {
        caption.push_str(" A claim on a latency is confirmed only where both loads confirm it.");
    } else {
        table.without_column(LIGHT_LOAD);
    }
    Some(Table { caption, ..table })
}

fn cells(claim: &ClaimRecord, notes: &mut Notes) -> Vec<Cell> {
    let at: Vec<String> = claim.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let wanted = if at.is_empty() { claim.wanted.clone() } else { format!("{} at {}", claim.wanted, at.join(", ")) };
    vec![
        Cell::new(format!("{} {}", claim.operation, claim.metric)),
        Cell::new(wanted),
        measured(claim, notes),
        light_load(claim),
        outcome(claim, notes),
        Cell::new(claim.source.clone()),
    ]
}

fn measured(claim: &ClaimRecord, notes: &mut Notes) -> Cell {
    match (claim.measured, claim.low.zip(claim.high)) {
        (Some(ratio), Some((low, high))) => Cell::new(format::ratio_with_interval(ratio, low, high)),
        (Some(ratio), None) => Cell::new(format::ratio(ratio)),
        (None, _) => Cell::not_available(notes.note(claim.reason.as_deref().unwrap_or("not judged yet"))),
    }
}

/// Claims on other things than latencies know no light load.
fn light_load(claim: &ClaimRecord) -> Cell {
    let Some(light) = claim.light_load else { return Cell::empty() };
    match light.low.zip(light.high) {
        Some((low, high)) => Cell::new(format::ratio_with_interval(light.ratio, low, high)),
        None => Cell::new(format::ratio(light.ratio)),
    }
}

fn outcome(claim: &ClaimRecord, notes: &mut Notes) -> Cell {
    let (word, tone) = match claim.outcome {
        Some(ClaimOutcome::Confirmed) => ("confirmed", Tone::Good),
        Some(ClaimOutcome::Refuted) => ("refuted", Tone::Bad),
        Some(ClaimOutcome::Inconclusive) => ("inconclusive", Tone::Open),
        Some(ClaimOutcome::NotTestedHere) => ("not tested here", Tone::Quiet),
        None => ("not judged yet", Tone::Quiet),
    };
    let cell = Cell::new(word).toned(tone);
    match &claim.reason {
        Some(reason) => cell.marked(notes.note(reason)),
        None => cell,
    }
}
