//! The windows that every figure is made of.

use maud::{Markup, html as markup};

use crate::record::{RoundRecord, ScenarioRecord};
use crate::report::format;

fn head(names: &[&str]) -> Markup {
    markup! { thead { tr { @for name in names { th scope="col" { (name) } } } } }
}

/// The windows in the order run.
pub(super) fn windows(scenario: &ScenarioRecord) -> Markup {
    if scenario.rounds.is_empty() {
        return markup! {};
    }
    markup! {
        details {
            summary { "All " (scenario.rounds.len()) " windows in the order run" }
            div.scroll tabindex="0" role="region" aria-label="Windows" {
                table {
                    caption { "One window of one model each; models take turns inside a round. Rounds at light load \
                               count by themselves." }
                    (head(&["round", "place", "model", "phase", "started", "length", "operations", "ops/s", "outcome"]))
                    tbody { @for window in &scenario.rounds { (self::window(window)) } }
                }
            }
        }
    }
}

fn window(window: &RoundRecord) -> Markup {
    let done = window.operations.values().fold(0_u64, |sum, figures| sum.saturating_add(figures.count));
    markup! {
        tr {
            th scope="row" { (format::rounds(&[window.round])) }
            td { (u64::from(window.position) + 1) }
            td { (window.model) }
            td { (window.phase) }
            td { (window.started_at) }
            td.right { (format::seconds(window.seconds)) }
            td.right { (format::count(done)) " of " (format::count(window.planned)) }
            td.right { (format::rate(window.achieved_rate)) }
            td { (window.outcome) @if !window.disturbed.is_empty() { ", disturbed: " (window.disturbed.join(", ")) } }
        }
    }
}
