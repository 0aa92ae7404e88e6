//! Real runs on the embedded server: the same build twice, and a pattern that lost its index.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::assert::OutputAssertExt;
use patternbench::analysis::analyse;
use patternbench::record::{CompareRecord, RunRecord};
use patternbench::words::{Change, Profile};
use predicates::prelude::*;
use predicates::str::contains;

use crate::commands::{compare, patternbench};

/// Notes of a topic: joined with their topic, or with its name in them.
const NOTES: &str = r#"
format: 1
title: Notes of a topic
summary: Notes are listed with the name of their topic.
parameters: {notes: {default: 5000, smoke: 5000}}
dataset:
  topics: {count: 500, document: {_id: ^index, name: {^format: "Topic {index}"}}}
  notes: {count: ^notes, document: {_id: ^index, topicId: {^mod: [^index, 500]}, text: {^words: 4}}}
models:
  joined:
    role: naive
    collections:
      topics: {from: topics}
      notes: {from: notes, indexes: [{key: {topicId: 1, _id: 1}}]}
    operations:
      list:
        growth: linear in notes
        steps:
          - aggregate:
              collection: notes
              pipeline:
                - {$match: {topicId: ^topic}}
                - {$sort: {_id: 1}}
                - {$lookup: {from: topics, localField: topicId, foreignField: _id, as: topic}}
                - {$project: {text: 1, topic: {$first: $topic.name}}}
  named:
    role: pattern
    collections:
      notes:
        from: notes
        pipeline:
          - {$lookup: {from: topics, localField: topicId, foreignField: _id, as: topic}}
          - {$set: {topic: {$first: $topic.name}}}
        indexes: [{key: {topicId: 1, _id: 1}}]
    operations:
      list:
        growth: linear in notes
        steps:
          - find: {collection: notes, filter: {topicId: ^topic}, projection: {text: 1, topic: 1}, sort: {_id: 1}}
workload:
  list: {weight: 1, args: {topic: {^int: {min: 0, max: 499}}}, returns: {fields: [_id, text, topic], order: true}}
"#;

/// A short run of the notes; its record as that of a profile that gives verdicts.
///
/// What else runs on the machine of a test would disturb every window; a lost index is more than that.
fn run(folder: &Path, notes: &str, label: &str) -> PathBuf {
    fs::write(folder.join("notes.yaml"), notes).expect("the folder is writable");
    let mut command = patternbench(folder);
    command.args([
        "run",
        "notes.yaml",
        "--server",
        "embedded",
        "--profile",
        "smoke",
        "--mode",
        "closed",
        "--label",
        label,
    ]);
    command.args(["--rounds", "5", "--operations", "120", "--concurrency", "2", "--quiet"]).assert().success();
    let named = format!("-{label}");
    let runs =
        fs::read_dir(folder.join("results")).expect("there are results").map(|run| run.expect("an entry").path());
    let run = runs.into_iter().find(|run| run.to_string_lossy().ends_with(&named)).expect("the run just made");
    let mut record = RunRecord::read(&run).expect("a run has a record");
    record.profile = Profile::Quick;
    for scenario in &mut record.scenarios {
        scenario.rounds.iter_mut().for_each(|round| round.disturbed.clear());
        analyse(scenario, Profile::Quick);
    }
    record.write_atomically(&run).expect("the folder is writable")
}

#[test]
fn the_same_build_twice_is_no_regression_and_a_lost_index_is_one_that_the_evidence_explains() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    run(path, NOTES, "before");
    run(path, NOTES, "again");
    compare(path, &["before", "before", "--fail-on", "regression"])
        .assert()
        .success()
        .stdout(contains("The same run stands on both sides"));
    compare(path, &["before", "again", "--fail-on", "regression"]).assert().success().stdout(
        contains("No regression").and(contains("one run each: no verdict")).and(contains("The evidence is the same")),
    );

    let lost = NOTES.replace("\n        indexes: [{key: {topicId: 1, _id: 1}}]", "");
    assert_ne!(lost, NOTES);
    run(path, &lost, "lost");
    compare(path, &["before", "lost"]).assert().code(2).stderr(contains("notes: scenario file"));
    let allowed = ["before", "lost", "--allow-different", "scenario", "--fail-on", "regression"];
    compare(path, &allowed).assert().code(1).stdout(
        contains("regression: notes, list of named")
            .and(contains("{topicId: 1, _id: 1}"))
            .and(contains("many examined")),
    );
    let json = compare(path, &[&allowed[..], &["--json"]].concat()).assert().code(1).get_output().stdout.clone();
    let found: CompareRecord = serde_json::from_slice(&json).expect("it is a comparison");
    let speedup =
        found.scenarios[0].speedups.iter().find(|change| change.operation == "list").expect("list was compared");
    assert_eq!(speedup.verdict, Some(Change::Regression), "{speedup:?}");
    let examined = found.scenarios[0].evidence.iter().find(|change| change.what == "docs_examined");
    let examined = examined.expect("a scan examines more");
    // Ten notes of each of 500 topics, against all of them.
    assert_eq!((&examined.base, &examined.new, examined.worse), (&10.into(), &5_000.into(), Some(true)));
}
