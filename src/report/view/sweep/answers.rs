//! What a sweep says in sentences.

use super::axis::{AxisView, part_name};
use crate::record::{CrossoverRecord, FigureRecord, FitRecord, PointRecord, SlopeRecord, SweepRecord};
use crate::report::format;
use crate::words::{CrossoverOutcome, GrowthWord, Metric, SweepAxis};

/// What is said of an operation: how each model grows, and where one overtakes the other.
pub(super) fn of_operation(sweep: &SweepRecord, workload: &str, operation: &str) -> Vec<String> {
    let axis = AxisView::of(&sweep.axis);
    let is_of = |of_workload: &str, of_operation: &str| of_workload == workload && of_operation == operation;
    let fits = sweep.fits.iter().filter(|fit| is_of(&fit.workload, &fit.operation));
    let dagger = |model: &str| if is_limited(sweep, workload, operation, model) { " †" } else { "" };
    let grown = fits.filter_map(|fit| growth(fit, axis, dagger(&fit.model)));
    let grown: Vec<String> = grown.collect();
    let mut said = Vec::new();
    if !grown.is_empty() {
        said.push(format!("{}: {}", part_name(operation), grown.join("; ")));
    }
    let crossings = sweep.crossover.iter().filter(|found| is_of(&found.workload, &found.operation));
    said.extend(
        crossings.map(|found| {
            format!("{}: {}{}", part_name(operation), crossover(sweep, found, axis), dagger(&found.model))
        }),
    );
    said
}

/// Whether the server executes an operation of a model, or of naive beside it, unlike mongod at some value.
fn is_limited(sweep: &SweepRecord, workload: &str, operation: &str, model: &str) -> bool {
    let figures = sweep.points.iter().flat_map(|point| &point.figures).filter(|figure| figure.engine_limited.is_some());
    let mut figures = figures.filter(|figure| figure.workload == workload && figure.operation == operation);
    figures.any(|figure| figure.model == model)
}

/// `naive grows linearly (slope 0.97 (0.95–0.99) from 2 000 to 20 000)`.
fn growth(fit: &FitRecord, axis: AxisView<'_>, dagger: &str) -> Option<String> {
    let top = fit.slopes.last()?;
    let said = match fit.growth? {
        GrowthWord::Falling => "falls",
        GrowthWord::Flat => "stays flat",
        GrowthWord::Sublinear => "grows, less than linearly",
        GrowthWord::Linear => "grows linearly",
        GrowthWord::Superlinear => "grows faster than linearly",
    };
    let of = fit.metric.filter(|metric| *metric != Metric::P95).map(|metric| format!("{metric}, ")).unwrap_or_default();
    Some(format!("{}{dagger} {said} ({of}{})", fit.model, slope(top, axis)))
}

/// A slope and where it was measured.
pub(super) fn slope(slope: &SlopeRecord, axis: AxisView<'_>) -> String {
    format!("slope {} from {} to {}", slope_alone(slope), axis.place(slope.from), axis.place(slope.to))
}

/// A slope with its interval.
pub(super) fn slope_alone(slope: &SlopeRecord) -> String {
    match slope.low.zip(slope.high) {
        Some((low, high)) => format!("{} ({} to {})", hundredths(slope.slope), hundredths(low), hundredths(high)),
        None => hundredths(slope.slope),
    }
}

/// A number with two decimals; what rounds to nothing has no sign.
fn hundredths(number: f64) -> String {
    let said = format!("{number:.2}");
    if said == "-0.00" { "0.00".to_owned() } else { said }
}

/// Where a model overtakes naive, as a clause.
pub(super) fn crossover(sweep: &SweepRecord, found: &CrossoverRecord, axis: AxisView<'_>) -> String {
    let naive = sweep.scenario.models.first().map_or("naive", |naive| naive.name.as_str());
    let by = match found.metric {
        Some(Metric::Mean) => " in mean service time".to_owned(),
        Some(Metric::P95) | None => String::new(),
        Some(metric) => format!(" by {metric}"),
    };
    let model = &found.model;
    let range = || {
        let is_of = |figure: &&FigureRecord| {
            figure.workload == found.workload && figure.operation == found.operation && figure.model == *model
        };
        let is_compared = |figure: &FigureRecord| !figure.speedup.is_empty() || figure.mean_service_speedup.is_some();
        let compared = |point: &&PointRecord| point.figures.iter().find(is_of).is_some_and(is_compared);
        let places = || sweep.points.iter().filter(compared).map(|point| point.at);
        let ends = places().min_by(f64::total_cmp).zip(places().max_by(f64::total_cmp));
        ends.map(|(low, high)| format!("from {} to {}", axis.place(low), axis.place(high))).unwrap_or_default()
    };
    let mut said = match (found.outcome, found.at, found.faster_above) {
        (CrossoverOutcome::Found, Some(at), Some(rises)) => {
            let (side, other) = sides(sweep.axis.kind, rises);
            let place = axis.between(at);
            let interval = interval(found, axis);
            format!("{model} overtakes {naive}{by} at {place}{interval}: it is faster {side}, slower {other}")
        }
        (CrossoverOutcome::NoneInRange, _, Some(true)) => {
            format!("{model} is faster than {naive}{by} throughout, {}: no crossover in range", range())
        }
        (CrossoverOutcome::NoneInRange, _, Some(false)) => {
            format!("{model} is slower than {naive}{by} throughout, {}: no crossover in range", range())
        }
        _ => format!("{model} against {naive}: no crossover can be told"),
    };
    if !found.further.is_empty() {
        let further: Vec<String> = found.further.iter().map(|at| axis.between(*at)).collect();
        said.push_str(&format!("; it crosses again at {}", further.join(", ")));
    }
    if let Some(reason) = &found.reason {
        said.push_str(&format!("; {reason}"));
    }
    said
}

/// ` (95 % interval 100–140)`; an open end lies outside of the values tried.
fn interval(found: &CrossoverRecord, axis: AxisView<'_>) -> String {
    match (found.low, found.high) {
        (Some(low), Some(high)) => format!(" (95 % interval {} to {})", axis.between(low), axis.between(high)),
        (None, Some(high)) => format!(" (95 % interval: below the lowest value to {})", axis.between(high)),
        (Some(low), None) => format!(" (95 % interval: {} to above the highest value)", axis.between(low)),
        (None, None) if found.reason.is_none() => " (95 % interval: all values tried)".to_owned(),
        (None, None) => String::new(),
    }
}

/// Where a model is faster, and where slower.
const fn sides(kind: SweepAxis, rises: bool) -> (&'static str, &'static str) {
    match (kind, rises) {
        (SweepAxis::Mix, true) => ("with more reads than that", "with fewer"),
        (SweepAxis::Mix, false) => ("with fewer reads than that", "with more"),
        (_, true) => ("above", "below"),
        (_, false) => ("below", "above"),
    }
}

/// The fitted curve: `812 µs + 0.95 µs · n^1.02`.
pub(super) fn curve(fit: &FitRecord) -> Option<String> {
    let a = fit.a?;
    Some(match fit.b.zip(fit.k) {
        Some((b, k)) if a.get() > 0.0 => format!("{} + {} µs · n^{k:.2}", format::time(a), format::significant(b)),
        Some((b, k)) => format!("{} µs · n^{k:.2}", format::significant(b)),
        None => format!("{}, no growth beyond noise", format::time(a)),
    })
}
