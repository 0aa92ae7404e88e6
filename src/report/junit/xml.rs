//! The document.

use std::fmt::Write as _;

use super::cases::{Case, Outcome, cases};
use crate::record::{RunRecord, ScenarioRecord, Stamp};
use crate::report::text::clean;
use crate::report::view::{RunView, ScenarioView, Tone};

/// The test results of a record.
pub(in crate::report) fn junit(record: &RunRecord) -> String {
    let view = RunView::of(record);
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for (place, scenario) in view.scenarios.iter().enumerate() {
        suite(&mut xml, &view, scenario, place);
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// Elements and attributes stand in the order that the strictest of the schemas asks for; it knows no attributes of the
/// root.
fn suite(xml: &mut String, run: &RunView<'_>, view: &ScenarioView<'_>, place: usize) {
    let scenario = view.record;
    let cases = cases(run.record, scenario);
    let count = |wanted: fn(&Outcome) -> bool| cases.iter().filter(|case| wanted(&case.outcome)).count();
    let attributes = [
        ("name", named(&view.heading)),
        ("package", "patternbench".to_owned()),
        ("id", place.to_string()),
        ("timestamp", timestamp(&run.record.started_at)),
        (
            "hostname",
            if run.record.server.host.trim().is_empty() {
                "localhost".to_owned()
            } else {
                named(&run.record.server.host)
            },
        ),
        ("tests", cases.len().to_string()),
        ("failures", count(|outcome| matches!(outcome, Outcome::Failed(_))).to_string()),
        ("errors", count(|outcome| matches!(outcome, Outcome::Error(_))).to_string()),
        ("skipped", count(|outcome| matches!(outcome, Outcome::Skipped(_))).to_string()),
        ("time", seconds(scenario)),
    ];
    open(xml, 2, "testsuite", &attributes, ">");
    open(xml, 4, "properties", &[], ">");
    for (name, value) in properties(run, view) {
        open(xml, 6, "property", &[("name", named(&name)), ("value", value)], "/>");
    }
    xml.push_str("    </properties>\n");
    for case in &cases {
        test_case(xml, view, case);
    }
    let _ = writeln!(xml, "    <system-out>{}</system-out>", escaped(&told(run, view)));
    xml.push_str("    <system-err></system-err>\n  </testsuite>\n");
}

fn test_case(xml: &mut String, view: &ScenarioView<'_>, case: &Case) {
    let class = format!("{}.{}", view.heading, case.group.word());
    let attributes = [("name", named(&case.name)), ("classname", class), ("time", "0".to_owned())];
    let (element, why) = match &case.outcome {
        Outcome::Passed => return open(xml, 4, "testcase", &attributes, "/>"),
        Outcome::Failed(why) => ("failure", why),
        Outcome::Error(why) => ("error", why),
        Outcome::Skipped(why) => ("skipped", why),
    };
    open(xml, 4, "testcase", &attributes, ">");
    let kind = ("type", case.group.word().to_owned());
    open(xml, 6, element, &[("message", why.clone()), kind], "/>");
    xml.push_str("    </testcase>\n");
}

/// What the figures are of.
fn properties(run: &RunView<'_>, view: &ScenarioView<'_>) -> Vec<(String, String)> {
    let record = run.record;
    let facts = [
        ("patternbench", record.tool.version.clone()),
        ("server", run.server.clone()),
        ("profile", record.profile.to_string()),
        ("scenario", view.record.name.clone()),
        ("workload", view.record.workload.clone()),
        ("file_sha256", view.record.file_sha256.clone()),
    ];
    let label = record.label.iter().map(|label| ("label".to_owned(), label.clone()));
    let parameters =
        view.record.parameters.iter().map(|(name, value)| (format!("parameter {name}"), value.to_string()));
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(label).chain(parameters).collect()
}

/// What a reader of the results must know, and the answer.
fn told(run: &RunView<'_>, view: &ScenarioView<'_>) -> String {
    let stamps = run.stamps.iter().map(|(stamp, _)| stamp.clone());
    let faults = view.facts.iter().filter(|(_, tone)| *tone == Tone::Warning).map(|(fault, _)| fault.clone());
    let answers =
        view.answers.iter().map(|answer| format!("{}: {}, {}", answer.operation, answer.verdict, answer.figures));
    let lines = stamps.chain(faults).chain(view.warnings.iter().cloned()).chain([view.answer.clone()]).chain(answers);
    lines.map(|line| clean(&line)).collect::<Vec<_>>().join("\n")
}

/// Seconds of all windows.
fn seconds(scenario: &ScenarioRecord) -> String {
    let seconds = scenario.rounds.iter().fold(0.0, |sum, window| sum + window.seconds.get());
    format!("{:.3}", if seconds.is_finite() && seconds > 0.0 { seconds } else { 0.0 })
}

/// To the second, without a zone: it is UTC.
fn timestamp(started_at: &str) -> String {
    let stamp = Stamp::parse(started_at).map(Stamp::rfc3339).unwrap_or_default();
    let to_the_second = stamp.split_once('.').map(|(seconds, _)| seconds.to_owned());
    to_the_second.filter(|seconds| seconds.len() == 19).unwrap_or_else(|| "1970-01-01T00:00:00".to_owned())
}

/// A name that has to be one: what is empty gets a dash.
fn named(name: &str) -> String {
    if name.trim().is_empty() { "-".to_owned() } else { name.to_owned() }
}

fn open(xml: &mut String, indent: usize, element: &str, attributes: &[(&str, String)], end: &str) {
    let _ = write!(xml, "{:indent$}<{element}", "");
    for (name, value) in attributes {
        let _ = write!(xml, " {name}=\"{}\"", escaped(&clean(value)));
    }
    let _ = writeln!(xml, "{end}");
}

/// Text of which nothing is markup; `>` too, which ends a section of raw text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
