//! What went on beside the operations: events and what they did to the operations around them, and background actors.

use super::facts::operations_shown;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::Cast;
use crate::record::{AroundComparison, AroundEventRecord, EventSummary, ScenarioRecord, SideRecord, SpeedupRecord};
use crate::report::format::{self, plural};
use crate::units::{Micros, Share};
use crate::words::Phase;

const COLUMNS: [Column; 8] = [
    Column::left("operation", "The operation; `all` is the whole mix", 9),
    Column::left("model", "The model compared with naive", 9),
    Column::right("p95 naive", "95th percentile around the event, geometric mean over rounds", 7),
    Column::right("p95", "The other model's", 8),
    Column::right("speed-up", "naive ÷ the other model, paired by round, with its 95 % interval", 9),
    Column::right("max naive", "The longest around the event, geometric mean over rounds", 5),
    Column::right("max", "The other model's", 6),
    Column::right("max ratio", "naive ÷ the other model, paired by round, with its 95 % interval", 4),
];

/// Operations around the events; `None` where none was timed there.
pub(super) fn table(scenario: &ScenarioRecord) -> Option<Table> {
    let around = scenario.analysis.around_event.as_ref()?;
    let cast = Cast::of(&scenario.models);
    let models: Vec<&str> = cast.compared().map(|model| model.name.as_str()).collect();
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let Some(by_model) = around.operations.get(operation) else { continue };
        for (place, model) in models.iter().enumerate() {
            let Some(comparison) = by_model.get(*model).filter(|comparison| comparison.max.naive.is_some()) else {
                continue;
            };
            rows.push(Row { cells: cells(operation, model, comparison), opens_group: place == 0 });
        }
    }
    (!rows.is_empty()).then(|| Table { caption: caption(around), columns: COLUMNS.to_vec(), rows })
}

fn caption(around: &AroundEventRecord) -> String {
    let mut said = "Around the event".to_owned();
    if let (Some(from), Some(to)) = (around.from, around.to) {
        let (from, to) = (format::share(from), format::share(to));
        said.push_str(&format!(": the numbers from {from} to {to} of a round, the same in every model"));
    }
    if around.cut > 0 {
        said.push_str(&format!("; in {} an event went on after that", plural(around.cut, "round", "rounds")));
    }
    said.push_str(". Described, without verdict.");
    said
}

fn cells(operation: &str, model: &str, comparison: &AroundComparison) -> Vec<Cell> {
    let AroundComparison { p95, max } = comparison;
    let mut cells = vec![Cell::new(operation), Cell::new(model)];
    for side in [p95, max] {
        cells.extend([time(side.naive), time(side.pattern), ratio(side)]);
    }
    cells
}

fn time(micros: Option<f64>) -> Cell {
    micros.map_or_else(Cell::unknown, |micros| Cell::new(format::time(Micros::new(micros))))
}

fn ratio(side: &SideRecord) -> Cell {
    match &side.speedup {
        SpeedupRecord { speedup: Some(speedup), low: Some(low), high: Some(high), .. } => {
            Cell::new(format::ratio_with_interval(*speedup, *low, *high))
        }
        SpeedupRecord { speedup: Some(speedup), .. } => Cell::new(format::ratio(*speedup)).toned(Tone::Quiet),
        _ => Cell::unknown(),
    }
}

/// What became of each model's events, and what its actors did.
pub(super) fn remarks(scenario: &ScenarioRecord) -> Vec<String> {
    let mut remarks = Vec::new();
    for model in &scenario.models {
        let events =
            scenario.analysis.around_event.iter().filter_map(|around| around.models.get(&model.name)).flatten();
        remarks.extend(events.map(|event| event_in_words(&model.name, event)));
        remarks.extend(actors(scenario, &model.name));
    }
    remarks
}

fn event_in_words(model: &str, event: &EventSummary) -> String {
    let EventSummary { name, rounds, complete, .. } = event;
    let mut said = format!("{name} of {model}: complete in {complete} of {}", plural(*rounds, "window", "windows"));
    let mut add = |part: String| said.push_str(&format!(", {part}"));
    if let Some(seconds) = event.seconds {
        add(format!("{} from beginning to end", format::seconds(seconds)));
    }
    if let Some(written) = event.written.filter(|written| *written > 0.0) {
        add(format!("{} documents written", format::mean(written)));
    }
    if let Some(requests) = event.requests {
        let noun = if requests == 1.0 { "request" } else { "requests" };
        add(format!("{} {noun}", format::mean(requests)));
    }
    if event.retries > 0 {
        add(plural(event.retries, "retry", "retries"));
    }
    if let Some(result) = event.result {
        add(format!("result {}", format::mean(result)));
    }
    said
}

/// What each background actor of a model did over the measured windows.
fn actors(scenario: &ScenarioRecord, model: &str) -> Vec<String> {
    let windows: Vec<_> =
        scenario.rounds.iter().filter(|round| round.phase == Phase::Measured && round.model == model).collect();
    let mut names: Vec<&str> = Vec::new();
    for actor in windows.iter().flat_map(|window| &window.background) {
        if !names.contains(&actor.name.as_str()) {
            names.push(&actor.name);
        }
    }
    let told = |name: &str| {
        let of_actor = windows.iter().flat_map(|window| &window.background).filter(|actor| actor.name == name);
        let (mut turns, mut written, mut failed) = (0_u64, 0_u64, 0_u64);
        for actor in of_actor {
            turns = turns.saturating_add(actor.turns);
            written = written.saturating_add(actor.written);
            failed = actor.errors.values().fold(failed, |sum, count| sum.saturating_add(*count));
        }
        let mut said = format!(
            "{name} of {model}, in the background: {}, {} in {}",
            plural(turns, "turn", "turns"),
            plural(written, "document written", "documents written"),
            plural(windows.len() as u64, "window", "windows"),
        );
        if failed > 0 {
            said.push_str(&format!(", {} failed", format::count(failed)));
        }
        said
    };
    names.into_iter().map(told).collect()
}

/// How often reads returned something older than what a background actor had still to bring up to date.
pub(super) fn staleness(scenario: &ScenarioRecord) -> Vec<String> {
    let of_models = scenario.parity.iter().flat_map(|parity| &parity.staleness);
    let told = of_models.filter_map(|(model, staleness)| {
        let share: Share = staleness.share()?;
        Some(format!(
            "staleness of {model}: {} of {} returned something older before its background actor had acted",
            format::small_share(share),
            plural(staleness.reads, "read", "reads"),
        ))
    });
    told.collect()
}
