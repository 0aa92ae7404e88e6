//! The table: a line of names, and a line for each figure.

use super::columns::CSV_COLUMNS;
use super::quoting::{number, text};
use super::rows::{Figure, figures};
use crate::analysis::Latency;
use crate::record::{RunRecord, ScenarioRecord};
use crate::units::Ratio;

/// The end of a line, as RFC 4180 has it.
const END: &str = "\r\n";

/// The figures of a record.
pub(in crate::report) fn csv(record: &RunRecord) -> String {
    let names: Vec<&str> = CSV_COLUMNS.iter().map(|(name, _)| *name).collect();
    let mut table = format!("{}{END}", names.join(","));
    for scenario in &record.scenarios {
        let of_scenario = columns_of_scenario(record, scenario);
        for figure in figures(scenario) {
            let cells = of_scenario.iter().cloned().chain(columns_of_figure(&figure));
            table.push_str(&cells.collect::<Vec<_>>().join(","));
            table.push_str(END);
        }
    }
    table
}

/// The columns from `started_at` to `complete`.
fn columns_of_scenario(record: &RunRecord, scenario: &ScenarioRecord) -> [String; 8] {
    [
        text(&record.started_at),
        text(record.label.as_deref().unwrap_or_default()),
        text(record.profile.word()),
        text(record.server.product.word()),
        text(&record.server.version),
        text(&scenario.name),
        text(&scenario.workload),
        scenario.complete.to_string(),
    ]
}

/// The columns from `model` to `engine_limited`.
fn columns_of_figure(figure: &Figure<'_>) -> [String; 14] {
    let ratio = |ratio: Option<Ratio>| number(ratio.map(Ratio::get));
    let speedup = figure.speedup;
    [
        text(&figure.model.name),
        text(figure.model.role.word()),
        text(figure.operation),
        text(figure.metric),
        text(figure.load.map(|phase| phase.word()).unwrap_or_default()),
        text(figure.time.map(Latency::word).unwrap_or_default()),
        text(figure.unit),
        number(figure.value),
        ratio(speedup.and_then(|speedup| speedup.speedup)),
        ratio(speedup.and_then(|speedup| speedup.low)),
        ratio(speedup.and_then(|speedup| speedup.high)),
        text(speedup.and_then(|speedup| speedup.verdict).map(|verdict| verdict.word()).unwrap_or_default()),
        text(figure.reason.unwrap_or_default()),
        text(figure.limited.as_deref().unwrap_or_default()),
    ]
}
