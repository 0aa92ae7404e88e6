//! From which read share on the pattern pays off: sentences, the costs behind them, and their chart.

use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::Cast;
use crate::record::{BreakEvenRecord, KindCost, MixComparison, ScenarioRecord};
use crate::report::axis::Axis;
use crate::report::format;
use crate::report::lines::{Curve, CurvePoint, Curves, Place, Scale};
use crate::units::{Micros, Share};
use crate::words::{BreakEvenAnswer, OperationKind};

const COLUMNS: [Column; 6] = [
    Column::left("model", "The model that is compared with naive", 9),
    Column::left("kind", "Whether the operations read or write", 9),
    Column::left("operations", "The operations of that kind, by their weights in the mix", 4),
    Column::right("naive", "Mean service time of such an operation in naive", 8),
    Column::right("model's", "Mean service time in the model", 8),
    Column::right("saved", "What the model saves on each; negative where it costs more", 9),
];

/// Points of a line that is calculated.
const STEPS: u32 = 60;

/// Break-even of a scenario's models as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct BreakEvenView {
    /// A sentence for each model compared with naive, the pattern's first.
    pub(in crate::report) lines: Vec<String>,
    /// What reads and writes cost; `None` where neither is known.
    pub(in crate::report) costs: Option<Table>,
    /// The ratio of what both models cost, over the share of reads.
    pub(in crate::report) chart: Option<Curves>,
    /// The cross-check by the jackknife, and what is engine-limited.
    pub(in crate::report) remarks: Vec<String>,
}

impl BreakEvenView {
    /// `None` where the record says nothing of it.
    pub(super) fn of(scenario: &ScenarioRecord) -> Option<Self> {
        let cast = Cast::of(&scenario.models);
        let naive = cast.naive?.name.as_str();
        let pattern = cast.pattern?.name.as_str();
        let record = scenario.analysis.break_even.as_ref()?;
        let all: Vec<(&str, &BreakEvenRecord)> = [(pattern, record)]
            .into_iter()
            .chain(record.others.iter().map(|(name, record)| (name.as_str(), record)))
            .collect();
        let rows: Vec<Row> = all.iter().flat_map(|(model, record)| rows(model, record)).collect();
        let caption = "What an operation takes in the mean, by the weights within reads and within writes.".to_owned();
        Some(Self {
            lines: all.iter().map(|(model, record)| sentence(model, naive, record)).collect(),
            costs: (!rows.is_empty()).then(|| Table { caption, columns: COLUMNS.to_vec(), rows }),
            chart: chart(&cast, &all),
            remarks: all.iter().flat_map(|(model, record)| remarks(model, record)).collect(),
        })
    }
}

/// A share as people read it: near an end of the scale with a decimal, if it has one.
pub(in crate::report) fn percent(share: Share) -> String {
    format!("{} %", digits(share))
}

fn digits(share: Share) -> String {
    let percent = share.get() * 100.0;
    let near_an_end = !(9.95..=90.05).contains(&percent);
    let said = if near_an_end { format!("{percent:.1}") } else { format!("{percent:.0}") };
    said.trim_end_matches(".0").to_owned()
}

/// The answer in a sentence, which way it points included.
pub(in crate::report) fn sentence(model: &str, naive: &str, record: &BreakEvenRecord) -> String {
    let mix = record.mix.map(|share| format!("; this mix: {}", percent(share))).unwrap_or_default();
    match (record.answer, record.read_share, record.pays) {
        (BreakEvenAnswer::Share, Some(share), Some(pays)) => {
            let bound = if pays == OperationKind::Read { "at least" } else { "at most" };
            let interval = interval(record.low, record.high);
            format!("{model} pays off when {bound} {}{interval} of operations read{mix}", percent(share))
        }
        (BreakEvenAnswer::Always, _, _) => format!("{model} always pays off: it costs less than {naive} at every mix"),
        (BreakEvenAnswer::Never, _, _) => format!("{model} never pays off: it costs more than {naive} at every mix"),
        _ => undecided(model, record),
    }
}

