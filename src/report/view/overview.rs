//! All scenarios of a run beside each other.

use super::notes::{Mark, Notes};
use super::scenario::ScenarioView;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::{Accord, Cast, Conduct, MainOperation, Overview, OverviewRow, engine_limited, overview};
use crate::record::{RunRecord, ScenarioRecord, SpeedupRecord};
use crate::report::format::{self, plural};
use crate::words::{Profile, Verdict};

const COLUMNS: [Column; 8] = [
    Column::left("scenario", "The scenario, and its workload where it has several", 9),
    Column::left("main read", "The heaviest operation that only reads", 3),
    Column::right("read p95 speed-up", "Naive p95 ÷ pattern p95 of the main read, with its 95 % interval", 9),
    Column::left("main write", "The heaviest operation that writes", 2),
    Column::right("write p95 speed-up", "Naive p95 ÷ pattern p95 of the main write, with its 95 % interval", 8),
    Column::right("by tuning", "Share of the gain (on the log scale) that query and index alone bring", 5),
    Column::right("bytes", "Data and indexes of the pattern ÷ those of naive", 6),
    Column::left("verdict", "Whether the operations behave as the scenario's author expects", 9),
];

/// All scenarios of a run as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct OverviewView {
    /// How many behave as expected, in words.
    pub(in crate::report) said: String,
    pub(in crate::report) table: Table,
    pub(in crate::report) notes: Notes,
}

impl OverviewView {
    /// `None` where there is but one scenario and workload.
    pub(super) fn of(run: &RunRecord, scenarios: &[ScenarioView<'_>]) -> Option<Self> {
        if scenarios.len() < 2 {
            return None;
        }
        let overview = overview(run);
        let mut notes = Notes::default();
        let rows = overview.rows.iter().zip(scenarios);
        let rows = rows.map(|(row, shown)| Row { cells: cells(run, row, shown, &mut notes), opens_group: false });
        let caption =
            "The main read and the main write of every scenario, the pattern against naive: above 1× the pattern \
                       is faster. Bytes below 1× are fewer than naive's."
                .to_owned();
        let table = Table { caption, columns: COLUMNS.to_vec(), rows: rows.collect() };
        Some(Self { said: in_words(&overview), table, notes })
    }
}

/// The counts: `28 of 35 scenarios behave as expected, 3 against expectation, 4 not decided`.
fn in_words(overview: &Overview<'_>) -> String {
    let count = |conduct| overview.counts.get(&conduct).copied().unwrap_or(0);
    let behave = match count(Conduct::AsExpected) {
        1 => "behaves",
        _ => "behave",
    };
    let scenarios = plural(overview.scenarios(), "scenario", "scenarios");
    let mut said = format!("{} of {scenarios} {behave} as expected", count(Conduct::AsExpected));
    for (conduct, words) in [
        (Conduct::Against, "against expectation"),
        (Conduct::NotDecided, "not decided"),
        (Conduct::Depends, "without an expectation that could be judged"),
        (Conduct::Limited, "engine-limited (†)"),
        (Conduct::NotJudged, "not judged"),
        (Conduct::NotMeasurable, "not measurable on this server"),
    ] {
        if count(conduct) > 0 {
            said.push_str(&format!(", {} {words}", count(conduct)));
        }
    }
    let limited = |row: &OverviewRow<'_>| row.accords.iter().any(|(_, accord)| *accord == Accord::Limited);
    if overview.rows.iter().any(limited) {
        said.push_str("; operations that this server executes unlike mongod (†) are left out of these counts");
    }
    said
}

fn cells(run: &RunRecord, row: &OverviewRow<'_>, shown: &ScenarioView<'_>, notes: &mut Notes) -> Vec<Cell> {
    let name = |operation: &Option<MainOperation<'_>>| {
        Cell::new(operation.as_ref().map_or("none", |operation| operation.name)).toned(Tone::Quiet)
    };
    vec![
        Cell::new(shown.heading.clone()).toned(Tone::Strong),
        name(&row.read),
        speedup(row.scenario, row.read.as_ref(), notes),
        name(&row.write),
        speedup(row.scenario, row.write.as_ref(), notes),
        row.tuning.map_or_else(Cell::empty, |share| Cell::new(format::share(share))),
        match row.bytes {
            Some(ratio) => Cell::new(format::ratio(ratio)),
            None => Cell::not_available(notes.note(&match &row.scenario.not_measurable {
                Some(why) => format!("not measurable on this server: {why}"),
                None => "sizes are not known of both models".to_owned(),
            })),
        },
        verdict(run, row, notes),
    ]
}

