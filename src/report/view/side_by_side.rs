//! Several runs of the same scenarios beside each other: two servers, say, or two sets of parameters. Nothing is judged
//! between them; that is what `compare` is for, of runs that can be compared.

use std::collections::BTreeMap;

use super::facts::{self, is_measured, operations_shown};
use super::load::{self, Bearing};
use super::notes::{Mark, Notes};
use super::results::{tone_in, word};
use super::table::{Cell, Tone};
use super::{answer, beside};
use crate::analysis::{ALL, Cast, differences, engine_limited, headline, headline_of_other};
use crate::record::{ComparisonRecord, ModelRecord, RunRecord, ScenarioRecord};
use crate::report::format;
use crate::units::Micros;
use crate::words::Metric;

/// Runs beside each other.
#[derive(Debug, Clone)]
pub(in crate::report) struct SideBySide {
    pub(in crate::report) runs: Vec<RunColumn>,
    /// What must be said before any figure.
    pub(in crate::report) stamps: Vec<String>,
    /// What differs between the runs: what it is, and how it is in each.
    pub(in crate::report) differences: Vec<(String, Vec<String>)>,
    pub(in crate::report) scenarios: Vec<ScenarioBeside>,
}

/// A run as a column.
#[derive(Debug, Clone)]
pub(in crate::report) struct RunColumn {
    /// `A`, `B` …
    pub(in crate::report) letter: String,
    pub(in crate::report) name: String,
    pub(in crate::report) facts: String,
}

/// A scenario in each run.
#[derive(Debug, Clone)]
pub(in crate::report) struct ScenarioBeside {
    pub(in crate::report) heading: String,
    pub(in crate::report) title: String,
    /// The answer of each run, by its letter.
    pub(in crate::report) answers: Vec<(String, String)>,
    pub(in crate::report) rows: Vec<RowBeside>,
    pub(in crate::report) notes: Notes,
}

/// An operation of a model in each run.
#[derive(Debug, Clone)]
pub(in crate::report) struct RowBeside {
    pub(in crate::report) operation: String,
    pub(in crate::report) opens_group: bool,
    pub(in crate::report) model: String,
    /// For each run p95, speed-up and verdict.
    pub(in crate::report) cells: Vec<[Cell; 3]>,
}

impl SideBySide {
    pub(in crate::report) fn of(runs: &[RunRecord]) -> Self {
        let columns: Vec<RunColumn> = runs.iter().enumerate().map(|(place, run)| column(place, run)).collect();
        let mut keys: Vec<(&str, &str)> = Vec::new();
        for scenario in runs.iter().flat_map(|run| &run.scenarios) {
            if !keys.contains(&key(scenario)) {
                keys.push(key(scenario));
            }
        }
        let workloads = |name: &str| keys.iter().filter(|(other, _)| *other == name).count();
        let scenarios = keys.iter().map(|wanted| {
            let heading = match workloads(wanted.0) {
                1 => wanted.0.to_owned(),
                _ => format!("{} · {}", wanted.0, wanted.1),
            };
            scenario(heading, *wanted, runs, &columns)
        });
        Self {
            differences: all_differences(runs),
            scenarios: scenarios.collect(),
            stamps: stamps(runs, &columns),
            runs: columns,
        }
    }
}

fn column(place: usize, run: &RunRecord) -> RunColumn {
    let letter = match u8::try_from(place) {
        Ok(place) if place < 26 => char::from(b'A' + place).to_string(),
        _ => format!("run {}", place + 1),
    };
    let name = run.label.clone().unwrap_or_else(|| format!("the run of {}", run.started_at));
    let facts = format!("{} · profile {} · began {}", facts::server(&run.server), run.profile, run.started_at);
    RunColumn { letter, name, facts }
}

/// What must be said of runs, each with the runs that it is said of.
fn stamps(runs: &[RunRecord], columns: &[RunColumn]) -> Vec<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for (column, run) in columns.iter().zip(runs) {
        let incomplete = "INCOMPLETE: not everything that was planned was measured.".to_owned();
        let stamps = facts::stamp(run.server.product).into_iter().chain((!run.complete).then_some(incomplete));
        for stamp in stamps {
            match said.iter_mut().find(|(known, _)| *known == stamp) {
                Some((_, letters)) => letters.push(&column.letter),
                None => said.push((stamp, vec![&column.letter])),
            }
        }
    }
    said.into_iter().map(|(stamp, letters)| format!("{}: {stamp}", letters.join(", "))).collect()
}

fn key(scenario: &ScenarioRecord) -> (&str, &str) {
    (&scenario.name, &scenario.workload)
}

/// What differs between the first run and any other, with the value in each.
fn all_differences(runs: &[RunRecord]) -> Vec<(String, Vec<String>)> {
    let Some(first) = runs.first() else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    let mut values: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    let said = |value: Option<String>| Some(value.unwrap_or_else(|| "not set".to_owned()));
    for (place, run) in runs.iter().enumerate().skip(1) {
        for found in differences(first, run) {
            let name = match found.scenario {
                Some(scenario) => format!("{scenario}: {}", found.what),
                None => found.what,
            };
            if !names.contains(&name) {
                names.push(name.clone());
            }
            let of_runs = values.entry(name).or_insert_with(|| vec![None; runs.len()]);
            of_runs[0] = said(found.base);
            of_runs[place] = said(found.new);
        }
    }
    let row = |name: String| {
        let of_runs = values.get(&name).cloned().unwrap_or_default();
        // Where a run is not named, it is as the first.
        let as_first = of_runs.first().cloned().flatten().unwrap_or_default();
        (name, of_runs.into_iter().map(|value| value.unwrap_or_else(|| as_first.clone())).collect())
    };
    names.into_iter().map(row).collect()
}

