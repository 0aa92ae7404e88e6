//! The speed-up of each model over naive along the axis, with the line at 1 and the crossover.

use maud::{Markup, html as markup};

use super::super::format;
use super::super::view::{AxisView, part_name};
use super::draw::{self, Dot, Words};
use super::plot::Plot;
use crate::record::{CrossoverRecord, IntervalEstimate, SweepRecord, SweptModelRecord};
use crate::units::Ratio;
use crate::words::{CrossoverOutcome, Metric};

const BOTTOM: f64 = 250.0;
const FOOT: f64 = 56.0;

/// The speed-up chart of an operation; `None` where nothing of it was compared.
pub(in crate::report) fn speedup_chart(
    sweep: &SweepRecord,
    workload: &str,
    operation: &str,
    id: &str,
) -> Option<Markup> {
    let series = all_series(sweep, workload, operation);
    let dots = || series.iter().flat_map(|series| &series.dots);
    let figures = dots().flat_map(|dot| {
        let (low, high) = dot.interval.unwrap_or((dot.figure, dot.figure));
        [low, dot.figure, high]
    });
    let mut figures: Vec<f64> = figures.collect();
    if figures.is_empty() {
        return None;
    }
    figures.push(1.0);
    let values: Vec<f64> = sweep.points.iter().map(|point| point.at).collect();
    let plot = Plot::of(&values, figures, BOTTOM)?;
    let axis = AxisView::of(&sweep.axis);
    let ticks: Vec<(f64, String)> = sweep.points.iter().map(|point| (point.at, axis.place(point.at))).collect();
    let metric = series.first().map_or(Metric::P95, |series| series.metric);
    let figure = if metric == Metric::Mean { "mean service time".to_owned() } else { metric.to_string() };
    let inner = markup! {
        @for series in &series {
            @if let Some(found) = series.found { (crossover(&plot, found, &values, axis)) }
        }
        (draw::frame(&plot, &ticks, &axis.name(), (&format!("speed-up by {figure}; above 1 faster than naive"), times)))
        (draw::level(&plot, 1.0))
        @for series in &series { (draw::series(&plot, &series.dots, &draw::series_colour(series.place))) }
    };
    let title = format!("Speed-up of {} over {}", part_name(operation), axis.name());
    let said = series.iter().map(|series| {
        let dots = series.dots.iter().map(|dot| format!("{} at {}", times(dot.figure), axis.place(dot.at)));
        format!("{}: {}", series.model, dots.collect::<Vec<_>>().join(", "))
    });
    let words = Words { id, title, description: said.collect::<Vec<_>>().join("; ") };
    Some(draw::svg(&words, BOTTOM + FOOT, &inner))
}

fn times(ratio: f64) -> String {
    let said = format::ratio(Ratio::new(ratio));
    let number = said.trim_end_matches('×');
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number}×")
}

/// A model's speed-ups along the axis.
struct Series<'a> {
    model: &'a str,
    place: usize,
    metric: Metric,
    dots: Vec<Dot>,
    found: Option<&'a CrossoverRecord>,
}

fn all_series<'a>(sweep: &'a SweepRecord, workload: &str, operation: &str) -> Vec<Series<'a>> {
    let others = sweep.scenario.models.iter().enumerate().skip(1);
    others.filter_map(|(place, model)| one_series(sweep, workload, operation, place, model)).collect()
}

fn one_series<'a>(
    sweep: &'a SweepRecord,
    workload: &str,
    operation: &str,
    place: usize,
    model: &'a SweptModelRecord,
) -> Option<Series<'a>> {
    let is_of = |of_workload: &str, of_operation: &str, of_model: &str| {
        of_workload == workload && of_operation == operation && of_model == model.name
    };
    let found = sweep.crossover.iter().find(|found| is_of(&found.workload, &found.operation, &found.model));
    let metric = found.and_then(|found| found.metric).unwrap_or(Metric::P95);
    let estimate = |point: &crate::record::PointRecord| -> Option<IntervalEstimate> {
        let figure = point.figures.iter().find(|of| is_of(&of.workload, &of.operation, &of.model))?;
        if metric == Metric::Mean { figure.mean_service_speedup } else { figure.speedup.get(&metric).copied() }
    };
    let dot = |point: &crate::record::PointRecord| {
        let speedup = estimate(point)?;
        let interval = speedup.low.zip(speedup.high).map(|(low, high)| (low.get(), high.get()));
        Some(Dot { at: point.at, figure: speedup.ratio.get(), interval })
    };
    let dots: Vec<Dot> = sweep.points.iter().filter_map(dot).collect();
    (!dots.is_empty()).then_some(Series { model: &model.name, place, metric, dots, found })
}

/// The place where a model overtakes naive; an open end of its interval reaches to the end of the axis.
fn crossover(plot: &Plot, found: &CrossoverRecord, values: &[f64], axis: AxisView<'_>) -> Markup {
    let Some(at) = found.at.filter(|_| found.outcome == CrossoverOutcome::Found) else { return markup! {} };
    let ends = (values.iter().copied().fold(at, f64::min), values.iter().copied().fold(at, f64::max));
    let interval = match (found.low, found.high) {
        (None, None) => (at, at),
        (low, high) => (low.unwrap_or(ends.0), high.unwrap_or(ends.1)),
    };
    draw::mark(plot, at, interval, &format!("{} at {}", found.model, axis.between(at)))
}