fn speedup(scenario: &ScenarioRecord, operation: Option<&MainOperation<'_>>, notes: &mut Notes) -> Cell {
    let Some(operation) = operation else { return Cell::empty() };
    let mut cell = match (operation.speedup, &operation.why_not) {
        (Some(found), None) => figure(found, notes),
        (_, why) => Cell::not_available(notes.note(why.as_deref().unwrap_or("not compared"))),
    };
    if operation.limited {
        cell = cell.marked(limited(scenario, operation.name, notes));
    }
    cell
}

fn figure(found: &SpeedupRecord, notes: &mut Notes) -> Cell {
    let why = found.reason.as_deref().unwrap_or("not compared");
    let Some(ratio) = found.speedup else { return Cell::not_available(notes.note(why)) };
    let cell = match found.low.zip(found.high) {
        Some((low, high)) => Cell::new(format::ratio_with_interval(ratio, low, high)),
        None => return Cell::new(format::ratio(ratio)).marked(notes.note(why)),
    };
    match found.verdict {
        Some(Verdict::Faster) => cell.toned(Tone::Good),
        Some(Verdict::Slower) => cell.toned(Tone::Bad),
        _ => cell,
    }
}

/// † with the reasons, those of naive and the pattern.
fn limited(scenario: &ScenarioRecord, operation: &str, notes: &mut Notes) -> Mark {
    let cast = Cast::of(&scenario.models);
    let compared = [cast.naive, cast.pattern];
    for model in compared.into_iter().flatten() {
        if let Some(why) = engine_limited(scenario, model, operation) {
            notes.limited(format!("{}, {operation}, {}: {why}", scenario.name, model.name));
        }
    }
    Mark::Limited
}

fn verdict(run: &RunRecord, row: &OverviewRow<'_>, notes: &mut Notes) -> Cell {
    let count = |wanted: fn(&Accord) -> bool| row.accords.iter().filter(|(_, accord)| wanted(accord)).count();
    let of_all = |number: usize, words: &str| match row.accords.len() {
        1 => words.to_owned(),
        all => format!("{words} ({number} of {all})"),
    };
    match row.conduct {
        Conduct::AsExpected => {
            Cell::new(of_all(count(|accord| *accord == Accord::AsExpected), "as expected")).toned(Tone::Good)
        }
        Conduct::Against => {
            let number = count(|accord| matches!(accord, Accord::Against { .. }));
            let cell = Cell::new(of_all(number, "against expectation")).toned(Tone::Bad);
            against(row, notes).into_iter().fold(cell, Cell::marked)
        }
        Conduct::NotDecided => {
            Cell::new(of_all(count(|accord| *accord == Accord::NotDecided), "not decided")).toned(Tone::Open)
        }
        Conduct::Depends => Cell::new("depends").toned(Tone::Quiet),
        Conduct::Limited => Cell::new("engine-limited").toned(Tone::Quiet).marked(limited_of(row, notes)),
        Conduct::NotJudged if run.profile == Profile::Smoke => Cell::new("not judged: smoke").toned(Tone::Quiet),
        Conduct::NotJudged => {
            let why = row.accords.iter().find_map(|(operation, accord)| match accord {
                Accord::NotJudged(why) => Some(format!("{operation}: {why}")),
                _ => None,
            });
            Cell::new("not judged").toned(Tone::Quiet).marked(notes.note(why.as_deref().unwrap_or("not compared")))
        }
        Conduct::NotMeasurable => {
            let why = row.scenario.not_measurable.as_deref().unwrap_or("it needs what the server lacks");
            let mark = notes.note(&format!("not measurable on this server: {why}"));
            Cell::new("not measurable here").toned(Tone::Open).marked(mark)
        }
    }
}

/// A note for each operation that behaves against the expectation.
fn against(row: &OverviewRow<'_>, notes: &mut Notes) -> Vec<Mark> {
    let against = row.accords.iter().filter_map(|(operation, accord)| match accord {
        Accord::Against { expected, found } => Some((operation, expected, found)),
        _ => None,
    });
    let told: Vec<String> = against
        .map(|(operation, expected, found)| {
            format!("{}: {operation} was expected to be {expected}, but is {found}", row.scenario.name)
        })
        .collect();
    told.iter().map(|told| notes.note(told)).collect()
}

fn limited_of(row: &OverviewRow<'_>, notes: &mut Notes) -> Mark {
    for (operation, accord) in &row.accords {
        if *accord == Accord::Limited {
            limited(row.scenario, operation, notes);
        }
    }
    Mark::Limited
}
