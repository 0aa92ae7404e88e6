//! A sweep over mixes on a terminal.

use super::layout::table;
use super::screen::Screen;
use super::style::Style;
use super::view::MixView;
use crate::record::MixComparison;

/// What was measured at each mix beside what was predicted, and whether both agree; for the models with these names.
pub fn mix(comparison: &MixComparison, pattern: &str, naive: &str, style: &Style) -> String {
    let view = MixView::of(comparison, pattern, naive);
    let mut screen = Screen::new(style);
    table(&mut screen, &view.table);
    screen.gap();
    for (said, tone) in &view.lines {
        screen.paragraph("", said, *tone);
    }
    screen.finish()
}
