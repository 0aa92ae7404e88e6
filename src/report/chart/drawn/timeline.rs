//! A run second by second: the p95 of an operation, and operations done.

use std::collections::{BTreeMap, BTreeSet};

use super::super::dress::Chart;
use super::super::plot::{Curve, Event, Kind, Plot, ROOM_ACROSS, ROOM_UP};
use super::super::scale::Scale;
use crate::analysis::{Cast, Latency, least_at_all};
use crate::record::{IntervalRecord, RoundRecord, ScenarioRecord};
use crate::report::format;
use crate::report::text::clean;
use crate::report::view::series_of;
use crate::units::{Micros, Rate};
use crate::words::{Metric, Mode, Phase};

/// Seconds that a rate needs at least: the last second of a window is seldom a whole one.
const LEAST_SECONDS: f64 = 0.25;

/// The measured windows on an axis of rounds.
struct Track<'a> {
    /// By model, the windows with their place among the rounds.
    windows: BTreeMap<&'a str, Vec<(usize, &'a RoundRecord)>>,
    rounds: usize,
    /// Length of the longest window in seconds: what a round's place is wide.
    longest: f64,
}

/// A second (or a wider interval) of a window.
struct Slot<'a> {
    /// Where its middle stands on the axis.
    at: f64,
    seconds: f64,
    operations: Vec<&'a IntervalRecord>,
}

impl<'a> Track<'a> {
    fn of(scenario: &'a ScenarioRecord) -> Option<Self> {
        let measured: Vec<&RoundRecord> = scenario
            .rounds
            .iter()
            .filter(|window| window.phase == Phase::Measured && !window.intervals.is_empty())
            .filter(|window| window.seconds.get().is_finite() && window.seconds.get() > 0.0)
            .collect();
        let rounds: BTreeSet<(u32, u32)> = measured.iter().map(|window| (window.restart, window.round)).collect();
        let places: BTreeMap<(u32, u32), usize> =
            rounds.into_iter().enumerate().map(|(place, round)| (round, place)).collect();
        let mut windows: BTreeMap<&str, Vec<(usize, &RoundRecord)>> = BTreeMap::new();
        for window in measured.iter().copied() {
            let place = places[&(window.restart, window.round)];
            windows.entry(&window.model).or_default().push((place, window));
        }
        windows.values_mut().for_each(|of_model| of_model.sort_by_key(|(place, _)| *place));
        let longest = measured.iter().map(|window| window.seconds.get()).fold(0.0, f64::max);
        (longest > 0.0).then_some(Self { windows, rounds: places.len(), longest })
    }

    /// Every other round.
    fn bands(&self) -> Vec<(f64, f64)> {
        (0..self.rounds).step_by(2).map(|place| (place as f64, place as f64 + 1.0)).collect()
    }

    /// A curve for each model: what `height` makes of a second, interrupted where rounds are missing.
    fn curves(&self, scenario: &ScenarioRecord, height: impl Fn(&Slot<'_>) -> Option<f64>) -> Vec<Curve> {
        let mut curves = Vec::new();
        for model in Cast::of(&scenario.models).shown() {
            let Some(windows) = self.windows.get(model.name.as_str()) else { continue };
            let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
            let mut next = usize::MAX;
            for (place, window) in windows {
                if *place != next {
                    pieces.push(Vec::new());
                }
                next = place + 1;
                let points = self.slots(*place, window).into_iter().filter_map(|slot| Some((slot.at, height(&slot)?)));
                if let Some(piece) = pieces.last_mut() {
                    piece.extend(points);
                }
            }
            curves.push(Curve { name: clean(&model.name), series: series_of(scenario, &model.name), pieces });
        }
        curves
    }

    fn slots<'w>(&self, place: usize, window: &'w RoundRecord) -> Vec<Slot<'w>> {
        let mut by_second: BTreeMap<u32, Vec<&IntervalRecord>> = BTreeMap::new();
        for interval in &window.intervals {
            by_second.entry(interval.second).or_default().push(interval);
        }
        // Long windows are cut into intervals of several seconds each.
        let starts: Vec<u32> = by_second.keys().copied().collect();
        let width = starts.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(1);
        let slot = |(second, operations): (u32, Vec<&'w IntervalRecord>)| {
            let start = f64::from(second);
            let end = (start + f64::from(width)).min(window.seconds.get()).max(start);
            Slot { at: place as f64 + ((start + end) / 2.0 / self.longest).min(1.0), seconds: end - start, operations }
        };
        by_second.into_iter().map(slot).collect()
    }

    /// When events of the models began.
    fn events(&self, scenario: &ScenarioRecord) -> Vec<Event> {
        let of_window = |(place, window): &(usize, &RoundRecord)| {
            let series = series_of(scenario, &window.model);
            let begun = window.events.iter().filter(|event| event.number < window.planned);
            let begun = begun.filter_map(|event| event.start);
            begun
                .map(|start| Event {
                    at: *place as f64 + (start.get() / self.longest).min(1.0),
                    kind: Kind::Tick(series),
                })
                .collect::<Vec<_>>()
        };
        self.windows.values().flatten().flat_map(of_window).collect()
    }
}

