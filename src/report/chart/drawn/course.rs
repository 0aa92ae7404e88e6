//! Latencies through a round with its events.

use super::super::dress::Chart;
use super::super::plot::{Curve, Event, Kind, Plot, ROOM_UP};
use super::super::scale::Scale;
use crate::analysis::{Latency, courses};
use crate::record::{RoundRecord, SLICES, ScenarioRecord};
use crate::report::format;
use crate::report::text::clean;
use crate::report::view::series_of;
use crate::units::Micros;
use crate::words::Phase;

/// The chart; `None` where models have no events.
pub(in super::super) fn course(scenario: &ScenarioRecord) -> Option<Chart> {
    let around = scenario.analysis.around_event.as_ref()?;
    let place = |slice: usize| (slice as f64 + 0.5) / SLICES as f64;
    let mut curves = Vec::new();
    for course in courses(scenario) {
        let mut pieces = vec![Vec::new()];
        for (slice, p95) in course.p95.iter().enumerate() {
            match (p95, pieces.last_mut()) {
                (Some(p95), Some(piece)) => piece.push((place(slice), p95.get())),
                _ => pieces.push(Vec::new()),
            }
        }
        curves.push(Curve { name: clean(&course.model), series: series_of(scenario, &course.model), pieces });
    }
    let heights: Vec<f64> = curves.iter().flat_map(|curve| &curve.pieces).flatten().map(|point| point.1).collect();
    let (low, high) = heights.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), at| (low.min(*at), high.max(*at)));
    let events = events(scenario);
    let span = around.from.zip(around.to).map(|(from, to)| (from.get(), to.get()));
    let begins = events.iter().filter_map(|event| match &event.kind {
        Kind::Line(name) => Some(format!("{name} begins at {:.0} %", event.at * 100.0)),
        Kind::Tick(_) => None,
    });
    let begins: Vec<String> = begins.collect();
    let description = format!(
        "{} models; p95 between {} and {}; {}",
        curves.len(),
        format::time(Micros::new(low)),
        format::time(Micros::new(high)),
        begins.join(", ")
    );
    let plot = Plot {
        x: Scale::parts(),
        x_name: "part of a round's operations".to_owned(),
        y: Scale::times_upwards(heights, ROOM_UP)?,
        y_name: format!("p95 of {}, logarithmic", Latency::of(scenario).name()),
        curves,
        bands: span.into_iter().collect(),
        events,
        level: None,
    };
    Some(Chart::new(
        "around-the-event",
        format!("Latency through a round: {}", scenario.title),
        description,
        "p95 of all operations in each twentieth of a round's numbers, all rounds together. The line is where the event begins; \
         the shaded part is what the table around the event compares.",
        &plot.drawn()?,
    ))
}

/// Where events begin, by name; those at a round's end are none that operations could meet.
fn events(scenario: &ScenarioRecord) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let measured = |window: &&RoundRecord| window.phase == Phase::Measured && window.planned > 0;
    for window in scenario.rounds.iter().filter(measured) {
        for event in window.events.iter().filter(|event| event.number < window.planned) {
            let at = event.number as f64 / window.planned as f64;
            let name = clean(&event.name);
            // Models have the same event at the same place, mostly.
            let is_it = |known: &Event| match &known.kind {
                Kind::Line(known_name) => *known_name == name && (known.at - at).abs() < 0.02,
                Kind::Tick(_) => false,
            };
            if !events.iter().any(is_it) {
                events.push(Event { at, kind: Kind::Line(name) });
            }
        }
    }
    events
}
