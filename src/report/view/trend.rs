//! What is said of a history.

use std::collections::BTreeSet;

use super::facts;
use super::notes::Mark;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::ALL;
use crate::analysis::trend::{LEAST_RUNS, LEAST_SEGMENT};
use crate::record::{TrendChange, TrendLine, TrendOperation, TrendRecord, TrendRun, TrendScenario, TrendSeries};
use crate::report::format::{self, plural};
use crate::units::{Micros, Ratio};
use crate::words::{Product, Role, Tracked};

const COLUMNS: [Column; 9] = [
    Column::left("scenario", "The scenario, and its workload where that has a name", 9),
    Column::left("measured on", "The server, and what else tells the lines of a scenario apart", 9),
    Column::left("operation", "What the application does", 9),
    Column::left("model", "The model that is compared with naive", 9),
    Column::right("runs", "Runs with a speed-up", 5),
    Column::right("naive p95", "In the newest run", 3),
    Column::right("model p95", "In the newest run", 3),
    Column::right("speed-up", "Naive p95 ÷ the model's p95 in the newest run", 9),
    Column::left("last change", "The newest step of the speed-up, and the run that it came with", 8),
];
/// The place of the column that only several lines need.
const MEASURED_ON: usize = 1;

/// A history as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct TrendView<'a> {
    pub(in crate::report) record: &'a TrendRecord,
    /// How many runs there are, and of when.
    pub(in crate::report) said: String,
    /// What must be said before any figure.
    pub(in crate::report) stamps: Vec<String>,
    /// The newest figures.
    pub(in crate::report) newest: Option<Table>,
    /// How many changes there are.
    pub(in crate::report) changed: String,
    pub(in crate::report) scenarios: Vec<TrendScenarioView<'a>>,
    /// Whether anything bears †.
    pub(in crate::report) limited: bool,
}

/// The history of a scenario as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct TrendScenarioView<'a> {
    pub(in crate::report) record: &'a TrendScenario,
    pub(in crate::report) heading: String,
    /// What each line is measured on.
    pub(in crate::report) lines: Vec<String>,
    /// The runs of all lines, by their places in the record.
    pub(in crate::report) runs: Vec<usize>,
    pub(in crate::report) operations: Vec<TrendOperationView<'a>>,
}

/// The history of an operation, of all lines together.
#[derive(Debug, Clone)]
pub(in crate::report) struct TrendOperationView<'a> {
    pub(in crate::report) name: &'a str,
    /// The figures, each with the place of its line.
    pub(in crate::report) series: Vec<(usize, &'a TrendSeries)>,
    pub(in crate::report) changes: Vec<ChangeView>,
}

/// A change as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct ChangeView {
    pub(in crate::report) of: Tracked,
    /// The first run after it.
    pub(in crate::report) run: usize,
    /// The figure in that run.
    pub(in crate::report) value: f64,
    /// All of it in a sentence.
    pub(in crate::report) said: String,
    pub(in crate::report) tone: Tone,
}

impl<'a> TrendView<'a> {
    pub(in crate::report) fn of(record: &'a TrendRecord) -> Self {
        let scenarios: Vec<TrendScenarioView<'_>> =
            record.scenarios.iter().map(|scenario| scenario_view(record, scenario)).collect();
        let changes = scenarios.iter().flat_map(|scenario| &scenario.operations).map(|known| known.changes.len()).sum();
        let products: BTreeSet<Product> = record.runs.iter().map(|run| run.product).collect();
        let operations =
            || record.scenarios.iter().flat_map(|scenario| &scenario.lines).flat_map(|line| &line.operations);
        Self {
            record,
            said: said(record),
            stamps: products.into_iter().filter_map(facts::stamp).collect(),
            newest: newest(record, &scenarios),
            changed: changed(changes),
            limited: operations().any(|operation| operation.engine_limited),
            scenarios,
        }
    }
}