/// What is said of marks where there are any.
fn of_events(events: &[Event]) -> &'static str {
    if events.is_empty() { "" } else { " Ticks at the foot: an event of the model in that colour begins." }
}

const X_NAME: &str = "round; inside of it, time from the window's start";

/// The p95 of each second of an operation; `None` where windows were not recorded by second.
pub(in super::super) fn latencies(scenario: &ScenarioRecord, operation: &str) -> Option<Chart> {
    let track = Track::of(scenario)?;
    let enough = least_at_all(Metric::P95);
    let curves = track.curves(scenario, |slot| {
        let found = slot.operations.iter().find(|interval| interval.operation == operation)?;
        (found.count >= enough).then(|| found.p95.get())
    });
    let heights: Vec<f64> = curves.iter().flat_map(|curve| &curve.pieces).flatten().map(|point| point.1).collect();
    let description = in_words(&curves, |height| format::time(Micros::new(height)));
    let events = track.events(scenario);
    let reading = format!(
        "p95 of the operations that ended in each second; seconds with fewer than {enough} are left out. Rounds are shaded in \
         turn, and models run one after the other inside a round, here drawn from its left edge. A level that drifts or single \
         peaks show what averages hide.{}",
        of_events(&events)
    );
    let plot = Plot {
        x: Scale::rounds(track.rounds, ROOM_ACROSS),
        x_name: X_NAME.to_owned(),
        y: Scale::times_upwards(heights, ROOM_UP)?,
        y_name: format!("p95 of {} by second, logarithmic", Latency::of(scenario).name()),
        curves,
        bands: track.bands(),
        events,
        level: None,
    };
    Some(Chart::new(
        format!("over-time-{operation}"),
        format!("Latency over time, {operation}: {}", scenario.title),
        description,
        reading,
        &plot.drawn()?,
    ))
}

/// Operations done in each second, all kinds together.
pub(in super::super) fn throughput(scenario: &ScenarioRecord) -> Option<Chart> {
    let track = Track::of(scenario)?;
    let curves = track.curves(scenario, |slot| {
        let done = slot.operations.iter().fold(0.0, |sum, interval| sum + interval.count as f64);
        (slot.seconds >= LEAST_SECONDS).then(|| done / slot.seconds)
    });
    let offered = scenario.plan.rate.filter(|_| scenario.plan.mode == Mode::Open).map(Rate::get);
    let heights = curves.iter().flat_map(|curve| &curve.pieces).flatten().map(|point| point.1);
    let most = heights.chain(offered).filter(|rate| rate.is_finite()).fold(0.0, f64::max);
    let description = in_words(&curves, |height| format!("{}/s", format::rate(Rate::new(height))));
    let events = track.events(scenario);
    let load = match offered {
        Some(_) => {
            "Every model is offered the same rate (grey line): one that falls below it and does not catch up is saturated."
        }
        None => {
            "Closed load: each worker sends its next operation when the last returned, so a faster model does more."
        }
    };
    let plot = Plot {
        x: Scale::rounds(track.rounds, ROOM_ACROSS),
        x_name: X_NAME.to_owned(),
        y: Scale::rates(most, ROOM_UP)?,
        y_name: "operations per second, from zero".to_owned(),
        curves,
        bands: track.bands(),
        events: events.clone(),
        level: offered.map(|rate| (rate, format!("{}/s", format::rate(Rate::new(rate))))),
    };
    Some(Chart::new(
        "throughput",
        format!("Throughput over time: {}", scenario.title),
        description,
        format!("{load}{}", of_events(&events)),
        &plot.drawn()?,
    ))
}

/// Lowest, median and highest second of each model.
fn in_words(curves: &[Curve], said: impl Fn(f64) -> String) -> String {
    let told = curves.iter().filter_map(|curve| {
        let mut heights: Vec<f64> = curve.pieces.iter().flatten().map(|point| point.1).collect();
        heights.sort_by(f64::total_cmp);
        let (low, high) = (*heights.first()?, *heights.last()?);
        let middle = heights[heights.len() / 2];
        Some(format!("{}: median second {}, from {} to {}", curve.name, said(middle), said(low), said(high)))
    });
    told.collect::<Vec<_>>().join("; ")
}
