//! The page of a history: a chart per scenario and operation, and where figures changed.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use super::page::fact;
use super::{table, trend_chart};
use crate::record::TrendRecord;
use crate::report::palette;
use crate::report::text::clean_lines;
use crate::report::view::{TrendOperationView, TrendScenarioView, TrendView, operation_name, run_name};

/// Nothing may be loaded or run, whatever stands in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The history of a results folder as a self-contained HTML document, made from the record alone.
///
/// All text of the record is escaped; characters that steer terminals or text direction are replaced.
pub fn trend_html(record: &TrendRecord) -> String {
    let view = TrendView::of(record);
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "History – patternbench" }
                style {
                    (PreEscaped(palette::page_style()))
                    (PreEscaped(include_str!("report.css")))
                    (PreEscaped(include_str!("trend.css")))
                }
            }
            body {
                header {
                    p.kicker { "patternbench trend" }
                    h1 { "History" }
                    p { (view.said) }
                    @for stamp in &view.stamps { p.stamp.warning role="note" { (stamp) } }
                    (ends(&view))
                    @if view.scenarios.len() > 1 { (contents(&view)) }
                }
                main {
                    section id="changes" {
                        h2 { "Changes" }
                        (changes(&view))
                    }
                    @if let Some(newest) = &view.newest {
                        section id="newest" {
                            h2 { "The newest run" }
                            (table::table(newest, "newest"))
                            @if view.limited { (limited()) }
                        }
                    }
                    @for (place, scenario) in view.scenarios.iter().enumerate() { (section(&view, scenario, place + 1)) }
                    (method())
                }
                footer { p { "Made by patternbench " (record.tool.version) " from the run.json files of a results folder alone." } }
            }
        }
    };
    clean_lines(&page.into_string())
}

fn ends(view: &TrendView<'_>) -> Markup {
    markup! {
        @if let (Some(first), Some(last)) = (view.record.runs.first(), view.record.runs.last()) {
            dl.facts {
                (fact("Oldest run", &run_name(first)))
                (fact("Newest run", &run_name(last)))
            }
        }
    }
}

fn contents(view: &TrendView<'_>) -> Markup {
    markup! {
        nav aria-label="Scenarios" {
            ol {
                @for (place, scenario) in view.scenarios.iter().enumerate() {
                    li { a href=(format!("#s{}", place + 1)) { (scenario.heading) } }
                }
            }
        }
    }
}

fn changes(view: &TrendView<'_>) -> Markup {
    let all = || {
        view.scenarios.iter().enumerate().flat_map(|(place, scenario)| {
            let of_scenario = scenario.operations.iter().flat_map(|operation| &operation.changes);
            of_scenario.map(move |change| (place + 1, scenario, change))
        })
    };
    markup! {
        p { (view.changed) "." }
        @if all().next().is_some() {
            ul {
                @for (place, scenario, change) in all() {
                    li.(table::class(change.tone)) {
                        a href=(format!("#s{place}")) { (scenario.heading) } " · " (change.said)
                    }
                }
            }
        }
    }
}

fn limited() -> Markup {
    markup! {
        div.notes {
            p id="newest-limited" {
                strong { "† Engine-limited." } " The server measured executes the operation unlike mongod."
            }
        }
    }
}

fn section(view: &TrendView<'_>, scenario: &TrendScenarioView<'_>, place: usize) -> Markup {
    let anchor = format!("s{place}");
    let (first, rest) = match scenario.operations.split_first() {
        Some((first, rest)) => (Some(first), rest),
        None => (None, &[][..]),
    };
    markup! {
        section id=(anchor) {
            h2 { (scenario.heading) }
            @if let Some(first) = first { (operation(view, scenario, first, &format!("{anchor}-o1"))) }
            @if !rest.is_empty() {
                details {
                    summary { "The other operations" }
                    @for (number, other) in rest.iter().enumerate() {
                        (operation(view, scenario, other, &format!("{anchor}-o{}", number + 2)))
                    }
                }
            }
        }
    }
}

fn operation(
    view: &TrendView<'_>,
    scenario: &TrendScenarioView<'_>,
    operation: &TrendOperationView<'_>,
    anchor: &str,
) -> Markup {
    markup! {
        h3 { (operation_name(operation.name)) }
        figure {
            @match trend_chart::chart(view.record, scenario, operation, anchor) {
                Some(chart) => (chart),
                None => p { "No figure in any run." },
            }
            figcaption {
                (trend_chart::legend(scenario, operation))
                @if !operation.changes.is_empty() {
                    ol.marks { @for change in &operation.changes { li.(table::class(change.tone)) { (change.said) } } }
                }
            }
        }
    }
}

fn method() -> Markup {
    markup! {
        section.method id="method" {
            h2 { "How to read this" }
            dl {
                dt { "Lines" }
                dd { "Runs are on one line where their figures can stand beside each other: the same product and version of \
                      the server on the same hosts, the same profile, way of offering load and parameters. All servers that \
                      patternbench starts on its own machine count as one host. A line has a gap where a run has no such \
                      figure, since the model saturated, say. Runs in which the scenario was not measured to its end, and those \
                      that compare a model with itself, are left out." }
                dt { "Figures" }
                dd { "Those of each run's report: the p95 of each model, response times under open load and service times \
                      under closed; the speed-up, naive p95 ÷ the model's p95, with its 95 % interval, which speaks of that \
                      run alone. Naive is each night's own control: what changes the p95 of all models and leaves the \
                      speed-up alone is a change of the machine rather than of the data models." }
                dt { "Changes" }
                dd { "The logarithms are cut into segments of at least three runs such that the sum of absolute deviations \
                      from the segments' medians plus a penalty for each cut is least; so a single wild night is no \
                      change. The penalty is so many standard deviations of the night-to-night noise (estimated from the \
                      differences of neighbouring nights, without the largest quarter) that one of a hundred flat \
                      histories bears a mark. Figures are tested one by one, and nights that depend on each other bear more \
                      marks: it is a detector for a picture. For alarms, export to a tool that does this in earnest \
                      (`patternbench trend --export`)." }
            }
        }
        section.literature id="literature" {
            h2 { "Literature" }
            ol {
                li { "B. Jackson, J. D. Scargle, and others: An algorithm for optimal partitioning of data on an interval. \
                      IEEE Signal Processing Letters 12, 2005." }
                li { "R. Killick, P. Fearnhead, I. A. Eckley: Optimal detection of changepoints with a linear computational \
                      cost. Journal of the American Statistical Association 107, 2012." }
                li { "P. Fearnhead, G. Rigaill: Changepoint detection in the presence of outliers. Journal of the American \
                      Statistical Association 114, 2019." }
                li { "J. von Neumann, R. H. Kent, H. R. Bellinson, B. I. Hart: The mean square successive difference. Annals of \
                      Mathematical Statistics 12, 1941." }
                li { "D. Daly, W. Brown, H. Ingo, J. O'Leary, D. Bradford: The use of change point detection to identify \
                      software performance regressions in a continuous integration system. ICPE 2020." }
                li { "M. Fleming, P. Kołaczkowski, and others: Hunter: using change point detection to hunt for performance \
                      regressions. ICPE 2023, arXiv 2301.03034." }
            }
        }
    }
}
