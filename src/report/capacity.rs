//! A study of capacity on a terminal.

use super::layout::table;
use super::screen::{Screen, Span};
use super::style::Style;
use super::view::{CapacityView, Tone};
use crate::record::CapacityRecord;

/// The answer, the models beside each other, and every window.
pub fn capacity(record: &CapacityRecord, style: &Style) -> String {
    let view = CapacityView::of(record);
    let mut screen = Screen::new(style);
    head(&mut screen, &view);
    screen.gap();
    table(&mut screen, &view.models);
    for (place, text) in view.notes.numbered.iter().enumerate() {
        screen.paragraph(&format!("[{}] ", place + 1), text, Tone::Quiet);
    }
    screen.gap();
    answers(&mut screen, &view);
    if !view.probes.rows.is_empty() {
        screen.gap();
        table(&mut screen, &view.probes);
    }
    if !view.events.is_empty() {
        screen.gap();
        screen.line(&[Span::new("events", Tone::Strong)]);
        view.events.iter().for_each(|event| screen.paragraph("  ", event, Tone::Plain));
    }
    screen.finish()
}

/// The answer alone.
pub fn capacity_answer(record: &CapacityRecord, style: &Style) -> String {
    let view = CapacityView::of(record);
    let mut screen = Screen::new(style);
    head(&mut screen, &view);
    answers(&mut screen, &view);
    screen.finish()
}

fn head(screen: &mut Screen<'_>, view: &CapacityView<'_>) {
    screen.paragraph("measured on ", &view.server, Tone::Strong);
    for stamp in &view.stamps {
        screen.paragraph("", stamp, Tone::Warning);
    }
    if let Some(label) = &view.record.label {
        screen.paragraph("label: ", label, Tone::Plain);
    }
    screen.gap();
    screen.line(&[
        Span::new(view.record.scenario.clone(), Tone::Strong),
        Span::new(" · ", Tone::Plain),
        Span::new(view.record.title.clone(), Tone::Plain),
    ]);
    screen.paragraph("  objective: ", &view.objective, Tone::Plain);
    screen.paragraph("  ", &view.plan, Tone::Quiet);
}

fn answers(screen: &mut Screen<'_>, view: &CapacityView<'_>) {
    for (said, tone) in &view.answers {
        screen.paragraph("", said, *tone);
    }
}
