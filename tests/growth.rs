//! `run --verify-growth`: whether what a file declares constant is, on the embedded server, of which it is known what is
//! not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::str::contains;
use serde_json::Value;

/// Parts with tags and details. Everything is declared constant; `unserved` does it in ways whose cost this server lets
/// grow with the collection, `served` in ways whose cost it does not.
const PARTS: &str = r#"
format: 1
title: Parts
summary: Parts are read in ways that this server executes unlike mongod, and in ways that it does not.
parameters: {parts: {default: 300, max: 3000}}
sweep: {parts: [300, 3000]}
dataset:
  parts:
    count: ^parts
    document:
      _id: ^index
      code: {^format: "part-{index}"}
      group: {^floor: {^div: [^index, 10]}}
      tags: [{k: colour, v: {^floor: {^div: [^index, 10]}}}]
      stock: 10
  details:
    count: ^parts
    document: {_id: ^index, partId: ^index, text: {^words: 3}}
    indexes: [{key: {partId: 1}}]
models:
  unserved:
    role: naive
    collections:
      parts: {from: parts, indexes: [{key: {code: 1}}, {key: {tags.v: 1}}]}
      details: {from: details, indexes: [{key: {partId: 1}}]}
    operations:
      newest:
        growth: constant
        steps: [{find: {collection: parts, filter: {}, sort: {_id: -1}, limit: 10}}]
      starting_with:
        growth: constant
        steps: [{find: {collection: parts, filter: {code: {$regex: ^pattern}}}}]
      tagged:
        growth: constant
        steps: [{find: {collection: parts, filter: {tags: {$elemMatch: {k: colour, v: ^group}}}}}]
      with_details:
        growth: constant
        steps:
          - aggregate:
              collection: parts
              pipeline:
                - {$match: {_id: ^part}}
                - {$lookup: {from: details, let: {id: $_id}, pipeline: [{$match: {$expr: {$eq: [$partId, $$id]}}}], as: details}}
      take:
        growth: constant
        steps: [{findOneAndUpdate: {collection: parts, filter: {_id: ^part}, update: {$inc: {stock: -1}}}}]
  served:
    role: pattern
    collections:
      parts: {from: parts, indexes: [{key: {group: 1}}]}
      details: {from: details, indexes: [{key: {partId: 1}}]}
    operations:
      newest:
        growth: constant
        steps: [{find: {collection: parts, filter: {group: ^group}}}]
      starting_with:
        growth: constant
        steps: [{findOne: {collection: parts, filter: {_id: ^part}}}]
      tagged:
        growth: constant
        steps: [{find: {collection: parts, filter: {group: ^group}, sort: {_id: 1}, limit: 10}}]
      with_details:
        growth: constant
        steps:
          - aggregate:
              collection: parts
              pipeline:
                - {$match: {_id: ^part}}
                - {$lookup: {from: details, localField: _id, foreignField: partId, as: details}}
      take:
        growth: constant
        steps: [{updateOne: {collection: parts, filter: {_id: ^part}, update: {$inc: {stock: -1}}}}]
workload:
  newest: {weight: 1, args: {group: {^int: {min: 0, max: 29}}}, returns: {fields: [code]}}
  starting_with: {weight: 1, args: {part: {^int: {min: 0, max: 299}}, pattern: {^format: "^^part-29$"}}, returns: {fields: [code]}}
  tagged: {weight: 1, args: {group: {^int: {min: 0, max: 29}}}, returns: {fields: [code]}}
  with_details: {weight: 97, args: {part: {^int: {min: 0, max: 299}}}, returns: {fields: [code]}}
  take: {weight: 1, args: {part: {^int: {min: 0, max: 299}}}}
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    fs::write(folder.path().join("parts.yaml"), PARTS).expect("the folder is writable");
    folder
}

fn verify(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command.current_dir(folder).env_remove("PATTERNBENCH_URI").env("NO_COLOR", "1").stdin(Stdio::null());
    command.args(["run", "parts.yaml", "--verify-growth", "--server", "embedded"]).args(arguments);
    command
}

/// On a machine that does other things besides, an interval may be too wide for a mark: then it is measured once more.
const TRIES: u32 = 3;

#[test]
fn what_grows_is_marked_and_what_does_not_is_not() {
    let wanted = ["newest", "starting_with", "tagged", "with_details", "take"];
    let wanted: BTreeSet<_> = wanted.map(|operation| ("unserved".to_owned(), operation.to_owned())).into();
    let found = (0..TRIES).map(|_| marked()).find(|marked| *marked == wanted);
    assert_eq!(found, Some(wanted), "within {TRIES} tries");
}

/// Model and operation of everything that is marked.
fn marked() -> BTreeSet<(String, String)> {
    let folder = folder();
    let output = verify(folder.path(), &["--json", "--fail-on", "expect"]).assert().code(1).get_output().stdout.clone();
    let study: Value = serde_json::from_slice(&output).expect("a study is JSON");
    assert_eq!(study["complete"], true);
    let scenario = &study["scenarios"][0];
    assert_eq!(scenario["parameter"], "parts");
    assert_eq!((&scenario["small"], &scenario["large"]), (&300.into(), &3000.into()));
    assert_eq!(scenario["bounded"], false, "the bound is ten times the default");
    let mut marked = BTreeSet::new();
    for model in scenario["models"].as_array().expect("a list") {
        for (operation, found) in model["operations"].as_object().expect("by name") {
            assert!(found["low"].as_f64() <= found["ratio"].as_f64(), "an interval: {found}");
            assert_eq!(found["declared"], "constant");
            if found["marked"].as_bool().expect("a flag") {
                assert!(found["low"].as_f64().expect("an interval") > 1.5, "{found}");
                marked.insert((model["name"].as_str().expect("a name").to_owned(), operation.clone()));
            }
        }
    }
    marked
}

#[test]
fn a_bound_decides_the_larger_size_and_a_person_reads_which_it_was() {
    let folder = folder();
    fs::write(folder.path().join("parts.yaml"), PARTS.replace("3000", "900")).expect("the folder is writable");
    verify(folder.path(), &[]).assert().success().stdout(contains("parts: parts from 300 to 900, its upper bound"));
    verify(folder.path(), &["--set", "parts=600"])
        .assert()
        .success()
        .stdout(contains("parameter parts is 600 and at most 900: it cannot be grown"));
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let folder = folder();
    verify(folder.path(), &["--control"]).assert().code(2).stderr(contains("cannot be used with"));
    verify(folder.path(), &["--rounds", "3"]).assert().code(2);
}
