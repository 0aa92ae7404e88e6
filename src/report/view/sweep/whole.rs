//! Everything that is said of a sweep.

use super::answers;
use super::axis::AxisView;
use super::tables;
use crate::record::{PointFailureRecord, PointRecord, SweepRecord};
use crate::report::format::{self, plural};
use crate::report::view::MixView;
use crate::report::view::facts;
use crate::report::view::notes::Notes;
use crate::report::view::table::{Table, Tone};
use crate::units::Seconds;

/// A sweep as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct SweepView<'a> {
    pub(in crate::report) record: &'a SweepRecord,
    pub(in crate::report) server: String,
    /// What must be said before any figure.
    pub(in crate::report) stamps: Vec<(String, Tone)>,
    /// What was varied, from where to where.
    pub(in crate::report) varied: String,
    /// How it was measured.
    pub(in crate::report) facts: Vec<String>,
    /// The operations of each workload.
    pub(in crate::report) workloads: Vec<WorkloadView<'a>>,
    pub(in crate::report) claims: Option<Table>,
    /// Break-even predicted and measured, a workload each, where the mix is varied.
    pub(in crate::report) mixes: Vec<MixView>,
    pub(in crate::report) notes: Notes,
}

/// A workload of a sweep.
#[derive(Debug, Clone)]
pub(in crate::report) struct WorkloadView<'a> {
    pub(in crate::report) name: &'a str,
    pub(in crate::report) operations: Vec<OperationView<'a>>,
    pub(in crate::report) growth: Option<Table>,
    /// Each model against naive.
    pub(in crate::report) compared: Vec<Table>,
    pub(in crate::report) sizes: Option<Table>,
}

/// An operation along the axis.
#[derive(Debug, Clone)]
pub(in crate::report) struct OperationView<'a> {
    pub(in crate::report) name: &'a str,
    /// What is said of it.
    pub(in crate::report) answers: Vec<String>,
}

impl<'a> SweepView<'a> {
    pub(in crate::report) fn of(record: &'a SweepRecord) -> Self {
        let mut notes = Notes::default();
        let mut stamps: Vec<(String, Tone)> =
            facts::stamp(record.server.product).map(|said| (said, Tone::Warning)).into_iter().collect();
        if !record.complete {
            let said =
                "INCOMPLETE: not every value that was asked for was measured; --resume goes on with it.".to_owned();
            stamps.push((said, Tone::Warning));
        }
        let workloads = workloads(record).into_iter().map(|name| workload(record, name, &mut notes)).collect();
        Self {
            record,
            server: facts::server(&record.server),
            stamps,
            varied: varied(record),
            facts: facts_of(record),
            workloads,
            claims: tables::claims(record, &mut notes),
            mixes: mixes(record),
            notes,
        }
    }
}

fn mixes(record: &SweepRecord) -> Vec<MixView> {
    let [naive, pattern, ..] = record.scenario.models.as_slice() else { return Vec::new() };
    record.mixes.values().map(|mix| MixView::of(mix, &pattern.name, &naive.name)).collect()
}

impl SweepView<'_> {
    /// What failed, and where, a line each.
    pub(in crate::report) fn failures(&self) -> Vec<String> {
        let axis = AxisView::of(&self.record.axis);
        let points = self.record.points.iter();
        let said = points.flat_map(|point| point.failed.iter().map(move |failed| (point, failed)));
        let line = |(point, failed): (&PointRecord, &PointFailureRecord)| {
            let who = failed.model.as_deref().unwrap_or("this value");
            format!("at {}: {who}: {}", axis.value(point), failed.why)
        };
        said.map(line).collect()
    }
}

fn workload<'a>(record: &'a SweepRecord, name: &'a str, notes: &mut Notes) -> WorkloadView<'a> {
    let operations = tables::operations(record, name);
    let operations = operations
        .into_iter()
        .map(|operation| OperationView { name: operation, answers: answers::of_operation(record, name, operation) })
        .collect();
    let growth = tables::growth(record, name, notes);
    let others = record.scenario.models.iter().skip(1);
    let compared = others.filter_map(|model| tables::compared(record, name, &model.name, notes)).collect();
    WorkloadView { name, operations, growth, compared, sizes: tables::sizes(record, name) }
}

fn workloads(record: &SweepRecord) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for figure in record.points.iter().flat_map(|point| &point.figures) {
        if !found.contains(&figure.workload.as_str()) {
            found.push(&figure.workload);
        }
    }
    found
}

fn varied(record: &SweepRecord) -> String {
    let axis = AxisView::of(&record.axis);
    let ends = record.points.first().zip(record.points.last());
    let range = ends.map(|(first, last)| format!(" from {} to {}", axis.place(first.at), axis.place(last.at)));
    let added = record.points.iter().filter(|point| point.added).count() as u64;
    let added = if added > 0 {
        format!(", {} of them added in search of crossovers", format::count(added))
    } else {
        String::new()
    };
    let values = plural(record.points.len() as u64, "value", "values");
    format!("{}{}: {values}{added}", axis.name(), range.unwrap_or_default())
}

fn facts_of(record: &SweepRecord) -> Vec<String> {
    let seconds: f64 = record.points.iter().map(|point| point.seconds.get()).sum();
    let settings: Vec<String> = record.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut said = vec![format!(
        "profile {}, seed {}; {}; {} in all",
        record.profile,
        record.seed,
        settings.join(", "),
        format::seconds(Seconds::new(seconds))
    )];
    if let Some(why) = &record.axis.refinement {
        said.push(format!("refinement ended: {why}"));
    }
    said.extend(record.notes.iter().cloned());
    said
}
