//! Scenarios at two sizes of their data.

use super::facts;
use super::notes::Notes;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::record::{GrownModelRecord, GrownOperationRecord, GrownScenarioRecord, GrowthStudyRecord};
use crate::report::format;

const COLUMNS: [Column; 7] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::left("declared", "How its cost is said to grow", 9),
    Column::right("p50 at 1×", "Median over the smaller data", 5),
    Column::right("p50 at 10×", "Median over the larger data", 5),
    Column::right("ratio", "Larger ÷ smaller, with its 95 % interval over rounds", 9),
    Column::left("found", "Whether what is declared constant is", 9),
];

/// A study of growth as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct GrowthView {
    pub(in crate::report) server: String,
    /// What must be said before any figure.
    pub(in crate::report) stamps: Vec<String>,
    /// Heading and table of each scenario; without table where nothing was measured.
    pub(in crate::report) scenarios: Vec<(String, Option<Table>)>,
    pub(in crate::report) notes: Notes,
}

impl GrowthView {
    pub(in crate::report) fn of(record: &GrowthStudyRecord) -> Self {
        let mut notes = Notes::default();
        let mut stamps: Vec<String> = facts::stamp(record.server.product).into_iter().collect();
        if !record.complete {
            stamps.push("INCOMPLETE: not everything that was asked for was measured.".to_owned());
        }
        let scenarios = record.scenarios.iter().map(|scenario| (heading(scenario), rows(scenario, &mut notes)));
        let scenarios = scenarios.collect();
        Self { server: facts::server(&record.server), stamps, scenarios, notes }
    }
}

fn heading(scenario: &GrownScenarioRecord) -> String {
    if let Some(why) = &scenario.reason {
        return format!("{}: {why}", scenario.name);
    }
    let workload = scenario.workload.as_deref().filter(|name| *name != "default");
    let workload = workload.map(|name| format!(" ({name})")).unwrap_or_default();
    let parameter = scenario.parameter.as_deref().unwrap_or("a parameter");
    let bounded = if scenario.bounded { ", its upper bound" } else { "" };
    format!("{}{workload}: {parameter} from {} to {}{bounded}", scenario.name, scenario.small, scenario.large)
}

/// The operations of all models, those of one operation together.
fn rows(scenario: &GrownScenarioRecord, notes: &mut Notes) -> Option<Table> {
    let mut names: Vec<&String> = scenario.models.iter().flat_map(|model| model.operations.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut rows = Vec::new();
    for name in names {
        let of_models = scenario.models.iter().filter_map(|model| Some((model, model.operations.get(name)?)));
        for (place, (model, found)) in of_models.enumerate() {
            let first = place == 0;
            let shown = if first { Cell::new(name.clone()).toned(Tone::Strong) } else { Cell::empty() };
            rows.push(Row { cells: cells(shown, model, found, notes), opens_group: first });
        }
    }
    rows.extend(scenario.models.iter().filter_map(|model| skipped(model, notes)));
    let caption = "Service time of one worker, closed, every operation as often as every other.".to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: COLUMNS.to_vec(), rows })
}

fn cells(name: Cell, model: &GrownModelRecord, found: &GrownOperationRecord, notes: &mut Notes) -> Vec<Cell> {
    let time = |p50| match p50 {
        Some(p50) => Cell::new(format::time(p50)),
        None => Cell::unknown(),
    };
    vec![
        name,
        Cell::new(model.name.clone()),
        match &found.declared {
            Some(declared) => Cell::new(declared.clone()),
            None => Cell::new("nothing").toned(Tone::Quiet),
        },
        time(found.small_p50),
        time(found.large_p50),
        match (found.ratio, found.low.zip(found.high)) {
            (Some(ratio), Some((low, high))) => Cell::new(format::ratio_with_interval(ratio, low, high)),
            (Some(ratio), None) => Cell::new(format::ratio(ratio)).marked(notes.note(why(found))),
            (None, _) => Cell::not_available(notes.note(why(found))),
        },
        verdict(found),
    ]
}

fn why(found: &GrownOperationRecord) -> &str {
    found.reason.as_deref().unwrap_or("it was not compared")
}

fn verdict(found: &GrownOperationRecord) -> Cell {
    match (found.declared.as_deref(), found.low) {
        _ if found.marked => Cell::new("not constant").toned(Tone::Bad),
        (Some("constant"), Some(_)) => Cell::new("constant").toned(Tone::Good),
        _ => Cell::empty(),
    }
}

fn skipped(model: &GrownModelRecord, notes: &mut Notes) -> Option<Row> {
    let why = model.skipped.as_ref()?;
    let mark = notes.note(&format!("{}: {why}", model.name));
    let mut cells = vec![Cell::empty(), Cell::new(model.name.clone())];
    cells.resize(COLUMNS.len() - 1, Cell::unknown());
    cells.push(Cell::new("not measured").toned(Tone::Open).marked(mark));
    Some(Row { cells, opens_group: false })
}
