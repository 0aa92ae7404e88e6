//! A sweep over mixes: prediction and measurement side by side.

use maud::{Markup, PreEscaped, html as markup};

use super::table;
use crate::record::MixComparison;
use crate::report::view::MixView;

/// The section of a sweep over mixes, as a part of a page; `anchor` is the prefix of its ids.
pub fn mix_html(comparison: &MixComparison, pattern: &str, naive: &str, anchor: &str) -> String {
    section(&MixView::of(comparison, pattern, naive), anchor).into_string()
}

/// The section of a sweep over mixes.
pub(super) fn section(view: &MixView, anchor: &str) -> Markup {
    markup! {
        h3 id=(anchor) { "Break-even, predicted and measured" }
        ul { @for (said, tone) in &view.lines { li { span.(table::class(*tone)) { (said) } "." } } }
        @if let Some(chart) = view.chart.as_ref().and_then(|chart| chart.svg(&format!("{anchor}-chart"))) {
            figure {
                (PreEscaped(chart))
                figcaption {
                    p.quiet {
                        "Dots: the whole mix as measured, with 95 % intervals; hollow where the pattern surely loses. Dashed: \
                         calculated from the means of reads and writes of one run. Bands: the 95 % intervals of both shares."
                    }
                }
            }
        }
        (table::table(&view.table, anchor))
    }
}
