//! The tables of a sweep.

use super::answers::{curve, slope_alone};
use super::axis::{AxisView, part_name};
use crate::record::{FigureInterval, FigureRecord, FitRecord, PointRecord, SweepRecord, SweptClaimRecord};
use crate::report::format::{self, NOT_AVAILABLE};
use crate::report::view::notes::Notes;
use crate::report::view::table::{Cell, Column, Row, Table, Tone};
use crate::units::{Micros, Ratio};
use crate::words::{ClaimOutcome, GrowthWord, Metric, SweepAxis};

const COMPARED: [Column; 7] = [
    Column::left("operation", "What the application does", 9),
    Column::right("value", "What is varied", 9),
    Column::right("naive p95", "95th percentile of naive's latency, with its 95 % interval", 6),
    Column::right("model p95", "95th percentile of the other model's latency, with its 95 % interval", 6),
    Column::right("p95 speed-up", "naive ÷ the other model by p95: above 1 the other model is faster", 9),
    Column::right("mean speed-up", "naive ÷ the other model by mean service time", 4),
    Column::left("", "What failed or disturbed the machine here", 3),
];
const GROWTH: [Column; 5] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::left("growth", "The word for the slope over the highest decade", 9),
    Column::left(
        "slopes",
        "Slopes on logarithmic axes, decade by decade, with their 95 % intervals: 0 is flat, 1 linear",
        8,
    ),
    Column::left("curve", "Fitted on the logarithm of the latency, with the 95 % interval of the exponent", 5),
];
const CLAIMS: [Column; 6] = [
    Column::left("operation", "What the claim speaks of", 9),
    Column::left("at", "The value that it names", 9),
    Column::left("claim", "What is claimed of naive ÷ pattern", 8),
    Column::right("measured", "What was measured, with its 95 % interval", 9),
    Column::left("outcome", "What became of it", 9),
    Column::left("source", "Who says so", 3),
];
const SIZES: [Column; 6] = [
    Column::right("value", "What is varied", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::right("data", "Uncompressed bytes of documents", 6),
    Column::right("indexes", "Bytes of indexes", 6),
    Column::right("data ÷ cache", "Above 1 the documents do not fit into the server's cache", 9),
    Column::right("index ÷ cache", "Above 1 the indexes do not fit into the server's cache", 9),
];

/// A model against naive, value by value, the operations of a workload together.
pub(super) fn compared(sweep: &SweepRecord, workload: &str, model: &str, notes: &mut Notes) -> Option<Table> {
    let naive = &sweep.scenario.models.first()?.name;
    let axis = AxisView::of(&sweep.axis);
    let mut rows = Vec::new();
    for operation in operations(sweep, workload) {
        for (place, point) in sweep.points.iter().enumerate() {
            let of = |model: &str| figure(point, workload, operation, model);
            let (of_naive, of_model) = (of(naive), of(model));
            let name = if place == 0 { Cell::new(part_name(operation)).toned(Tone::Strong) } else { Cell::empty() };
            let mut speedup = speedup(of_model, Metric::P95);
            if let Some(why) = of_model.and_then(|figure| figure.engine_limited.as_ref()) {
                // That of the whole mix names the operation.
                let whole = operation == crate::analysis::ALL;
                speedup =
                    speedup.marked(notes.limited(if whole { why.clone() } else { format!("{operation}: {why}") }));
            }
            let cells = vec![
                name,
                Cell::new(axis.value(point)),
                p95(of_naive),
                p95(of_model),
                speedup,
                mean(of_model),
                failed(point, workload, &[naive, model], notes),
            ];
            rows.push(Row { cells, opens_group: place == 0 });
        }
    }
    let caption = format!("{model} against {naive}, over {}.", axis.name());
    (!rows.is_empty()).then(|| Table { caption, columns: COMPARED.to_vec(), rows })
}

/// The operations of a workload, the whole mix last.
pub(super) fn operations<'a>(sweep: &'a SweepRecord, workload: &str) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for figure in sweep.points.iter().flat_map(|point| &point.figures).filter(|figure| figure.workload == workload) {
        if !found.contains(&figure.operation.as_str()) {
            found.push(&figure.operation);
        }
    }
    found.sort_by_key(|operation| *operation == crate::analysis::ALL);
    found
}

fn figure<'a>(point: &'a PointRecord, workload: &str, operation: &str, model: &str) -> Option<&'a FigureRecord> {
    let mut figures = point.figures.iter();
    figures.find(|figure| figure.workload == workload && figure.operation == operation && figure.model == model)
}

