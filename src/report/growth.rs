//! A study of growth on a terminal.

use super::format::{self, plural};
use super::layout::table;
use super::screen::Screen;
use super::style::Style;
use super::view::{GrowthView, Tone};
use crate::analysis::GROWTH_BEARABLE;
use crate::record::GrowthStudyRecord;

/// A table per scenario, and the operations that are declared constant and are not.
pub fn growth(record: &GrowthStudyRecord, style: &Style) -> String {
    let view = GrowthView::of(record);
    let mut screen = Screen::new(style);
    screen.paragraph("measured on ", &view.server, Tone::Strong);
    for stamp in &view.stamps {
        screen.paragraph("", stamp, Tone::Warning);
    }
    for (heading, rows) in &view.scenarios {
        screen.gap();
        screen.paragraph("", heading, Tone::Strong);
        if let Some(rows) = rows {
            table(&mut screen, rows);
        }
    }
    for (place, text) in view.notes.numbered.iter().enumerate() {
        screen.paragraph(&format!("[{}] ", place + 1), text, Tone::Quiet);
    }
    screen.gap();
    screen.paragraph("", &said(record), Tone::Strong);
    for (scenario, model, operation, found) in record.marked() {
        let ratio = found.ratio.zip(found.low.zip(found.high));
        let ratio = ratio.map(|(ratio, (low, high))| format::ratio_with_interval(ratio, low, high)).unwrap_or_default();
        screen.paragraph("  ✗ ", &format!("{scenario}, {model}: {operation} {ratio}"), Tone::Bad);
    }
    screen.finish()
}

fn said(record: &GrowthStudyRecord) -> String {
    let operations =
        record.scenarios.iter().flat_map(|scenario| &scenario.models).flat_map(|model| model.operations.values());
    let constant = operations.filter(|found| found.declared.as_deref() == Some("constant"));
    let judged = constant.filter(|found| found.low.is_some()).count() as u64;
    let bearable = GROWTH_BEARABLE.get();
    match record.marked().count() {
        0 => format!("{} declared constant, and none is above {bearable}×", plural(judged, "operation", "operations")),
        marked => format!(
            "{marked} of {} declared constant {} not: the interval lies above {bearable}×",
            plural(judged, "operation", "operations"),
            if marked == 1 { "is" } else { "are" }
        ),
    }
}
