//! How each model bore the load that was offered, and what the limit was where one could not.

use super::beside;
use super::facts::is_measured;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::{ALL, Cast};
pub(super) use crate::analysis::{Bearing, bearing};
use crate::record::{LoadAnalysis, ModelRecord, ScenarioRecord};
use crate::report::format;
use crate::units::{Micros, Rate};
use crate::words::{ArrivalProcess, Metric, Mode, Phase};

fn measured<'a>(scenario: &'a ScenarioRecord, model: &str) -> impl Iterator<Item = &'a crate::record::RoundRecord> {
    scenario.rounds.iter().filter(move |window| window.phase == Phase::Measured && window.model == model)
}

/// The rate that a model achieved: as analysed, else over its measured windows.
pub(super) fn achieved(scenario: &ScenarioRecord, model: &str) -> Option<Rate> {
    let analysed = scenario.analysis.load.get(model).and_then(|load| load.achieved_rate);
    analysed.or_else(|| {
        let (operations, seconds) = measured(scenario, model).fold((0.0, 0.0), |(operations, seconds), window| {
            let length = window.seconds.get();
            (operations + window.achieved_rate.get() * length, seconds + length)
        });
        let rate: f64 = operations / seconds;
        (rate.is_finite() && rate > 0.0).then(|| Rate::new(rate))
    })
}

fn achieved_in_words(scenario: &ScenarioRecord, model: &str) -> String {
    achieved(scenario, model)
        .map_or_else(|| "no rate known".to_owned(), |rate| format!("{}/s achieved", format::rate(rate)))
}

/// How its load shows, as the analysis says; else the rate achieved.
fn reason(scenario: &ScenarioRecord, model: &str) -> String {
    let analysed = scenario.analysis.load.get(model).and_then(|load| load.reason.clone());
    analysed.unwrap_or_else(|| achieved_in_words(scenario, model))
}

/// What takes the place of ratios where a model could not bear the load; `None` where both did.
pub(super) fn answer(scenario: &ScenarioRecord, naive: &ModelRecord, pattern: &ModelRecord) -> Option<String> {
    let rate = format!("{}/s", format::rate(scenario.plan.rate?));
    let both = [naive, pattern];
    if let Some(model) = both.into_iter().find(|model| bearing(scenario, &model.name) == Bearing::Generator) {
        let (name, reason) = (&model.name, reason(scenario, &model.name));
        return Some(format!("no answer at {rate}: the load generator was the limit ({name}: {reason})"));
    }
    let does = |model: &ModelRecord| achieved_in_words(scenario, &model.name);
    let saturated = both.map(|model| bearing(scenario, &model.name) == Bearing::Saturated);
    let one_cannot = |cannot: &ModelRecord, can: &ModelRecord| {
        let p95 = p95(scenario, naive, can).map(|p95| format!(" with p95 {}", format::time(p95))).unwrap_or_default();
        format!("{} cannot hold {rate}: {}; {} holds it{p95}", cannot.name, does(cannot), can.name)
    };
    let said = match saturated {
        [false, false] => return None,
        [true, false] => one_cannot(naive, pattern),
        [false, true] => one_cannot(pattern, naive),
        [true, true] => {
            let names = format!("neither {} nor {} can hold {rate}", naive.name, pattern.name);
            format!("{names}: {} and {}", does(naive), does(pattern))
        }
    };
    Some(match light_load_of_mix(scenario) {
        Some(light) => {
            format!("{said}; at light load {} p95 ÷ {} p95 of the whole mix = {light}", naive.name, pattern.name)
        }
        None => said,
    })
}

/// The ratio at light load, which stands even where the rate cannot be held.
fn light_load_of_mix(scenario: &ScenarioRecord) -> Option<String> {
    let p95 = scenario.analysis.operations.get(ALL)?.get(&Metric::P95)?;
    beside::ratio(&p95.light_load.as_ref()?.speedup)
}

/// The p95 of the whole mix of naive or of the first pattern.
fn p95(scenario: &ScenarioRecord, naive: &ModelRecord, model: &ModelRecord) -> Option<Micros> {
    let found = scenario.analysis.operations.get(ALL)?.get(&Metric::P95)?;
    let figure = if std::ptr::eq(naive, model) { found.naive } else { found.pattern };
    figure.map(Micros::new)
}

/// A line for each model that did not bear the load: what the limit was, and how that shows.
pub(super) fn limits(scenario: &ScenarioRecord) -> Vec<String> {
    let Some(rate) = scenario.plan.rate else { return Vec::new() };
    let rate = format::rate(rate);
    let of_model = |model: &ModelRecord| {
        let (name, why) = (&model.name, reason(scenario, &model.name));
        match bearing(scenario, name) {
            Bearing::Holds => None,
            Bearing::Saturated => {
                Some(format!("model {name} is saturated at {rate}/s, and the server was the limit: {why}"))
            }
            Bearing::Generator => Some(format!(
                "the load generator was the limit for model {name} at {rate}/s, so its figures are not the model's: \
                 {why}"
            )),
        }
    };
    Cast::of(&scenario.models).shown().filter_map(of_model).collect()
}

