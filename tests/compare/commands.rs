//! `patternbench compare` as it is typed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use patternbench::record::{CompareRecord, RunRecord};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use crate::known::{Maker, two};
use crate::made::run;

/// The program, in a folder of its own, free of the caller's environment.
pub(crate) fn patternbench(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command.current_dir(folder).env_remove("PATTERNBENCH_URI").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

pub(crate) fn compare(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = patternbench(folder);
    command.arg("compare").args(arguments);
    command
}

/// Writes a run into the results folder.
pub(crate) fn keep(folder: &Path, name: &str, label: &str, mut run: RunRecord) -> PathBuf {
    run.label = Some(label.to_owned());
    let run_folder = folder.join("results").join(name);
    fs::create_dir_all(&run_folder).expect("the folder is writable");
    run.write_atomically(&run_folder).expect("the folder is writable")
}

/// Two models; the pattern takes this many times as long.
fn made(factor: f64) -> Maker {
    let mut maker = two(2.0).rounds(6, 400);
    for ((model, _), truth) in &mut maker.truths {
        truth.median *= if model == "naive" { 1.0 } else { factor };
    }
    maker
}

/// Two runs of `main` and a slower one of `branch`.
fn results() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    keep(folder.path(), "one", "main", run(1, &made(1.0)));
    keep(folder.path(), "two", "main", run(2, &made(1.01)));
    keep(folder.path(), "three", "branch", run(3, &made(3.0)));
    folder
}

#[test]
fn names_lead_to_runs_and_a_regression_fails_only_where_that_is_asked_for() {
    let folder = results();
    let path = folder.path();
    compare(path, &["main~1", "main", "--fail-on", "regression"])
        .assert()
        .success()
        .stdout(contains("No regression in 1 scenario"));
    compare(path, &["main", "branch"])
        .assert()
        .success()
        .stdout(contains("regression: two, read of fast: speed-up of p95"));
    compare(path, &["latest~1", "latest", "--fail-on", "regression"]).assert().code(1);
    compare(path, &["latest", "latest~1", "--fail-on", "regression"])
        .assert()
        .success()
        .stdout(contains("improvement"));
    let two = path.join("results/two");
    let two = two.to_str().expect("UTF-8");
    compare(path, &[two, "results/three/run.json", "--fail-on", "regression"]).assert().code(1);
    compare(path, &["all:main", "branch", "--dir", "results", "--fail-on", "regression"]).assert().code(1);
    let itself = compare(path, &["latest", "latest", "--fail-on", "regression"]).assert().success();
    itself.stdout(contains("The same run stands on both sides"));
}

#[test]
fn a_name_without_run_and_a_wrong_number_are_usage() {
    let folder = results();
    compare(folder.path(), &["mian", "latest"]).assert().code(2).stderr(contains("the labels are branch, main"));
    compare(folder.path(), &["latest~7", "latest"]).assert().code(2).stderr(contains("the oldest is latest~2"));
    compare(folder.path(), &["main", "branch", "--threshold", "500%"]).assert().code(2).stderr(contains("such as 5%"));
    compare(folder.path(), &["main", "branch", "--metric", "p96"]).assert().code(2).stderr(contains("p95"));
    let empty = tempfile::tempdir().expect("a temporary folder");
    compare(empty.path(), &["latest~1", "latest"]).assert().code(2).stderr(contains("--out"));
}

#[test]
fn runs_that_are_not_comparable_end_with_2_and_every_difference() {
    let folder = results();
    let mut other = run(4, &made(1.0));
    other.server.version = "8.3.0".to_owned();
    other.scenarios[0].parameters.insert("products".to_owned(), 7.into());
    keep(folder.path(), "four", "upgrade", other);
    compare(folder.path(), &["main", "upgrade"]).assert().code(2).stdout("").stderr(
        contains("server version: 8.2.1 in the base, 8.3.0 in the new run").and(contains("parameter products")),
    );
    compare(folder.path(), &["main", "upgrade", "--allow-different", "version,parameters"])
        .assert()
        .success()
        .stdout(contains("allowed: version").and(contains("allowed: parameters")));
}

