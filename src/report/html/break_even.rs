//! Break-even: from which read share on the pattern pays off.

use maud::{Markup, PreEscaped, html as markup};

use super::table;
use crate::report::view::ScenarioView;

/// The sentences, the costs behind them, and the chart.
pub(super) fn section(view: &ScenarioView<'_>, anchor: &str) -> Markup {
    let Some(found) = &view.break_even else { return markup! {} };
    let anchor = format!("{anchor}-break-even");
    markup! {
        h3 id=(anchor) { "Break-even" }
        ul { @for line in &found.lines { li { (line) "." } } }
        @if let Some(chart) = found.chart.as_ref().and_then(|chart| chart.svg(&format!("{anchor}-chart"))) {
            figure {
                (PreEscaped(chart))
                figcaption {
                    p.quiet {
                        "Calculated from the means below. The coloured band is the 95 % interval of the share: there the \
                         rounds do not tell which model costs less."
                    }
                }
            }
        }
        @if let Some(costs) = &found.costs { (table::table(costs, &anchor)) }
        p.quiet {
            "Total service time of the mix per operation: read share × mean of a read + (1 − read share) × mean of a write. \
             The difference of both models is taken unit by unit; the interval is Fieller's: the shares at which a t test \
             does not tell it from zero. A prediction for other mixes: it takes the means as they were at this one."
        }
        @for remark in &found.remarks { p.quiet { (remark) } }
    }
}
