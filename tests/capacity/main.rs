//! `patternbench capacity` as users meet it: on the embedded server, and on a simulated one, where the truth is known.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use patternbench::record::CapacityRecord;
use patternbench::words::{CapacityFound, ProbeOutcome};
use predicates::prelude::*;
use predicates::str::contains;

/// Two layouts of things with parts, one read and one write.
const THINGS: &str = "
format: 1
title: Things with parts
summary: A thing is read with its parts, which lie beside it or in it.
parameters: {things: {default: 200}}
dataset:
  things: {count: ^things, document: {_id: ^index, name: {^words: 3}}}
  parts:
    children: {of: things, count: 5}
    document: {_id: ^index, thingId: ^parent._id, name: {^words: 2}}
models:
  naive:
    role: naive
    collections:
      things: {from: things}
      parts: {from: parts, indexes: [{key: {thingId: 1}}]}
    operations:
      read:
        growth: constant
        steps:
          - aggregate:
              collection: things
              pipeline:
                - {$match: {_id: ^thing}}
                - {$lookup: {from: parts, localField: _id, foreignField: thingId, as: parts}}
      rename: [{updateOne: {collection: things, filter: {_id: ^thing}, update: {$set: {name: ^name}}}}]
  whole:
    role: pattern
    collections:
      things:
        from: things
        pipeline: [{$lookup: {from: parts, localField: _id, foreignField: thingId, as: parts}}]
    operations:
      read: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
      rename: [{updateOne: {collection: things, filter: {_id: ^thing}, update: {$set: {name: ^name}}}}]
workload:
  read: {weight: 9, args: {thing: {^key: things}}, returns: {fields: [_id, parts._id]}}
  rename: {weight: 1, args: {thing: {^key: things}, name: {^words: 3}}}
";

/// Four places: naive holds 2,000 a second in them, the page 4,000.
const DECLARED: &str = "
concurrency: 4
models:
  naive: {default: {latency: {constant: 2ms}}}
  page: {default: {latency: {constant: 1ms}}}
  tuned: {default: {latency: {constant: 2ms}}}";

