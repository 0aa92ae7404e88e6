//! What the windows cost the machine: processor time, memory, waits for connections, the server's own counters.

use std::collections::BTreeSet;

use super::facts::is_measured;
use super::table::{Cell, Column, Row, Table};
use crate::analysis::Cast;
use crate::record::{CpuRecord, ModelRecord, OperationRound, RoundRecord, ScenarioRecord, histogram};
use crate::report::format;
use crate::units::{Bytes, Micros, Share};
use crate::words::Phase;

const COLUMNS: [Column; 8] = [
    Column::left("model", "How the data are laid out", 9),
    Column::right("client", "Processor time of the load generator", 9),
    Column::right("pacer", "Of the thread that hands out intended start times; in client too", 9),
    Column::right("server", "Of the server, where patternbench started it", 9),
    Column::right("other processes", "Of all other processes of the machine", 9),
    Column::right("steal", "Taken away by the hypervisor", 9),
    Column::right("client memory", "Resident memory at the window's end", 9),
    Column::right("server memory", "Resident memory at the window's end", 9),
];

/// Cores in use and memory of each model's measured windows; `None` where the system told nothing.
pub(super) fn table(scenario: &ScenarioRecord) -> Option<Table> {
    let told = |window: &&RoundRecord| !window.cpu.is_empty() || !window.memory.is_empty();
    let rows: Vec<Row> = models(scenario)
        .filter_map(|model| {
            let windows: Vec<&RoundRecord> = measured(scenario, model).filter(told).collect();
            (!windows.is_empty()).then(|| Row { cells: cells(model, &windows), opens_group: false })
        })
        .collect();
    let caption =
        "Cores in use (processor time ÷ window) and resident memory, mean over the measured windows. n/a: the \
                   system does not tell, or the server runs elsewhere."
            .to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: COLUMNS.to_vec(), rows })
}

fn models(scenario: &ScenarioRecord) -> impl Iterator<Item = &ModelRecord> {
    let shown: Vec<&ModelRecord> = Cast::of(&scenario.models).shown().collect();
    shown.into_iter().filter(|model| is_measured(scenario, model))
}

fn measured<'a>(scenario: &'a ScenarioRecord, model: &'a ModelRecord) -> impl Iterator<Item = &'a RoundRecord> {
    scenario.rounds.iter().filter(|window| window.phase == Phase::Measured && window.model == model.name)
}

fn cells(model: &ModelRecord, windows: &[&RoundRecord]) -> Vec<Cell> {
    let cores = |of: fn(&CpuRecord) -> Option<Micros>| {
        let used = windows.iter().filter_map(|window| Some(of(&window.cpu)?.get() / 1e6 / window.seconds.get()));
        mean(used).map_or_else(Cell::unknown, |cores| Cell::new(format!("{cores:.2}")))
    };
    let memory = |of: fn(&RoundRecord) -> Option<Bytes>| {
        let bytes = windows.iter().filter_map(|window| Some(of(window)?.get() as f64));
        mean(bytes).map_or_else(Cell::unknown, |bytes| Cell::new(format::bytes(Bytes::new(bytes as u64))))
    };
    vec![
        Cell::new(model.name.clone()),
        cores(|cpu| cpu.client),
        cores(|cpu| cpu.pacer),
        cores(|cpu| cpu.server),
        cores(|cpu| cpu.foreign),
        cores(|cpu| cpu.steal),
        memory(|window| window.memory.client_bytes),
        memory(|window| window.memory.server_bytes),
    ]
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, number) = values.fold((0.0, 0_u32), |(sum, number), value| (sum + value, number + 1));
    let mean = sum / f64::from(number);
    mean.is_finite().then_some(mean)
}

/// A wait for connections above this part of the mean service time is told.
const MATERIAL_WAIT: f64 = 0.01;

/// A line for each model whose operations waited noticeably for a connection: the wait is in every latency.
pub(super) fn pool_waits(scenario: &ScenarioRecord) -> Vec<String> {
    let of_model = |model: &ModelRecord| {
        let windows: Vec<&RoundRecord> = measured(scenario, model).collect();
        let waits = windows.iter().filter_map(|window| window.pool_wait);
        let (sum, checkouts) = waits.fold((0.0, 0.0), |(sum, checkouts), wait| {
            let number = wait.checkouts as f64;
            (sum + wait.mean.get() * number, checkouts + number)
        });
        let (wait, service) = (sum / checkouts, mean_service(&windows)?);
        (wait.is_finite() && wait > service * MATERIAL_WAIT).then(|| {
            format!(
                "operations of model {} waited {} for a connection, {} of the mean service time, which holds that wait",
                model.name,
                format::time(Micros::new(wait)),
                format::small_share(Share::new(wait / service))
            )
        })
    };
    models(scenario).filter_map(of_model).collect()
}

/// Mean service time of all operations of windows, in µs.
fn mean_service(windows: &[&RoundRecord]) -> Option<f64> {
    let texts =
        windows.iter().flat_map(|window| window.operations.values()).filter_map(|figures| figures.service.as_ref());
    let (sum, number) =
        texts.filter_map(|text| histogram::decode(text).ok()).fold((0.0, 0.0), |(sum, number), timed| {
            let count = timed.len() as f64;
            (if count > 0.0 { sum + timed.mean() * count } else { sum }, number + count)
        });
    let mean: f64 = sum / number;
    (mean.is_finite() && mean > 0.0).then_some(mean)
}

const COUNTERS: [Column; 3] = [
    Column::left("counter", "As the server names it", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::right("per operation", "What it rose by in the measured windows ÷ operations", 9),
];

/// What the server's own counters rose by per operation of each model; `None` where it told nothing.
pub(super) fn counters(scenario: &ScenarioRecord) -> Option<Table> {
    let models: Vec<&ModelRecord> = models(scenario).collect();
    let names: BTreeSet<&str> = models
        .iter()
        .flat_map(|model| measured(scenario, model))
        .flat_map(|window| window.server_counters.keys().map(String::as_str))
        .collect();
    let row = |name: &str, place: usize, model: &ModelRecord| Row {
        cells: vec![
            if place == 0 { Cell::new(name) } else { Cell::empty() },
            Cell::new(model.name.clone()),
            per_operation(measured(scenario, model), name),
        ],
        opens_group: place == 0,
    };
    let rows: Vec<Row> = names
        .into_iter()
        .flat_map(|name| models.iter().enumerate().map(move |(place, model)| (name, place, *model)))
        .map(|(name, place, model)| row(name, place, model))
        .collect();
    let caption =
        "What the server's own counters rose by in the measured windows, per operation of the mix; patternbench's \
                   own questions are subtracted."
            .to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: COUNTERS.to_vec(), rows })
}

fn per_operation<'a>(windows: impl Iterator<Item = &'a RoundRecord>, counter: &str) -> Cell {
    let failed = |figures: &OperationRound| figures.errors.values().map(|number| *number as f64).sum::<f64>();
    let done = |figures: &OperationRound| figures.count as f64 + failed(figures);
    let (risen, operations) = windows.filter_map(|window| Some((*window.server_counters.get(counter)?, window))).fold(
        (0.0, 0.0),
        |(risen, operations), (rise, window)| {
            (risen + rise as f64, operations + window.operations.values().map(done).sum::<f64>())
        },
    );
    let each: f64 = risen / operations;
    if each.is_finite() { Cell::new(format::significant(each)) } else { Cell::unknown() }
}