/// A line for each model that bore the load of which something is to be said nevertheless: how far lag pulls its ratio, and
/// where the load generator was late.
pub(super) fn remarks(scenario: &ScenarioRecord) -> Vec<String> {
    let of_model = |model: &ModelRecord| {
        let load = scenario.analysis.load.get(&model.name)?;
        let said = [load.late.as_deref().map(late), load.reason.clone()].into_iter().flatten().collect::<Vec<_>>();
        let holds = bearing(scenario, &model.name) == Bearing::Holds && !said.is_empty();
        holds.then(|| format!("{}: {}", model.name, said.join("; ")))
    };
    Cast::of(&scenario.models).shown().filter_map(of_model).collect()
}

fn late(how: &str) -> String {
    format!(
        "the load generator was late ({how}); a verdict stands only where service time, which holds none of its lag, gives \
         the same"
    )
}

const OPEN: [Column; 8] = [
    Column::left("model", "How the data are laid out", 9),
    Column::right("achieved", "Operations done per second", 9),
    Column::right("utilisation", "Rate offered ÷ the model's closed capacity", 9),
    Column::right(
        "in flight",
        "Operations under way at the server on average: rate × mean service time (Little's law)",
        9,
    ),
    Column::right("backlogged", "Operations that came due while every worker was busy", 9),
    Column::right("lag p50", "Median time by which a worker that stood ready sent late", 9),
    Column::right("lag p95", "95th percentile of that lag", 9),
    Column::left("limit", "What could not keep up", 9),
];
const CLOSED: [usize; 3] = [0, 1, 3];

/// The load of every measured model; `None` where nothing of it was analysed.
pub(super) fn table(scenario: &ScenarioRecord) -> Option<Table> {
    let cast = Cast::of(&scenario.models);
    let open = scenario.plan.mode == Mode::Open;
    let shown = |cells: Vec<Cell>| match open {
        true => cells,
        false => {
            cells.into_iter().enumerate().filter(|(place, _)| CLOSED.contains(place)).map(|(_, cell)| cell).collect()
        }
    };
    let rows: Vec<Row> = cast
        .shown()
        .filter(|model| is_measured(scenario, model))
        .filter_map(|model| {
            let load = scenario.analysis.load.get(&model.name)?;
            Some(Row { cells: shown(cells(scenario, &model.name, load)), opens_group: false })
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let columns = if open { OPEN.to_vec() } else { CLOSED.map(|place| OPEN[place]).to_vec() };
    Some(Table { caption: caption(scenario), columns, rows })
}

fn caption(scenario: &ScenarioRecord) -> String {
    let Some(offered) = super::plan::offered(scenario) else {
        return "Closed load: each worker sends its next operation when the last one returned.".to_owned();
    };
    let arrivals = match scenario.plan.arrivals {
        Some(ArrivalProcess::Poisson) => "at random distances (Poisson)",
        Some(ArrivalProcess::Constant) | None => "at equal distances",
    };
    format!(
        "Offered to every model: {offered}, {arrivals}. An operation that waits for a worker is backlogged; one that \
         a ready worker sends late is lag of the load generator. Both are in the response time. n/a: the record does \
         not tell."
    )
}

fn cells(scenario: &ScenarioRecord, model: &str, load: &LoadAnalysis) -> Vec<Cell> {
    let known = |text: Option<String>| text.map_or_else(Cell::unknown, Cell::new);
    let bearing = bearing(scenario, model);
    let achieved = known(load.achieved_rate.map(|rate| format!("{}/s", format::rate(rate))));
    vec![
        Cell::new(model),
        if bearing == Bearing::Holds { achieved } else { achieved.toned(Tone::Bad) },
        known(load.utilisation.map(format::share)),
        known(load.in_flight.map(|number| format::significant(number.get()))),
        known(load.backlogged.map(format::small_share)),
        known(load.lag_p50.map(format::time)),
        known(load.lag_p95.map(format::time)),
        limit(bearing, load.late.is_some()),
    ]
}

fn limit(bearing: Bearing, late: bool) -> Cell {
    match bearing {
        Bearing::Holds if late => Cell::new("none; sent late").toned(Tone::Open),
        Bearing::Holds => Cell::new("none"),
        Bearing::Saturated => Cell::new("server: saturated").toned(Tone::Bad),
        Bearing::Generator => Cell::new("load generator").toned(Tone::Bad),
    }
}
