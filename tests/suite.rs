//! Several scenarios in one go, as users of the command line meet them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

/// Notes that are found by their topic; WRONG stands for what a second model forgets, CACHE for a line of the file.
const NOTES: &str = r#"
format: 1
title: Notes of a topic
summary: Notes are listed by their topic.
CACHE
expect: {list: equal}
parameters: {notes: {default: 400, smoke: 80}}
dataset:
  notes: {count: ^notes, document: {_id: ^index, topic: {^mod: [^index, 20]}, text: {^words: 4}}}
models:
  plain:
    role: naive
    collections: {notes: {from: notes, indexes: [{key: {topic: 1, _id: 1}}]}}
    operations:
      list: {growth: linear in notes, steps: [{find: {collection: notes, filter: {topic: ^topic}, sort: {_id: 1}}}]}
  copied:
    role: pattern
    collections: {notes: {from: notes, indexes: [{key: {topic: 1, _id: 1}}]}}
    operations:
      list: {growth: linear in notes, steps: [{find: {collection: notes, filter: {topic: ^topic}, sort: {_id: 1}WRONG}}]}
workload:
  list: {weight: 1, args: {topic: {^int: {min: 0, max: 19}}}, returns: {fields: [text], order: true}}
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).expect("the folder is writable");
    let plain = NOTES.replace("CACHE", "");
    write("good.yaml", plain.replace("WRONG", ""));
    write("wrong.yaml", plain.replace("WRONG", ", skip: 1"));
    write("broken.yaml", plain.replace("WRONG", "").replace("role: naive", "role: naïve"));
    write("small.yaml", NOTES.replace("CACHE", "cache: 256MiB").replace("WRONG", ""));
    folder
}

/// The program, in a folder of its own, free of the caller's environment.
fn patternbench(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command.current_dir(folder).env_remove("PATTERNBENCH_URI").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// A short run of these on the embedded server.
fn run(folder: &Path, named: &[&str]) -> Command {
    let mut command = patternbench(folder);
    command.arg("run").args(named);
    command.args(["--profile", "smoke", "--server", "embedded", "--mode", "closed", "--operations", "60"]);
    command
}

fn record(folder: &Path) -> Value {
    let runs = fs::read_dir(folder.join("results")).expect("there are results");
    let runs: Vec<PathBuf> = runs.map(|run| run.expect("an entry").path()).collect();
    assert_eq!(runs.len(), 1, "one run, one folder: {runs:?}");
    let text = fs::read_to_string(runs[0].join("run.json")).expect("a run has a record");
    serde_json::from_str(&text).expect("a record is JSON")
}

fn names(record: &Value) -> Vec<&str> {
    let scenarios = record["scenarios"].as_array().expect("a list");
    scenarios.iter().map(|scenario| scenario["name"].as_str().expect("a name")).collect()
}

#[test]
fn a_scenario_that_fails_leaves_the_others_alone_and_is_listed_at_the_end() {
    let folder = folder();
    let output = run(folder.path(), &["wrong.yaml", "broken.yaml", "good.yaml"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3), "of models that disagree and a broken file, the former is graver");
    let told = String::from_utf8(output.stderr).expect("text");
    let (before, listed) = told.split_once("2 failures among 3 scenarios and workloads:\n").expect("a list at the end");
    assert!(before.contains("naïve"), "what is wrong with the file is told in full:\n{told}");
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(lines[0].starts_with("  2 (wrong usage or scenario file): broken.yaml"), "{listed}");
    assert!(lines[1].starts_with("  3 (the models disagree): the models of scenario wrong disagree"), "{listed}");
    assert!(String::from_utf8(output.stdout).expect("text").contains("all scenarios"));

    let record = record(folder.path());
    assert_eq!(names(&record), ["wrong", "good"], "what was measured is kept");
    assert_eq!(record["complete"], false);
    assert_eq!(record["scenarios"][0]["rounds"].as_array().map(Vec::len), Some(0));
    assert!(record["scenarios"][1]["complete"].as_bool().expect("a flag"));
}

#[test]
fn a_single_broken_file_is_wrong_usage_before_anything_is_started() {
    let folder = folder();
    run(folder.path(), &["broken.yaml"]).assert().code(2).stderr(contains("failures among").not());
    run(folder.path(), &["broken.yaml", "absent.yaml"]).assert().code(2);
    assert!(!folder.path().join("results").exists());
}

#[test]
fn each_scenario_gets_the_cache_that_it_asks_for() {
    let folder = folder();
    run(folder.path(), &["small.yaml", "good.yaml"]).assert().success();
    let record = record(folder.path());
    let plans: Vec<&Value> =
        record["scenarios"].as_array().expect("a list").iter().map(|entry| &entry["plan"]).collect();
    assert_eq!(plans[0]["cache"]["asked"], 256 << 20);
    assert_eq!(plans[0]["cache"]["set"], true);
    assert_eq!(plans[0]["isolation"], "process", "one model's pages are not to push out the other's");
    assert_eq!(plans[1].get("cache"), None);
    assert_eq!(plans[1]["isolation"], "shared");
    assert_eq!(record["server"]["cache_bytes"], 1 << 30);
}

#[test]
fn a_cache_on_the_command_line_overrides_the_scenarios() {
    let folder = folder();
    run(folder.path(), &["small.yaml", "--cache", "2GiB"])
        .assert()
        .success()
        .stdout(contains("cache: the servers were started with 2.00 GiB").or(contains("as the server confirms")));
    let record = record(folder.path());
    assert_eq!(record["scenarios"][0]["plan"]["cache"]["asked"], 2_u64 << 30);
    assert_eq!(record["scenarios"][0]["plan"]["isolation"], "shared");
    assert_eq!(record["server"]["cache_bytes"], 2_u64 << 30);

    let refused = run(folder.path(), &["good.yaml", "--cache", "256MB"]).assert().code(2);
    refused.stderr(contains("such as 256MiB"));
}

#[test]
fn list_filters_are_combined_and_an_unknown_word_gets_help() {
    let folder = folder();
    let list = |arguments: &[&str]| {
        let mut command = patternbench(folder.path());
        command.arg("list").args(arguments);
        command
    };
    let both = ["--pattern", "computed", "--pattern", "extended-reference", "--json"];
    let output = list(&both).assert().success().get_output().stdout.clone();
    let entries: Value = serde_json::from_slice(&output).expect("JSON");
    let entries = entries.as_array().expect("a list");
    assert!(entries.iter().any(|entry| entry["name"] == "product-list-page"));
    for entry in entries {
        let patterns = entry["patterns"].as_array().expect("a list");
        assert!(patterns.contains(&"computed".into()) && patterns.contains(&"extended-reference".into()), "{entry}");
    }
    let page = entries.iter().find(|entry| entry["name"] == "product-list-page").expect("it was found");
    assert_eq!(page["claims"], 1);
    assert_eq!(page["sweep"]["reviews_per_product"], serde_json::json!([1, 10, 100, 1000]));
    let list_page = page["operations"].as_array().expect("a list").iter().find(|known| known["name"] == "list_page");
    assert_eq!(list_page.expect("it is there")["weights"]["default"], 95.0);

    list(&["--tag", "ecommerce", "--pattern", "bucket"]).assert().success().stdout(contains("no built-in scenario"));
    list(&["--pattern", "computd"])
        .assert()
        .code(2)
        .stderr(contains("did you mean `computed`?").and(contains("there are")).and(contains("bucket")));
}