fn p95(figure: Option<&FigureRecord>) -> Cell {
    let Some(latency) = figure.and_then(|figure| figure.latency.get(&Metric::P95)) else { return Cell::unknown() };
    Cell::new(latency_text(latency))
}

/// A latency with its interval, in the unit of the latency.
fn latency_text(latency: &FigureInterval) -> String {
    match latency.low.zip(latency.high) {
        Some((low, high)) => format!("{} ({}–{})", format::time(latency.value), bare(low), format::time(high)),
        None => format::time(latency.value),
    }
}

fn bare(time: Micros) -> String {
    format::time(time)
}

fn speedup(figure: Option<&FigureRecord>, metric: Metric) -> Cell {
    let Some(speedup) = figure.and_then(|figure| figure.speedup.get(&metric)) else { return Cell::unknown() };
    let (text, tone) = match speedup.low.zip(speedup.high) {
        Some((low, high)) => {
            let tone = if low.get() > 1.0 {
                Tone::Good
            } else if high.get() < 1.0 {
                Tone::Bad
            } else {
                Tone::Open
            };
            (format::ratio_with_interval(speedup.ratio, low, high), tone)
        }
        None => (format::ratio(speedup.ratio), Tone::Quiet),
    };
    Cell::new(text).toned(tone)
}

fn mean(figure: Option<&FigureRecord>) -> Cell {
    let Some(speedup) = figure.and_then(|figure| figure.mean_service_speedup) else { return Cell::unknown() };
    Cell::new(match speedup.low.zip(speedup.high) {
        Some((low, high)) => format::ratio_with_interval(speedup.ratio, low, high),
        None => format::ratio(speedup.ratio),
    })
}

fn failed(point: &PointRecord, workload: &str, models: &[&str], notes: &mut Notes) -> Cell {
    let here = point.failed.iter().filter(|failed| failed.workload.as_deref().is_none_or(|of| of == workload));
    let here = here.filter(|failed| failed.model.as_deref().is_none_or(|of| models.contains(&of)));
    let mut cell = Cell::empty();
    for failed in here {
        let who = failed.model.as_deref().unwrap_or("this value");
        let mark = notes.note(&format!("{who}: {}", failed.why));
        cell = Cell { text: "failed".to_owned(), ..cell }.toned(Tone::Bad).marked(mark);
    }
    if let Some(why) = &point.disturbed {
        let mark = notes.note(why);
        cell = if cell.text.is_empty() { Cell::new("disturbed").toned(Tone::Open) } else { cell }.marked(mark);
    }
    cell
}

/// How each operation of each model grows.
pub(super) fn growth(sweep: &SweepRecord, workload: &str, notes: &mut Notes) -> Option<Table> {
    let axis = AxisView::of(&sweep.axis);
    let mut rows = Vec::new();
    for operation in operations(sweep, workload) {
        let fits = sweep.fits.iter().filter(|fit| fit.workload == workload && fit.operation == operation);
        for (place, fit) in fits.enumerate() {
            let name = if place == 0 { Cell::new(part_name(operation)).toned(Tone::Strong) } else { Cell::empty() };
            rows.push(Row { cells: growth_cells(name, fit, axis, notes), opens_group: place == 0 });
        }
    }
    let caption = format!("How latency grows with {}, by its quantile where that has intervals.", axis.name());
    (!rows.is_empty()).then(|| Table { caption, columns: GROWTH.to_vec(), rows })
}

fn growth_cells(name: Cell, fit: &FitRecord, axis: AxisView<'_>, notes: &mut Notes) -> Vec<Cell> {
    let slopes = fit
        .slopes
        .iter()
        .map(|slope| format!("{}–{}: {}", axis.place(slope.from), axis.place(slope.to), slope_alone(slope)));
    let slopes: Vec<String> = slopes.collect();
    let exponent = match (fit.k, fit.k_low, fit.k_high) {
        (None, ..) => String::new(),
        (Some(_), Some(low), Some(high)) => format!(" ({low:.2} to {high:.2})"),
        (Some(_), None, None) => " (exponent open)".to_owned(),
        (Some(_), low, high) => {
            let end = |end: Option<f64>| end.map_or("open".to_owned(), |end| format!("{end:.2}"));
            format!(" ({} to {})", end(low), end(high))
        }
    };
    let mut shown = match curve(fit) {
        Some(curve) => Cell::new(format!("{curve}{exponent}")),
        None => Cell::unknown(),
    };
    if let Some(reason) = &fit.reason {
        shown = shown.marked(notes.note(reason));
    }
    vec![
        name,
        Cell::new(fit.model.clone()),
        fit.growth.map_or_else(Cell::unknown, word),
        Cell::new(if slopes.is_empty() { NOT_AVAILABLE.to_owned() } else { slopes.join("; ") }),
        shown,
    ]
}

