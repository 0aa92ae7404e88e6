//! The p95 of every operation and model as dots with intervals.

use super::super::dress::Chart;
use super::super::rows::{Mark, Row, Rows};
use super::super::scale::Scale;
use crate::analysis::{ALL, Latency, Shape};
use crate::record::ScenarioRecord;
use crate::report::format;
use crate::report::text::clean;
use crate::report::view::{operations_shown, series_of};

/// The chart; `None` where no p95 was measured.
pub(in super::super) fn dots(scenario: &ScenarioRecord, shapes: &[Shape]) -> Option<Chart> {
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let of_operation = shapes.iter().map(|shape| &shape.spread).filter(|spread| spread.operation == operation);
        for (place, spread) in of_operation.enumerate() {
            let name = if operation == ALL { "whole mix" } else { operation };
            rows.push(Row {
                heading: (place == 0).then(|| clean(name)),
                name: clean(&spread.model),
                series: series_of(scenario, &spread.model),
                mark: Mark::Dot {
                    at: spread.p95.get(),
                    interval: spread.interval.map(|(low, high)| (low.get(), high.get())),
                },
                value: format::time(spread.p95),
            });
        }
    }
    let description = description(&rows);
    let axis_name = format!("p95 of {}, logarithmic", Latency::of(scenario).name());
    let values: Vec<f64> = rows.iter().flat_map(|row| row.mark.values()).collect();
    let drawing = Rows { rows, axis_name, band: None }.drawn(|room| Scale::times(values, room))?;
    Some(Chart::new(
        "p95",
        format!("p95 latency by operation and model: {}", scenario.title),
        description,
        "Dot: geometric mean of the p95 of each unit of rounds, with its 95 % interval; hollow: p95 of all operations, too \
         few for an interval. Further left is faster. Intervals that overlap do not mean that models are equal: the table \
         compares them pair by pair.",
        &drawing,
    ))
}

/// The chart in words.
fn description(rows: &[Row]) -> String {
    let mut operation = "";
    let said = rows.iter().map(|row| {
        operation = row.heading.as_deref().unwrap_or(operation);
        let interval = match row.mark {
            Mark::Dot { interval: Some((low, high)), .. } => {
                format!(" ({} to {})", format::tick(low), format::tick(high))
            }
            _ => " (no interval)".to_owned(),
        };
        format!("{operation}, {}: {}{interval}", row.name, row.value)
    });
    said.collect::<Vec<_>>().join("; ")
}
