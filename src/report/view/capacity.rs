//! The capacity of models within an objective.

use super::facts;
use super::notes::Notes;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::record::{CapacityAnswer, CapacityModel, CapacityRecord, Objective, ProbeRecord, RatePoint};
use crate::report::axis::Axis;
use crate::report::format::{self, plural};
use crate::report::lines::{Curve, CurvePoint, Curves, Place, Scale};
use crate::units::{Micros, Rate, Ratio};
use crate::words::{ArrivalProcess, CapacityFound, Metric, ProbeOutcome, Product, Role};

const COLUMNS: [Column; 7] = [
    Column::left("model", "How the data are laid out", 9),
    Column::right("capacity", "The rate at which half of the windows hold, with its 95 % interval", 9),
    Column::right(
        "× naive",
        "Capacity ÷ that of naive; the ends are those of the intervals that lie furthest apart",
        8,
    ),
    Column::right("knee", "Where the latency passes twice that of the lowest rate offered", 7),
    Column::right("at the lowest rate", "Latency at the lowest rate offered", 5),
    Column::right("closed", "Operations per second under closed load: where the search began", 3),
    Column::right("windows", "Windows that the answer is made of", 4),
];

const PROBES: [Column; 9] = [
    Column::left("model", "The model", 9),
    Column::right("window", "The window's place in the study", 2),
    Column::right("offered", "Operations due per second", 9),
    Column::right("achieved", "Operations done per second", 5),
    Column::right("latency", "Response time, the metric of the objective that is named first", 9),
    Column::right("service p95", "95th percentile of service time", 3),
    Column::right("failed", "Operations that failed", 4),
    Column::left("outcome", "Whether the rate held", 9),
    Column::left("why", "Why it did not, and what else is to be known of the window", 9),
];

/// A study of capacity as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct CapacityView<'a> {
    pub(in crate::report) record: &'a CapacityRecord,
    pub(in crate::report) server: String,
    pub(in crate::report) client: String,
    /// What must be said before any figure.
    pub(in crate::report) stamps: Vec<String>,
    /// The objective in words.
    pub(in crate::report) objective: String,
    pub(in crate::report) plan: String,
    /// A sentence for each model.
    pub(in crate::report) answers: Vec<(String, Tone)>,
    pub(in crate::report) models: Table,
    /// Every window, model by model.
    pub(in crate::report) probes: Table,
    pub(in crate::report) notes: Notes,
    pub(in crate::report) chart: Option<Curves>,
    pub(in crate::report) events: Vec<String>,
}

impl<'a> CapacityView<'a> {
    pub(in crate::report) fn of(record: &'a CapacityRecord) -> Self {
        let mut notes = Notes::default();
        let mut stamps: Vec<String> = facts::stamp(record.server.product).into_iter().collect();
        if !record.complete {
            stamps
                .push("INCOMPLETE: the study ended before every search came to its end; --resume goes on.".to_owned());
        }
        let client = &record.client;
        let event = |event: &crate::record::EventRecord| match &event.model {
            Some(model) => format!("{model}: {}", event.what),
            None => event.what.clone(),
        };
        Self {
            record,
            server: facts::server(&record.server),
            client: format!("{} · {} · {}", client.os, client.cpu, plural(u64::from(client.cores), "core", "cores")),
            stamps,
            objective: objective(&record.objective),
            plan: plan(record),
            answers: answers(record),
            models: models(record, &mut notes),
            probes: probes(record),
            notes,
            chart: chart(record),
            events: record.events.iter().map(event).collect(),
        }
    }
}

/// The metric that tables and chart show.
fn metric(objective: &Objective) -> Metric {
    objective.latencies.keys().next().copied().unwrap_or(Metric::P95)
}

fn objective(objective: &Objective) -> String {
    let bounds: Vec<String> =
        objective.latencies.iter().map(|(metric, bound)| format!("{metric} ≤ {}", format::time(*bound))).collect();
    let of = match &objective.operation {
        Some(operation) => format!("response time of {operation}"),
        None => "response time of the whole mix".to_owned(),
    };
    let errors = format::small_share(objective.errors);
    let hold = format::seconds(objective.hold);
    format!("{}, {of}, at most {errors} of operations failed, held for {hold}", bounds.join(", "))
}

