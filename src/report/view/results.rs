//! The table of results: operation by model.

use std::collections::BTreeMap;

use super::facts::{is_measured, operations_shown};
use super::load::{self, Bearing};
use super::notes::{Mark, Notes};
use super::table::{Cell, Column, Row, Table, Tone};
use super::tally::{Tally, kinds};
use super::{beside, plan};
use crate::analysis::{
    ALL, Cast, Headline, Latency, THRESHOLD, engine_limited, headline, headline_of_other, least_at_all,
};
use crate::record::{ComparisonRecord, ModelRecord, ScenarioRecord, SideRecord, SpeedupRecord};
use crate::report::format;
use crate::units::{Micros, Ratio};
use crate::words::{Metric, Mode, Verdict};

const COLUMNS: [Column; 11] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::right("count", "Operations that did what they say", 6),
    Column::right("errors", "Failed operations: in no latency", 4),
    Column::right("empty", "Reads that found nothing", 1),
    Column::right("p50", "Median latency", 5),
    Column::right("p95", "95th percentile of latency", 9),
    Column::right("p99", "99th percentile of latency", 2),
    Column::right("ops/s", "Operations per second: under open load as achieved, under closed over complete windows", 3),
    Column::right("p95 speed-up", "Naive p95 ÷ this model's p95, with its 95 % interval", 9),
    Column::left("verdict", "What the rounds decide, against a threshold of ±5 %", 9),
];
const SERVICE: Column = Column::right("by service time", "The same ratio of service times: sent to reply complete", 0);
const LIGHT_LOAD: Column = Column::right("at light load", "The same ratio with one worker, closed", 0);

/// The table, or `None` where nothing was measured.
pub(super) fn results(scenario: &ScenarioRecord, notes: &mut Notes) -> Option<Table> {
    let cast = Cast::of(&scenario.models);
    let models: Vec<&ModelRecord> = cast.shown().filter(|model| is_measured(scenario, model)).collect();
    if models.is_empty() {
        return None;
    }
    let nothing = BTreeMap::new();
    let sides = Sides::of(scenario);
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let metrics = scenario.analysis.operations.get(operation).unwrap_or(&nothing);
        for (place, model) in models.iter().enumerate() {
            let part = Part::of(&cast, model);
            let line = Line { scenario, cast: &cast, operation, metrics, model, part, sides };
            rows.push(Row { cells: line.cells(place == 0, notes), opens_group: place == 0 });
        }
    }
    rows.extend(cast.shown().filter_map(|model| skipped(scenario, model, sides, notes)));
    let over = if scenario.plan.restarts > 1 { "fresh loads" } else { "rounds" };
    let caption = format!(
        "Latency ({}{}) by operation and model. Speed-up: naive p95 ÷ the model's p95 (above 1 the model is faster), \
         with the 95 % interval over {over}.",
        Latency::of(scenario).name(),
        plan::offered(scenario).map(|offered| format!(" at {offered}")).unwrap_or_default()
    );
    Some(Table { caption, columns: sides.columns(), rows })
}

/// A row for a model of which nothing was measured: it is not to vanish.
fn skipped(scenario: &ScenarioRecord, model: &ModelRecord, sides: Sides, notes: &mut Notes) -> Option<Row> {
    let why = model.skipped.as_ref().filter(|_| !is_measured(scenario, model))?;
    let mark = notes.note(&format!("{}: {why}", model.name));
    let mut cells = vec![Cell::empty(), Cell::new(model.name.clone())];
    cells.resize(COLUMNS.len() - 1, Cell::new(format::NOT_AVAILABLE).toned(Tone::Quiet));
    cells.push(Cell::new("skipped").toned(Tone::Open).marked(mark));
    cells.resize(sides.columns().len(), Cell::empty());
    Some(Row { cells, opens_group: false })
}

/// Which comparisons stand beside the headline's.
#[derive(Debug, Clone, Copy)]
struct Sides {
    service: bool,
    light_load: bool,
}

impl Sides {
    fn of(scenario: &ScenarioRecord) -> Self {
        Self {
            service: beside::any(scenario, |comparison| comparison.service.as_ref()),
            light_load: beside::any(scenario, |comparison| comparison.light_load.as_ref()),
        }
    }

    fn columns(self) -> Vec<Column> {
        let mut columns = COLUMNS.to_vec();
        columns.extend(self.service.then_some(SERVICE));
        columns.extend(self.light_load.then_some(LIGHT_LOAD));
        columns
    }
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

/// The comparisons by service time and at light load.
type BothSides<'a> = (Option<&'a SideRecord>, Option<&'a SideRecord>);

/// What a row is made from.
struct Line<'a> {
    scenario: &'a ScenarioRecord,
    cast: &'a Cast<'a>,
    operation: &'a str,
    metrics: &'a BTreeMap<Metric, ComparisonRecord>,
    model: &'a ModelRecord,
    part: Part,
    sides: Sides,
}

