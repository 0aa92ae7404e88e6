//! scripts/nightly on the embedded server: twice in a row, and killed in the middle.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use patternbench::record::{ListedRun, list_runs};

use crate::folder::folder;

/// Notes that are found by their topic.
const NOTES: &str = "
format: 1
title: Notes of a topic
summary: Notes are listed by their topic.
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
      list: {growth: linear in notes, steps: [{find: {collection: notes, filter: {topic: ^topic}, sort: {_id: 1}}}]}
workload:
  list: {weight: 1, args: {topic: {^int: {min: 0, max: 19}}}, returns: {fields: [text], order: true}}
";

/// A night of two small scenarios.
fn night(place: &Path, operations: &str) -> Command {
    let mut command = Command::new("bash");
    command
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/nightly"))
        .args(["notes.yaml", "lists.yaml", "--profile", "smoke", "--server", "embedded", "--out", "the results"])
        .args(["--", "--mode", "closed", "--operations", operations])
        .env("PATTERNBENCH", env!("CARGO_BIN_EXE_patternbench"))
        .env_remove("PATTERNBENCH_URI")
        .current_dir(place)
        .stdin(Stdio::null());
    command
}

/// What a night says, which ends in that way.
fn told(mut night: Command, code: i32) -> String {
    let output = night.output().expect("bash starts");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

fn runs(place: &Path) -> Vec<ListedRun> {
    list_runs(&place.join("the results")).expect("the folder lists").runs
}

fn lock(place: &Path) -> PathBuf {
    place.join("the results/.nightly.lock")
}

/// Waits until a night is amid measuring, beside so many that were broken off; gives the process that measures.
fn measuring(place: &Path, night: &mut Child, broken_off: usize) -> String {
    let patience = Instant::now() + Duration::from_secs(60);
    while Instant::now() < patience {
        assert_eq!(night.try_wait().expect("a child of ours"), None, "the night ended early");
        let held = fs::read_to_string(lock(place)).unwrap_or_default();
        let measures = without_end(place) > broken_off;
        if let Some(process) = held.lines().nth(1).and_then(|line| line.split(' ').next()).filter(|_| measures) {
            return process.to_owned();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the night never began to measure");
}

/// Runs that have a folder and no end.
fn without_end(place: &Path) -> usize {
    let folders = fs::read_dir(place.join("the results")).into_iter().flatten().flatten();
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let complete = runs(place).iter().filter(|run| run.header.complete).count();
    names.filter(|name| name.contains("Z-nightly-")).count().saturating_sub(complete)
}

fn kill(signal: &str, process: &str) {
    let killed = Command::new("kill").args([signal, process]).status().expect("kill starts");
    assert!(killed.success());
}

#[test]
fn the_second_night_is_compared_with_the_first_and_a_killed_one_stands_in_nobodys_way() {
    let place = folder();
    let place = place.path();
    for name in ["notes.yaml", "lists.yaml"] {
        fs::write(place.join(name), NOTES).expect("the folder can be written to");
    }
    let first = told(night(place, "60"), 0);
    assert!(first.contains("nothing to compare with"), "{first}");
    let of_first = runs(place).remove(0);
    let label = of_first.header.label.clone().expect("a night has a label");
    assert!(label.starts_with("nightly-20") && label.contains("-secantusd-0."), "day and server: {label}");

    let mut killed = night(place, "200000").stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("bash starts");
    let process = measuring(place, &mut killed, 0);
    let refused = told(night(place, "60"), 75);
    assert!(refused.contains("another night is running"), "{refused}");
    kill("-KILL", &killed.id().to_string());
    killed.wait().expect("a child of ours");
    let refused = told(night(place, "60"), 75);
    assert!(refused.contains("another night is running"), "what it started still measures: {refused}");
    kill("-KILL", &process);

    let second = told(night(place, "60"), 0);
    assert!(second.contains("removing the lock of a night that was killed"), "{second}");
    assert!(!second.contains("nothing to compare with"), "{second}");
    assert!(second.contains(&of_first.name()) || second.contains(&label), "it is compared with the first: {second}");
    assert!(place.join("the results/trend.html").exists() && !lock(place).exists());
    assert_eq!(runs(place).iter().filter(|run| run.header.complete).count(), 1 + 1);

    let mut ended = night(place, "200000").stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("bash starts");
    measuring(place, &mut ended, 1);
    kill("-TERM", &ended.id().to_string());
    assert_eq!(ended.wait().expect("a child of ours").code(), Some(143));
    assert!(!lock(place).exists(), "whoever is asked to end tidies up");
}