/// The interval behind a share: ` (64–77 %)`, or what it is open to.
fn interval(low: Option<Share>, high: Option<Share>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!(" ({}–{} %)", digits(low), digits(high)),
        (Some(low), None) => format!(" ({} % or more: the interval has no upper end)", digits(low)),
        (None, Some(high)) => format!(" ({} % or less: the interval has no lower end)", digits(high)),
        (None, None) => String::new(),
    }
}

/// What can be said where no share can.
fn undecided(model: &str, record: &BreakEvenRecord) -> String {
    let why = record.reason.as_deref().unwrap_or("the rounds do not tell");
    let saves = |cost: &Option<KindCost>| cost.as_ref().map(|cost| cost.naive.get() > cost.pattern.get());
    let word = |saves: bool| if saves { "less" } else { "more" };
    match (record.low, record.high) {
        (Some(low), None) => match saves(&record.writes) {
            Some(saves) => format!(
                "{model} costs {} when fewer than {} of operations read; for more of them it cannot be told ({why})",
                word(saves),
                percent(low)
            ),
            None => format!("when {model} pays off cannot be told: {why}"),
        },
        (None, Some(high)) => match saves(&record.reads) {
            Some(saves) => format!(
                "{model} costs {} when more than {} of operations read; for fewer of them it cannot be told ({why})",
                word(saves),
                percent(high)
            ),
            None => format!("when {model} pays off cannot be told: {why}"),
        },
        _ => format!("when {model} pays off cannot be told: {why}"),
    }
}

fn rows(model: &str, record: &BreakEvenRecord) -> Vec<Row> {
    let kinds = [("reads", &record.reads), ("writes", &record.writes)];
    let known = kinds.into_iter().filter_map(|(kind, cost)| Some((kind, cost.as_ref()?)));
    let row = |(place, (kind, cost)): (usize, (&str, &KindCost))| {
        let saved = cost.naive.get() - cost.pattern.get();
        let said = format!("{}{}", if saved < 0.0 { "−" } else { "" }, format::time(Micros::new(saved.abs())));
        let name = if place == 0 { Cell::new(model).toned(Tone::Strong) } else { Cell::empty() };
        let cells = vec![
            name,
            Cell::new(kind),
            Cell::new(cost.operations.join(", ")),
            Cell::new(format::time(cost.naive)),
            Cell::new(format::time(cost.pattern)),
            Cell::new(said).toned(if saved < 0.0 { Tone::Bad } else { Tone::Good }),
        ];
        Row { cells, opens_group: place == 0 }
    };
    known.enumerate().map(row).collect()
}

fn remarks(model: &str, record: &BreakEvenRecord) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(check) = record.jackknife {
        said.push(format!(
            "{model}, cross-check: the delete-one-unit jackknife over {} puts the share between {} and {}.",
            format::plural(record.units, "unit", "units"),
            percent(check.low),
            percent(check.high)
        ));
    }
    if !record.limited.is_empty() {
        said.push(format!(
            "{model}: † this server executes {} unlike mongod, and break-even with it.",
            record.limited.join(", ")
        ));
    }
    said
}

/// Naive ÷ model over the share of reads, for each model.
fn chart(cast: &Cast<'_>, all: &[(&str, &BreakEvenRecord)]) -> Option<Curves> {
    let colour = |model: &str| cast.shown().position(|known| known.name == model).unwrap_or(0);
    let curves: Vec<Curve> = all
        .iter()
        .filter_map(|(model, record)| {
            let points = calculated(record)?;
            Some(Curve { name: (*model).to_owned(), colour: colour(model), points, calculated: true })
        })
        .collect();
    let places = all.iter().filter_map(|(model, record)| place(record, colour(model), model)).collect();
    let said: Vec<String> = all.iter().map(|(model, record)| sentence(model, "naive", record)).collect();
    Some(Curves {
        title: "Mean service time of naive ÷ that of the model, over the share of operations that read".to_owned(),
        description: said.join("; "),
        x: Scale::Share,
        y: ratios(&curves)?,
        x_name: "share of operations that read".to_owned(),
        y_name: "naive ÷ model, logarithmic: above 1× the model costs less".to_owned(),
        curves,
        places,
        knees: Vec::new(),
        level: Some((1.0, "break-even".to_owned())),
    })
}

