//! The section of a scenario.

use super::escape::{escaped, fence, target};
use super::models;
use super::table::{notes, paragraph, table, toned};
use crate::report::reproduce;
use crate::report::view::{EvidenceView, RunView, ScenarioView, Table, Tone, flag_words};

/// Where a section stands in its document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The level of its headings.
    pub(super) level: usize,
    /// Its charts, the most telling first.
    pub(super) charts: &'a [Linked],
}

/// A chart in a file.
#[derive(Debug, Clone)]
pub(super) struct Linked {
    pub(super) title: String,
    /// How it is read.
    pub(super) reading: String,
    /// Its file, seen from the report.
    pub(super) path: String,
}

impl Place<'_> {
    fn heading(&self, out: &mut String, text: &str) {
        paragraph(out, &format!("{} {text}", "#".repeat(self.level)));
    }
}

/// The verdict in words, on what it rests, and a line for each operation that has one; where there is none, the answer.
pub(super) fn answers(out: &mut String, view: &ScenarioView<'_>) {
    match &view.verdict {
        Some(verdict) => {
            paragraph(out, &toned(&format!("{}.", escaped(&verdict.said)), Tone::Strong));
            paragraph(out, &escaped(&verdict.rests_on));
            paragraph(out, &escaped(&view.answer));
        }
        None => paragraph(out, &toned(&escaped(&view.answer), Tone::Strong)),
    }
    for answer in &view.answers {
        let verdict = toned(&escaped(answer.verdict), answer.tone);
        out.push_str(&format!("- {}: {verdict}, {}\n", escaped(&answer.operation), escaped(&answer.figures)));
    }
    if !view.answers.is_empty() {
        out.push('\n');
    }
}

/// Everything about a scenario but its answer.
pub(super) fn section(out: &mut String, run: &RunView<'_>, view: &ScenarioView<'_>, place: &Place<'_>) {
    paragraph(out, &escaped(&view.record.summary));
    warnings(out, view);
    items(out, view.ends.iter());
    results(out, view, place);
    for (title, part) in [("Claims", &view.claims), ("Storage bill", &view.bill), ("Around the event", &view.around)] {
        if let Some(part) = part {
            place.heading(out, title);
            table(out, part);
        }
    }
    items(out, view.beside.iter());
    notes(out, &view.notes);
    if let Some(evidence) = &view.evidence {
        folded(out, "Evidence: plans, traffic, sizes", |out| self::evidence(out, evidence));
    }
    folded(out, "Models side by side: documents, indexes, operations", |out| models::side_by_side(out, view.record));
    folded(out, "Load and environment", |out| load(out, view));
    folded(out, "Plan", |out| plan(out, view));
    folded(out, "Run it again", |out| {
        out.push_str(&fence("sh", &reproduce::command(run.record, view.record)));
        out.push('\n');
        let hash = escaped(&view.record.file_sha256);
        paragraph(
            out,
            &format!(
                "The name stands for the scenario file with SHA-256 {hash}; FILE for what a record does not keep."
            ),
        );
    });
}

fn warnings(out: &mut String, view: &ScenarioView<'_>) {
    let faults = view.facts.iter().filter(|(_, tone)| *tone == Tone::Warning).map(|(fault, _)| fault);
    for warning in faults.chain(&view.warnings) {
        paragraph(out, &format!("> **Note:** {}", escaped(warning)));
    }
}

fn results(out: &mut String, view: &ScenarioView<'_>, place: &Place<'_>) {
    place.heading(out, "Results");
    let Some(results) = &view.results else { return paragraph(out, "Nothing was measured.") };
    let mut charts = place.charts.iter();
    charts.next().into_iter().for_each(|chart| picture(out, chart));
    table(out, results);
    items(out, view.tuning.iter());
    if charts.len() > 0 {
        folded(out, "More charts", |out| charts.for_each(|chart| picture(out, chart)));
    }
}

fn picture(out: &mut String, chart: &Linked) {
    paragraph(out, &format!("![{}]({})", escaped(&chart.title), target(&chart.path)));
    paragraph(out, &escaped(&chart.reading));
}

fn evidence(out: &mut String, evidence: &EvidenceView) {
    for flagged in &evidence.flags {
        let (flag, places) = (toned(&escaped(&flag_words(flagged.flag)), Tone::Strong), flagged.places.join(", "));
        out.push_str(&format!("- {flag}: {}. {}\n", escaped(&places), escaped(flagged.flag.explanation())));
    }
    if !evidence.flags.is_empty() {
        out.push('\n');
    }
    tables(out, [&evidence.plans, &evidence.traffic, &evidence.sizes]);
    items(out, evidence.index_use.iter());
    notes(out, &evidence.notes);
}

fn load(out: &mut String, view: &ScenarioView<'_>) {
    tables(out, [&view.load]);
    items(out, view.load_remarks.iter());
    tables(out, [&view.latencies, &view.machine, &view.counters, &view.order_effects]);
}

fn plan(out: &mut String, view: &ScenarioView<'_>) {
    paragraph(out, &escaped(&view.plan));
    items(out, view.facts.iter().map(|(fact, _)| fact));
    for (name, value) in &view.decisions {
        out.push_str(&format!("- {}: {}\n", escaped(name), escaped(value)));
    }
    if !view.decisions.is_empty() {
        out.push('\n');
    }
    tables(out, [&view.growth, &view.figures]);
    items(out, view.events.iter());
}

fn tables<const N: usize>(out: &mut String, parts: [&Option<Table>; N]) {
    parts.into_iter().flatten().for_each(|part| table(out, part));
}

fn items<'a>(out: &mut String, lines: impl Iterator<Item = &'a String>) {
    let before = out.len();
    lines.for_each(|line| out.push_str(&format!("- {}\n", escaped(line))));
    if out.len() > before {
        out.push('\n');
    }
}

/// What the reader may unfold; nothing where there is nothing inside.
pub(super) fn folded(out: &mut String, title: &str, inside: impl FnOnce(&mut String)) {
    let mut body = String::new();
    inside(&mut body);
    if !body.is_empty() {
        out.push_str(&format!("<details>\n<summary>{title}</summary>\n\n{body}</details>\n\n"));
    }
}
