//! What users of the command line meet, on a simulated server.

use std::fs;

use assert_cmd::assert::OutputAssertExt;
use patternbench::record::{RunRecord, SweepRecord};
use patternbench::words::{CrossoverOutcome, GrowthWord, Metric, SweepAxis};
use predicates::prelude::*;
use predicates::str::contains;

use crate::typed::{DECLARED, folder, only_sweep, patternbench, places, record, sweep};

#[test]
fn a_sweep_over_the_scenarios_own_values_says_how_costs_grow_and_where_they_cross() {
    let folder = folder();
    sweep(folder.path())
        .args(["--param", "lines=2,8,32,128"])
        .assert()
        .success()
        .stdout(contains("SIMULATED").and(contains("naive grows linearly")).and(contains("embedded stays flat")))
        .stdout(contains("show: embedded overtakes naive at"));
    let found = record(folder.path());
    assert!(found.complete && found.schema == "patternbench.sweep/1");
    assert_eq!((found.axis.kind, found.axis.name.as_str()), (SweepAxis::Parameter, "lines"));
    assert_eq!(places(&found), [2.0, 8.0, 32.0, 128.0]);
    assert_eq!(found.scenario.parameters.keys().collect::<Vec<_>>(), ["mode", "orders"], "what stays as it is");
    let show =
        |model: &str| found.fits.iter().find(|fit| fit.operation == "show" && fit.model == model).expect("a fit");
    assert_eq!((show("naive").growth, show("embedded").growth), (Some(GrowthWord::Linear), Some(GrowthWord::Flat)));
    // Renaming does not depend on the lines: naive takes half of what the pattern takes, everywhere.
    let rename = found.crossover.iter().find(|found| found.operation == "rename").expect("it is compared");
    assert_eq!((rename.outcome, rename.faster_above), (CrossoverOutcome::NoneInRange, Some(false)));
    // Each value is an ordinary run, with its record and report.
    let home = only_sweep(folder.path());
    for point in &found.points {
        let run = RunRecord::read(&home.join(&point.run)).expect("a run has a record");
        assert_eq!(run.scenarios[0].parameters["lines"].as_f64(), Some(point.at));
        assert!(run.complete && home.join(&point.run).join("report.html").is_file());
    }
    let html = fs::read_to_string(home.join("report.html")).expect("a sweep has a report");
    assert!(html.contains("lines-8/report.html") && html.contains("embedded at "), "it links to its runs");
    let crossing = found.crossover.iter().find(|found| found.operation == "show").expect("it is compared");
    assert!((9.5..10.5).contains(&crossing.at.expect("found")), "{crossing:?}");
}

#[test]
fn refinement_narrows_the_crossover_down_and_says_why_it_ended() {
    let folder = folder();
    sweep(folder.path()).args(["--param", "lines=2,512", "--refine=1.2", "--quiet"]).assert().success();
    let found = record(folder.path());
    assert!(found.points.len() > 4 && found.points.len() <= 12, "{:?}", places(&found));
    let show = found.crossover.iter().find(|found| found.operation == "show").expect("it is compared");
    assert!((9.0..11.0).contains(&show.at.expect("found")), "{show:?}");
    let why = found.axis.refinement.expect("a reason");
    assert!(why.contains("within a factor of 1.2") || why.contains("no further value"), "{why}");
}