/// An axis that holds all points of these lines, and 1.
fn ratios(curves: &[Curve]) -> Option<Scale> {
    let of_point = |point: &CurvePoint| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [point.y, low, high]
    };
    let values = curves.iter().flat_map(|curve| &curve.points).flat_map(of_point);
    Axis::holding(values.chain([1.0]), 8).map(Scale::Ratio)
}

/// The ratio of what both models cost, calculated from what reads and writes cost.
fn calculated(record: &BreakEvenRecord) -> Option<Vec<CurvePoint>> {
    let (reads, writes) = record.reads.as_ref().zip(record.writes.as_ref())?;
    let point = |step: u32| {
        let share = f64::from(step) / f64::from(STEPS);
        let cost = |read: Micros, write: Micros| share * read.get() + (1.0 - share) * write.get();
        let ratio = cost(reads.naive, writes.naive) / cost(reads.pattern, writes.pattern);
        (ratio.is_finite() && ratio > 0.0).then_some(CurvePoint { x: share, y: ratio, interval: None, hollow: false })
    };
    (0..=STEPS).map(point).collect()
}

/// Where break-even stands, if it is a share.
fn place(record: &BreakEvenRecord, colour: usize, name: &str) -> Option<Place> {
    let share = record.read_share.filter(|_| record.answer == BreakEvenAnswer::Share)?;
    let interval = Some((record.low.map_or(0.0, Share::get), record.high.map_or(1.0, Share::get)));
    Some(Place { x: share.get(), interval, colour, name: format!("{name}: {}", percent(share)) })
}

/// A sweep over mixes as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct MixView {
    /// What was measured, what was predicted, whether they agree, and where the pattern loses.
    pub(in crate::report) lines: Vec<(String, Tone)>,
    pub(in crate::report) table: Table,
    pub(in crate::report) chart: Option<Curves>,
}

const MIX_COLUMNS: [Column; 4] = [
    Column::right("reads", "Share of operations that read", 9),
    Column::right("naive ÷ pattern", "Mean service time of the whole mix, with its 95 % interval", 9),
    Column::right("predicted", "The same, calculated from one run's means of reads and writes", 8),
    Column::left("so", "Whether the pattern costs less at this mix", 9),
];

impl MixView {
    /// The comparison of a sweep over mixes; `model` is the pattern's name.
    pub(in crate::report) fn of(comparison: &MixComparison, model: &str, naive: &str) -> Self {
        let predicted = comparison.predicted.as_ref();
        let rows = comparison.points.iter().map(|point| {
            let interval = point.low.zip(point.high);
            let ratio = match (point.ratio, interval) {
                (Some(ratio), Some((low, high))) => Cell::new(format::ratio_with_interval(ratio, low, high)),
                (Some(ratio), None) => Cell::new(format::ratio(ratio)),
                (None, _) => Cell::unknown(),
            };
            let so = match interval {
                Some((low, _)) if low.get() > 1.0 => Cell::new("the pattern costs less").toned(Tone::Good),
                Some(_) if point.loses => Cell::new("the pattern loses").toned(Tone::Bad),
                Some(_) => Cell::new("no difference shown").toned(Tone::Open),
                None => Cell::new("not compared").toned(Tone::Quiet),
            };
            let expected = predicted.and_then(|record| at(record, point.read_share));
            let expected = expected.map_or_else(Cell::unknown, |ratio| Cell::new(format::ratio(ratio)));
            Row { cells: vec![Cell::new(percent(point.read_share)), ratio, expected, so], opens_group: false }
        });
        let caption = "The whole mix at each share of reads: mean service time, naive ÷ pattern.".to_owned();
        Self {
            lines: mix_lines(comparison, model, naive),
            table: Table { caption, columns: MIX_COLUMNS.to_vec(), rows: rows.collect() },
            chart: mix_chart(comparison, model),
        }
    }
}

