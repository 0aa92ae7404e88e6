//! Everything that is said of a comparison.

use super::super::facts;
use super::super::notes::Notes;
use super::super::table::{Cell, Column, Row, Table, Tone};
use super::{evidence, figures, said};
use crate::record::{CompareRecord, ComparedScenario, DifferenceRecord};

const DIFFERENCES: [Column; 4] = [
    Column::left("what", "What differs besides the figures", 9),
    Column::left("base", "In the base", 9),
    Column::left("new", "In the new run", 9),
    Column::left("so", "Whether it was allowed, or is but a warning", 9),
];

/// A comparison as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct CompareView {
    pub(in crate::report) base: String,
    pub(in crate::report) new: String,
    /// What must be said before any figure.
    pub(in crate::report) stamps: Vec<String>,
    pub(in crate::report) answer: String,
    /// The changes that count, each with its tone.
    pub(in crate::report) judged: Vec<(String, Tone)>,
    /// What the intervals cover.
    pub(in crate::report) coverage: Vec<String>,
    pub(in crate::report) differences: Option<Table>,
    pub(in crate::report) missing: Vec<String>,
    pub(in crate::report) scenarios: Vec<ComparedView>,
}

/// A scenario of a comparison.
#[derive(Debug, Clone)]
pub(in crate::report) struct ComparedView {
    pub(in crate::report) heading: String,
    pub(in crate::report) title: String,
    pub(in crate::report) remarks: Vec<String>,
    pub(in crate::report) speedups: Option<Table>,
    pub(in crate::report) figures: Option<Table>,
    pub(in crate::report) evidence: Option<Table>,
    /// What is said where no evidence changed.
    pub(in crate::report) unchanged: Option<&'static str>,
    pub(in crate::report) notes: Notes,
}

impl CompareView {
    pub(in crate::report) fn of(record: &CompareRecord) -> Self {
        let latest = [&record.base, &record.new].into_iter().filter_map(|side| side.latest());
        let mut stamps: Vec<String> = Vec::new();
        for stamp in latest.filter_map(|run| facts::stamp(run.server.product)) {
            if !stamps.contains(&stamp) {
                stamps.push(stamp);
            }
        }
        Self {
            base: said::side(&record.base),
            new: said::side(&record.new),
            stamps,
            answer: said::answer(record),
            judged: said::judged(record),
            coverage: said::coverage(record),
            differences: differences(&record.differences),
            missing: record.missing.iter().map(said::missing).collect(),
            scenarios: record.scenarios.iter().map(|scenario| ComparedView::of(record, scenario)).collect(),
        }
    }
}

impl ComparedView {
    fn of(record: &CompareRecord, scenario: &ComparedScenario) -> Self {
        let mut notes = Notes::default();
        Self {
            heading: said::heading(record, scenario),
            title: scenario.title.clone(),
            remarks: scenario.remarks.clone(),
            speedups: figures::speedups(record, scenario, &mut notes),
            figures: figures::figures(record, scenario, &mut notes),
            evidence: evidence::evidence(scenario),
            unchanged: scenario
                .evidence
                .is_empty()
                .then_some("The evidence is the same: plans, work, requests, indexes and sizes."),
            notes,
        }
    }
}

/// What differs besides the figures.
fn differences(differences: &[DifferenceRecord]) -> Option<Table> {
    let side = |value: &Option<String>| match value {
        Some(value) => Cell::new(value.clone()),
        None => Cell::new("not set").toned(Tone::Quiet),
    };
    let row = |difference: &DifferenceRecord| {
        let of = difference.scenario.as_ref().map(|scenario| format!("{scenario}: ")).unwrap_or_default();
        let so = match difference.sameness {
            Some(sameness) => Cell::new(format!("allowed: {sameness}")).toned(Tone::Warning),
            None => Cell::new("a warning").toned(Tone::Open),
        };
        let cells =
            vec![Cell::new(format!("{of}{}", difference.what)), side(&difference.base), side(&difference.new), so];
        Row { cells, opens_group: false }
    };
    let rows: Vec<Row> = differences.iter().map(row).collect();
    let caption = "What differs between the runs besides their figures: a change can be due to it.".to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: DIFFERENCES.to_vec(), rows })
}