/// The program, in a folder of its own, free of the caller's environment.
fn patternbench(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command.current_dir(folder).env_remove("PATTERNBENCH_URI").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// The command that studies product-list-page on what is declared.
fn on_declared(folder: &Path, arguments: &[&str]) -> Command {
    fs::write(folder.join("declared.yaml"), DECLARED).expect("the folder is writable");
    let mut command = patternbench(folder);
    command.args(["capacity", "product-list-page", "--server", "simulated=declared.yaml", "--profile", "smoke"]);
    command.args(["--models", "page", "--concurrency", "4"]).args(arguments);
    command
}

/// The only study in a results folder.
fn only_study(folder: &Path) -> PathBuf {
    let studies = fs::read_dir(folder.join("results")).expect("there are results");
    let studies: Vec<PathBuf> = studies.map(|study| study.expect("an entry").path()).collect();
    assert_eq!(studies.len(), 1, "one study, one folder: {studies:?}");
    studies[0].clone()
}

fn record(folder: &Path) -> CapacityRecord {
    CapacityRecord::read(&only_study(folder)).expect("a study has a record")
}

fn windows(record: &CapacityRecord) -> usize {
    record.models.iter().map(|model| model.probes.len()).sum()
}

#[test]
fn a_study_on_the_embedded_server_ends_in_an_answer() {
    let folder = folder();
    fs::write(folder.path().join("things.yaml"), THINGS).expect("the folder is writable");
    let output = patternbench(folder.path())
        .args(["capacity", "things.yaml", "--slo", "p95=100ms", "--profile", "smoke", "--hold", "0.3"])
        .args(["--server", "embedded"])
        .assert()
        .success()
        .get_output()
        .clone();
    let text = String::from_utf8(output.stdout).expect("output is text");
    assert!(text.contains("objective: p95 ≤ 100 ms, response time of the whole mix"), "{text}");
    assert!(text.contains("These figures are not mongod's"), "{text}");
    let record = record(folder.path());
    assert!(record.complete);
    assert_eq!(record.models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["naive", "whole"]);
    for model in &record.models {
        let answer = model.answer.as_ref().expect("an answer");
        // How fast this machine is nobody knows; that it does some operations in 100 ms each can be relied on.
        assert!(matches!(answer.found, CapacityFound::Within | CapacityFound::AtLeast), "{answer:?}");
        assert!(text.contains(&format!("{} sustains", model.name)), "{text}");
        assert!(model.calibrated.is_some() && !model.curve.is_empty());
        for probe in &model.probes {
            assert!(probe.count > 0 && probe.latencies.contains_key(&patternbench::words::Metric::P95), "{probe:?}");
            assert_eq!(probe.why.is_none(), probe.outcome == ProbeOutcome::Held, "{probe:?}");
        }
    }
    let turns: Vec<u32> = record.models[0].probes.iter().map(|probe| probe.number).take(3).collect();
    assert_eq!(turns, [0, 2, 4], "models take turns");
    assert!(only_study(folder.path()).join("report.html").is_file());
}

#[test]
fn an_objective_that_nothing_meets_is_an_answer_too() {
    let folder = folder();
    on_declared(folder.path(), &["--slo", "p95=500us"])
        .assert()
        .success()
        .stdout(contains("naive does not meet the objective even at").and(contains("page does not meet")));
}

#[test]
fn what_is_found_reads_the_same_from_the_folder() {
    let folder = folder();
    let output = on_declared(folder.path(), &["--slo", "p95=10ms"]).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("output is text");
    let (found, _) = text.split_once("\n\nreport: ").expect("the report's place comes last");
    let study = only_study(folder.path());
    let again = patternbench(folder.path()).arg("report").arg(&study).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(again).expect("text").trim_end(), found.trim_end());
    insta::assert_snapshot!("terminal", found);
    patternbench(folder.path()).arg("report").arg(&study).arg("--html=page.html").assert().success();
    let page = fs::read_to_string(folder.path().join("page.html")).expect("it was written");
    assert_eq!(page, fs::read_to_string(study.join("report.html")).expect("a study has a report"));
    for part in ["SIMULATED", "capacity-chart-title", "objective: p95", "id=\"windows\""] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_rate_that_a_pattern_surely_misses_fails_only_where_that_is_asked_for() {
    let folder = folder();
    let with = |rate: &str, fails: bool| {
        let condition: &[&str] = if fails { &["--fail-on", "objective"] } else { &[] };
        let arguments = [&["--slo", "p95=10ms", "--rate", rate, "--quiet"], condition].concat();
        on_declared(folder.path(), &arguments).assert()
    };
    with("9000", false).success().stdout(contains("page").and(contains("it surely does not sustain")));
    with("9000", true).code(1).stderr(contains("failed: page does not sustain 9000/s within the objective"));
    // The page sustains what naive does not.
    with("3000", true).success().stdout(contains("it surely sustains").and(contains("it surely does not sustain")));
}

#[test]
fn a_study_that_has_ended_is_not_repeated_and_another_is_not_taken_for_it() {
    let folder = folder();
    on_declared(folder.path(), &["--slo", "p95=10ms", "--quiet"]).assert().success();
    let (study, before) = (only_study(folder.path()), record(folder.path()));
    let resume = format!("--resume={}", study.display());
    on_declared(folder.path(), &["--slo", "p95=10ms", "--quiet", &resume]).assert().success();
    let after = record(folder.path());
    assert_eq!((windows(&after), after.resumed_at.len()), (windows(&before), 1));
    assert_eq!(after.models, before.models);
    on_declared(folder.path(), &["--slo", "p95=20ms", &resume])
        .assert()
        .code(2)
        .stderr(contains("its objective was p95=10ms").and(contains("and now is p95=20ms")));
    on_declared(folder.path(), &["--slo", "p95=10ms", "--resume"])
        .assert()
        .code(2)
        .stderr(contains("there is no interrupted study of this scenario and objective in results"));
}

#[test]
fn what_was_cut_short_goes_on_from_the_last_study_that_fits() {
    let folder = folder();
    on_declared(folder.path(), &["--slo", "p95=10ms", "--quiet"]).assert().success();
    let (study, whole) = (only_study(folder.path()), record(folder.path()));
    // As an interruption leaves it: the first windows, and not complete.
    let mut cut = whole.clone();
    cut.complete = false;
    cut.models.iter_mut().for_each(|model| model.probes.truncate(4));
    cut.write_atomically(&study).expect("the folder can be written to");
    on_declared(folder.path(), &["--slo", "p95=10ms", "--quiet", "--resume"]).assert().success();
    let resumed = record(folder.path());
    assert!(resumed.complete && windows(&resumed) > windows(&cut));
    for (model, cut) in resumed.models.iter().zip(&cut.models) {
        assert_eq!(model.probes[..4], cut.probes[..], "no window is repeated");
    }
}

#[test]
fn wrong_arguments_are_told_before_anything_is_measured() {
    let folder = folder();
    let fails = |arguments: &[&str], why: &str| {
        on_declared(folder.path(), arguments).assert().code(2).stderr(contains(why));
        assert!(!folder.path().join("results").exists(), "{arguments:?}");
    };
    fails(&[], "--slo");
    fails(&["--slo", "p95=10"], "expected a time with its unit");
    fails(&["--slo", "p97=10ms"], "metrics are p50, p95, p99 and mean");
    fails(&["--slo", "p95=10ms", "--errors", "0.1"], "expected a percentage");
    fails(&["--slo", "p95=10ms", "--operation", "list_pages"], "times no operation `list_pages`; it times list_page");
    fails(&["--slo", "p95=10ms", "--workload", "heavy"], "has no workload `heavy`");
    fails(&["--slo", "p95=10ms", "--fail-on", "objective"], "--rate");
}

#[test]
fn one_operation_of_the_mix_can_be_judged_alone() {
    let folder = folder();
    on_declared(folder.path(), &["--slo", "p95=10ms,p50=8ms", "--operation", "list_page", "--json"])
        .assert()
        .success()
        .stdout(contains("\"operation\": \"list_page\""));
    let record = record(folder.path());
    let probe = record.models[0].probes.first().expect("a window");
    // 95 of 100 operations of the mix are judged.
    assert_eq!(probe.count * 100, probe.planned * 95);
}

#[test]
fn the_record_validates_against_its_schema() {
    let folder = folder();
    on_declared(folder.path(), &["--slo", "p95=10ms", "--quiet"]).assert().success();
    let output =
        patternbench(folder.path()).args(["schema", "capacity"]).assert().success().get_output().stdout.clone();
    let schema: serde_json::Value = serde_json::from_slice(&output).expect("a schema is JSON");
    let text = fs::read_to_string(only_study(folder.path()).join("capacity.json")).expect("it is there");
    let written: serde_json::Value = serde_json::from_str(&text).expect("a record is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let problems: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let later = text.replacen("patternbench.capacity/1", "patternbench.capacity/9", 1);
    fs::write(folder.path().join("capacity.json"), later).expect("the folder is writable");
    patternbench(folder.path())
        .args(["report", "capacity.json"])
        .assert()
        .code(2)
        .stderr(contains("its schema is `patternbench.capacity/9`"));
}