fn said(record: &TrendRecord) -> String {
    let runs = plural(record.runs.len() as u64, "run", "runs");
    let scenarios = plural(record.scenarios.len() as u64, "scenario and workload", "scenarios and workloads");
    match (record.runs.first(), record.runs.last()) {
        (Some(first), Some(last)) if day(first) != day(last) => {
            format!("{runs} from {} to {}, {scenarios}", day(first), day(last))
        }
        (Some(only), _) => format!("{runs} of {}, {scenarios}", day(only)),
        _ => "no runs".to_owned(),
    }
}

fn changed(changes: usize) -> String {
    let rule = format!(
        "a step shows with its {LEAST_SEGMENT}rd run, in histories of at least {LEAST_RUNS} runs; of a hundred flat \
         figures about one bears a mark"
    );
    match changes {
        0 => format!("no changes ({rule})"),
        _ => format!("{} ({rule})", plural(changes as u64, "change", "changes")),
    }
}

fn scenario_view<'a>(record: &TrendRecord, scenario: &'a TrendScenario) -> TrendScenarioView<'a> {
    let heading = match scenario.workload.as_str() {
        "default" => scenario.name.clone(),
        workload => format!("{} ({workload})", scenario.name),
    };
    let lines: Vec<String> = scenario.lines.iter().map(|line| line_name(line, &scenario.lines)).collect();
    let runs: BTreeSet<usize> = scenario.lines.iter().flat_map(|line| line.runs.iter().copied()).collect();
    let mut names: Vec<&str> = Vec::new();
    for operation in scenario.lines.iter().flat_map(|line| &line.operations) {
        if !names.contains(&operation.operation.as_str()) {
            names.push(&operation.operation);
        }
    }
    // The whole mix is last in each line, and an operation of an older line may come after it.
    names.sort_by_key(|name| *name == ALL);
    let operations = names.into_iter().map(|name| operation_view(record, scenario, &lines, name)).collect();
    TrendScenarioView { record: scenario, heading, lines, runs: runs.into_iter().collect(), operations }
}

fn operation_view<'a>(
    record: &TrendRecord,
    scenario: &'a TrendScenario,
    lines: &[String],
    name: &'a str,
) -> TrendOperationView<'a> {
    let mut view = TrendOperationView { name, series: Vec::new(), changes: Vec::new() };
    for (place, line) in scenario.lines.iter().enumerate() {
        let known = line.operations.iter().filter(|operation| operation.operation == name);
        for series in known.flat_map(|operation| &operation.series) {
            view.series.push((place, series));
            let on = if lines.len() > 1 { format!(" on {}", lines[place]) } else { String::new() };
            view.changes.extend(series.changes.iter().map(|change| change_view(record, name, series, change, &on)));
        }
    }
    view.changes.sort_by_key(|change| change.run);
    view
}

/// A change with its run and versions.
fn change_view(
    record: &TrendRecord,
    operation: &str,
    series: &TrendSeries,
    change: &TrendChange,
    on: &str,
) -> ChangeView {
    let run = &record.runs[change.run];
    let what = match series.of {
        Tracked::P95 => "p95",
        Tracked::Speedup => "speed-up",
    };
    let with =
        if change.with.is_empty() { String::new() } else { format!("; with it changed: {}", change.with.join(", ")) };
    let said = format!(
        "{}, {what} of {}{on}: {} → {} ({}) from {} on (patternbench {}, {} {}){with}",
        operation_name(operation),
        series.model,
        figure(series.of, change.before),
        figure(series.of, change.after),
        by(change.ratio),
        run_name(run),
        run.tool_version,
        facts::product(run.product),
        run.version,
    );
    let value = series.points.iter().find(|point| point.run == change.run).map_or(change.after, |point| point.value);
    ChangeView { of: series.of, run: change.run, value, said, tone: tone(change) }
}

fn tone(change: &TrendChange) -> Tone {
    if change.worse { Tone::Bad } else { Tone::Good }
}

/// The label of a run with its day, else its folder, which begins with the day.
pub(in crate::report) fn run_name(run: &TrendRun) -> String {
    match &run.label {
        Some(label) => format!("{label} ({})", day(run)),
        None => run.folder.clone(),
    }
}

/// The day on which a run began, in UTC.
pub(in crate::report) fn day(run: &TrendRun) -> String {
    run.started_at.chars().take(10).collect()
}

