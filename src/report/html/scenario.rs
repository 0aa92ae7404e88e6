//! The section of a scenario.

use maud::{Markup, html as markup};

use super::page::fact;
use super::statistics::Detail;
use super::{break_even, charts, evidence, models, statistics, table};
use crate::record::{CalibrationRecord, RunRecord};
use crate::report::chart::Charts;
use crate::report::format;
use crate::report::reproduce;
use crate::report::view::{ScenarioView, Tone};

/// Above so many scenarios and workloads each is shown in less detail.
const MANY: usize = 12;

/// Everything about a scenario; `number` counts them from 1.
pub(super) fn section(run: &RunRecord, view: &ScenarioView<'_>, number: usize) -> Markup {
    let anchor = format!("s{number}");
    let record = view.record;
    let several = run.scenarios.len() > 1;
    let (detail, operations) = if run.scenarios.len() > MANY { (Detail::Brief, 3) } else { (Detail::Full, 6) };
    let drawn = Charts::of(record, operations);
    markup! {
        section.scenario id=(anchor) {
            h2 { (view.heading) @if several { span.quiet { " – " (record.title) } } }
            p.summary { (table::prose(&record.summary)) }
            (warnings(view))
            @if several { (verdict(view)) }
            @if view.verdict.is_some() { p.answer { (view.answer) "." } }
            (answers(view))
            @if !view.tuning.is_empty() { ul.answers { @for line in &view.tuning { li { (line) } } } }
            @for end in &view.ends { p { (end) "." } }
            (results(view, &drawn, &anchor))
            (load(view, &anchor))
            (charts::curves(&drawn, &anchor))
            @if let Some(claims) = &view.claims { h3 { "Claims" } (table::table(claims, &anchor)) }
            @if let Some(bill) = &view.bill { h3 { "Storage bill" } (charts::storage(&drawn, &anchor)) (table::table(bill, &anchor)) }
            (break_even::section(view, &anchor))
            (around(view, &drawn, &anchor))
            (table::notes(&view.notes, &anchor))
            (evidence::section(view, &anchor))
            (models::side_by_side(record))
            (plan(view, &anchor))
            (machine(view, &anchor))
            (statistics::section(view, &anchor, detail))
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

/// What the pattern does and costs, in words, and on what that rests; where there is no such verdict, the answer.
pub(super) fn verdict(view: &ScenarioView<'_>) -> Markup {
    let names: Vec<&str> = view.record.models.iter().map(|model| model.name.as_str()).collect();
    markup! {
        @match &view.verdict {
            Some(verdict) => {
                p.verdict { (verdict.said) "." }
                p.quiet { (verdict.rests_on) }
            },
            None => p.verdict { (table::sentence(&view.answer, &names)) "." },
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
            several => div.stamp.warning role="note" { ul { @for warning in several { li { (warning) } } } },
        }
    }
}

fn results(view: &ScenarioView<'_>, drawn: &Charts, anchor: &str) -> Markup {
    let Some(results) = &view.results else { return markup! { p { "Nothing was measured." } } };
    markup! {
        h3 { "Results" }
        (charts::headline(view.record, drawn, anchor))
        (table::table(results, anchor))
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
fn around(view: &ScenarioView<'_>, drawn: &Charts, anchor: &str) -> Markup {
    markup! {
        @if view.around.is_some() { h3 { "Around the event" } } @else if !view.beside.is_empty() { h3 { "Beside the operations" } }
        (charts::course(drawn, anchor))
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