fn plan(record: &CapacityRecord) -> String {
    let arrivals = match record.arrivals {
        ArrivalProcess::Constant => "constant arrivals",
        ArrivalProcess::Poisson => "Poisson arrivals",
    };
    let mut parts = vec![arrivals.to_owned()];
    parts.extend(record.workers.map(|workers| plural(u64::from(workers), "worker", "workers")));
    parts.push(format!("profile {}", record.profile));
    parts.push(format!("seed {}", record.seed));
    let fresh = record.models.iter().flat_map(|model| &model.probes).filter(|probe| probe.fresh).count() as u64;
    parts.push(match &record.growing {
        _ if record.server.product == Product::Simulated => "no data".to_owned(),
        Some(why) => format!("data grow along: {why}"),
        None if fresh > 0 => format!("data loaded anew before {}", plural(fresh, "window", "windows")),
        None => "data grew by less than a tenth between loads".to_owned(),
    });
    if !record.resumed_at.is_empty() {
        parts.push(format!("resumed {}", plural(record.resumed_at.len() as u64, "time", "times")));
    }
    parts.join(" · ")
}

/// A rate with its unit.
fn rate(rate: Rate) -> String {
    format!("{}/s", format::rate(rate))
}

/// A capacity with its interval: `1 820/s (1 760–1 890)`.
fn with_interval(answer: &CapacityAnswer) -> String {
    let Some(found) = answer.rate else { return format::NOT_AVAILABLE.to_owned() };
    match (answer.found, answer.low, answer.high) {
        (CapacityFound::AtLeast, _, _) => format!("≥ {}", rate(found)),
        (_, Some(low), Some(high)) => format!("{} ({}–{})", rate(found), format::rate(low), format::rate(high)),
        (_, Some(low), None) => format!("{} (from {})", rate(found), format::rate(low)),
        (_, None, Some(high)) => format!("{} (up to {})", rate(found), format::rate(high)),
        (_, None, None) => rate(found),
    }
}

fn answers(record: &CapacityRecord) -> Vec<(String, Tone)> {
    let mut said: Vec<(String, Tone)> =
        record.models.iter().map(|model| sentence(model, record.objective.rate)).collect();
    let naive = record.models.iter().find(|model| model.role == Role::Naive);
    for model in record.models.iter().filter(|model| model.role == Role::Pattern) {
        if let Some((ratio, (low, high))) = naive.and_then(|naive| times(model, naive)) {
            let ratio = format::ratio_with_interval(ratio, low, high);
            let naive = naive.map_or("naive", |naive| naive.name.as_str());
            let tone = match (low.get() > 1.0, high.get() < 1.0) {
                (true, _) => Tone::Good,
                (_, true) => Tone::Bad,
                _ => Tone::Open,
            };
            said.push((format!("{} carries {ratio} the rate of {naive}", model.name), tone));
        }
    }
    said
}

fn sentence(model: &CapacityModel, wanted: Option<Rate>) -> (String, Tone) {
    let name = &model.name;
    if let Some(why) = &model.skipped {
        return (format!("{name} was not measured: {why}"), Tone::Open);
    }
    let Some(answer) = &model.answer else { return (format!("{name}: no window yet"), Tone::Open) };
    let reason = answer.reason.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
    let (mut said, tone) = match answer.found {
        CapacityFound::Within => {
            (format!("{name} sustains {} within the objective{reason}", with_interval(answer)), Tone::Strong)
        }
        CapacityFound::AtLeast => {
            let held = answer.rate.map(rate).unwrap_or_default();
            (format!("{name} sustains at least {held}; its capacity is not known{reason}"), Tone::Warning)
        }
        CapacityFound::Below => {
            let lowest = answer.high.map(rate).unwrap_or_default();
            (format!("{name} does not meet the objective even at {lowest}"), Tone::Bad)
        }
        CapacityFound::Unsettled => {
            let held = answer.low.map(|low| format!("; {} held", rate(low))).unwrap_or_default();
            (format!("{name}: the capacity cannot be told{held}{reason}"), Tone::Open)
        }
    };
    if let Some(wanted) = wanted {
        said.push_str(&format!("; {} it {}", rate(wanted), sustains(answer, wanted)));
    }
    (said, tone)
}

