//! The tables of changes: of speed-ups, and of each model's figures.

use super::super::notes::{Mark, Notes};
use super::super::table::{Cell, Column, Row, Table, Tone};
use super::said;
use crate::analysis::ALL;
use crate::record::{ChangeRecord, CompareRecord, ComparedScenario};
use crate::report::format;
use crate::units::Ratio;
use crate::words::Change;

const COLUMNS: [Column; 7] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::left("of", "The metric, and which times or rates it is of", 4),
    Column::right("base", "In the base; of several runs the geometric mean", 8),
    Column::right("new", "In the new run; of several runs the geometric mean", 8),
    Column::right("new ÷ base", "The change, with its 95 % interval", 9),
    Column::left("verdict", "The whole interval beyond the threshold, after Holm's adjustment", 9),
];

/// How the speed-ups changed.
pub(super) fn speedups(record: &CompareRecord, scenario: &ComparedScenario, notes: &mut Notes) -> Option<Table> {
    let caption =
        "Change of the speed-up (naive ÷ model): below 1× the model lost against naive, which is each run's own \
                   control."
            .to_owned();
    table(record, &scenario.speedups, caption, |_, value| format::ratio(Ratio::new(value)), notes)
}

/// How each model's own figures changed.
pub(super) fn figures(record: &CompareRecord, scenario: &ComparedScenario, notes: &mut Notes) -> Option<Table> {
    let caption =
        "Change of each model's own figures. They have no control: another night, another neighbour or another \
                   load of the data changes them too."
            .to_owned();
    table(record, &scenario.figures, caption, |change, value| format::figure(change.metric, value), notes)
}

fn table(
    record: &CompareRecord,
    changes: &[ChangeRecord],
    caption: String,
    figure: fn(&ChangeRecord, f64) -> String,
    notes: &mut Notes,
) -> Option<Table> {
    let mut rows: Vec<Row> = Vec::new();
    let mut before: Option<&ChangeRecord> = None;
    for change in changes {
        let opens_group = before.is_none_or(|before| before.operation != change.operation);
        before = Some(change);
        rows.push(Row { cells: cells(record, change, opens_group, figure, notes), opens_group });
    }
    (!rows.is_empty()).then(|| Table { caption, columns: COLUMNS.to_vec(), rows })
}

fn cells(
    record: &CompareRecord,
    change: &ChangeRecord,
    first: bool,
    figure: fn(&ChangeRecord, f64) -> String,
    notes: &mut Notes,
) -> Vec<Cell> {
    let shown = |value: Option<f64>| value.map_or_else(Cell::unknown, |value| Cell::new(figure(change, value)));
    let name = said::operation(&change.operation);
    let mut model = Cell::new(change.model.clone());
    match &change.engine_limited {
        // The whole mix only points to the notes of its operations.
        Some(_) if change.operation == ALL => model = model.marked(Mark::Limited),
        Some(why) => model = model.marked(notes.limited(format!("{name}, {}: {why}", change.model))),
        None => {}
    }
    vec![
        if first { Cell::new(name).toned(Tone::Strong) } else { Cell::empty() },
        model,
        Cell::new(said::of(change)),
        shown(change.base),
        shown(change.new),
        match said::interval(change) {
            Some(interval) => Cell::new(interval),
            None => Cell::not_available(notes.note(reason(change))),
        },
        verdict(record, change, notes),
    ]
}

fn reason(change: &ChangeRecord) -> &str {
    change.reason.as_deref().unwrap_or("it was not compared")
}

fn verdict(record: &CompareRecord, change: &ChangeRecord, notes: &mut Notes) -> Cell {
    let Some(verdict) = change.verdict else { return Cell::not_available(notes.note(reason(change))) };
    let word = said::word(verdict, record.threshold);
    let cell = match verdict {
        Change::Regression => Cell::new(word).toned(Tone::Bad),
        Change::Improvement => Cell::new(word).toned(Tone::Good),
        Change::Equal => Cell::new(word),
        Change::Inconclusive => match change.shows_from {
            Some(from) => Cell::new(format!("{word} (shows from {})", format::ratio(from))).toned(Tone::Quiet),
            None => Cell::new(word).toned(Tone::Open),
        },
    };
    match &change.reason {
        Some(reason) => cell.marked(notes.note(reason)),
        None => cell,
    }
}