#[test]
fn a_mix_is_swept_over_the_share_of_reads() {
    let folder = folder();
    // A read costs naive 3.2 ms and the pattern 1 ms; a write 1 ms and 2 ms: equal where r · 2.2 = (1 − r) · 1.
    sweep(folder.path()).args(["--mix=10,31,50,90", "--set", "lines=32"]).assert().success();
    let found = record(folder.path());
    assert_eq!(found.axis.kind, SweepAxis::Mix);
    let whole: Vec<_> = found.crossover.iter().filter(|found| found.metric == Some(Metric::Mean)).collect();
    assert_eq!(whole.len(), found.crossover.len(), "the mix as a whole counts");
    let share = |odds: f64| odds / (1.0 + odds);
    let at = share(whole[0].at.expect("the pattern overtakes"));
    assert!((at - 1.0 / 3.2).abs() < 0.03, "{at}");
    assert!(share(whole[0].low.expect("closed")) < at && at < share(whole[0].high.expect("closed")));
    let run = RunRecord::read(&only_sweep(folder.path()).join("reads-10")).expect("a run has a record");
    let mix = &run.scenarios[0].plan.mix;
    assert_eq!((mix["show"], mix["rename"]), (10.0, 90.0));
    let naive = |share: u32| {
        let point = found.points.iter().find(|point| point.run == format!("reads-{share}")).expect("a point");
        let figure = point.figures.iter().find(|figure| figure.operation == "all" && figure.model == "naive");
        figure.and_then(|figure| figure.mean_service).expect("a mean").get()
    };
    // A lognormal's mean is its median times exp(σ² ÷ 2) = 1.02.
    assert!((naive(90) / (1.02 * (0.9 * 3_200.0 + 0.1 * 1_000.0)) - 1.0).abs() < 0.05, "{}", naive(90));
}

#[test]
fn a_value_at_which_a_model_fails_is_part_of_the_curve() {
    let folder = folder();
    let declared =
        DECLARED.replace("grows: {with: lines}}", "grows: {with: lines}, errors: {share: 0.5, kind: Timeout}}");
    fs::write(folder.path().join("declared.yaml"), declared).expect("the folder is writable");
    sweep(folder.path()).assert().success().stdout(contains("failed").and(contains("Timeout")).and(contains("naive")));
    let found = record(folder.path());
    assert!(found.complete);
    for point in &found.points {
        assert!(point.failed.iter().any(|failed| failed.model.as_deref() == Some("naive")), "{:?}", point.failed);
    }
    let html = fs::read_to_string(only_sweep(folder.path()).join("report.html")).expect("a report");
    assert!(html.contains("What failed, and where"));
}

#[test]
fn a_dry_run_measures_nothing_and_what_does_not_fit_is_refused_with_what_does() {
    let folder = folder();
    sweep(folder.path())
        .arg("--dry-run")
        .assert()
        .success()
        .stdout(contains("lines = 2; lines = 8; lines = 32").and(contains("7 rounds")).and(contains("about")));
    let refusals: [(&[&str], &str); 10] = [
        (&["--param", "line=1,2"], "did you mean `lines`?"),
        (&["--param", "lines=1,two"], "is a whole number"),
        (&["--param", "lines=5"], "at least two different values"),
        (&["--param", "lines=1,5000"], "must be at most 1000"),
        (&["--param", "mode=slow,fast"], "is no number"),
        (&["--param", "lines=1,2", "--param", "orders=5,6", "--refine"], "several change in step"),
        (&["--param", "lines=1,2", "--around", "5"], "--around chooses the values itself"),
        (&["--mix=0,50"], "between 1 and 99"),
        (&["--cache", "256MiB,1GiB"], "does not go with --server simulated"),
        (&["--server-memory", "1GiB"], "does not go with --server simulated"),
    ];
    for (arguments, says) in refusals {
        sweep(folder.path()).args(arguments).assert().code(2).stderr(contains(says));
    }
    assert!(!folder.path().join("results").exists(), "nothing was run");
}

#[test]
fn a_finished_sweep_is_gone_on_with_by_more_values_and_nothing_is_measured_twice() {
    let folder = folder();
    let begin = || {
        let mut command = sweep(folder.path());
        command.args(["--quiet", "--rounds", "5"]);
        command
    };
    begin().args(["--param", "lines=2,8"]).assert().success();
    let before = record(folder.path());
    let written = |point: &str| {
        let run = only_sweep(folder.path()).join(point).join("run.json");
        fs::metadata(run).and_then(|run| run.modified()).expect("it is there")
    };
    let first = written("lines-2");
    begin().args(["--param", "lines=2,8,32", "--resume", "latest"]).assert().success();
    let after = record(folder.path());
    assert_eq!(places(&after), [2.0, 8.0, 32.0]);
    assert_eq!(after.points[..2], before.points[..], "as they were");
    assert_eq!((written("lines-2"), &after.started_at), (first, &before.started_at));
    // What is varied need not be named again.
    begin().args(["--resume", "latest"]).assert().success();
    let again = record(folder.path());
    assert_eq!((&again.points, &again.axis.values), (&after.points, &after.axis.values));
}