fn sustains(answer: &CapacityAnswer, wanted: Rate) -> &'static str {
    if answer.high.is_some_and(|high| high < wanted) {
        "surely does not sustain"
    } else if answer.low.is_some_and(|low| low >= wanted) {
        "surely sustains"
    } else {
        "may or may not sustain: the interval holds it"
    }
}

/// Capacity ÷ naive's.
fn times(model: &CapacityModel, naive: &CapacityModel) -> Option<(Ratio, (Ratio, Ratio))> {
    let within = |model: &CapacityModel| {
        let answer = model.answer.clone().filter(|answer| answer.found == CapacityFound::Within)?;
        Some((answer.rate?.get(), answer.low?.get(), answer.high?.get()))
    };
    let ((rate, low, high), (of, of_low, of_high)) = (within(model)?, within(naive)?);
    let finite = |ratio: f64| (ratio.is_finite() && ratio > 0.0).then(|| Ratio::new(ratio));
    Some((finite(rate / of)?, (finite(low / of_high)?, finite(high / of_low)?)))
}

fn models(record: &CapacityRecord, notes: &mut Notes) -> Table {
    let naive = record.models.iter().find(|model| model.role == Role::Naive);
    let row = |model: &CapacityModel| Row { cells: cells(model, naive, notes), opens_group: false };
    let metric = metric(&record.objective);
    let caption = format!(
        "The highest rate that each model sustains within the objective; latency is {metric} of response time."
    );
    Table { caption, columns: COLUMNS.to_vec(), rows: record.models.iter().map(row).collect() }
}

fn cells(model: &CapacityModel, naive: Option<&CapacityModel>, notes: &mut Notes) -> Vec<Cell> {
    let name = Cell::new(model.name.clone()).toned(Tone::Strong);
    let Some(answer) = &model.answer else {
        let why = model.skipped.as_deref().unwrap_or("no window was done");
        let mark = notes.note(&format!("{}: {why}", model.name));
        let mut cells = vec![name, Cell::not_available(mark)];
        cells.resize(COLUMNS.len(), Cell::unknown());
        return cells;
    };
    let capacity = match (&answer.reason, answer.rate) {
        (Some(why), None) => Cell::not_available(notes.note(&format!("{}: {why}", model.name))),
        (Some(why), Some(_)) => Cell::new(with_interval(answer)).marked(notes.note(&format!("{}: {why}", model.name))),
        (None, _) => Cell::new(with_interval(answer)),
    };
    let beside = naive.filter(|naive| !std::ptr::eq(*naive, model)).and_then(|naive| times(model, naive));
    vec![
        name,
        capacity,
        beside
            .map_or_else(Cell::empty, |(ratio, (low, high))| Cell::new(format::ratio_with_interval(ratio, low, high))),
        model.knee.map_or_else(
            || Cell::not_available(notes.note("the latency did not pass twice that of the lowest rate")),
            |knee| Cell::new(rate(knee)),
        ),
        model.curve.first().map_or_else(Cell::unknown, |first| Cell::new(format::time(first.latency))),
        model.calibrated.map_or_else(Cell::unknown, |calibrated| Cell::new(rate(calibrated))),
        Cell::new(windows(answer)),
    ]
}

fn windows(answer: &CapacityAnswer) -> String {
    match answer.left_out {
        0 => format::count(answer.windows),
        left_out => format!("{} ({} disturbed)", format::count(answer.windows), format::count(left_out)),
    }
}

fn probes(record: &CapacityRecord) -> Table {
    let metric = metric(&record.objective);
    let rows = record.models.iter().flat_map(|model| {
        let row = move |(place, probe): (usize, &ProbeRecord)| {
            let name = if place == 0 { Cell::new(model.name.clone()).toned(Tone::Strong) } else { Cell::empty() };
            Row { cells: probe_cells(name, probe, metric), opens_group: place == 0 }
        };
        model.probes.iter().enumerate().map(row)
    });
    let caption = format!("Every window in the order run, model by model; latency is {metric} of response time.");
    Table { caption, columns: PROBES.to_vec(), rows: rows.collect() }
}

