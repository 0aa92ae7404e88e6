//! The document: the answer, what was measured, a section per scenario.

use super::escape::escaped;
use super::scenario::{self, Linked, Place};
use super::table::{notes, paragraph, table, toned};
use crate::record::RunRecord;
use crate::report::export::{Exported, ExportedFile};
use crate::report::pictures::pictures;
use crate::report::slug::Slugs;
use crate::report::view::{OverviewView, RunView, ScenarioView, Tone};

/// The report of a run; its charts are files of the folder `charts`, or left out where there is none.
pub(in crate::report) fn markdown(record: &RunRecord, charts: Option<&str>) -> Exported {
    let view = RunView::of(record);
    let mut out = String::new();
    let mut files = Vec::new();
    match view.scenarios.as_slice() {
        [one] => paragraph(&mut out, &format!("# {}", heading(&one.record.title))),
        _ => paragraph(&mut out, "# Measured data models"),
    }
    answer(&mut out, &view);
    head(&mut out, &view);
    if let Some(overview) = &view.overview {
        all(&mut out, overview);
    }
    let mut slugs = Slugs::default();
    for one in &view.scenarios {
        let charts = charts.map(|folder| charts_of(one, folder, &mut slugs, &mut files)).unwrap_or_default();
        let place = Place { level: if view.scenarios.len() > 1 { 3 } else { 2 }, charts: &charts };
        if view.scenarios.len() > 1 {
            paragraph(&mut out, &format!("## {} – {}", heading(&one.heading), escaped(&one.record.title)));
            scenario::answers(&mut out, one);
        }
        scenario::section(&mut out, &view, one, &place);
    }
    let version = escaped(&record.tool.version);
    out.push_str(&format!("Made by patternbench {version} from run.json alone.\n"));
    Exported { main: Some(out), beside: files }
}

/// A heading has to have a text.
fn heading(text: &str) -> String {
    let text = escaped(text);
    if text.is_empty() { "–".to_owned() } else { text }
}

/// What a reader who reads no further takes along.
fn answer(out: &mut String, view: &RunView<'_>) {
    match (view.scenarios.as_slice(), &view.overview) {
        ([], _) => paragraph(out, "No scenario was begun."),
        ([one], _) => scenario::answers(out, one),
        (_, Some(overview)) => paragraph(out, &toned(&escaped(&overview.said), Tone::Strong)),
        _ => {}
    }
}

/// On what it was measured.
fn head(out: &mut String, view: &RunView<'_>) {
    for (stamp, tone) in &view.stamps {
        paragraph(out, &format!("> {}", toned(&escaped(stamp), *tone)));
    }
    if let Some(said) = &view.disturbed {
        paragraph(out, &format!("> {}", toned(&escaped(said), Tone::Warning)));
    }
    let record = view.record;
    paragraph(out, &format!("Measured on **{}**.", heading(&view.server)));
    let round_trip = view.round_trip.clone().map(|round_trip| ("Network", round_trip));
    let label = record.label.clone().map(|label| ("Label", label));
    let facts = [("Started", record.started_at.clone()), ("Profile", record.profile.to_string())];
    let generator = ("Load generator", view.client.clone());
    for (name, value) in label.into_iter().chain(facts).chain([generator]).chain(round_trip) {
        out.push_str(&format!("- {name}: {}\n", escaped(&value)));
    }
    out.push('\n');
}

/// All scenarios beside each other.
fn all(out: &mut String, overview: &OverviewView) {
    paragraph(out, "## All scenarios");
    table(out, &overview.table);
    notes(out, &overview.notes);
}

/// Files for the charts of a scenario, and what the report says in their places.
fn charts_of(view: &ScenarioView<'_>, folder: &str, slugs: &mut Slugs, files: &mut Vec<ExportedFile>) -> Vec<Linked> {
    let mut links = Vec::new();
    for picture in pictures(view.record) {
        let name = slugs.name(&[&view.record.name, &view.record.workload, &picture.name], '.');
        let path = format!("{folder}/{name}.svg");
        files.push(ExportedFile { path: path.clone(), text: picture.svg });
        links.push(Linked { title: picture.title, reading: picture.reading, path });
    }
    links
}
