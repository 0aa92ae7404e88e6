//! What a person reads of a sweep.

use patternbench::record::SweepRecord;
use patternbench::report::{Style, sweep_html, sweep_terminal};

use crate::typed::{folder, record, sweep};

/// A sweep in virtual time, without what differs from run to run and from machine to machine.
fn swept(arguments: &[&str]) -> SweepRecord {
    let folder = folder();
    let done = sweep(folder.path()).args(arguments).arg("--quiet").output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut found = record(folder.path());
    found.started_at = "2026-01-31T09:30:00.000Z".to_owned();
    found.finished_at = None;
    found.server.version = "0.0.0".to_owned();
    for point in &mut found.points {
        point.seconds = patternbench::units::Seconds::new(30.0);
    }
    found
}

#[test]
fn a_sweep_on_a_terminal() {
    let found = swept(&["--param", "lines=2,8,32,128"]);
    insta::assert_snapshot!(sweep_terminal(&found, &Style::default()));
}

#[test]
fn a_narrow_terminal_keeps_what_matters() {
    let found = swept(&["--param", "lines=2,8,32,128"]);
    let narrow = sweep_terminal(&found, &Style { width: 60, ..Style::default() });
    let table = narrow.lines().filter(|line| line.contains('×'));
    assert!(table.clone().all(|line| line.chars().count() <= 60), "{narrow}");
    assert!(table.count() >= 8, "{narrow}");
}

#[test]
fn a_page_holds_a_chart_of_growth_and_one_of_speedups_for_each_operation_in_words_too() {
    let found = swept(&["--param", "lines=2,8,32,128"]);
    let page = sweep_html(&found);
    // Two operations and the whole mix.
    assert_eq!(page.matches("<svg").count(), 6, "two charts each");
    assert_eq!(page.matches("</desc>").count(), 6);
    assert!(page.contains("p95 of show over lines, by model"), "{}", page.split("<title").nth(2).unwrap_or_default());
    let description =
        page.split("-growth-desc\">").nth(2).and_then(|rest| rest.split('<').next()).expect("a description");
    assert!(description.contains("naive: ") && description.contains("at 128"), "{description}");
    assert!(!page.contains("<script") && !page.contains("http-equiv=\"refresh\""));
    let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "every id is one");
}

#[test]
fn text_of_others_does_no_harm() {
    let mut found = swept(&["--param", "lines=2,8", "--rounds", "5"]);
    let evil = "<script>alert(1)</script>\u{1b}[31m";
    found.scenario.title = evil.to_owned();
    found.label = Some(evil.to_owned());
    found.axis.name = evil.to_owned();
    found.points[0].failed.push(patternbench::record::PointFailureRecord {
        workload: None,
        model: Some("naive".to_owned()),
        why: evil.to_owned(),
    });
    let page = sweep_html(&found);
    assert!(!page.contains("<script>") && !page.contains('\u{1b}'));
    assert!(!sweep_terminal(&found, &Style::default()).contains('\u{1b}'));
}
