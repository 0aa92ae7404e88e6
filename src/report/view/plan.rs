//! The plan of a scenario: how load is offered, what happens to the data, and why.

use super::facts::operations_shown;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::{ALL, Cast};
use crate::record::{GrowthRecord, PlanRecord, RunRecord, ScenarioRecord, SpeedupRecord};
use crate::report::format::{self, plural};
use crate::units::Share;
use crate::words::{ArrivalProcess, DataState, Isolation, Metric, Mode};

/// The plan in a line.
pub(super) fn line(run: &RunRecord, scenario: &ScenarioRecord) -> String {
    let plan = &scenario.plan;
    let rounds = plural(u64::from(plan.rounds), "round", "rounds");
    let work = match plan.operations_per_round {
        Some(operations) => format!("{rounds} × {} per model", plural(operations, "operation", "operations")),
        None => format!("{rounds}, operations per round not calibrated"),
    };
    let mut parts = vec![work, load(plan)];
    if plan.light_load_rounds > 0 {
        parts.push(format!("{} at light load", plural(u64::from(plan.light_load_rounds), "round", "rounds")));
    }
    if plan.restarts > 1 {
        parts.push(format!("{} fresh loads", plan.restarts));
    }
    parts.extend([
        format!("profile {}", run.profile),
        format!("seed {}", scenario.seed),
        state(plan.state).to_owned(),
        isolation(plan.isolation).to_owned(),
    ]);
    parts.join(" · ")
}

fn state(state: DataState) -> &'static str {
    match state {
        DataState::Steady => "steady data",
        DataState::Reload => "data reloaded each round",
        DataState::Growing => "growing data",
    }
}

fn isolation(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Shared => "one server for all models",
        Isolation::Process => "a server process for each model",
    }
}

/// How load is offered: mode, rate, workers.
fn load(plan: &PlanRecord) -> String {
    let workers = |number: u32| plural(u64::from(number), "worker", "workers");
    let arrivals = match plan.arrivals {
        Some(ArrivalProcess::Poisson) => ", Poisson arrivals",
        Some(ArrivalProcess::Constant) | None => "",
    };
    let open = workers(plan.open_workers.unwrap_or(plan.concurrency));
    match (plan.mode, plan.rate) {
        (Mode::Closed, _) => format!("closed load, {}", workers(plan.concurrency)),
        (Mode::Open, Some(rate)) => format!("open load at {}/s{arrivals}, {open}", format::rate(rate)),
        (Mode::Open, None) => format!("open load{arrivals}, {open}"),
    }
}

/// The rate offered, with its part of the slower model's capacity where that is known: `900/s, 60 % of …`.
pub(super) fn offered(scenario: &ScenarioRecord) -> Option<String> {
    let rate = scenario.plan.rate.filter(|_| scenario.plan.mode == Mode::Open)?;
    let said = format!("{}/s", format::rate(rate));
    Some(match share_of_slower(scenario) {
        Some(share) => format!("{said}, {} of the slower model's capacity", format::share(share)),
        None => said,
    })
}

/// Rate offered ÷ closed capacity of the slower of naive and pattern.
fn share_of_slower(scenario: &ScenarioRecord) -> Option<Share> {
    let cast = Cast::of(&scenario.models);
    let capacity = |name: &str| scenario.calibration.get(name).map(|calibration| calibration.capacity.get());
    let slower = capacity(&cast.naive?.name)?.min(capacity(&cast.pattern?.name)?);
    let share = scenario.plan.rate?.get() / slower;
    (share.is_finite() && share > 0.0).then(|| Share::new(share))
}

/// What the plan decided and why, as names and values.
pub(super) fn decisions(scenario: &ScenarioRecord) -> Vec<(&'static str, String)> {
    let plan = &scenario.plan;
    let mut said = vec![("Load", because(plan.mode.word(), plan.mode_reason.as_deref()))];
    if plan.mode == Mode::Open {
        said.push(("Rate offered", offered(scenario).unwrap_or_else(|| "not calibrated".to_owned())));
        said.extend(plan.arrivals.map(|arrivals| ("Arrivals", of_arrivals(arrivals).to_owned())));
    }
    said.push(("Workers", workers(plan)));
    said.push(("Light load", light_load(plan)));
    said.push(("Fresh loads of the data", restarts(plan)));
    said.push(("Isolation", isolation(plan.isolation).to_owned()));
    said.extend(plan.without_transactions.clone().map(|why| ("Transactions", why)));
    said.push(("Data", because(state(plan.state), plan.state_reason.as_deref())));
    said
}

fn because(what: &str, why: Option<&str>) -> String {
    why.map_or_else(|| what.to_owned(), |why| format!("{what}: {why}"))
}