fn word(growth: GrowthWord) -> Cell {
    let tone = match growth {
        GrowthWord::Falling | GrowthWord::Flat => Tone::Good,
        GrowthWord::Sublinear => Tone::Open,
        GrowthWord::Linear | GrowthWord::Superlinear => Tone::Bad,
    };
    Cell::new(growth.word()).toned(tone)
}

/// The claims that name a value.
pub(super) fn claims(sweep: &SweepRecord, notes: &mut Notes) -> Option<Table> {
    let rows: Vec<Row> =
        sweep.claims.iter().map(|claim| Row { cells: claim_cells(claim, notes), opens_group: false }).collect();
    let caption = "Claims about values of the axis, each judged by the run at its value.".to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: CLAIMS.to_vec(), rows })
}

fn claim_cells(swept: &SweptClaimRecord, notes: &mut Notes) -> Vec<Cell> {
    let claim = &swept.claim;
    let at: Vec<String> = claim.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let measured = match (claim.measured, claim.low.zip(claim.high)) {
        (Some(ratio), Some((low, high))) => Cell::new(format::ratio_with_interval(ratio, low, high)),
        (Some(ratio), None) => Cell::new(format::ratio(ratio)),
        (None, _) => Cell::unknown(),
    };
    let (said, tone) = match claim.outcome.filter(|_| swept.run.is_some()) {
        Some(ClaimOutcome::Confirmed) => ("confirmed", Tone::Good),
        Some(ClaimOutcome::Refuted) => ("refuted", Tone::Bad),
        Some(ClaimOutcome::Inconclusive) => ("inconclusive", Tone::Open),
        Some(ClaimOutcome::NotTestedHere) | None => ("not tested", Tone::Quiet),
    };
    let mut outcome = Cell::new(said).toned(tone);
    let why = match &swept.run {
        Some(_) => claim.reason.clone(),
        None => Some("no run was made at this value".to_owned()),
    };
    if let Some(why) = why {
        outcome = outcome.marked(notes.note(&why));
    }
    vec![
        Cell::new(part_name(&claim.operation)).toned(Tone::Strong),
        Cell::new(at.join(", ")),
        Cell::new(format!("{} {}", claim.metric, claim.wanted)),
        measured,
        outcome,
        Cell::new(claim.source.clone()).toned(Tone::Quiet),
    ]
}

/// A part of the cache; what takes next to nothing of it is not told in ever smaller figures.
pub(in crate::report) fn beside_cache(ratio: Ratio) -> String {
    if ratio.get() < 0.001 { "below 0.001×".to_owned() } else { format::ratio(ratio) }
}

/// Data and indexes beside the cache, value by value.
pub(super) fn sizes(sweep: &SweepRecord, workload: &str) -> Option<Table> {
    let axis = AxisView::of(&sweep.axis);
    let mut rows = Vec::new();
    for point in &sweep.points {
        let bills = point.storage.get(workload);
        let models = sweep.scenario.models.iter().filter_map(|model| Some((model, bills?.get(&model.name)?)));
        for (place, (model, bill)) in models.enumerate() {
            let ratio = |ratio: Option<Ratio>| ratio.map_or_else(Cell::unknown, |ratio| Cell::new(beside_cache(ratio)));
            let cells = vec![
                if place == 0 { Cell::new(axis.value(point)).toned(Tone::Strong) } else { Cell::empty() },
                Cell::new(model.name.clone()),
                Cell::new(format::bytes(bill.data_bytes)),
                Cell::new(format::bytes(bill.index_bytes)),
                ratio(bill.data_to_cache),
                ratio(bill.index_to_cache),
            ];
            rows.push(Row { cells, opens_group: place == 0 });
        }
    }
    let caption = match sweep.axis.kind {
        SweepAxis::Cache => "What the cache of each size has to hold.",
        SweepAxis::Parameter | SweepAxis::Mix => "Data and indexes beside the server's cache.",
    };
    (!rows.is_empty()).then(|| Table { caption: caption.to_owned(), columns: SIZES.to_vec(), rows })
}