fn probe_cells(name: Cell, probe: &ProbeRecord, metric: Metric) -> Vec<Cell> {
    let time = |micros: Option<Micros>| micros.map_or_else(Cell::unknown, |micros| Cell::new(format::time(micros)));
    let tone = match probe.outcome {
        ProbeOutcome::Held => Tone::Good,
        ProbeOutcome::Missed => Tone::Bad,
        ProbeOutcome::Generator | ProbeOutcome::Ended => Tone::Warning,
    };
    let disturbed = (!probe.disturbed.is_empty()).then(|| format!("disturbed: {}", probe.disturbed.join(", ")));
    let fresh = probe.fresh.then(|| "fresh data".to_owned());
    let said: Vec<String> = probe.why.iter().cloned().chain(disturbed).chain(fresh).collect();
    vec![
        name,
        Cell::new(format::count(u64::from(probe.number) + 1)),
        Cell::new(rate(probe.rate)),
        Cell::new(rate(probe.achieved_rate)),
        time(probe.latencies.get(&metric).copied()),
        time(probe.service_p95),
        Cell::new(format::small_share(probe.errors)),
        Cell::new(probe.outcome.word()).toned(tone),
        Cell::new(said.join("; ")),
    ]
}

/// Latency over rate of all models.
fn chart(record: &CapacityRecord) -> Option<Curves> {
    let metric = metric(&record.objective);
    let bound = record.objective.latencies.get(&metric).copied();
    let shown: Vec<(usize, &CapacityModel)> =
        record.models.iter().enumerate().filter(|(_, model)| !model.curve.is_empty()).collect();
    let points = || shown.iter().flat_map(|(_, model)| &model.curve);
    let rates = Axis::holding(points().map(|point| point.rate.get()), 8)?;
    let latencies = points().flat_map(|point| [point.low.get(), point.high.get()]);
    let latencies = Axis::holding(latencies.chain(bound.map(Micros::get)), 8)?;
    let curve = |(colour, model): &(usize, &CapacityModel)| Curve {
        name: model.name.clone(),
        colour: *colour,
        points: model.curve.iter().map(curve_point).collect(),
        calculated: false,
    };
    let mut places = Vec::new();
    for (colour, model) in &shown {
        places.extend(model.answer.as_ref().and_then(|answer| {
            let name = format!("{} {}", model.name, answer.rate.map(rate)?);
            Some(Place {
                x: answer.rate?.get(),
                interval: answer.low.zip(answer.high).map(|(low, high)| (low.get(), high.get())),
                colour: *colour,
                name,
            })
        }));
    }
    let said: Vec<String> = answers(record).into_iter().map(|(said, _)| said).collect();
    let knees = shown.iter().filter_map(|(_, model)| Some(format!("knee of {} at {}", model.name, rate(model.knee?))));
    Some(Curves {
        title: format!("{metric} of response time over the offered rate: {}", record.title),
        description: said.into_iter().chain(knees).collect::<Vec<_>>().join("; "),
        x: Scale::Rate(rates),
        y: Scale::Time(latencies),
        x_name: "operations due per second, logarithmic".to_owned(),
        y_name: format!("{metric} of response time, logarithmic"),
        curves: shown.iter().map(curve).collect(),
        knees: shown.iter().filter_map(|(colour, model)| knee(*colour, model)).collect(),
        places,
        level: bound.map(|bound| (bound.get(), format!("objective: {metric} ≤ {}", format::time(bound)))),
    })
}

fn curve_point(point: &RatePoint) -> CurvePoint {
    CurvePoint {
        x: point.rate.get(),
        y: point.latency.get(),
        interval: (point.windows > 1).then(|| (point.low.get(), point.high.get())),
        hollow: point.held < point.windows,
    }
}

/// Where the knee stands in the chart: its rate, and twice the latency at the lowest one.
fn knee(colour: usize, model: &CapacityModel) -> Option<(f64, f64, usize)> {
    let lowest = model.curve.first()?.latency.get();
    Some((model.knee?.get(), crate::analysis::KNEE * lowest, colour))
}
