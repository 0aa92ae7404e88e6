//! A study of capacity as a page.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use super::page::{POLICY, fact};
use super::table;
use crate::analysis::KNEE;
use crate::record::CapacityRecord;
use crate::report::format;
use crate::report::palette;
use crate::report::text::clean_lines;
use crate::report::view::{CapacityView, Tone};

/// The report of a study of capacity as an HTML document, made from the record alone.
///
/// All text of the record is escaped; characters that steer terminals or text direction are replaced.
pub fn capacity_html(record: &CapacityRecord) -> String {
    let view = CapacityView::of(record);
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (record.scenario) " – patternbench capacity" }
                style { (PreEscaped(palette::page_style())) (PreEscaped(include_str!("report.css"))) }
            }
            body {
                (header(&view))
                main {
                    (answer(&view))
                    (windows(&view))
                    (method())
                }
                footer { p { "Made by patternbench " (record.tool.version) " from capacity.json alone." } }
            }
        }
    };
    clean_lines(&page.into_string())
}

fn header(view: &CapacityView<'_>) -> Markup {
    let record = view.record;
    let parameters: Vec<String> = record.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    markup! {
        header {
            p.kicker { "patternbench capacity" @if let Some(label) = &record.label { " · " (label) } }
            h1 { (record.title) }
            p.server { "Measured on " strong { (view.server) } }
            @for stamp in &view.stamps { p.stamp.(table::class(Tone::Warning)) role="note" { (stamp) } }
            dl.facts {
                (fact("Scenario", &format!("{} ({})", record.scenario, record.workload)))
                (fact("Objective", &view.objective))
                (fact("Started", &record.started_at))
                @if let Some(end) = &record.finished_at { (fact("Finished", end)) }
                (fact("Load generator", &view.client))
                (fact("Plan", &view.plan))
                @if !parameters.is_empty() { (fact("Parameters", &parameters.join(", "))) }
                @if let Some(cache) = record.server.cache_bytes { (fact("Cache", &format::bytes(cache))) }
                (fact("SHA-256 of the scenario file", &record.file_sha256))
            }
        }
    }
}

fn answer(view: &CapacityView<'_>) -> Markup {
    markup! {
        section id="answer" {
            h2 { "Capacity" }
            @for (said, tone) in &view.answers { p.answer { span.(table::class(*tone)) { (said) "." } } }
            @if let Some(chart) = view.chart.as_ref().and_then(|chart| chart.svg("capacity-chart")) {
                figure {
                    (PreEscaped(chart))
                    figcaption {
                        ul.legend {
                            @for (place, model) in view.record.models.iter().enumerate() {
                                li {
                                    span.swatch.(format!("s{}", place % 6)) {}
                                    strong { (model.name) }
                                    @if let Some(title) = &model.title { " – " (title) }
                                }
                            }
                        }
                        p.quiet {
                            "Dot: a rate, by the geometric mean of its windows, with their range; hollow: not every window \
                             at that rate held. Diamond: the knee. Dashed lines down: capacities, with the band of their \
                             95 % interval."
                        }
                    }
                }
            }
            (table::table(&view.models, "answer"))
            (table::notes(&view.notes, "answer"))
        }
    }
}

fn windows(view: &CapacityView<'_>) -> Markup {
    markup! {
        section id="windows" {
            h2 { "Windows" }
            @if view.probes.rows.is_empty() { p { "No window was done." } } @else { (table::table(&view.probes, "windows")) }
            @if !view.events.is_empty() {
                h3 { "Events" }
                ul { @for event in &view.events { li { (event) } } }
            }
        }
    }
}

fn method() -> Markup {
    markup! {
        section.method id="method" {
            h2 { "How to read this" }
            dl {
                dt { "A window" }
                dd { "A rate is offered to one model under open load: a lead-in of a fifth, then a window as long as the \
                      objective says, or as long as its quantiles need. Response times count from the intended start, so \
                      that waiting is in them. Models take turns, window by window, with the same number of workers." }
                dt { "Held or missed" }
                dd { "Held: every bound of the objective holds, no more operations fail than it allows, and the rate is \
                      achieved to one percent. Where the load generator was the limit, the window says nothing of the \
                      model, and no capacity is named beyond it." }
                dt { "Capacity" }
                dd { "The rate at which half of the windows hold: maximum likelihood of a logistic curve over the logarithm \
                      of the rate. Its 95 % interval is that of the profile likelihood; near the edge windows are repeated \
                      until it is short enough or their number is spent. It speaks of this server start and this dataset." }
                dt { "Knee" }
                dd { "The rate at which the latency passes " (format!("{KNEE:.0}")) " times that of the lowest rate offered, \
                      by straight lines between the points on logarithmic axes, where a latency counts as no lower than \
                      those at lower rates." }
                dt { "Data" }
                dd { "A model whose data have grown by more than a tenth since they were loaded gets them loaded anew before \
                      its next window, unless the plan says that data grow along." }
                dt { "Disturbed" }
                dd { "Windows disturbed by other programs, the hypervisor or a restart count only where too few others do." }
            }
        }
    }
}
