//! The growth chart: the latency of an operation in each model along the axis, on logarithmic axes.

use maud::{Markup, html as markup};

use super::super::format;
use super::super::view::{AxisView, beside_cache, part_name};
use super::draw::{self, Dot, Words};
use super::plot::{LEFT, Plot, TOP};
use crate::record::{FitRecord, SweepRecord};
use crate::words::{Metric, SweepAxis};

const BOTTOM: f64 = 330.0;
/// Below the plot: ticks and the axis's name.
const FOOT: f64 = 52.0;
/// A further line below, for sizes beside the cache.
const LINE: f64 = 17.0;

/// The growth chart of an operation; `None` where nothing of it was timed.
pub(in crate::report) fn growth_chart(
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
    let values: Vec<f64> = sweep.points.iter().map(|point| point.at).collect();
    let plot = Plot::of(&values, figures.collect::<Vec<_>>(), BOTTOM)?;
    let axis = AxisView::of(&sweep.axis);
    let ticks: Vec<(f64, String)> = sweep.points.iter().map(|point| (point.at, axis.place(point.at))).collect();
    let lines = cache_lines(sweep, workload);
    let metric = series.first().map_or(Metric::P95, |series| series.metric);
    let inner = markup! {
        (draw::frame(&plot, &ticks, &axis_name(sweep, axis, !lines.is_empty()), (&format!("{metric}, logarithmic"), format::tick)))
        @for series in &series {
            @if let Some(fit) = series.fit { (fitted(&plot, fit, &values, &draw::series_colour(series.place))) }
            (draw::series(&plot, &series.dots, &draw::series_colour(series.place)))
        }
        (failures(sweep, workload, &plot))
        @for (place, line) in lines.iter().enumerate() {
            @let y = BOTTOM + FOOT + LINE * (place as f64 + 0.6);
            (draw::quiet_text((LEFT - 8.0, y), &line.model, "end"))
            @for (at, said) in plot.ticks(&line.ratios) { (draw::quiet_text((plot.x(at), y), &said, "middle")) }
        }
    };
    let title = format!("{metric} of {} over {}, by model", part_name(operation), axis.name());
    let words = Words { id, title, description: description(&series, axis) };
    Some(draw::svg(&words, BOTTOM + FOOT + LINE * lines.len() as f64 + 4.0, &inner))
}

/// A model's latencies along the axis.
struct Series<'a> {
    model: &'a str,
    /// Its place among the models, which decides its colour.
    place: usize,
    metric: Metric,
    dots: Vec<Dot>,
    fit: Option<&'a FitRecord>,
}

fn all_series<'a>(sweep: &'a SweepRecord, workload: &str, operation: &str) -> Vec<Series<'a>> {
    let models = sweep.scenario.models.iter().enumerate();
    let series = models.filter_map(|(place, model)| {
        let is_of = |of_workload: &str, of_operation: &str, of_model: &str| {
            of_workload == workload && of_operation == operation && of_model == model.name
        };
        let fit = sweep.fits.iter().find(|fit| is_of(&fit.workload, &fit.operation, &fit.model));
        let metric = fit.and_then(|fit| fit.metric).unwrap_or(Metric::P95);
        let dot = |point: &crate::record::PointRecord| {
            let figure = point.figures.iter().find(|of| is_of(&of.workload, &of.operation, &of.model))?;
            let latency = figure.latency.get(&metric)?;
            let interval = latency.low.zip(latency.high).map(|(low, high)| (low.get(), high.get()));
            Some(Dot { at: point.at, figure: latency.value.get(), interval })
        };
        let dots: Vec<Dot> = sweep.points.iter().filter_map(dot).collect();
        (!dots.is_empty()).then_some(Series { model: &model.name, place, metric, dots, fit })
    });
    series.collect()
}

/// The fitted curve, dashed.
fn fitted(plot: &Plot, fit: &FitRecord, values: &[f64], colour: &str) -> Markup {
    let positive = || values.iter().copied().filter(|value| *value > 0.0);
    let ends = positive().min_by(f64::total_cmp).zip(positive().max_by(f64::total_cmp));
    let (Some((low, high)), Some(a), Some((b, k))) = (ends, fit.a, fit.b.zip(fit.k)) else { return markup! {} };
    const STEPS: u32 = 60;
    let places = (0..=STEPS).map(|step| low * (high / low).powf(f64::from(step) / f64::from(STEPS)));
    let heights = places.map(|at| (plot.x(at), plot.y(a.get() + b * at.powf(k))));
    draw::polyline(heights, colour, "1", Some("3 4"))
}

/// A cross at the top for each model that failed at a value.
fn failures(sweep: &SweepRecord, workload: &str, plot: &Plot) -> Markup {
    markup! {
        @for point in &sweep.points {
            @for failed in point.failed.iter().filter(|failed| failed.workload.as_deref().is_none_or(|of| of == workload)) {
                @let place = sweep.scenario.models.iter().position(|model| Some(&model.name) == failed.model.as_ref()).unwrap_or(0);
                @let who = failed.model.as_deref().unwrap_or("all models");
                (draw::cross(plot.x(point.at), TOP + 10.0 + 14.0 * place as f64, &draw::series_colour(place), &format!("{who}: {}", failed.why)))
            }
        }
    }
}

/// What a cache has to hold, of one model: data ÷ cache and index ÷ cache at each value.
struct CacheLine {
    model: String,
    ratios: Vec<(f64, String)>,
}

/// In a sweep of the cache, sizes stand on the axis.
fn cache_lines(sweep: &SweepRecord, workload: &str) -> Vec<CacheLine> {
    if sweep.axis.kind != SweepAxis::Cache {
        return Vec::new();
    }
    let line = |model: &crate::record::SweptModelRecord| {
        let ratios = sweep.points.iter().filter_map(|point| {
            let bill = point.storage.get(workload)?.get(&model.name)?;
            let (data, index) = (bill.data_to_cache?, bill.index_to_cache?);
            Some((point.at, format!("{} / {}", beside_cache(data), beside_cache(index))))
        });
        CacheLine { model: super::super::text::shortened(&model.name, 10), ratios: ratios.collect() }
    };
    sweep.scenario.models.iter().map(line).filter(|line| !line.ratios.is_empty()).collect()
}

fn axis_name(sweep: &SweepRecord, axis: AxisView<'_>, has_lines: bool) -> String {
    let straight =
        if sweep.points.iter().any(|point| point.at == 0.0) { ", logarithmic from 1 on" } else { ", logarithmic" };
    let lines = if has_lines { "; below: data ÷ cache / index ÷ cache" } else { "" };
    format!("{}{straight}{lines}", axis.name())
}

/// The chart in words.
fn description(series: &[Series<'_>], axis: AxisView<'_>) -> String {
    let said = series.iter().map(|series| {
        let dots = series.dots.iter().map(|dot| format!("{} at {}", format::tick(dot.figure), axis.place(dot.at)));
        format!("{}: {}", series.model, dots.collect::<Vec<_>>().join(", "))
    });
    said.collect::<Vec<_>>().join("; ")
}
