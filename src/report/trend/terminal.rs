//! A history on a terminal.

use crate::record::TrendRecord;
use crate::report::layout::table;
use crate::report::screen::Screen;
use crate::report::style::Style;
use crate::report::view::{Tone, TrendView};

/// The newest figures of every scenario with their last change, and all changes in a line each.
pub fn trend(record: &TrendRecord, style: &Style) -> String {
    let view = TrendView::of(record);
    let mut screen = Screen::new(style);
    screen.paragraph("", &view.said, Tone::Strong);
    for stamp in &view.stamps {
        screen.paragraph("", stamp, Tone::Warning);
    }
    if let Some(newest) = &view.newest {
        screen.gap();
        table(&mut screen, newest);
    }
    screen.gap();
    screen.paragraph("", &view.changed, Tone::Strong);
    for scenario in &view.scenarios {
        for change in scenario.operations.iter().flat_map(|operation| &operation.changes) {
            let said = format!("{} · {}", scenario.heading, change.said);
            screen.paragraph("  ", &said, change.tone);
        }
    }
    if view.limited {
        screen.paragraph("† ", "engine-limited: this server executes the operation unlike mongod", Tone::Quiet);
    }
    screen.finish()
}
