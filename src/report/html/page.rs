//! The page: head, what was measured, a section per scenario, how to read it.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use super::{literature, method, scenario, table};
use crate::record::{Retries, RunRecord};
use crate::report::format;
use crate::report::palette;
use crate::report::text::clean_lines;
use crate::report::view::{OverviewView, RunView};

/// Nothing may be loaded or run, whatever stands in the page.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The report of a run as an HTML document, made from the record alone.
///
/// All text of the record is escaped; characters that steer terminals or text direction are replaced.
pub fn html(record: &RunRecord) -> String {
    let view = RunView::of(record);
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title(&view)) }
                style { (PreEscaped(palette::page_style())) (PreEscaped(include_str!("report.css"))) }
            }
            body {
                (header(&view))
                main {
                    @if let Some(overview) = &view.overview { (all(overview)) }
                    @for (place, part) in view.scenarios.iter().enumerate() {
                        (scenario::section(record, part, place + 1))
                    }
                    @if view.scenarios.is_empty() { p { "No scenario was begun." } }
                    (method::section(record))
                    (method::figures())
                    (literature::section())
                }
                footer { p { "Made by patternbench " (record.tool.version) " from run.json alone." } }
            }
        }
    };
    clean_lines(&page.into_string())
}

fn title(view: &RunView<'_>) -> String {
    let names: Vec<&str> = view.scenarios.iter().map(|part| part.heading.as_str()).collect();
    match names.as_slice() {
        [] => "patternbench report".to_owned(),
        [one] => format!("{one} – patternbench report"),
        [first, ..] => format!("{first} and {} more – patternbench report", names.len() - 1),
    }
}

fn header(view: &RunView<'_>) -> Markup {
    let record = view.record;
    markup! {
        header {
            p.kicker { "patternbench report" @if let Some(label) = &record.label { " · " (label) } }
            h1 { @match view.scenarios.as_slice() { [one] => (one.record.title), _ => "Measured data models" } }
            p.server { "Measured on " strong { (view.server) } }
            @for (said, tone) in &view.stamps { p.stamp.(table::class(*tone)) role="note" { (said) } }
            @if let Some(said) = &view.disturbed { p.stamp.warning role="note" { (said) } }
            @if let [one] = view.scenarios.as_slice() { (scenario::verdict(one)) }
            @if let Some(overview) = &view.overview { p.verdict { (overview.said) "." } }
            dl.facts {
                (fact("Started", &record.started_at))
                @if let Some(end) = &record.finished_at { (fact("Finished", end)) }
                (fact("Profile", record.profile.word()))
                (fact("Load generator", &view.client))
                @if let Some(round_trip) = &view.round_trip { (fact("Network", round_trip)) }
                (fact("Concerns", &format!("read {}, write {}", record.server.read_concern, record.server.write_concern)))
                (fact("Retries", &retries(record.server.retries)))
                @if let Some(cache) = record.server.cache_bytes { (fact("Cache", &format::bytes(cache))) }
            }
            @if view.scenarios.len() > 1 { (contents(view)) }
        }
    }
}

/// All scenarios beside each other.
fn all(overview: &OverviewView) -> Markup {
    markup! {
        section.overview id="all" {
            h2 { "All scenarios" }
            p.answer { (overview.said) "." }
            (table::table(&overview.table, "all"))
            (table::notes(&overview.notes, "all"))
        }
    }
}

/// A name and what it stands for, inside a list of facts.
pub(super) fn fact(name: &str, value: &str) -> Markup {
    markup! { div { dt { (name) } dd { (value) } } }
}

fn retries(retries: Retries) -> String {
    let said = |on| if on { "on" } else { "off" };
    format!("reads {}, writes {}", said(retries.reads), said(retries.writes))
}

/// The scenarios with their answer, as a table of contents.
fn contents(view: &RunView<'_>) -> Markup {
    markup! {
        nav aria-label="Scenarios" {
            ol {
                @for (place, part) in view.scenarios.iter().enumerate() {
                    li { a href=(format!("#s{}", place + 1)) { (part.heading) } " – " (part.answer) }
                }
            }
        }
    }
}