#[test]
fn what_programs_read_satisfies_its_schema_and_reads_back() {
    let folder = results();
    let schema = patternbench(folder.path()).args(["schema", "compare"]).assert().success().get_output().stdout.clone();
    let schema: Value = serde_json::from_slice(&schema).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for (base, new) in [("main", "branch"), ("all:main", "branch"), ("main", "main")] {
        let output = compare(folder.path(), &[base, new, "--json"]).assert().success().get_output().stdout.clone();
        let json: Value = serde_json::from_slice(&output).expect("it is JSON");
        let faults: Vec<String> = validator.iter_errors(&json).map(|fault| fault.to_string()).collect();
        assert_eq!(faults, Vec::<String>::new());
        let record: CompareRecord = serde_json::from_value(json.clone()).expect("it reads back");
        assert_eq!(serde_json::to_value(record).expect("it is JSON"), json);
    }
    let output = compare(folder.path(), &["main", "branch", "--json"]).output().expect("it runs").stdout;
    let json: Value = serde_json::from_slice(&output).expect("it is JSON");
    assert_eq!(
        (&json["schema"], &json["new"]["runs"][0]["label"]),
        (&"patternbench.compare/1".into(), &"branch".into())
    );
    let change = &json["scenarios"][0]["speedups"][0];
    assert_eq!(
        (&change["operation"], &change["verdict"], &change["repetition"]),
        (&"read".into(), &"regression".into(), &"rounds".into())
    );
    assert!(change["change"].as_f64().is_some_and(|change| (change * 3.0 - 1.01).abs() < 0.02), "{change}");
}

#[test]
fn pages_stand_beside_the_new_run_or_where_they_are_asked_for() {
    let folder = results();
    let path = folder.path();
    compare(path, &["main", "branch", "--html", "--markdown"])
        .assert()
        .success()
        .stderr(contains("compare.html").and(contains("compare.md")));
    assert!(path.join("results/three/compare.html").is_file() && path.join("results/three/compare.md").is_file());
    compare(path, &["main", "branch", "--html=here.html"]).assert().success();
    assert!(fs::read_to_string(path.join("here.html")).expect("it was asked for").contains("What changed"));
    compare(path, &["main", "branch", "--markdown=-"])
        .assert()
        .success()
        .stdout(predicates::str::starts_with("## patternbench compare").and(contains("| operation |")));
    assert!(!path.join("-").exists());
}

#[test]
fn several_runs_are_reported_in_one_page_by_their_names() {
    let folder = results();
    let path = folder.path();
    let mut command = patternbench(path);
    command
        .args(["report", "main", "branch", "--html=both.html"])
        .assert()
        .success()
        .stdout(contains("wrote both.html"));
    let page = fs::read_to_string(path.join("both.html")).expect("it was asked for");
    assert!(page.contains("Runs side by side") && page.contains("A · main") && page.contains("B · branch"));
    // Without a file each run has its own report beside it.
    patternbench(path).args(["report", "all:main", "--html"]).assert().success();
    for run in ["one", "two"] {
        assert!(path.join("results").join(run).join("report.html").is_file());
    }
    patternbench(path).args(["report", "latest"]).assert().success().stdout(contains("label: branch"));
    patternbench(path).args(["report", "mian"]).assert().code(2).stderr(contains("the labels are branch, main"));
}

#[test]
fn a_record_of_an_older_version_is_compared_too() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/results/sample/run.json");
    let folder = tempfile::tempdir().expect("a temporary folder");
    compare(folder.path(), &[sample, sample]).assert().success().stdout(contains("The same run"));
    let mut later = RunRecord::read(Path::new(sample)).expect("the sample can be read");
    later.started_at = "2027-01-01T00:00:00.000Z".to_owned();
    let later = keep(folder.path(), "later", "later", later);
    let later = later.to_str().expect("UTF-8");
    compare(folder.path(), &[sample, later, "--fail-on", "regression"])
        .assert()
        .success()
        .stdout(contains("No regression in 1 scenario").and(contains("1.00×")));
}
