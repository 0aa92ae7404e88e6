//! What the events of the models did to the operations around them.
//!
//! Operations are compared over the same slices of the round's numbers in every model: from where the first event of any
//! model begins to where the slowest model's ends, at most 60 % of the round. Slices of numbers are slices of intended time
//! under open load, so what a stalled server let wait counts where it was due. The unit is the round, as everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use hdrhistogram::Histogram;

use super::analyse::{ALL, operations};
use super::cast::Cast;
use super::estimate::{quotient, ratio, rounds_in_words};
use super::metric::{MIN_UNITS, figure, merged};
use super::paired::Paired;
use super::series::inference_logs;
use super::windows::{Key, WindowPair, Windows, key};
use crate::record::{
    AroundComparison, AroundEventRecord, EventSummary, RoundEventRecord, RoundRecord, SLICES, ScenarioRecord,
    SideRecord, SpeedupRecord, UnitRatio, histogram,
};
use crate::units::{Ratio, Seconds, Share};
use crate::words::{EventOutcome, Metric, Phase};

/// The most of a round that is looked at.
const AT_MOST: f64 = 0.6;

/// What happened around the events; `None` where nothing happened.
pub(super) fn of(scenario: &ScenarioRecord, cast: &Cast<'_>) -> Option<AroundEventRecord> {
    let measured: Vec<&RoundRecord> = scenario.rounds.iter().filter(|round| round.phase == Phase::Measured).collect();
    if measured.iter().all(|window| window.events.is_empty()) {
        return None;
    }
    let spans = spans(&measured);
    let rounds = spans.len() as u64;
    let mean = |of: fn(&Span) -> f64| spans.values().map(of).sum::<f64>() / rounds.max(1) as f64;
    let share = |slices: f64| Share::new(slices / SLICES as f64);
    let slices = (rounds > 0).then(|| {
        let from = mean(|span| span.slices.start as f64);
        let to = mean(|span| span.slices.end as f64);
        (share(from), share(to))
    });
    Some(AroundEventRecord {
        rounds,
        from: slices.map(|(from, _)| from),
        to: slices.map(|(_, to)| to),
        cut: spans.values().filter(|span| span.is_cut).count() as u64,
        operations: compare(scenario, cast, &spans),
        models: summaries(&measured),
    })
}

/// The part of a round that is looked at.
#[derive(Debug, Clone, PartialEq)]
struct Span {
    slices: Range<usize>,
    /// Whether an event goes on after it.
    is_cut: bool,
}

/// The part of each round in which events happened, those at the windows' ends aside.
fn spans(windows: &[&RoundRecord]) -> BTreeMap<Key, Span> {
    let rounds: BTreeSet<Key> = windows.iter().map(|window| key(window)).collect();
    let span = |round: Key| {
        let of_round = windows.iter().filter(|window| key(window) == round);
        let events = of_round.flat_map(|window| {
            let within = window.events.iter().filter(|event| event.start.is_some() && event.number < window.planned);
            within.map(|event| (event, window.planned))
        });
        Some((round, span_of(&events.collect::<Vec<_>>())?))
    };
    rounds.into_iter().filter_map(span).collect()
}

fn span_of(events: &[(&RoundEventRecord, u64)]) -> Option<Span> {
    let slice = |number: u64, planned: u64| number as f64 * SLICES as f64 / planned.max(1) as f64;
    let start = events.iter().map(|(event, planned)| slice(event.number, *planned)).reduce(f64::min)?;
    // One that did not end goes on for all that is known.
    let end = |(event, planned): &(&RoundEventRecord, u64)| {
        event.end_number.map_or(f64::INFINITY, |number| slice(number, *planned))
    };
    let end = events.iter().map(end).reduce(f64::max)?;
    let first = (start.floor() as usize).min(SLICES - 1);
    let most = (AT_MOST * SLICES as f64).round() as usize;
    let last = end.ceil().min(SLICES as f64) as usize;
    let longest = (first + most).min(SLICES);
    Some(Span { slices: first..last.clamp(first + 1, longest), is_cut: last > longest })
}

type Compared = BTreeMap<String, BTreeMap<String, AroundComparison>>;

fn compare(scenario: &ScenarioRecord, cast: &Cast<'_>, spans: &BTreeMap<Key, Span>) -> Compared {
    let mut compared = Compared::new();
    let Some(naive) = cast.naive else { return compared };
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    for model in cast.compared() {
        let pairs = windows.pairs(&naive.name, &model.name);
        let pairs: Vec<_> =
            pairs.iter().filter_map(|pair| Some((*pair, &spans.get(&key(pair.naive))?.slices))).collect();
        let mut mix: Vec<Round> = Vec::new();
        for operation in operations(scenario) {
            let rounds: Vec<Round> = pairs.iter().map(|(pair, slices)| Round::of(pair, operation, slices)).collect();
            if mix.is_empty() {
                mix.clone_from(&rounds);
            } else {
                mix.iter_mut().zip(&rounds).for_each(|(mix, round)| mix.add(round));
            }
            keep(&mut compared, operation, &model.name, &rounds);
        }
        keep(&mut compared, ALL, &model.name, &mix);
    }
    compared
}

