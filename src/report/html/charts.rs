//! The charts of a scenario in the page, each with how it is read.

use maud::{Markup, PreEscaped, html as markup};

use super::models;
use crate::analysis::{ALL, Cast};
use crate::record::ScenarioRecord;
use crate::report::chart::{Chart, Charts, OfOperation};

/// Models with their colours, before the first chart.
fn legend(scenario: &ScenarioRecord) -> Markup {
    let cast = Cast::of(&scenario.models);
    markup! {
        ul.legend {
            @for (place, model) in cast.shown().enumerate() {
                li {
                    span.swatch.(format!("s{}", place % 6)) {}
                    strong { (model.name) } (models::role(model))
                    @if let Some(title) = &model.title { " – " (title) }
                }
            }
        }
    }
}

/// p95 and speed-ups side by side.
pub(super) fn headline(scenario: &ScenarioRecord, charts: &Charts, anchor: &str) -> Markup {
    let shown: Vec<&Chart> = [&charts.p95, &charts.speedups].into_iter().flatten().collect();
    if shown.is_empty() {
        return markup! {};
    }
    markup! { (legend(scenario)) (side_by_side(&shown, &format!("{anchor}-headline"))) }
}

/// The storage bill as bars.
pub(super) fn storage(charts: &Charts, anchor: &str) -> Markup {
    markup! { @if let Some(chart) = &charts.storage { (side_by_side(&[chart], &format!("{anchor}-storage"))) } }
}

/// Latencies through a round with its events.
pub(super) fn course(charts: &Charts, anchor: &str) -> Markup {
    markup! { @if let Some(chart) = &charts.course { (side_by_side(&[chart], &format!("{anchor}-course"))) } }
}

/// Curves: of the heaviest operation open, of the others and of the whole mix behind a line each.
pub(super) fn curves(charts: &Charts, anchor: &str) -> Markup {
    let (first, others): (Option<&OfOperation>, Vec<&OfOperation>) = match charts.operations.split_first() {
        Some((first, [])) => (Some(first), Vec::new()),
        Some((first, others)) => (Some(first), others.iter().chain([&charts.mix]).collect()),
        None => (None, Vec::new()),
    };
    let of_first: Vec<&Chart> = first.into_iter().flat_map(OfOperation::charts).chain(&charts.throughput).collect();
    if of_first.is_empty() {
        return markup! {};
    }
    let others: Vec<&OfOperation> = others.into_iter().filter(|curves| curves.charts().next().is_some()).collect();
    markup! {
        h3 { "Distribution and course of latencies" @if let Some(first) = first { ": " (first.operation) } }
        (side_by_side(&of_first, &format!("{anchor}-first")))
        @for (place, curves) in others.into_iter().enumerate() {
            details {
                summary {
                    "The same of "
                    @if curves.operation == ALL { "the whole mix" } @else { (curves.operation) }
                }
                (side_by_side(&curves.charts().collect::<Vec<_>>(), &format!("{anchor}-curves{place}")))
            }
        }
    }
}

/// Charts beside each other; `prefix` begins their ids.
fn side_by_side(charts: &[&Chart], prefix: &str) -> Markup {
    markup! {
        div.charts {
            @for (place, chart) in charts.iter().enumerate() {
                figure {
                    div.scroll tabindex="0" role="group" aria-label=(chart.title()) {
                        (PreEscaped(chart.inline(&format!("{prefix}-{place}"))))
                    }
                    figcaption { (chart.reading()) }
                }
            }
        }
    }
}
