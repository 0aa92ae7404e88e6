//! The table of results: operation by model.

use std::collections::BTreeMap;

use super::facts::{is_measured, operations_shown};
use super::notes::{Mark, Notes};
use super::table::{Cell, Column, Row, Table, Tone};
use super::tally::{Tally, kinds};
use crate::analysis::{ALL, Cast, Headline, Latency, THRESHOLD, engine_limited, headline, headline_of_other};
use crate::record::{ComparisonRecord, ModelRecord, ScenarioRecord, SpeedupRecord};
use crate::report::format;
use crate::units::{Micros, Ratio};
use crate::words::{Metric, Verdict};

const COLUMNS: [Column; 11] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::right("count", "Operations that did what they say", 6),
    Column::right("errors", "Failed operations: in no latency", 4),
    Column::right("empty", "Reads that found nothing", 1),
    Column::right("p50", "Median latency", 5),
    Column::right("p95", "95th percentile of latency", 9),
    Column::right("p99", "99th percentile of latency", 2),
    Column::right("ops/s", "Operations per second over complete windows", 3),
    Column::right("p95 speed-up", "Naive p95 ÷ this model's p95, with its 95 % interval", 9),
    Column::left("verdict", "What the rounds decide, against a threshold of ±5 %", 9),
];

/// The table, or `None` where nothing was measured.
pub(super) fn results(scenario: &ScenarioRecord, notes: &mut Notes) -> Option<Table> {
    let cast = Cast::of(&scenario.models);
    let models: Vec<&ModelRecord> = cast.shown().filter(|model| is_measured(scenario, model)).collect();
    if models.is_empty() {
        return None;
    }
    let nothing = BTreeMap::new();
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let metrics = scenario.analysis.operations.get(operation).unwrap_or(&nothing);
        for (place, model) in models.iter().enumerate() {
            let part = Part::of(&cast, model);
            let line = Line { scenario, cast: &cast, operation, metrics, model, part };
            rows.push(Row { cells: line.cells(place == 0, notes), opens_group: place == 0 });
        }
    }
    let caption = format!(
        "Latency ({}) by operation and model. Speed-up: naive p95 ÷ the model's p95 (above 1 the model is faster), with \
         the 95 % interval over rounds.",
        Latency::of(scenario).name()
    );
    Some(Table { caption, columns: COLUMNS.to_vec(), rows })
}

/// The part a model plays in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Naive,
    Pattern,
    Other,
}

impl Part {
    fn of(cast: &Cast<'_>, model: &ModelRecord) -> Self {
        let is = |other: Option<&ModelRecord>| other.is_some_and(|other| std::ptr::eq(other, model));
        if is(cast.naive) {
            Self::Naive
        } else if is(cast.pattern) {
            Self::Pattern
        } else {
            Self::Other
        }
    }
}

/// What a row is made from.
struct Line<'a> {
    scenario: &'a ScenarioRecord,
    cast: &'a Cast<'a>,
    operation: &'a str,
    metrics: &'a BTreeMap<Metric, ComparisonRecord>,
    model: &'a ModelRecord,
    part: Part,
}