fn keep(compared: &mut Compared, operation: &str, model: &str, rounds: &[Round]) {
    let p95 = |histogram: &Histogram<u64>| figure(Metric::P95, histogram).ok();
    let max = |histogram: &Histogram<u64>| (!histogram.is_empty()).then(|| histogram.max() as f64);
    let comparison = AroundComparison { p95: side(rounds, p95), max: side(rounds, max) };
    compared.entry(operation.to_owned()).or_default().insert(model.to_owned(), comparison);
}

/// The latencies of one operation around the events of a round.
#[derive(Debug, Clone)]
struct Round {
    round: Key,
    naive: Histogram<u64>,
    model: Histogram<u64>,
}

impl Round {
    fn of(pair: &WindowPair<'_>, operation: &str, slices: &Range<usize>) -> Self {
        let latencies = |window: &RoundRecord| {
            let all = window.operations.get(operation).map_or(&[][..], |figures| figures.slices.as_slice());
            let around = all.get(slices.start.min(all.len())..slices.end.min(all.len())).unwrap_or_default();
            let decoded: Vec<_> = around.iter().filter_map(|slice| histogram::decode(slice).ok()).collect();
            merged(&decoded)
        };
        Self { round: key(pair.naive), naive: latencies(pair.naive), model: latencies(pair.model) }
    }

    fn add(&mut self, other: &Self) {
        self.naive = merged([&self.naive, &other.naive]);
        self.model = merged([&self.model, &other.model]);
    }
}

/// A figure of both models, paired by round; each model's own is the geometric mean over rounds.
fn side(rounds: &[Round], figure: impl Fn(&Histogram<u64>) -> Option<f64>) -> SideRecord {
    let units: Vec<UnitRatio> = rounds
        .iter()
        .filter_map(|round| {
            let (naive, model) = (figure(&round.naive)?, figure(&round.model)?);
            Some(UnitRatio {
                restart: round.round.0,
                rounds: vec![round.round.1],
                naive: Some(naive),
                pattern: Some(model),
                ratio: Ratio::new(quotient(naive, model)?),
            })
        })
        .collect();
    let logs = inference_logs(&units);
    let mean = |of: fn(&UnitRatio) -> Option<f64>| {
        let logs: Vec<f64> = units.iter().filter_map(of).map(f64::ln).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    };
    let (naive, pattern) = (mean(|unit| unit.naive), mean(|unit| unit.pattern));
    let enough = units.len() >= MIN_UNITS;
    let interval = Paired::of(&logs).filter(|_| enough).map(|paired| paired.interval(0.95));
    let speedup = (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp());
    let reason = match (units.len(), interval) {
        (0, _) => Some("too few operations around the event".to_owned()),
        (_, Some(_)) => None,
        (units, None) => Some(format!("{} with an event; an interval needs {MIN_UNITS}", rounds_in_words(units))),
    };
    SideRecord {
        naive,
        pattern,
        speedup: SpeedupRecord {
            speedup: speedup.and_then(ratio),
            low: interval.and_then(|(low, _)| ratio(low.exp())),
            high: interval.and_then(|(_, high)| ratio(high.exp())),
            reason,
            units,
            ..SpeedupRecord::default()
        },
    }
}

/// What became of each model's events, over all rounds.
fn summaries(windows: &[&RoundRecord]) -> BTreeMap<String, Vec<EventSummary>> {
    let mut by_model: BTreeMap<String, Vec<EventSummary>> = BTreeMap::new();
    let mut events: BTreeMap<(&str, usize, &str), Vec<&RoundEventRecord>> = BTreeMap::new();
    for window in windows {
        for (place, event) in window.events.iter().enumerate() {
            events.entry((&window.model, place, &event.name)).or_default().push(event);
        }
    }
    for ((model, _, name), all) in events {
        by_model.entry(model.to_owned()).or_default().push(summary(name, &all));
    }
    by_model
}

fn summary(name: &str, all: &[&RoundEventRecord]) -> EventSummary {
    let mean = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        mean.is_finite().then_some(mean)
    };
    let complete: Vec<_> = all.iter().filter(|event| event.outcome == EventOutcome::Complete).collect();
    let count = |of: fn(&RoundEventRecord) -> u64| mean(complete.iter().map(|event| of(event) as f64).collect());
    let seconds = complete.iter().filter_map(|event| Some(event.end?.get() - event.start?.get())).collect();
    EventSummary {
        name: name.to_owned(),
        rounds: all.len() as u64,
        complete: complete.len() as u64,
        seconds: mean(seconds).map(Seconds::new),
        matched: count(|event| event.matched),
        written: count(|event| event.written),
        requests: count(|event| event.requests),
        retries: all.iter().fold(0, |sum, event| sum.saturating_add(event.retries)),
        result: mean(complete.iter().filter_map(|event| event.result.as_ref()?.as_f64()).collect()),
    }
}