fn of_arrivals(arrivals: ArrivalProcess) -> &'static str {
    match arrivals {
        ArrivalProcess::Constant => "constant: operations come due at equal distances",
        ArrivalProcess::Poisson => "Poisson: at exponentially distributed distances drawn from the seed",
    }
}

fn workers(plan: &PlanRecord) -> String {
    let closed = format!("{} under closed load", plan.concurrency);
    match (plan.mode, plan.open_workers) {
        (Mode::Open, Some(open)) => format!("{open} under open load, {closed}"),
        _ => closed,
    }
}

fn light_load(plan: &PlanRecord) -> String {
    match plan.light_load_rounds {
        0 => "not measured".to_owned(),
        rounds => format!(
            "{} of one worker, closed, with operation numbers of their own",
            plural(u64::from(rounds), "round", "rounds")
        ),
    }
}

fn restarts(plan: &PlanRecord) -> String {
    match plan.restarts {
        0 | 1 => "one".to_owned(),
        restarts => format!("{restarts}; the rounds are spread over them, and the interval is over them"),
    }
}

const GROWTH: [Column; 6] = [
    Column::left("model", "How the data are laid out", 9),
    Column::left("collection", "The collection", 9),
    Column::left("what grows", "Documents, or the elements of an array", 9),
    Column::right("loaded", "Documents loaded, for arrays those that hold them", 9),
    Column::right("added", "Documents or elements added between two loads", 9),
    Column::right("growth", "Added ÷ loaded", 9),
];

/// How much collections and arrays grow between two loads; `None` where no step adds anything.
pub(super) fn growth(scenario: &ScenarioRecord) -> Option<Table> {
    let growth = &scenario.plan.growth;
    if growth.is_empty() {
        return None;
    }
    let caption =
        "What the operations of a run add, as far as the steps tell. Up to 10 % data count as steady; what was \
                   loaded reads n/a where it is not known."
            .to_owned();
    let rows = growth.iter().map(|grown| Row { cells: of_collection(grown), opens_group: false }).collect();
    Some(Table { caption, columns: GROWTH.to_vec(), rows })
}

fn of_collection(grown: &GrowthRecord) -> Vec<Cell> {
    let known = |text: Option<String>| text.map_or_else(Cell::unknown, Cell::new);
    vec![
        Cell::new(grown.model.clone()),
        Cell::new(grown.collection.clone()),
        Cell::new(grown.field.as_ref().map_or_else(|| "documents".to_owned(), |field| format!("array {field}"))),
        known(grown.loaded.map(format::significant)),
        Cell::new(format::significant(grown.added)),
        known(grown.share.map(format::share)),
    ]
}

const FIGURES: [(Metric, Column); 5] = [
    (Metric::P95, Column::left("p95", "95th percentile: 100 operations per unit", 9)),
    (Metric::P50, Column::left("p50", "Median: 30 operations per unit", 9)),
    (Metric::Mean, Column::left("mean", "Mean: 30 operations per unit", 9)),
    (Metric::P99, Column::left("p99", "99th percentile: 1 000 operations per unit", 9)),
    (Metric::Throughput, Column::left("throughput", "Operations per second of the whole mix", 9)),
];

/// What each operation gets: a figure with interval over how many units, one of all operations together, or none.
pub(super) fn figures(scenario: &ScenarioRecord) -> Option<Table> {
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let Some(metrics) = scenario.analysis.operations.get(operation) else { continue };
        let of = |metric| metrics.get(&metric).map_or_else(Cell::unknown, |found| kind(&found.speedup));
        let name = if operation == ALL { "all (whole mix)" } else { operation };
        let mut cells = vec![Cell::new(name)];
        cells.extend(FIGURES.iter().map(|(metric, _)| of(*metric)));
        rows.push(Row { cells, opens_group: false });
    }
    if rows.is_empty() {
        return None;
    }
    let mut columns = vec![Column::left("operation", "What the application does", 9)];
    columns.extend(FIGURES.iter().map(|(_, column)| *column));
    let caption = "Figures by operation, of the first pattern against naive: the units that an interval is made of; \
                   “pooled” is a figure of all operations together, without interval; n/a is none."
        .to_owned();
    Some(Table { caption, columns, rows })
}

fn kind(speedup: &SpeedupRecord) -> Cell {
    let units = speedup.units.len();
    if units == 0 || speedup.low.is_none() {
        return if speedup.speedup.is_some() { Cell::new("pooled").toned(Tone::Open) } else { Cell::unknown() };
    }
    let most = speedup.units.iter().map(|unit| unit.rounds.len()).max().unwrap_or(1);
    let joined = if most > 1 { format!(" of up to {most} rounds") } else { String::new() };
    Cell::new(format!("{units} units{joined}"))
}
