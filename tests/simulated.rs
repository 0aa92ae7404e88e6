//! A simulated server as users of the command line meet it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/simulated/product-list-page.yaml");

/// The program, in a folder of its own, free of the caller's environment.
fn patternbench(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command.current_dir(folder).env_remove("PATTERNBENCH_URI").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// The command that measures product-list-page on what a file declares.
fn run_on(folder: &Path, declared: &str) -> Command {
    run_with_profile(folder, declared, "smoke")
}

fn run_with_profile(folder: &Path, declared: &str, profile: &str) -> Command {
    fs::write(folder.join("declared.yaml"), declared).expect("the folder is writable");
    let mut command = patternbench(folder);
    command.args(["run", "product-list-page", "--server", "simulated=declared.yaml", "--profile", profile]);
    command
}

/// The only run in a results folder.
fn only_run(folder: &Path) -> PathBuf {
    let runs = fs::read_dir(folder.join("results")).expect("there are results");
    let runs: Vec<PathBuf> = runs.map(|run| run.expect("an entry").path()).collect();
    assert_eq!(runs.len(), 1, "one run, one folder: {runs:?}");
    runs[0].clone()
}

fn record(run: &Path) -> Value {
    let text = fs::read_to_string(run.join("run.json")).expect("a run has a record");
    serde_json::from_str(&text).expect("a record is JSON")
}

#[test]
fn a_simulated_run_takes_seconds_says_what_it_is_and_finds_what_was_declared() {
    let folder = folder();
    let server = format!("simulated={EXAMPLE}");
    let output = patternbench(folder.path())
        .args(["run", "product-list-page", "--server", &server, "--profile", "quick", "--mode", "closed"])
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let text = String::from_utf8(output).expect("output is text");
    let first: Vec<&str> = text.lines().take(3).collect();
    assert!(first.iter().any(|line| line.contains("SIMULATED")), "{first:?}");

    let run = only_run(folder.path());
    let record = record(&run);
    let server = &record["server"];
    for field in ["source", "product", "topology"] {
        assert_eq!(server[field], "simulated", "{server}");
    }
    let scenario = &record["scenarios"][0];
    assert_eq!((&record["complete"], &scenario["parity"]["mismatches"]), (&Value::Bool(true), &Value::from(0)));
    assert!(scenario["models"].as_array().expect("models").iter().all(|model| model["storage"].is_null()));
    // Both medians are declared with the same shape, so every quantile has the ratio 4 : 1; the interval of ten windows is
    // wider than this run's, and a tenth off would be ten of its standard errors.
    let ratio = scenario["analysis"]["operations"]["list_page"]["p95"]["speedup"].as_f64().expect("a speed-up");
    assert!((3.6..4.4).contains(&ratio), "{ratio} is declared to be 4");

    let html = fs::read_to_string(run.join("report.html")).expect("a run has a report");
    assert!(html.contains("SIMULATED"));
}

#[test]
fn a_single_line_says_that_it_is_simulated() {
    let folder = folder();
    run_on(folder.path(), "default: {latency: {constant: 1ms}}")
        .arg("--quiet")
        .assert()
        .success()
        .stdout(contains("SIMULATED"));
}

#[test]
fn models_that_are_declared_to_answer_differently_are_not_measured() {
    let folder = folder();
    let declared = "
default: {latency: {constant: 1ms}}
models: {page: {list_page: {latency: {constant: 1ms}, answers: differ}}}";
    run_on(folder.path(), declared)
        .assert()
        .code(3)
        .stderr(contains("the models of scenario product-list-page disagree").and(contains("page:")));
    let record = record(&only_run(folder.path()));
    assert_eq!(record["scenarios"][0]["rounds"], Value::Array(Vec::new()), "nothing was measured");
}

#[test]
fn too_many_failures_end_the_run() {
    let folder = folder();
    let declared = "default: {latency: {constant: 1ms}, errors: {share: 0.5, kind: Timeout}}";
    run_on(folder.path(), declared).assert().code(5).stderr(contains("Timeout: declared by the simulation"));
}

#[test]
fn a_control_on_a_simulated_server_is_the_model_itself_unless_declared_otherwise() {
    let folder = folder();
    let same = "default: {latency: {exponential: {mean: 1ms}}}";
    run_on(folder.path(), same).arg("--control").assert().success().stdout(contains("page-control"));
    let biased = "
default: {latency: {lognormal: {median: 1ms, sigma: 0.1}}}
models: {page-control: {default: {latency: {lognormal: {median: 3ms, sigma: 0.1}}}}}";
    run_with_profile(folder.path(), biased, "quick")
        .args(["--control", "--mode", "closed"])
        .assert()
        .code(1)
        .stdout(contains("slower"));
}

#[test]
fn a_missing_file_and_a_broken_one_are_wrong_usage() {
    let folder = folder();
    patternbench(folder.path())
        .args(["run", "product-list-page", "--server", "simulated"])
        .assert()
        .code(2)
        .stderr(contains("a file is missing").and(contains("simulated=FILE")));
    patternbench(folder.path())
        .args(["run", "product-list-page", "--server", "simulated=nowhere.yaml"])
        .assert()
        .code(2)
        .stderr(contains("nowhere.yaml").and(contains("check the path")));
    run_on(folder.path(), "default: {latency: {constant: 5}}")
        .assert()
        .code(2)
        .stderr(contains("declared.yaml:1:").and(contains("`5` has no unit")));
    run_on(
        folder.path(),
        "default: {latency: {constant: 5ms}}\nmodels: {pgae: {list_page: {latency: {constant: 5ms}}}}",
    )
    .assert()
    .code(2)
    .stderr(contains("declared.yaml:2:").and(contains("did you mean `page`?")));
    assert!(!folder.path().join("results").exists(), "nothing was run");
}

#[test]
fn what_needs_a_server_is_refused_with_the_reason() {
    let folder = folder();
    let declared = "default: {latency: {constant: 1ms}}";
    for (option, why) in [("--keep-data", "holds no data"), ("--reuse", "holds no data")] {
        run_on(folder.path(), declared).arg(option).assert().code(2).stderr(contains(option).and(contains(why)));
    }
    let speaks_of_a_server = contains("--allow-load").and(contains("uses none"));
    run_on(folder.path(), declared).args(["--allow-load", "db1"]).assert().code(2).stderr(speaks_of_a_server);
    for command in
        [vec!["check", "product-list-page"], vec!["show", "product-list-page"], vec!["doctor"], vec!["clean"]]
    {
        patternbench(folder.path())
            .args(&command)
            .args(["--server", "simulated=declared.yaml"])
            .assert()
            .code(2)
            .stderr(contains("is for `patternbench run` and `sweep` alone"));
    }
    assert!(!folder.path().join("results").exists(), "nothing was run");
}

#[test]
fn a_run_in_real_time_takes_its_time() {
    let folder = folder();
    let started = std::time::Instant::now();
    run_on(folder.path(), "time: real\ndefault: {latency: {constant: 5ms}}")
        .args(["--operations", "100", "--concurrency", "1", "--mode", "closed", "--models", "page"])
        .assert()
        .success()
        .stdout(contains("real time"));
    // Two rounds of 100 operations and two models, one after another, each 5 ms at least.
    assert!(started.elapsed() >= std::time::Duration::from_secs(2));
}

#[test]
fn models_too_slow_to_calibrate_are_told_and_nothing_panics() {
    let folder = folder();
    let slow = "default: {latency: {constant: 100s}}\n";
    let output = run_on(folder.path(), slow).assert().success().get_output().clone();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("saturated") || text.contains("left the comparison"), "{text}");
    let record = record(&only_run(folder.path()));
    assert_eq!(record["scenarios"][0]["plan"]["light_load_rounds"], 0, "too slow for light load");
}

#[test]
fn random_arrivals_differ_from_round_to_round() {
    let folder = folder();
    let quick = "default: {latency: {constant: 1ms}}\n";
    run_on(folder.path(), quick).args(["--rate", "500", "--arrivals", "poisson", "--rounds", "6"]).assert().success();
    let record = record(&only_run(folder.path()));
    let windows = record["scenarios"][0]["rounds"].as_array().expect("a list").clone();
    let rate = |model: &str| -> Vec<String> {
        let of_model = windows.iter().filter(|window| window["phase"] == "measured" && window["model"] == model);
        of_model.map(|window| window["achieved_rate"].to_string()).collect()
    };
    let naive = rate("naive");
    assert_eq!(naive, rate("page"), "in a round the same arrivals for every model");
    let mut different = naive.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), naive.len(), "{naive:?}");
}