impl Line<'_> {
    fn cells(&self, first: bool, notes: &mut Notes) -> Vec<Cell> {
        let tally = Tally::of(self.scenario, self.operation, &self.model.name);
        let name = if self.operation == ALL { "all (whole mix)" } else { self.operation };
        vec![
            if first { Cell::new(name).toned(Tone::Strong) } else { Cell::empty() },
            self.model_cell(notes),
            self.count_cell(&tally, notes),
            self.errors_cell(&tally, notes),
            Cell::new(format::count(tally.empty)),
            self.figure_cell(Metric::P50, notes),
            self.figure_cell(Metric::P95, notes),
            self.figure_cell(Metric::P99, notes),
            tally.rate().map_or_else(
                || Cell::not_available(notes.note("no complete window")),
                |rate| Cell::new(format::rate(rate)),
            ),
            self.speedup_cell(notes),
            self.verdict_cell(notes),
        ]
    }

    fn model_cell(&self, notes: &mut Notes) -> Cell {
        let cell = Cell::new(self.model.name.clone());
        match self.limited(self.model, notes) {
            Some(mark) => cell.marked(mark),
            None => cell,
        }
    }

    /// † where this operation of the model is engine-limited; the whole mix only points to the notes of its operations.
    fn limited(&self, model: &ModelRecord, notes: &mut Notes) -> Option<Mark> {
        let reason = engine_limited(self.scenario, model, self.operation)?;
        if self.operation == ALL {
            return Some(Mark::Limited);
        }
        Some(notes.limited(format!("{}, {}: {reason}", self.operation, model.name)))
    }

    fn count_cell(&self, tally: &Tally, notes: &mut Notes) -> Cell {
        let mut cell = Cell::new(format::count(tally.count));
        if self.operation == ALL {
            return cell;
        }
        let expected = kinds(&tally.expected);
        if !expected.is_empty() {
            cell = cell.marked(notes.note(&format!("answered, as the scenario expects, with an error: {expected}")));
        }
        if tally.above_range > 0 {
            let said = format::plural(tally.above_range, "operation", "operations");
            cell = cell.marked(notes.note(&format!("{said} above 60 s, recorded as 60 s")));
        }
        cell
    }

    fn errors_cell(&self, tally: &Tally, notes: &mut Notes) -> Cell {
        let failed = tally.failed();
        let cell = Cell::new(format::count(failed));
        match failed {
            0 => cell,
            _ if self.operation == ALL => cell.toned(Tone::Bad),
            _ => cell.toned(Tone::Bad).marked(notes.note(&format!("failed: {}", kinds(&tally.errors)))),
        }
    }

    fn figure_cell(&self, metric: Metric, notes: &mut Notes) -> Cell {
        let comparison = self.metrics.get(&metric);
        let figure = comparison.and_then(|comparison| match self.part {
            Part::Naive => comparison.naive,
            Part::Pattern => comparison.pattern,
            Part::Other => comparison.others.get(&self.model.name)?.pattern,
        });
        match figure {
            Some(micros) => Cell::new(format::time(Micros::new(micros))),
            None => {
                let speedup = match self.part {
                    Part::Other => self.speedup(metric),
                    Part::Naive | Part::Pattern => comparison.map(|comparison| &comparison.speedup),
                };
                Cell::not_available(notes.note(reason_of(speedup)))
            }
        }
    }

    fn speedup(&self, metric: Metric) -> Option<&SpeedupRecord> {
        let comparison = self.metrics.get(&metric)?;
        match self.part {
            Part::Naive => None,
            Part::Pattern => Some(&comparison.speedup),
            Part::Other => Some(&comparison.others.get(&self.model.name)?.speedup),
        }
    }

    fn speedup_cell(&self, notes: &mut Notes) -> Cell {
        if self.part == Part::Naive {
            return Cell::empty();
        }
        let p95 = self.speedup(Metric::P95);
        let Some((speedup, ratio)) = p95.and_then(|speedup| Some((speedup, speedup.speedup?))) else {
            return Cell::not_available(notes.note(reason_of(p95)));
        };
        match speedup.low.zip(speedup.high) {
            Some((low, high)) => {
                let cell = Cell::new(format::ratio_with_interval(ratio, low, high));
                match self.pooled_outside(ratio, low, high) {
                    Some(pooled) => cell.marked(notes.note(&format!(
                        "the p95 of all operations together give {}, outside the interval: rounds differ much, and the \
                         slowest ones rule such a p95",
                        format::ratio(pooled)
                    ))),
                    None => cell,
                }
            }
            None => Cell::new(format::ratio(ratio)).marked(notes.note(reason_of(p95))),
        }
    }

    /// The ratio of the p95 shown, where it lies outside the interval of the units' ratios, and so far from their mean
    /// that it matters.
    fn pooled_outside(&self, speedup: Ratio, low: Ratio, high: Ratio) -> Option<Ratio> {
        let p95 = self.metrics.get(&Metric::P95)?;
        let (naive, model) = match self.part {
            Part::Naive => return None,
            Part::Pattern => (p95.naive?, p95.pattern?),
            Part::Other => {
                let other = p95.others.get(&self.model.name)?;
                (other.naive?, other.pattern?)
            }
        };
        let pooled = Ratio::new(naive / model);
        let matters = (pooled.get() / speedup.get()).ln().abs() > THRESHOLD.ln_1p();
        (matters && (pooled < low || pooled > high)).then_some(pooled)
    }

    fn headline(&self) -> Option<Headline<'_>> {
        match self.part {
            Part::Naive => None,
            Part::Pattern => headline(self.metrics),
            Part::Other => headline_of_other(self.metrics, &self.model.name),
        }
    }

    fn verdict_cell(&self, notes: &mut Notes) -> Cell {
        if self.part == Part::Naive {
            return Cell::empty();
        }
        let Some((headline, verdict)) = self.headline().and_then(|headline| Some((headline, headline.verdict()?)))
        else {
            let reason = self.headline().map(|headline| headline.comparison);
            return Cell::not_available(notes.note(reason_of(reason)));
        };
        let mut cell = Cell::new(verdict_text(&headline, verdict)).toned(tone(verdict));
        if verdict == Verdict::Inconclusive {
            cell = cell.marked(notes.note(reason_of(Some(headline.comparison))));
        }
        let limited = [self.cast.naive, Some(self.model)].into_iter().flatten();
        if limited.filter_map(|model| self.limited(model, notes)).count() > 0 {
            cell = cell.marked(Mark::Limited);
        }
        cell
    }
}

/// The verdict in words; where p95 has no interval, which metric speaks, and what it says.
fn verdict_text(headline: &Headline<'_>, verdict: Verdict) -> String {
    let word = word(verdict);
    match (headline.metric, headline.comparison.speedup) {
        (Metric::P95, _) => word.to_owned(),
        (metric, Some(ratio)) => format!("{word} ({metric} {})", format::ratio(ratio)),
        (metric, None) => format!("{word} ({metric})"),
    }
}

/// A verdict as people read it.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equal => "equal within 5 %",
        other => other.word(),
    }
}

pub(super) fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Faster => Tone::Good,
        Verdict::Slower => Tone::Bad,
        Verdict::Equal => Tone::Plain,
        Verdict::Inconclusive => Tone::Open,
    }
}

fn reason_of(speedup: Option<&SpeedupRecord>) -> &str {
    speedup.and_then(|speedup| speedup.reason.as_deref()).unwrap_or("not compared")
}