impl Line<'_> {
    fn cells(&self, first: bool, notes: &mut Notes) -> Vec<Cell> {
        let tally = Tally::of(self.scenario, self.operation, &self.model.name);
        let name = if self.operation == ALL { "all (whole mix)" } else { self.operation };
        let mut cells = vec![
            if first { Cell::new(name).toned(Tone::Strong) } else { Cell::empty() },
            self.model_cell(notes),
            self.count_cell(&tally, notes),
            self.errors_cell(&tally, notes),
            Cell::new(format::count(tally.empty)),
            self.figure_cell(Metric::P50, notes),
            self.figure_cell(Metric::P95, notes),
            self.figure_cell(Metric::P99, notes),
            self.rate_cell(&tally, notes),
            self.speedup_cell(notes),
            self.verdict_cell(notes),
        ];
        cells
            .extend(self.sides.service.then(|| self.side_cell(|sides| sides.0, "not compared by service time", notes)));
        cells.extend(
            self.sides.light_load.then(|| self.side_cell(|sides| sides.1, "not compared at light load", notes)),
        );
        cells
    }

    /// Under open load what was achieved, saturated windows included: it is told beside the rate that was offered.
    fn rate_cell(&self, tally: &Tally, notes: &mut Notes) -> Cell {
        let open = self.scenario.plan.mode == Mode::Open;
        let rate = if open { tally.achieved() } else { tally.rate() };
        let Some(rate) = rate else { return Cell::not_available(notes.note("no complete window")) };
        let cell = Cell::new(format::rate(rate));
        match load::bearing(self.scenario, &self.model.name) {
            Bearing::Saturated | Bearing::Generator => cell.toned(Tone::Bad),
            Bearing::Holds => cell,
        }
    }

    fn side_cell(
        &self,
        side: for<'b> fn(BothSides<'b>) -> Option<&'b SideRecord>,
        without: &str,
        notes: &mut Notes,
    ) -> Cell {
        if self.part == Part::Naive {
            return Cell::empty();
        }
        let metric = self.headline().map_or(Metric::P95, |headline| headline.metric);
        let sides = self.metrics.get(&metric).and_then(|comparison| match self.part {
            Part::Naive => None,
            Part::Pattern => Some((comparison.service.as_ref(), comparison.light_load.as_ref())),
            Part::Other => {
                let other = comparison.others.get(&self.model.name)?;
                Some((other.service.as_ref(), other.light_load.as_ref()))
            }
        });
        beside::cell(sides.and_then(side), without, notes)
    }

    fn model_cell(&self, notes: &mut Notes) -> Cell {
        let cell = self.bearing_marked(Cell::new(self.model.name.clone()), notes);
        match self.limited(self.model, notes) {
            Some(mark) => cell.marked(mark),
            None => cell,
        }
    }

    /// Where the load was not borne, latencies are not those of a model.
    fn bearing_marked(&self, cell: Cell, notes: &mut Notes) -> Cell {
        let name = &self.model.name;
        match load::bearing(self.scenario, name) {
            Bearing::Holds => cell,
            Bearing::Saturated => cell.marked(notes.note(&saturated(name))),
            Bearing::Generator => {
                cell.marked(notes.note(&format!("the load generator was the limit for {name}: these are its figures")))
            }
        }
    }

    /// The saturated one of the models that this row compares.
    fn saturated(&self) -> Option<&str> {
        let both = [self.cast.naive, Some(self.model)].into_iter().flatten().map(|model| model.name.as_str());
        both.into_iter().find(|model| load::bearing(self.scenario, model) == Bearing::Saturated)
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
        if tally.retries > 0 {
            let said = format::plural(tally.retries, "attempt", "attempts");
            cell = cell.marked(notes.note(&format!("{said} beyond the first, of transactions or of calls sent again")));
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
                let reason = self.too_few(metric).unwrap_or_else(|| reason_of(speedup).to_owned());
                Cell::not_available(notes.note(&reason))
            }
        }
    }

    /// Why the model itself has no such figure, whatever became of the comparison: it has some operations, but too few.
    fn too_few(&self, metric: Metric) -> Option<String> {
        let count = Tally::of(self.scenario, self.operation, &self.model.name).count;
        let needed = least_at_all(metric);
        (1..needed).contains(&count).then(|| format!("{count} operations timed; {metric} needs {needed}"))
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
        if let Some(model) = self.saturated() {
            return Cell::not_available(notes.note(&saturated(model)));
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
        if let Some(model) = self.saturated() {
            return Cell::new(format!("{model} saturated")).toned(Tone::Bad);
        }
        let Some((headline, verdict)) = self.headline().and_then(|headline| Some((headline, headline.verdict()?)))
        else {
            let reason = self.headline().map(|headline| headline.comparison);
            return Cell::not_available(notes.note(reason_of(reason)));
        };
        let mut cell = Cell::new(verdict_text(&headline, verdict)).toned(tone_in(self.scenario, verdict));
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

fn saturated(model: &str) -> String {
    format!(
        "{model} is saturated: its response times grow with the length of a window, so no ratio of them is an answer"
    )
}

/// A verdict as people read it.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equal => "equal within 5 %",
        other => other.word(),
    }
}

/// The tone of a verdict; in a control run, where a model is compared with itself, any difference is bad.
pub(super) fn tone_in(scenario: &ScenarioRecord, verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Faster if scenario.plan.control.is_none() => Tone::Good,
        Verdict::Faster | Verdict::Slower => Tone::Bad,
        Verdict::Equal => Tone::Plain,
        Verdict::Inconclusive => Tone::Open,
    }
}

fn reason_of(speedup: Option<&SpeedupRecord>) -> &str {
    speedup.and_then(|speedup| speedup.reason.as_deref()).unwrap_or("not compared")
}
