//! A comparison of runs on a terminal.

use crate::record::CompareRecord;
use crate::report::layout::table;
use crate::report::screen::{Screen, Span};
use crate::report::style::Style;
use crate::report::view::{CompareView, ComparedView, Tone};

/// What changed between two runs or groups of runs: the answer, then scenario by scenario speed-ups, figures and evidence.
pub fn comparison(record: &CompareRecord, style: &Style) -> String {
    let view = CompareView::of(record);
    let mut screen = Screen::new(style);
    screen.paragraph("base  ", &view.base, Tone::Plain);
    screen.paragraph("new   ", &view.new, Tone::Plain);
    for stamp in &view.stamps {
        screen.paragraph("", stamp, Tone::Warning);
    }
    if let Some(differences) = &view.differences {
        screen.gap();
        table(&mut screen, differences);
    }
    for missing in &view.missing {
        screen.paragraph("  ! ", missing, Tone::Warning);
    }
    for scenario in &view.scenarios {
        screen.gap();
        show(&mut screen, scenario);
    }
    screen.gap();
    screen.paragraph("", &view.answer, Tone::Strong);
    for (line, tone) in &view.judged {
        screen.paragraph("  ", line, *tone);
    }
    for said in &view.coverage {
        screen.paragraph("", said, Tone::Quiet);
    }
    screen.finish()
}

fn show(screen: &mut Screen<'_>, view: &ComparedView) {
    screen.line(&[
        Span::new(view.heading.clone(), Tone::Strong),
        Span::new(" · ", Tone::Plain),
        Span::new(view.title.clone(), Tone::Plain),
    ]);
    for remark in &view.remarks {
        screen.paragraph("  ! ", remark, Tone::Warning);
    }
    for part in [&view.speedups, &view.figures, &view.evidence].into_iter().flatten() {
        screen.gap();
        table(screen, part);
    }
    if let Some(unchanged) = view.unchanged {
        screen.gap();
        screen.paragraph("", unchanged, Tone::Plain);
    }
    if !view.notes.is_empty() {
        screen.gap();
    }
    for text in &view.notes.limited {
        screen.paragraph("† engine-limited on both sides, so it does not count: ", text, Tone::Plain);
    }
    for (place, text) in view.notes.numbered.iter().enumerate() {
        screen.paragraph(&format!("[{}] ", place + 1), text, Tone::Quiet);
    }
}
