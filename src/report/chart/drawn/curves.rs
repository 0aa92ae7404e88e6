//! The latencies of an operation as curves: by percentile, and as a distribution.

use super::super::dress::Chart;
use super::super::plot::{Curve, Plot, ROOM_ACROSS, ROOM_UP};
use super::super::scale::Scale;
use crate::analysis::{ALL, Latency, Shape, quantiles};
use crate::record::ScenarioRecord;
use crate::report::format;
use crate::report::text::clean;
use crate::report::view::series_of;
use crate::units::Micros;

/// Points of a curve.
const POINTS: usize = 120;
/// Operations that must be left above a percentile for it to be more than luck.
const LEFT_ABOVE: f64 = 10.0;
/// The highest percentile shown.
const HIGHEST: f64 = 0.9999;
/// The part of operations at either end that a distribution leaves out, so that single ones do not stretch the axis.
const ENDS: f64 = 0.001;

/// Latency by percentile with equal room for each tenth of what is left; `None` without operations enough.
pub(in super::super) fn percentiles(scenario: &ScenarioRecord, operation: &str, shapes: &[&Shape]) -> Option<Chart> {
    let most = shapes.iter().copied().map(highest).fold(0.0, f64::max);
    if most < 0.9 {
        return None;
    }
    let curve = |shape: &Shape| {
        let tenths = -(1.0 - highest(shape)).log10();
        let parts: Vec<f64> =
            (0..=POINTS).map(|place| 1.0 - 10_f64.powf(-tenths * place as f64 / POINTS as f64)).collect();
        let values = quantiles(&shape.latencies, &parts);
        let piece = parts.into_iter().zip(values).map(|(part, value)| (part, value as f64)).collect();
        of_model(scenario, shape, piece)
    };
    let curves: Vec<Curve> = shapes.iter().copied().filter(|shape| highest(shape) >= 0.5).map(curve).collect();
    let plot = Plot {
        x: Scale::percentiles(most),
        x_name: "percentile; each tenth of what is left has the same room".to_owned(),
        y: Scale::times_upwards(heights(&curves, |point| point.1), ROOM_UP)?,
        y_name: format!("{}, logarithmic", Latency::of(scenario).name()),
        curves,
        bands: Vec::new(),
        events: Vec::new(),
        level: None,
    };
    Some(Chart::new(
        file_name("percentiles", operation),
        format!("Latency by percentile, {}: {}", named(operation), scenario.title),
        in_words(shapes, most),
        "All rounds together. Lower is faster. A curve ends where fewer than ten operations are left above it (99.99 % at the \
         most): beyond that a percentile is luck.",
        &plot.drawn()?,
    ))
}

/// The share of operations done within a time.
pub(in super::super) fn distribution(scenario: &ScenarioRecord, operation: &str, shapes: &[&Shape]) -> Option<Chart> {
    let curve = |shape: &Shape| {
        let parts: Vec<f64> =
            (0..=POINTS).map(|place| ENDS + (1.0 - 2.0 * ENDS) * place as f64 / POINTS as f64).collect();
        let values = quantiles(&shape.latencies, &parts);
        let piece = values.into_iter().zip(parts).map(|(value, part)| (value as f64, part)).collect();
        of_model(scenario, shape, piece)
    };
    let curves: Vec<Curve> = shapes.iter().copied().map(curve).collect();
    let plot = Plot {
        x: Scale::times(heights(&curves, |point| point.0), ROOM_ACROSS)?,
        x_name: format!("{}, logarithmic", Latency::of(scenario).name()),
        y: Scale::parts(),
        y_name: "operations done within that time".to_owned(),
        curves,
        bands: Vec::new(),
        events: Vec::new(),
        level: None,
    };
    Some(Chart::new(
        file_name("distribution", operation),
        format!("Distribution of latencies, {}: {}", named(operation), scenario.title),
        in_words(shapes, 0.99),
        "All rounds together. Further left is faster. Steep: alike; a step between two steep parts: two kinds of operations. \
         The lowest and highest thousandth are left out.",
        &plot.drawn()?,
    ))
}

fn of_model(scenario: &ScenarioRecord, shape: &Shape, piece: Vec<(f64, f64)>) -> Curve {
    let model = &shape.spread.model;
    Curve { name: clean(model), series: series_of(scenario, model), pieces: vec![piece] }
}

fn heights(curves: &[Curve], of: fn(&(f64, f64)) -> f64) -> Vec<f64> {
    curves.iter().flat_map(|curve| &curve.pieces).flatten().map(of).collect()
}

/// The highest percentile of a model that is more than luck.
fn highest(shape: &Shape) -> f64 {
    (1.0 - LEFT_ABOVE / shape.latencies.len().max(1) as f64).clamp(0.0, HIGHEST)
}

fn named(operation: &str) -> &str {
    if operation == ALL { "whole mix" } else { operation }
}

fn file_name(what: &str, operation: &str) -> String {
    if operation == ALL { what.to_owned() } else { format!("{what}-{operation}") }
}

/// Some percentiles of each model.
fn in_words(shapes: &[&Shape], most: f64) -> String {
    let known = [0.5, 0.9, 0.99, 0.999, 0.9999];
    let said = shapes.iter().map(|shape| {
        let most = highest(shape).min(most) + 1e-9;
        let parts: Vec<f64> = known.into_iter().filter(|part| *part <= most).collect();
        let values = quantiles(&shape.latencies, &parts);
        let told = parts.iter().zip(values).map(|(part, value)| {
            format!("{} % {}", format::digits(part * 100.0), format::time(Micros::new(value as f64)))
        });
        format!("{}: {}", shape.spread.model, told.collect::<Vec<_>>().join(", "))
    });
    said.collect::<Vec<_>>().join("; ")
}
