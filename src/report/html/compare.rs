//! The page of a comparison of runs.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use super::table;
use crate::record::CompareRecord;
use crate::report::palette;
use crate::report::text::clean_lines;
use crate::report::view::{CompareView, ComparedView};

/// Nothing may be loaded or run, whatever stands in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A comparison of runs as an HTML document: one self-contained file without scripts.
pub fn comparison_html(record: &CompareRecord) -> String {
    let view = CompareView::of(record);
    document("patternbench compare", &body(record, &view))
}

/// A page with this title and content.
pub(super) fn document(title: &str, body: &Markup) -> String {
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(palette::page_style())) (PreEscaped(include_str!("report.css"))) }
            }
            body { (body) }
        }
    };
    clean_lines(&page.into_string())
}

fn body(record: &CompareRecord, view: &CompareView) -> Markup {
    markup! {
        header {
            p.kicker { "patternbench compare" }
            h1 { "What changed" }
            dl.facts {
                div { dt { "Base" } dd { (view.base) } }
                div { dt { "New" } dd { (view.new) } }
            }
            @for stamp in &view.stamps { p.stamp.warning role="note" { (stamp) } }
            p.answer { (view.answer) "." }
            @if !view.judged.is_empty() {
                ul { @for (line, tone) in &view.judged { li { span.(table::class(*tone)) { (line) } } } }
            }
            @if !view.missing.is_empty() {
                ul.stamp.warning role="note" { @for line in &view.missing { li { (line) } } }
            }
            @if let Some(differences) = &view.differences { (table::table(differences, "differences")) }
            @if view.scenarios.len() > 1 { (contents(view)) }
        }
        main {
            @for (place, part) in view.scenarios.iter().enumerate() { (section(part, place + 1)) }
            section {
                h2 { "What the intervals cover" }
                @for said in &view.coverage { p { (said) } }
                p {
                    "A change is called a regression or an improvement where its whole 95 % interval lies beyond the \
                     threshold, after Holm's adjustment over the operations of a scenario. Response times are compared where \
                     both sides were offered the same rate, else service times."
                }
            }
        }
        footer { p { "Made by patternbench " (record.tool.version) " from the runs' run.json alone." } }
    }
}

fn contents(view: &CompareView) -> Markup {
    markup! {
        nav aria-label="Scenarios" {
            ol {
                @for (place, part) in view.scenarios.iter().enumerate() {
                    li { a href=(format!("#s{}", place + 1)) { (part.heading) } }
                }
            }
        }
    }
}

fn section(view: &ComparedView, number: usize) -> Markup {
    let anchor = format!("s{number}");
    markup! {
        section.scenario id=(anchor) {
            h2 { (view.heading) span.quiet { " – " (view.title) } }
            @if !view.remarks.is_empty() {
                ul.stamp.warning role="note" { @for remark in &view.remarks { li { (remark) } } }
            }
            @if let Some(speedups) = &view.speedups { h3 { "Speed-up" } (table::table(speedups, &anchor)) }
            h3 { "Evidence" }
            @if let Some(evidence) = &view.evidence { (table::table(evidence, &anchor)) }
            @if let Some(unchanged) = view.unchanged { p { (unchanged) } }
            @if let Some(figures) = &view.figures { h3 { "Figures of each model" } (table::table(figures, &anchor)) }
            (table::notes(&view.notes, &anchor))
        }
    }
}
