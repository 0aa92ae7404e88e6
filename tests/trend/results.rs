//! A results folder over the months: listed in a moment, thinned by a rule, and nothing foreign in it touched.

use std::fs;
use std::path::Path;

use patternbench::record::{RunHeader, RunRecord, SCHEMA, list_runs};

use crate::folder::{cut_off, days_ago, elsewhere, folder, keep, keep_as_it_is, night, patternbench, said};

fn names(results: &Path) -> Vec<String> {
    let entries = fs::read_dir(results).expect("the folder lists");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

/// A run without a label.
fn unlabelled(number: u32) -> RunRecord {
    RunRecord { label: None, ..night(number, 1.0) }
}

fn prune(results: &Path, options: &[&str]) -> String {
    said(patternbench().args(["results", "prune"]).arg(results).args(options))
}

#[test]
fn hundreds_of_runs_are_listed_by_their_headers_alone() {
    let results = folder();
    let run = night(1, 1.0);
    for number in 0..300 {
        let folder = keep(results.path(), run.clone(), days_ago(number), "nightly");
        // Whoever reads on beyond the header fails.
        cut_off(&folder);
    }
    let listing = list_runs(results.path()).expect("the folder lists");
    assert_eq!((listing.runs.len(), listing.unreadable.len()), (300, 0));
    assert!(listing.runs.is_sorted_by_key(|run| run.header.started_at.clone()));
    let text = said(patternbench().args(["results", "list"]).arg(results.path()).args(["--limit", "3"]));
    assert_eq!(text.lines().count(), 3);
    assert!(text.lines().all(|line| line.contains("mongod 8.2.1") && line.contains("label nightly-01")), "{text}");
}

#[test]
fn what_is_no_run_is_passed_over_and_what_cannot_be_read_is_told() {
    let results = folder();
    keep(results.path(), night(1, 1.0), days_ago(1), "nightly");
    fs::create_dir(results.path().join("otava")).expect("a folder");
    fs::write(results.path().join("trend.html"), "").expect("a file");
    fs::create_dir(results.path().join("20260101T000000Z-just-begun")).expect("a folder");
    let later = results.path().join("20260102T000000Z-later");
    fs::create_dir(&later).expect("a folder");
    fs::write(later.join("run.json"), r#"{"schema": "patternbench.run/9", "tool": {"version": "7.0.0"}}"#)
        .expect("a file");
    let damaged = results.path().join("20260103T000000Z-damaged");
    fs::create_dir(&damaged).expect("a folder");
    fs::write(damaged.join("run.json"), "{\"schema\": ").expect("a file");
    let listing = list_runs(results.path()).expect("the folder lists");
    assert_eq!(listing.runs.len(), 1);
    let told: Vec<String> = listing.unreadable.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2);
    assert!(told[0].contains("patternbench.run/9") && told[0].contains("7.0.0"), "{told:?}");
    assert!(told[1].contains("damaged"), "{told:?}");
}

#[test]
fn the_record_of_every_version_stays_readable() {
    // There is one version so far. This run was measured by its first release and is never written again.
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/trend/records/run-1.json");
    let text = fs::read_to_string(fixture).expect("it is committed");
    assert!(text.contains(&format!("\"schema\": \"{SCHEMA}\"")));
    let run = RunRecord::read(Path::new(fixture)).expect("it reads");
    assert!(run.complete && !run.scenarios[0].rounds.is_empty());
    let header = RunHeader::read(Path::new(fixture)).expect("its header reads");
    assert_eq!((&header.started_at, header.profile), (&run.started_at, run.profile));
}

#[test]
fn the_runs_before_one_that_were_made_in_the_same_way_are_listed() {
    let results = folder();
    let first = keep(results.path(), night(1, 1.0), days_ago(6), "nightly");
    keep(results.path(), elsewhere(night(2, 1.0), "8.2.1"), days_ago(5), "elsewhere");
    let mut quick = night(3, 1.0);
    quick.profile = patternbench::words::Profile::Quick;
    keep(results.path(), quick, days_ago(4), "quick");
    let mut incomplete = night(4, 1.0);
    incomplete.complete = false;
    keep(results.path(), incomplete, days_ago(3), "incomplete");
    // Another port: patternbench starts its servers on whichever is free.
    let mut other = night(5, 1.0);
    other.server.host = "127.0.0.1:50999".to_owned();
    let second = keep(results.path(), other, days_ago(2), "nightly");
    let newest = keep(results.path(), night(6, 1.0), days_ago(1), "nightly");
    let list = ["results", "list", "--paths", "--before"];
    let text = said(patternbench().args(list).arg(&newest).arg(results.path()));
    let found: Vec<&Path> = text.lines().map(Path::new).collect();
    assert_eq!(found, [second.as_path(), first.as_path()], "the newest first");
}

#[test]
fn a_folder_is_thinned_by_its_rule_and_what_goes_is_printed() {
    let results = folder();
    for age in 0..6 {
        keep(results.path(), unlabelled(age), days_ago(age), "product-list-page");
    }
    let before = names(results.path());
    let told = prune(results.path(), &["--keep", "4", "--dry-run"]);
    assert_eq!(names(results.path()), before, "a rehearsal");
    assert!(told.contains("2 would go, 4 kept (rule: newest=4)"), "{told}");
    let told = prune(results.path(), &["--keep", "4"]);
    assert_eq!(names(results.path()), before[2..]);
    for gone in &before[..2] {
        assert!(told.contains(&format!("gone      {gone}\n")), "{told}");
    }
    assert!(told.contains("2 gone, 4 kept"), "{told}");
}

#[test]
fn labelled_runs_go_only_where_their_label_is_asked_for() {
    let results = folder();
    let labelled = |label: &str| RunRecord { label: Some(label.to_owned()), ..night(1, 1.0) };
    let review = keep(results.path(), labelled("before-review"), days_ago(9), "before-review");
    let old = keep(results.path(), labelled("nightly-1"), days_ago(8), "nightly-1");
    let new = keep(results.path(), labelled("nightly-2"), days_ago(7), "nightly-2");
    let plain =
        [keep(results.path(), unlabelled(1), days_ago(6), "a"), keep(results.path(), unlabelled(1), days_ago(5), "b")];
    prune(results.path(), &["--keep", "1", "--label", "nightly-"]);
    assert!(!old.exists() && new.exists() && review.exists() && plain.iter().all(|run| run.exists()));
    prune(results.path(), &["--keep", "1"]);
    assert!(!plain[0].exists() && plain[1].exists() && new.exists() && review.exists());
}

#[cfg(unix)]
#[test]
fn nothing_foreign_is_removed() {
    let results = folder();
    let named =
        keep_as_it_is(results.path(), &RunRecord { started_at: days_ago(9).rfc3339(), ..unlabelled(1) }, "sample");
    let noted = keep(results.path(), unlabelled(2), days_ago(8), "noted");
    fs::write(noted.join("notes.txt"), "what we talked about").expect("a file");
    let nested = keep(results.path(), unlabelled(3), days_ago(7), "nested");
    fs::create_dir(nested.join("raw.json")).expect("a folder");
    let elsewhere = folder();
    let linked = keep(results.path(), unlabelled(4), days_ago(6), "linked");
    fs::write(elsewhere.path().join("thesis.md"), "years of work").expect("a file");
    std::os::unix::fs::symlink(elsewhere.path().join("thesis.md"), linked.join("thesis.md")).expect("a link");
    std::os::unix::fs::symlink(&named, results.path().join("20200101T000000Z-link")).expect("a link");
    let mut running = unlabelled(5);
    (running.started_at, running.finished_at) = (days_ago(0).rfc3339(), None);
    let running = keep_as_it_is(results.path(), &running, &format!("{}-running", days_ago(0).compact()));
    keep(results.path(), unlabelled(6), days_ago(1), "newest");
    let before = names(results.path());
    let told = prune(results.path(), &["--keep", "1"]);
    assert_eq!(names(results.path()), before);
    assert_eq!(told.matches("left ").count(), 5, "{told}");
    for why in ["somebody named it", "`notes.txt`", "`raw.json`", "`thesis.md`", "may be going on"] {
        assert!(told.contains(why), "{why}: {told}");
    }
    assert!(elsewhere.path().join("thesis.md").exists() && running.exists());
}

#[test]
fn a_removal_that_was_broken_off_is_finished_the_next_time() {
    let results = folder();
    keep(results.path(), unlabelled(1), days_ago(1), "newest");
    let leaving = results.path().join(".leaving-20260101T000000Z-product-list-page");
    fs::create_dir(&leaving).expect("a folder");
    fs::write(leaving.join("report.html"), "").expect("a file");
    assert_eq!(list_runs(results.path()).expect("it lists").runs.len(), 1);
    // A run that was killed in its first scenario, and one that has just begun.
    let killed = results.path().join("20260101T000000Z-killed");
    let begun = results.path().join(format!("{}-begun", days_ago(0).compact()));
    for folder in [&killed, &begun] {
        fs::create_dir(folder).expect("a folder");
    }
    prune(results.path(), &["--keep", "1"]);
    assert!(!leaving.exists() && !killed.exists() && begun.exists());
}

#[test]
fn a_rule_that_is_none_is_wrong_usage() {
    let results = folder();
    for rule in ["0", "hourly=2", "daily"] {
        let refused = patternbench().args(["results", "prune"]).arg(results.path()).args(["--keep", rule]).output();
        let refused = refused.expect("it starts");
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("daily=14"));
    }
}
