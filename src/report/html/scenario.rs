//! The section of a scenario.

use maud::{Markup, PreEscaped, html as markup};

use super::page::fact;
use super::{evidence, models, statistics, table};
use crate::analysis::Cast;
use crate::record::{CalibrationRecord, RunRecord};
use crate::report::chart::chart_named;
use crate::report::format;
use crate::report::reproduce;
use crate::report::view::{ScenarioView, Tone};

/// Everything about a scenario; `number` counts them from 1.
pub(super) fn section(run: &RunRecord, view: &ScenarioView<'_>, number: usize) -> Markup {
    let anchor = format!("s{number}");
    let record = view.record;
    markup! {
        section.scenario id=(anchor) {
            h2 { (view.heading) @if run.scenarios.len() > 1 { span.quiet { " – " (record.title) } } }
            p.summary { (record.summary) }
            (warnings(view))
            p.answer { (view.answer) "." }
            (answers(view))
            @for end in &view.ends { p { (end) "." } }
            (results(view, &anchor))
            (load(view, &anchor))
            @if let Some(claims) = &view.claims { h3 { "Claims" } (table::table(claims, &anchor)) }
            @if let Some(bill) = &view.bill { h3 { "Storage bill" } (table::table(bill, &anchor)) }
            (around(view, &anchor))
            (table::notes(&view.notes, &anchor))
            (evidence::section(view, &anchor))
            (models::side_by_side(record))
            (plan(view, &anchor))
            (machine(view, &anchor))
            (statistics::section(view, &anchor))
            (evidence::windows(record))
            (events(view))
            h3 { "Run it again" }
            pre { code { (reproduce::command(run, record)) } }
            p.quiet {
                "The name stands for the scenario file with SHA-256 " code { (record.file_sha256) }
                "; FILE for what a record does not keep."
            }
        }
    }
}

fn answers(view: &ScenarioView<'_>) -> Markup {
    markup! {
        @if !view.answers.is_empty() {
            ul.answers {
                @for answer in &view.answers {
                    li { (answer.operation) ": " span.(table::class(answer.tone)) { (answer.verdict) } ", " (answer.figures) }
                }
            }
        }
    }
}

fn warnings(view: &ScenarioView<'_>) -> Markup {
    let faults = view.facts.iter().filter(|(_, tone)| *tone == Tone::Warning).map(|(fault, _)| fault);
    let all: Vec<&String> = faults.chain(&view.warnings).collect();
    markup! {
        @match all.as_slice() {
            [] => {},
            [one] => p.stamp.warning role="note" { (one) },
            several => ul.stamp.warning role="note" { @for warning in several { li { (warning) } } },
        }
    }
}

fn results(view: &ScenarioView<'_>, anchor: &str) -> Markup {
    let Some(results) = &view.results else { return markup! { p { "Nothing was measured." } } };
    markup! {
        h3 { "Results" }
        @if let Some(chart) = chart_named(view.record, &format!("{anchor}-chart")) { (figure(view, &chart)) }
        (table::table(results, anchor))
        @if !view.tuning.is_empty() { ul.tuning { @for line in &view.tuning { li { (line) } } } }
    }
}

/// How the models bore the load, and what users got of it.
fn load(view: &ScenarioView<'_>, anchor: &str) -> Markup {
    markup! {
        @if let Some(load) = &view.load {
            h3 { "Load" }
            (table::table(load, anchor))
            @if !view.load_remarks.is_empty() { ul { @for remark in &view.load_remarks { li { (remark) } } } }
        }
        @if let Some(latencies) = &view.latencies {
            h3 { "Response time and service time" }
            (table::table(latencies, anchor))
        }
    }
}

/// Events and background actors, and what events did to the operations around them.
fn around(view: &ScenarioView<'_>, anchor: &str) -> Markup {
    markup! {
        @if view.around.is_some() { h3 { "Around the event" } } @else if !view.beside.is_empty() { h3 { "Beside the operations" } }
        @if let Some(around) = &view.around { (table::table(around, anchor)) }
        @if !view.beside.is_empty() { ul { @for said in &view.beside { li { (said) } } } }
    }
}

/// What the windows cost the machine.
fn machine(view: &ScenarioView<'_>, anchor: &str) -> Markup {
    markup! {
        @if view.machine.is_some() || view.counters.is_some() {
            h3 { "Environment of the windows" }
            @if let Some(machine) = &view.machine { (table::table(machine, anchor)) }
            @if let Some(counters) = &view.counters {
                details { summary { "The server's own counters" } (table::table(counters, anchor)) }
            }
        }
    }
}

fn figure(view: &ScenarioView<'_>, chart: &str) -> Markup {
    let cast = Cast::of(&view.record.models);
    markup! {
        figure {
            (PreEscaped(chart))
            figcaption {
                ul.legend {
                    @for (place, model) in cast.shown().enumerate() {
                        li {
                            span.swatch.(format!("s{}", place % 6)) {}
                            strong { (model.name) } (models::role(model))
                            @if let Some(title) = &model.title { " – " (title) }
                        }
                    }
                }
                p.quiet {
                    "Dot: geometric mean of the p95 of each unit of rounds, with its 95 % interval; hollow: p95 of all \
                     operations, too few for an interval. Further left is faster. Intervals that overlap do not mean that \
                     models are equal: the table compares them pair by pair."
                }
            }
        }
    }
}

fn plan(view: &ScenarioView<'_>, anchor: &str) -> Markup {
    let record = view.record;
    let plan = &record.plan;
    let mix: Vec<String> = plan.mix.iter().map(|(name, weight)| format!("{name} {weight}")).collect();
    let parameters: Vec<String> = record.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    markup! {
        h3 { "Plan" }
        p { (view.plan) }
        ul { @for (fact, _) in &view.facts { li { (fact) } } }
        dl.facts {
            @for (name, value) in &view.decisions { (fact(name, value)) }
            (fact("Workload", &format!("{}: {}", record.workload, mix.join(", "))))
            @if !parameters.is_empty() { (fact("Parameters", &parameters.join(", "))) }
            @if let Some(lead_in) = plan.lead_in_operations {
                (fact("Lead-in", &format!("{} untimed operations before each window", format::count(lead_in))))
            }
            @for (model, calibration) in &record.calibration {
                (fact(&format!("Calibration, {model}"), &capacity(calibration)))
            }
            (fact("SHA-256 of the dataset", &record.dataset_sha256))
            (fact("SHA-256 of the arguments", &record.stream_sha256))
        }
        @if let Some(growth) = &view.growth { (table::table(growth, anchor)) }
        @if let Some(figures) = &view.figures { (table::table(figures, anchor)) }
    }
}

fn capacity(calibration: &CalibrationRecord) -> String {
    let mut said = format!("{}/s closed", format::rate(calibration.capacity));
    if let Some(p99) = calibration.p99 {
        said.push_str(&format!(", p99 {}", format::time(p99)));
    }
    if let Some(mean) = calibration.light_load_mean {
        said.push_str(&format!(", mean {} with one worker", format::time(mean)));
    }
    said
}

fn events(view: &ScenarioView<'_>) -> Markup {
    if view.events.is_empty() {
        return markup! {};
    }
    markup! {
        h3 { "Events" }
        ul { @for event in &view.events { li { (event) } } }
    }
}
