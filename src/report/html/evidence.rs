//! The evidence, and the windows that every figure is made of.

use maud::{Markup, html as markup};

use super::table;
use crate::record::{RoundRecord, ScenarioRecord};
use crate::report::format;
use crate::report::view::{EvidenceView, ScenarioView, flag_words};

/// What explains the latencies and does not depend on the machine.
pub(super) fn section(view: &ScenarioView<'_>, anchor: &str) -> Markup {
    let Some(evidence) = &view.evidence else { return markup! {} };
    let anchor = format!("{anchor}-evidence");
    markup! {
        h3 { "Evidence" }
        (flags(evidence))
        @for part in [&evidence.plans, &evidence.traffic, &evidence.sizes].into_iter().flatten() {
            (table::table(part, &anchor))
        }
        @for line in &evidence.index_use { p { (line) } }
        (table::notes(&evidence.notes, &anchor))
    }
}

/// The flags with what they mean.
fn flags(evidence: &EvidenceView) -> Markup {
    if evidence.flags.is_empty() {
        return markup! { @if evidence.plans.is_some() { p { "No step is flagged." } } };
    }
    markup! {
        ul.flags {
            @for flagged in &evidence.flags {
                li {
                    strong.bad { (flag_words(flagged.flag)) } ": " (flagged.places.join(", ")) ". "
                    span.quiet { (flagged.flag.explanation()) }
                }
            }
        }
    }
}

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
            div.scroll tabindex="0" role="group" aria-label="Windows" {
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