pub(in crate::report) fn operation_name(operation: &str) -> &str {
    if operation == ALL { "whole mix" } else { operation }
}

/// The figure as people read it.
pub(in crate::report) fn figure(of: Tracked, value: f64) -> String {
    match of {
        Tracked::P95 => format::time(Micros::new(value)),
        Tracked::Speedup => format::ratio(Ratio::new(value)),
    }
}

/// `+10 %`, `-9.1 %`.
fn by(ratio: Ratio) -> String {
    let percent = (ratio.get() - 1.0) * 100.0;
    let digits = usize::from(percent.abs() < 10.0);
    format!("{percent:+.digits$} %")
}

/// What a line is measured on: the server, and of the rest what tells it from the other lines of its scenario.
fn line_name(line: &TrendLine, all: &[TrendLine]) -> String {
    let differ = |of: &dyn Fn(&TrendLine) -> String| all.iter().any(|other| of(other) != of(line));
    let mut name = format!("{} {}", facts::product(line.product), line.version);
    let mut add = |of: &dyn Fn(&TrendLine) -> String| {
        if differ(of) {
            name.push_str(&format!(", {}", of(line)));
        }
    };
    add(&|line| line.host.clone());
    add(&|line| line.profile.word().to_owned());
    add(&|line| format!("{} load", line.mode));
    add(&|line| line.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", "));
    name
}

fn newest(record: &TrendRecord, scenarios: &[TrendScenarioView<'_>]) -> Option<Table> {
    let mut rows = Vec::new();
    for view in scenarios {
        let from = rows.len();
        for (line, name) in view.record.lines.iter().zip(&view.lines) {
            for operation in &line.operations {
                let compared = operation.series.iter().filter(|series| series.of == Tracked::Speedup);
                rows.extend(compared.map(|series| row(record, line, name, operation, series)));
            }
        }
        if let Some(first) = rows.get_mut(from) {
            first.opens_group = true;
            first.cells[0] = Cell::new(view.heading.clone()).toned(Tone::Strong);
        }
    }
    let caption = "The newest run of every scenario and kind of server that it was measured on.".to_owned();
    let mut table = Table { caption, columns: COLUMNS.to_vec(), rows };
    let names: BTreeSet<&String> = scenarios.iter().flat_map(|view| &view.lines).collect();
    if names.len() == 1 {
        table.without_column(MEASURED_ON);
    }
    (!table.rows.is_empty()).then_some(table)
}

fn row(record: &TrendRecord, line: &TrendLine, name: &str, operation: &TrendOperation, series: &TrendSeries) -> Row {
    let newest = line.runs.last().copied();
    let in_newest = |series: &TrendSeries| series.points.last().filter(|point| Some(point.run) == newest).copied();
    let p95 = |wanted: &dyn Fn(&TrendSeries) -> bool| {
        let found = operation.series.iter().find(|series| series.of == Tracked::P95 && wanted(series));
        match found.and_then(in_newest) {
            Some(point) => Cell::new(figure(Tracked::P95, point.value)),
            None => Cell::unknown(),
        }
    };
    let speedup = match in_newest(series) {
        Some(point) => Cell::new(match point.low.zip(point.high) {
            Some((low, high)) => {
                format::ratio_with_interval(Ratio::new(point.value), Ratio::new(low), Ratio::new(high))
            }
            None => format::ratio(Ratio::new(point.value)),
        }),
        None => Cell::unknown(),
    };
    let speedup = if operation.engine_limited { speedup.marked(Mark::Limited) } else { speedup };
    let last = series.changes.last().map(|change| {
        Cell::new(format!("{} from {} on", by(change.ratio), run_name(&record.runs[change.run]))).toned(tone(change))
    });
    let cells = vec![
        Cell::empty(),
        Cell::new(name).toned(Tone::Quiet),
        Cell::new(operation_name(&operation.operation)),
        Cell::new(series.model.clone()),
        Cell::new(format::count(series.points.len() as u64)),
        p95(&|known| known.role == Role::Naive),
        p95(&|known| known.model == series.model),
        speedup,
        last.unwrap_or_else(Cell::empty),
    ];
    Row { cells, opens_group: false }
}
