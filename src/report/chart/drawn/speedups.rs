//! Speed-ups as dots with intervals around 1.

use super::super::dress::Chart;
use super::super::rows::{Mark, Row, Rows};
use super::super::scale::Scale;
use crate::analysis::{ALL, Cast, THRESHOLD, headline, headline_of_other};
use crate::record::{ModelRecord, ScenarioRecord, SpeedupRecord};
use crate::report::format;
use crate::report::text::clean;
use crate::report::view::{operations_shown, series_of};
use crate::words::Metric;

/// The chart; `None` where nothing was compared.
pub(in super::super) fn speedups(scenario: &ScenarioRecord) -> Option<Chart> {
    let cast = Cast::of(&scenario.models);
    cast.naive?;
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let first = rows.len();
        for model in cast.compared() {
            rows.extend(of_model(scenario, &cast, operation, model));
        }
        if let Some(row) = rows.get_mut(first) {
            row.heading = Some(if operation == ALL { "whole mix".to_owned() } else { clean(operation) });
        }
    }
    let description = description(&rows);
    let values: Vec<f64> = rows.iter().flat_map(|row| row.mark.values()).collect();
    let equal = 1.0 + THRESHOLD;
    let rows = Rows {
        rows,
        axis_name: "← naive faster · speed-up, logarithmic · the model faster →".to_owned(),
        band: Some((1.0 / equal, equal, 1.0)),
    };
    let drawing = rows.drawn(|room| Scale::ratios(values, room))?;
    Some(Chart::new(
        "speed-up",
        format!("Speed-up over naive by operation: {}", scenario.title),
        description,
        "Naive p95 ÷ the model's p95, paired by rounds, with its 95 % interval; hollow: no interval. Right of 1× the model \
         is faster, left of it slower; inside the band (±5 %) a difference counts as none.",
        &drawing,
    ))
}

/// The headline's ratio of a model, and that at light load.
fn of_model(scenario: &ScenarioRecord, cast: &Cast<'_>, operation: &str, model: &ModelRecord) -> Vec<Row> {
    let Some(metrics) = scenario.analysis.operations.get(operation) else { return Vec::new() };
    let is_pattern = cast.pattern.is_some_and(|pattern| std::ptr::eq(pattern, model));
    let found = if is_pattern { headline(metrics) } else { headline_of_other(metrics, &model.name) };
    let Some(found) = found else { return Vec::new() };
    let metric = match found.metric {
        Metric::P95 => String::new(),
        other => format!(" ({other})"),
    };
    let light = metrics.get(&found.metric).filter(|_| is_pattern).and_then(|found| found.light_load.as_ref());
    let row = |name: String, speedup: &SpeedupRecord| {
        let ratio = speedup.speedup?;
        Some(Row {
            heading: None,
            name,
            series: series_of(scenario, &model.name),
            mark: Mark::Dot {
                at: ratio.get(),
                interval: speedup.low.zip(speedup.high).map(|(low, high)| (low.get(), high.get())),
            },
            value: format::ratio(ratio),
        })
    };
    let name = clean(&model.name);
    let headline = row(format!("{name}{metric}"), found.comparison);
    let light = light.and_then(|light| row("… at light load".to_owned(), &light.speedup));
    headline.into_iter().chain(light).collect()
}

/// The chart in words.
fn description(rows: &[Row]) -> String {
    let mut operation = "";
    let said = rows.iter().map(|row| {
        operation = row.heading.as_deref().unwrap_or(operation);
        let interval = match row.mark {
            Mark::Dot { interval: Some((low, high)), .. } => {
                format!(" ({} to {})", format::mean(low), format::mean(high))
            }
            _ => " (no interval)".to_owned(),
        };
        format!("{operation}, {}: {}{interval}", row.name, row.value)
    });
    said.collect::<Vec<_>>().join("; ")
}