fn at(record: &BreakEvenRecord, share: Share) -> Option<crate::units::Ratio> {
    let (reads, writes) = record.reads.as_ref().zip(record.writes.as_ref())?;
    let cost = |read: Micros, write: Micros| share.get() * read.get() + (1.0 - share.get()) * write.get();
    let ratio = cost(reads.naive, writes.naive) / cost(reads.pattern, writes.pattern);
    (ratio.is_finite() && ratio > 0.0).then(|| crate::units::Ratio::new(ratio))
}

fn mix_lines(comparison: &MixComparison, model: &str, naive: &str) -> Vec<(String, Tone)> {
    let measured = BreakEvenRecord {
        answer: comparison.answer,
        read_share: comparison.read_share,
        low: comparison.low,
        high: comparison.high,
        pays: comparison.pays,
        mix: None,
        reads: None,
        writes: None,
        units: 0,
        jackknife: None,
        limited: Vec::new(),
        reason: Some("the mixes measured do not tell".to_owned()),
        others: std::collections::BTreeMap::new(),
    };
    let mut lines = vec![(format!("measured: {}", sentence(model, naive, &measured)), Tone::Strong)];
    if let Some(predicted) = &comparison.predicted {
        let from = predicted.mix.map(|share| format!(" (from the run with {} reads)", percent(share)));
        let predicted = BreakEvenRecord { mix: None, ..predicted.clone() };
        let said = sentence(model, naive, &predicted);
        lines.push((format!("predicted{}: {said}", from.unwrap_or_default()), Tone::Plain));
    }
    let reason = comparison.reason.as_deref().unwrap_or("no reason is known");
    lines.push(match comparison.agree {
        Some(true) => ("prediction and measurement agree within their intervals".to_owned(), Tone::Good),
        Some(false) => (format!("prediction and measurement do not agree: {reason}"), Tone::Bad),
        None => (format!("prediction and measurement cannot be compared: {reason}"), Tone::Open),
    });
    let loses: Vec<String> =
        comparison.points.iter().filter(|point| point.loses).map(|point| percent(point.read_share)).collect();
    if !loses.is_empty() {
        lines.push((format!("{model} loses against {naive} where {} of operations read", loses.join(", ")), Tone::Bad));
    }
    lines
}

/// Prediction and measurement side by side.
fn mix_chart(comparison: &MixComparison, model: &str) -> Option<Curves> {
    let measured = comparison.points.iter().filter_map(|point| {
        let interval = point.low.zip(point.high).map(|(low, high)| (low.get(), high.get()));
        Some(CurvePoint { x: point.read_share.get(), y: point.ratio?.get(), interval, hollow: point.loses })
    });
    let mut curves =
        vec![Curve { name: "measured".to_owned(), colour: 1, points: measured.collect(), calculated: false }];
    let mut places = Vec::new();
    if let Some(share) = comparison.read_share {
        let interval = Some((comparison.low.map_or(0.0, Share::get), comparison.high.map_or(1.0, Share::get)));
        places.push(Place { x: share.get(), interval, colour: 1, name: format!("measured: {}", percent(share)) });
    }
    if let Some(predicted) = &comparison.predicted {
        if let Some(points) = calculated(predicted) {
            curves.push(Curve { name: "predicted".to_owned(), colour: 2, points, calculated: true });
        }
        places.extend(place(predicted, 2, "predicted"));
    }
    let said: Vec<String> = mix_lines(comparison, model, "naive").into_iter().map(|(said, _)| said).collect();
    Some(Curves {
        title: format!("Mean service time of naive ÷ that of {model}, over the share of operations that read"),
        description: said.join("; "),
        x: Scale::Share,
        y: ratios(&curves)?,
        x_name: "share of operations that read".to_owned(),
        y_name: "naive ÷ pattern, logarithmic; hollow: the pattern loses".to_owned(),
        curves,
        places,
        knees: Vec::new(),
        level: Some((1.0, "break-even".to_owned())),
    })
}

#[cfg(test)]
#[path = "break_even_tests.rs"]
mod tests;
