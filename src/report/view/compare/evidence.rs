//! The table of what changed of the evidence.

use serde_json::Value;

use super::super::table::{Cell, Column, Row, Table, Tone};
use crate::record::{ComparedScenario, EvidenceChange};
use crate::report::format;
use crate::units::Bytes;

const COLUMNS: [Column; 6] = [
    Column::left("model", "How the data are laid out", 9),
    Column::left("operation", "What the application does; empty where it concerns the data", 9),
    Column::left("where", "The step, the collection, or the storage bill", 8),
    Column::left("what", "What changed", 9),
    Column::left("base", "How it was", 9),
    Column::left("new", "How it is", 9),
];

/// What changed, or `None` where nothing did.
pub(super) fn evidence(scenario: &ComparedScenario) -> Option<Table> {
    let mut rows: Vec<Row> = Vec::new();
    let mut before: Option<&EvidenceChange> = None;
    for change in &scenario.evidence {
        let opens_group = before.is_none_or(|before| before.model != change.model);
        before = Some(change);
        rows.push(Row { cells: cells(change, opens_group), opens_group });
    }
    let caption =
        "What changed of the evidence. These are facts, not estimates: plans and what they examine, requests, \
                   indexes and sizes."
            .to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: COLUMNS.to_vec(), rows })
}

fn cells(change: &EvidenceChange, first: bool) -> Vec<Cell> {
    let tone = match change.worse {
        Some(true) => Tone::Bad,
        Some(false) => Tone::Good,
        None => Tone::Plain,
    };
    vec![
        if first { Cell::new(change.model.clone()).toned(Tone::Strong) } else { Cell::empty() },
        Cell::new(change.operation.clone().unwrap_or_default()),
        Cell::new(change.place.clone()),
        Cell::new(change.what.replace('_', " ")),
        Cell::new(value(&change.what, &change.base)).toned(Tone::Quiet),
        Cell::new(value(&change.what, &change.new)).toned(tone),
    ]
}

/// A number with its unit, a text as it is.
fn value(what: &str, value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if what == "flag" => text.replace('_', " "),
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) if what.ends_with("_bytes") => bytes(whole),
            (Some(whole), _) => format::count(whole),
            (None, Some(mean)) if what.starts_with("bytes_") => format!("{} B", format::significant(mean)),
            (None, Some(mean)) => format::mean(mean),
            (None, None) => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// To the byte, since a change may be a small one.
fn bytes(whole: u64) -> String {
    format!("{} ({})", format::bytes(Bytes::new(whole)), format::count(whole))
}