fn scenario(heading: String, wanted: (&str, &str), runs: &[RunRecord], columns: &[RunColumn]) -> ScenarioBeside {
    let each: Vec<Option<&ScenarioRecord>> =
        runs.iter().map(|run| run.scenarios.iter().find(|scenario| key(scenario) == wanted)).collect();
    let mut notes = Notes::default();
    let answers = columns.iter().zip(&each).map(|(column, scenario)| {
        let said = scenario.map_or_else(|| "not in this run".to_owned(), answer::answer);
        (column.letter.clone(), said)
    });
    ScenarioBeside {
        heading,
        title: each.iter().flatten().next().map(|scenario| scenario.title.clone()).unwrap_or_default(),
        answers: answers.collect(),
        rows: rows(&each, &mut notes),
        notes,
    }
}

fn rows(each: &[Option<&ScenarioRecord>], notes: &mut Notes) -> Vec<RowBeside> {
    let mut rows = Vec::new();
    for operation in in_any(each, |scenario| operations_shown(scenario).into_iter().map(str::to_owned).collect()) {
        let models = in_any(each, |scenario| {
            let cast = Cast::of(&scenario.models);
            let measured = cast.shown().filter(|model| is_measured(scenario, model));
            measured.map(|model| model.name.clone()).collect()
        });
        for (place, model) in models.into_iter().enumerate() {
            let cells = each.iter().map(|scenario| cells(*scenario, &operation, &model, notes)).collect();
            let name = if operation == ALL { "all (whole mix)".to_owned() } else { operation.clone() };
            rows.push(RowBeside { operation: name, opens_group: place == 0, model, cells });
        }
    }
    rows
}

/// The names that any run has, each once, in the order of the first run that has them; the whole mix last.
fn in_any(each: &[Option<&ScenarioRecord>], names: impl Fn(&ScenarioRecord) -> Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in each.iter().flatten().flat_map(|scenario| names(scenario)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    // A stable sort by whether it is the whole mix keeps all others where they are.
    all.sort_by_key(|name| name == ALL);
    all
}

fn cells(scenario: Option<&ScenarioRecord>, operation: &str, model: &str, notes: &mut Notes) -> [Cell; 3] {
    let known = scenario.and_then(|scenario| {
        let metrics = scenario.analysis.operations.get(operation)?;
        let model = scenario.models.iter().find(|known| known.name == model)?;
        is_measured(scenario, model).then_some((scenario, metrics, model))
    });
    match known {
        Some((scenario, metrics, model)) => Line { scenario, operation, metrics, model }.cells(notes),
        None => {
            let mark = notes.note("not measured in this run");
            [Cell::not_available(mark), Cell::empty(), Cell::empty()]
        }
    }
}

/// What the cells of one run are made from.
struct Line<'a> {
    scenario: &'a ScenarioRecord,
    operation: &'a str,
    metrics: &'a BTreeMap<Metric, ComparisonRecord>,
    model: &'a ModelRecord,
}

impl Line<'_> {
    fn cells(&self, notes: &mut Notes) -> [Cell; 3] {
        let cast = Cast::of(&self.scenario.models);
        let is = |other: Option<&ModelRecord>| other.is_some_and(|other| other.name == self.model.name);
        let (naive, first) = (is(cast.naive), is(cast.pattern));
        let p95 = self.metrics.get(&Metric::P95);
        let figure = p95.and_then(|p95| match (naive, first) {
            (true, _) => p95.naive,
            (_, true) => p95.pattern,
            _ => p95.others.get(&self.model.name)?.pattern,
        });
        let mut p95 = match figure {
            Some(micros) => Cell::new(format::time(Micros::new(micros))),
            None => Cell::not_available(notes.note("too few operations for a p95")),
        };
        if let Some(mark) = self.limited(notes) {
            p95 = p95.marked(mark);
        }
        if naive {
            return [p95, Cell::empty(), Cell::empty()];
        }
        if let Some(said) = self.unborne(&cast) {
            return [p95, Cell::not_available(notes.note(&said)), Cell::new("not borne").toned(Tone::Bad)];
        }
        let found = if first { headline(self.metrics) } else { headline_of_other(self.metrics, &self.model.name) };
        let Some(found) = found else {
            let mark = notes.note("not compared");
            return [p95, Cell::not_available(mark), Cell::empty()];
        };
        let reason = found.comparison.reason.as_deref().unwrap_or("not compared");
        let speedup = match beside::ratio(found.comparison) {
            Some(ratio) if found.metric == Metric::P95 => Cell::new(ratio),
            Some(ratio) => Cell::new(format!("{ratio} ({})", found.metric)),
            None => Cell::not_available(notes.note(reason)),
        };
        let verdict = match found.verdict() {
            Some(verdict) => Cell::new(word(verdict)).toned(tone_in(self.scenario, verdict)),
            None => Cell::not_available(notes.note(reason)),
        };
        [p95, speedup, verdict]
    }

    fn limited(&self, notes: &mut Notes) -> Option<Mark> {
        let reason = engine_limited(self.scenario, self.model, self.operation)?;
        if self.operation == ALL {
            return Some(Mark::Limited);
        }
        Some(notes.limited(format!("{}, {}: {reason}", self.operation, self.model.name)))
    }

    /// Which of naive and the model could not bear the load.
    fn unborne(&self, cast: &Cast<'_>) -> Option<String> {
        let mut both = cast.naive.into_iter().chain([self.model]);
        let model = both.find(|model| load::bearing(self.scenario, &model.name) != Bearing::Holds)?;
        Some(format!("{} could not bear the load, so no ratio is an answer", model.name))
    }
}