#[test]
fn another_sweep_is_not_gone_on_with_and_each_difference_is_named() {
    let folder = folder();
    sweep(folder.path()).args(["--quiet", "--rounds", "5", "--param", "lines=2,8"]).assert().success();
    let home = only_sweep(folder.path());
    let before = fs::read(home.join("sweep.json")).expect("a record");
    let scenario = fs::read_to_string(folder.path().join("orders.yaml")).expect("a scenario");
    fs::write(folder.path().join("orders.yaml"), scenario.replace("^words: 4", "^words: 5")).expect("writable");
    sweep(folder.path())
        .args(["--rounds", "6", "--set", "orders=50", "--param", "lines=2,8", "--resume"])
        .arg(&home)
        .assert()
        .code(2)
        .stderr(contains("the scenario's text (SHA-256) was").and(contains("parameter orders was 60 and is 50")))
        .stderr(contains("rounds was 5 and is 6"));
    assert_eq!(fs::read(home.join("sweep.json")).expect("a record"), before, "it is as it was");
    patternbench(folder.path())
        .args(["sweep", "orders.yaml", "--server", "simulated=declared.yaml", "--resume", "latest", "--out", "nowhere"])
        .assert()
        .code(2)
        .stderr(contains("there is no sweep in nowhere"));
}

#[test]
fn report_shows_a_sweep_again_from_what_was_kept() {
    let folder = folder();
    let first = sweep(folder.path()).args(["--rounds", "5", "--param", "lines=2,8"]).assert().success();
    let first = String::from_utf8(first.get_output().stdout.clone()).expect("text");
    let first = first.split("\n\nreport: ").next().expect("text before the report's name").to_owned();
    let home = only_sweep(folder.path());
    let again = patternbench(folder.path()).arg("report").arg(&home).assert().success();
    let again = String::from_utf8(again.get_output().stdout.clone()).expect("text");
    assert_eq!(again.trim_end(), first.trim_end());
    // Without the runs, from sweep.json alone.
    fs::remove_dir_all(home.join("lines-2")).expect("it was there");
    let alone = patternbench(folder.path()).arg("report").arg(home.join("sweep.json")).assert().success();
    assert_eq!(String::from_utf8_lossy(&alone.get_output().stdout).trim_end(), first.trim_end());
    patternbench(folder.path())
        .args(["report", "--html"])
        .arg(&home)
        .assert()
        .success()
        .stdout(contains("report.html"));
    fs::write(home.join("sweep.json"), "{\"schema\": \"patternbench.sweep/99\"}").expect("writable");
    patternbench(folder.path()).arg("report").arg(&home).assert().code(2).stderr(contains("patternbench.sweep/99"));
}

#[test]
fn the_record_keeps_to_its_schema() {
    let folder = folder();
    sweep(folder.path()).args(["--quiet", "--rounds", "5", "--param", "lines=2,8"]).assert().success();
    let schema = patternbench(folder.path()).args(["schema", "sweep"]).assert().success();
    let schema: serde_json::Value = serde_json::from_slice(&schema.get_output().stdout).expect("a schema is JSON");
    let written = fs::read_to_string(only_sweep(folder.path()).join("sweep.json")).expect("a record");
    let written: serde_json::Value = serde_json::from_str(&written).expect("a record is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let faults: Vec<String> = validator.iter_errors(&written).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    for name in ["axis", "points", "fits", "crossover"] {
        assert!(written.get(name).is_some(), "{name} is part of the contract");
    }
    let read: SweepRecord = serde_json::from_value(written).expect("it reads back");
    assert_eq!(read, record(folder.path()));
}
