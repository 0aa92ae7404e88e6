//! A sweep as one self-contained HTML file.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use super::page::{POLICY, fact};
use super::{mix, table};
use crate::record::SweepRecord;
use crate::report::curves::{growth_chart, speedup_chart};
use crate::report::palette;
use crate::report::text::clean_lines;
use crate::report::view::{AxisView, OperationView, SweepView, WorkloadView, part_name};
use crate::words::SweepAxis;

/// The report of a sweep as an HTML document, made from the record alone. It links to the reports of its runs, which lie in
/// folders beside it.
pub fn sweep_html(record: &SweepRecord) -> String {
    let view = SweepView::of(record);
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (record.scenario.name) " over " (AxisView::of(&record.axis).name()) " – patternbench sweep" }
                style { (PreEscaped(palette::page_style())) (PreEscaped(include_str!("report.css"))) }
            }
            body {
                (header(&view))
                main {
                    @for (place, workload) in view.workloads.iter().enumerate() {
                        (section(record, workload, &format!("w{}", place + 1)))
                    }
                    @if view.workloads.is_empty() { p { "No value was measured." } }
                    @for (place, found) in view.mixes.iter().enumerate() { (mix::section(found, &format!("mix{}", place + 1))) }
                    (claims(&view))
                    (failures(&view))
                    (table::notes(&view.notes, ANCHOR))
                    (runs(record))
                    (method(record))
                }
                footer { p { "Made by patternbench " (record.tool.version) " from sweep.json and the records of its runs." } }
            }
        }
    };
    clean_lines(&page.into_string())
}

/// Notes are numbered over the whole page.
const ANCHOR: &str = "sweep";

fn header(view: &SweepView<'_>) -> Markup {
    let record = view.record;
    let settings: Vec<String> = record.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let staying: Vec<String> =
        record.scenario.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    markup! {
        header {
            p.kicker { "patternbench sweep" @if let Some(label) = &record.label { " · " (label) } }
            h1 { (record.scenario.title) }
            p.server { "Measured on " strong { (view.server) } }
            @for (said, tone) in &view.stamps { p.stamp.(table::class(*tone)) role="note" { (said) } }
            p { (record.scenario.name) " over " strong { (view.varied) } }
            dl.facts {
                (fact("Started", &record.started_at))
                @if let Some(end) = &record.finished_at { (fact("Finished", end)) }
                (fact("Profile and seed", &format!("{}, {}", record.profile, record.seed)))
                @if !settings.is_empty() { (fact("Each value", &settings.join(", "))) }
                @if !staying.is_empty() { (fact("Other parameters", &staying.join(", "))) }
                (fact("SHA-256 of the scenario file", &record.scenario.file_sha256))
            }
        }
    }
}

/// A workload: its operations, each with its charts and what is said of it, then the tables.
fn section(record: &SweepRecord, view: &WorkloadView<'_>, anchor: &str) -> Markup {
    markup! {
        section.scenario id=(anchor) {
            h2 { @if view.name == "default" { "Along the axis" } @else { "Workload " (view.name) } }
            (legend(record))
            @for (place, operation) in view.operations.iter().enumerate() {
                (part(record, view.name, operation, &format!("{anchor}-o{}", place + 1)))
            }
            @for compared in &view.compared { (table::table(compared, ANCHOR)) }
            @if let Some(growth) = &view.growth { h3 { "Growth" } (table::table(growth, ANCHOR)) }
            @if let Some(sizes) = &view.sizes { h3 { "Sizes and cache" } (table::table(sizes, ANCHOR)) }
        }
    }
}

fn legend(record: &SweepRecord) -> Markup {
    markup! {
        ul.legend {
            @for (place, model) in record.scenario.models.iter().enumerate() {
                li {
                    span.swatch.(format!("s{}", place % 6)) {}
                    strong { (model.name) } span.quiet { " (" (model.role) ")" }
                    @if let Some(title) = &model.title { " – " (title) }
                }
            }
        }
    }
}

fn part(record: &SweepRecord, workload: &str, operation: &OperationView<'_>, anchor: &str) -> Markup {
    let growth = growth_chart(record, workload, operation.name, &format!("{anchor}-growth"));
    let speedup = speedup_chart(record, workload, operation.name, &format!("{anchor}-speedup"));
    markup! {
        h3 id=(anchor) { (part_name(operation.name)) }
        @for answer in &operation.answers { p.answer { (answer) "." } }
        @if let Some(chart) = growth { figure { (chart) } }
        @if let Some(chart) = speedup { figure { (chart) } }
    }
}

fn claims(view: &SweepView<'_>) -> Markup {
    markup! {
        @if let Some(claims) = &view.claims { h2 { "Claims" } (table::table(claims, ANCHOR)) }
    }
}

fn failures(view: &SweepView<'_>) -> Markup {
    let failures = view.failures();
    markup! {
        @if !failures.is_empty() {
            h2 { "What failed, and where" }
            ul { @for said in &failures { li.bad { (said) } } }
        }
    }
}

/// The run of each value, with a link to its report.
fn runs(record: &SweepRecord) -> Markup {
    let axis = AxisView::of(&record.axis);
    markup! {
        h2 { "Runs" }
        p { "Each value is a run of its own, with its answers, evidence, bill and statistics." }
        ul {
            @for point in &record.points {
                li {
                    a href=(format!("{}/report.html", point.run)) { (axis.value(point)) }
                    @if point.added { span.quiet { " added in search of a crossover" } }
                }
            }
        }
    }
}

fn method(record: &SweepRecord) -> Markup {
    markup! {
        section.method {
            h2 { "How to read this" }
            dl {
                dt { "Dots and intervals" }
                dd { "Geometric mean over units of rounds with its 95 % interval; hollow: all operations together, too few for \
                      an interval. A cross at the top marks a value at which a model failed." }
                @if record.axis.kind == SweepAxis::Parameter {
                    dt { "Growth" }
                    dd { "The slope on logarithmic axes over the highest decade decides the word: flat within ±0.15, linear \
                          between 0.8 and 1.2. The dashed curve is a + b·nᵏ, fitted on the logarithm of the latency; the \
                          interval of k is the profile one." }
                }
                dt { "Crossover" }
                dd { "Where the speed-up passes 1, straight between neighbouring values on logarithmic axes. Its interval holds \
                      every place at which 1 lies within the band of the speed-ups' own intervals." }
                @for note in &record.notes { dt { "Note" } dd { (note) } }
                @if let Some(why) = &record.axis.refinement { dt { "Refinement ended" } dd { (why) } }
            }
        }
    }
}
