//! A sweep on a terminal.

use super::layout::table;
use super::screen::{Screen, Span};
use super::style::Style;
use super::view::{SweepView, Tone, WorkloadView};
use crate::record::SweepRecord;

/// The answers and tables of a sweep as text, made from the record alone.
pub fn sweep_terminal(record: &SweepRecord, style: &Style) -> String {
    let view = SweepView::of(record);
    let mut screen = Screen::new(style);
    head(&mut screen, &view);
    if view.workloads.is_empty() {
        screen.gap();
        screen.paragraph("", "No value was measured.", Tone::Plain);
    }
    for workload in &view.workloads {
        show(&mut screen, workload);
    }
    for mix in &view.mixes {
        screen.gap();
        table(&mut screen, &mix.table);
        mix.lines.iter().for_each(|(said, tone)| screen.paragraph("  ", said, *tone));
    }
    if let Some(claims) = &view.claims {
        screen.gap();
        table(&mut screen, claims);
    }
    failures(&mut screen, &view);
    if !view.notes.is_empty() {
        screen.gap();
    }
    for text in &view.notes.limited {
        screen.paragraph("† engine-limited: ", text, Tone::Plain);
    }
    for (place, text) in view.notes.numbered.iter().enumerate() {
        screen.paragraph(&format!("[{}] ", place + 1), text, Tone::Quiet);
    }
    screen.finish()
}

/// What a sweep found, without tables.
pub fn sweep_summary(record: &SweepRecord, style: &Style) -> String {
    let view = SweepView::of(record);
    let mut screen = Screen::new(style);
    for (stamp, tone) in &view.stamps {
        screen.paragraph("", stamp, *tone);
    }
    let name = &record.scenario.name;
    let answers =
        view.workloads.iter().flat_map(|workload| &workload.operations).flat_map(|operation| &operation.answers);
    for answer in answers {
        screen.paragraph(&format!("{name}: "), answer, Tone::Plain);
    }
    screen.finish()
}

fn head(screen: &mut Screen<'_>, view: &SweepView<'_>) {
    screen.paragraph("measured on ", &view.server, Tone::Strong);
    for (stamp, tone) in &view.stamps {
        screen.paragraph("", stamp, *tone);
    }
    if let Some(label) = &view.record.label {
        screen.paragraph("label: ", label, Tone::Plain);
    }
    screen.gap();
    screen.line(&[
        Span::new(view.record.scenario.name.clone(), Tone::Strong),
        Span::new(" · ", Tone::Plain),
        Span::new(view.record.scenario.title.clone(), Tone::Plain),
    ]);
    screen.paragraph("  over ", &view.varied, Tone::Plain);
    for fact in &view.facts {
        screen.paragraph("  ", fact, Tone::Quiet);
    }
}

fn show(screen: &mut Screen<'_>, view: &WorkloadView<'_>) {
    screen.gap();
    if view.name != "default" {
        screen.line(&[Span::new(format!("workload {}", view.name), Tone::Strong)]);
    }
    for answer in view.operations.iter().flat_map(|operation| &operation.answers) {
        screen.paragraph("  ", answer, Tone::Strong);
    }
    for shown in view.compared.iter().chain(&view.growth).chain(&view.sizes) {
        screen.gap();
        table(screen, shown);
    }
}

fn failures(screen: &mut Screen<'_>, view: &SweepView<'_>) {
    let failures = view.failures();
    if failures.is_empty() {
        return;
    }
    screen.gap();
    screen.line(&[Span::new("failed", Tone::Strong)]);
    for said in &failures {
        screen.paragraph("  ✗ ", said, Tone::Bad);
    }
}
