//! What the intervals are computed from: ratios of units, and the windows.

use maud::{Markup, html as markup};

use crate::analysis::{Cast, headline, headline_of_other};
use crate::record::{RoundRecord, ScenarioRecord, UnitRatio};
use crate::report::format;
use crate::report::view::operations_shown;

/// The ratio of each unit, so that geometric mean and interval can be computed again.
pub(super) fn ratios(scenario: &ScenarioRecord) -> Markup {
    let cast = Cast::of(&scenario.models);
    let mut rows: Vec<(String, &str, String, &[UnitRatio])> = Vec::new();
    for operation in operations_shown(scenario) {
        let Some(metrics) = scenario.analysis.operations.get(operation) else { continue };
        for model in cast.compared() {
            let first = cast.pattern.is_some_and(|pattern| std::ptr::eq(pattern, model));
            let found = if first { headline(metrics) } else { headline_of_other(metrics, &model.name) };
            if let Some(found) = found.filter(|found| !found.comparison.units.is_empty()) {
                rows.push((operation.to_owned(), &model.name, found.metric.to_string(), &found.comparison.units));
            }
        }
    }
    if rows.is_empty() {
        return markup! {};
    }
    markup! {
        h3 { "Ratios of each unit" }
        div.scroll tabindex="0" role="region" aria-label="Ratios of each unit" {
            table.ratios {
                caption {
                    "Naive ÷ model in each unit (the rounds joined, from 1: ratio; run.json counts rounds from 0). The \
                     speed-up is their geometric mean; its interval is exp(mean of logs ± t(K − 1) × deviation ÷ √K)."
                }
                (head(&["operation", "model", "metric", "rounds: ratio"]))
                tbody {
                    @for (operation, model, metric, units) in &rows {
                        tr {
                            th scope="row" { (operation) }
                            td { (model) }
                            td { (metric) }
                            td.units { @for unit in *units { (ratio(unit)) " " } }
                        }
                    }
                }
            }
        }
    }
}

fn ratio(unit: &UnitRatio) -> Markup {
    markup! { span { span.quiet { (format::rounds(&unit.rounds)) ": " } (format!("{:.4}", unit.ratio.get())) } }
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
            div.scroll tabindex="0" role="region" aria-label="Windows" {
                table {
                    caption { "One window of one model each; models take turns inside a round." }
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
