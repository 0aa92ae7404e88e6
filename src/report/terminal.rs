//! A run on a terminal.

use super::layout::table;
use super::screen::{Screen, Span};
use super::style::Style;
use super::view::{Notes, OverviewView, RunView, ScenarioView, Tone};
use crate::record::RunRecord;

/// The tables and notes of a run as text, made from the record alone.
///
/// The first lines name the product measured. No line of a table passes `style.width`; columns are left out instead,
/// those first that matter least (what they would have warned of stands in a note).
pub fn terminal(record: &RunRecord, style: &Style) -> String {
    let view = RunView::of(record);
    let mut screen = Screen::new(style);
    head(&mut screen, &view);
    for scenario in &view.scenarios {
        screen.gap();
        show(&mut screen, scenario);
    }
    if view.scenarios.is_empty() {
        screen.gap();
        screen.paragraph("", "No scenario was begun.", Tone::Plain);
    }
    if let Some(overview) = &view.overview {
        screen.gap();
        all(&mut screen, overview);
    }
    screen.finish()
}

/// Last, where a long run ends on the reader's screen.
fn all(screen: &mut Screen<'_>, overview: &OverviewView) {
    screen.line(&[Span::new("all scenarios", Tone::Strong)]);
    screen.paragraph("", &overview.said, Tone::Strong);
    screen.gap();
    table(screen, &overview.table);
    notes(screen, &overview.notes);
}

fn head(screen: &mut Screen<'_>, view: &RunView<'_>) {
    screen.paragraph("measured on ", &view.server, Tone::Strong);
    for (stamp, tone) in &view.stamps {
        screen.paragraph("", stamp, *tone);
    }
    if let Some(label) = &view.record.label {
        screen.paragraph("label: ", label, Tone::Plain);
    }
    if let Some(round_trip) = &view.round_trip {
        screen.paragraph("", round_trip, Tone::Quiet);
    }
}

fn show(screen: &mut Screen<'_>, view: &ScenarioView<'_>) {
    screen.line(&[
        Span::new(view.heading.clone(), Tone::Strong),
        Span::new(" · ", Tone::Plain),
        Span::new(view.record.title.clone(), Tone::Plain),
    ]);
    screen.paragraph("  ", &view.plan, Tone::Quiet);
    for (fact, tone) in &view.facts {
        screen.paragraph("  ", fact, if *tone == Tone::Plain { Tone::Quiet } else { *tone });
    }
    for warning in &view.warnings {
        screen.paragraph("  ! ", warning, Tone::Warning);
    }
    screen.gap();
    match &view.results {
        Some(results) => table(screen, results),
        None => screen.paragraph("", "Nothing was measured.", Tone::Plain),
    }
    screen.gap();
    screen.paragraph("", &view.answer, Tone::Strong);
    for line in view.ends.iter().chain(&view.tuning) {
        screen.paragraph("  ", line, Tone::Plain);
    }
    for line in view.break_even.iter().flat_map(|found| &found.lines) {
        screen.paragraph("  break-even: ", line, Tone::Plain);
    }
    for flagged in view.evidence.iter().flat_map(|evidence| &evidence.flags) {
        screen.paragraph("  evidence: ", &flagged.line(), Tone::Open);
    }
    for part in [&view.claims, &view.bill].into_iter().flatten() {
        screen.gap();
        table(screen, part);
    }
    around(screen, view);
    notes(screen, &view.notes);
    events(screen, &view.events);
}

/// What went on beside the operations.
fn around(screen: &mut Screen<'_>, view: &ScenarioView<'_>) {
    if let Some(around) = &view.around {
        screen.gap();
        table(screen, around);
    }
    if !view.beside.is_empty() {
        screen.gap();
        screen.line(&[Span::new("beside the operations", Tone::Strong)]);
    }
    for said in &view.beside {
        screen.paragraph("  ", said, Tone::Plain);
    }
}

fn notes(screen: &mut Screen<'_>, notes: &Notes) {
    if notes.is_empty() {
        return;
    }
    screen.gap();
    for text in &notes.limited {
        screen.paragraph("† engine-limited: ", text, Tone::Plain);
    }
    for (place, text) in notes.numbered.iter().enumerate() {
        screen.paragraph(&format!("[{}] ", place + 1), text, Tone::Quiet);
    }
}

fn events(screen: &mut Screen<'_>, events: &[String]) {
    if events.is_empty() {
        return;
    }
    screen.gap();
    screen.line(&[Span::new("events", Tone::Strong)]);
    for event in events {
        screen.paragraph("  ", event, Tone::Plain);
    }
}
