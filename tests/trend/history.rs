//! What a history says: lines of runs that belong together, gaps, and changes with their run.

use std::path::Path;

use patternbench::analysis::trend::trend;
use patternbench::record::{RunDigest, TrendLine, TrendOperation, TrendRecord, TrendSeries, list_runs};
use patternbench::report::{Style, trend as shown, trend_html};
use patternbench::words::Tracked;

use crate::folder::{cut_off, days_ago, elsewhere, folder, keep, night, patternbench, said, thirty_nights};
use crate::markup::{Element, elements};

fn history(results: &Path) -> TrendRecord {
    let runs = list_runs(results).expect("the folder lists").runs;
    let digests: Vec<_> = runs.iter().map(|run| RunDigest::read(&run.folder).expect("a record")).collect();
    trend(&digests)
}

fn operation<'a>(line: &'a TrendLine, name: &str) -> &'a TrendOperation {
    line.operations.iter().find(|operation| operation.operation == name).expect("it was measured")
}

fn series<'a>(line: &'a TrendLine, name: &str, of: Tracked, model: &str) -> &'a TrendSeries {
    let all = &operation(line, name).series;
    all.iter().find(|series| series.of == of && series.model == model).expect("it has that figure")
}

fn tags<'a>(page: &'a [Element], name: &str, class: &str) -> Vec<&'a Element> {
    let has = |element: &&Element| {
        element.attributes.get("class").is_some_and(|classes| classes.split(' ').any(|known| known == class))
    };
    page.iter().filter(|element| element.name == name).filter(has).collect()
}

#[test]
fn a_slower_pattern_is_marked_with_its_run_in_its_own_latency_and_in_its_speed_up() {
    let results = folder();
    thirty_nights(results.path());
    let record = history(results.path());
    assert_eq!((record.runs.len(), record.scenarios.len(), record.scenarios[0].lines.len()), (30, 1, 1));
    let line = &record.scenarios[0].lines[0];
    let names: Vec<_> = line.operations.iter().map(|operation| operation.operation.as_str()).collect();
    assert_eq!(names, ["list_page", "add_review", "all"], "the heaviest first, the whole mix last");
    let page = |of| &series(line, "list_page", of, "page").changes;
    for (of, ratio) in [(Tracked::P95, 1.2), (Tracked::Speedup, 1.0 / 1.2)] {
        let changes = page(of);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!(record.runs[changes[0].run].label.as_deref(), Some("nightly-20"));
        assert!((changes[0].ratio.get() / ratio - 1.0).abs() < 0.02, "{changes:?}");
        assert!(changes[0].worse && changes[0].with.is_empty());
    }
    for (of, model) in [(Tracked::P95, "naive"), (Tracked::P95, "tuned"), (Tracked::Speedup, "tuned")] {
        assert_eq!(series(line, "list_page", of, model).changes, [], "{model} did not change");
    }
    assert!(operation(line, "add_review").series.iter().all(|series| series.changes.is_empty()));
}

#[test]
fn what_else_changed_with_the_run_is_told() {
    let results = folder();
    for number in 0..12 {
        let mut run = night(number, if number < 6 { 1.0 } else { 0.5 });
        if number >= 6 {
            run.tool.version = "0.2.0".to_owned();
            run.scenarios[0].file_sha256 = "edited".to_owned();
        }
        keep(results.path(), run, days_ago(20 - number), "nightly");
    }
    let record = history(results.path());
    let changes = &series(&record.scenarios[0].lines[0], "list_page", Tracked::P95, "page").changes;
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].with, ["patternbench 0.1.0 → 0.2.0", "the scenario file"]);
    assert!(!changes[0].worse, "half the latency is better");
}

#[test]
fn runs_on_different_servers_and_of_different_sizes_are_different_lines() {
    let results = folder();
    for number in 0..4 {
        let at = |hour: u32| days_ago(20 - 2 * number - hour / 24);
        keep(results.path(), night(number, 1.0), at(0), "here");
        keep(results.path(), elsewhere(night(number, 3.0), "8.0.4"), at(24), "there");
    }
    let mut grown = night(9, 5.0);
    grown.scenarios[0].parameters.insert("products".to_owned(), 20_000.into());
    keep(results.path(), grown, days_ago(1), "grown");
    let record = history(results.path());
    let lines = &record.scenarios[0].lines;
    let of = |line: &TrendLine| (line.version.clone(), line.host.clone(), line.runs.len());
    assert_eq!(
        lines.iter().map(of).collect::<Vec<_>>(),
        [
            ("8.2.1".to_owned(), "this machine".to_owned(), 1),
            ("8.0.4".to_owned(), "db1.test.example".to_owned(), 4),
            ("8.2.1".to_owned(), "this machine".to_owned(), 4),
        ],
        "the line with the newest run first"
    );
    let text = shown(&record, &Style { width: 200, ..Style::default() });
    assert!(text.contains("products = 20000") && text.contains("db1.test.example"), "{text}");
}

#[test]
fn a_night_without_a_figure_is_a_gap() {
    let results = folder();
    for number in 0..8 {
        let mut run = night(number, 1.0);
        match number {
            // Broken off; and a night on which the pattern left the comparison.
            2 => run.scenarios[0].complete = false,
            5 => {
                let p95 = run.scenarios[0].analysis.operations.get_mut("list_page").expect("analysed");
                let p95 = p95.get_mut(&patternbench::words::Metric::P95).expect("analysed");
                (p95.pattern, p95.speedup.speedup) = (None, None);
            }
            _ => {}
        }
        keep(results.path(), run, days_ago(20 - number), "nightly");
    }
    let record = history(results.path());
    let line = &record.scenarios[0].lines[0];
    assert_eq!(line.runs, [0, 1, 3, 4, 5, 6, 7]);
    let runs =
        |of, model| series(line, "list_page", of, model).points.iter().map(|point| point.run).collect::<Vec<_>>();
    assert_eq!(runs(Tracked::Speedup, "page"), [0, 1, 3, 4, 6, 7]);
    assert_eq!(runs(Tracked::P95, "naive"), line.runs);

    let page = elements(&trend_html(&record));
    // The p95 of three models and the speed-up of two, of three operations; both figures of the page model break once.
    assert_eq!(tags(&page, "polyline", "c1").len(), 2 * 3 + 2);
    assert_eq!(tags(&page, "polyline", "c0").len(), 3);
}

#[test]
fn a_control_run_is_no_part_of_a_history() {
    let results = folder();
    let mut control = night(1, 1.0);
    control.scenarios[0].plan.control = Some("page".to_owned());
    keep(results.path(), control, days_ago(2), "control");
    keep(results.path(), night(2, 1.0), days_ago(1), "nightly");
    assert_eq!(history(results.path()).scenarios[0].lines[0].runs, [1]);
}

#[test]
fn the_page_is_self_contained_and_its_marks_are_explained_below_the_chart() {
    let results = folder();
    thirty_nights(results.path());
    let page = trend_html(&history(results.path()));
    let all = elements(&page);
    for forbidden in ["script", "link", "img", "iframe", "object", "embed", "form", "image", "use"] {
        assert!(all.iter().all(|element| element.name != forbidden), "{forbidden}");
    }
    let mut ids: Vec<&String> = all.iter().filter_map(|element| element.attributes.get("id")).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "every id is unique");
    for link in all.iter().filter(|element| element.name == "a") {
        let target = link.attributes["href"].trim_start_matches('#').to_owned();
        assert!(ids.contains(&&target), "#{target}");
    }
    for chart in tags(&all, "svg", "trend-chart") {
        for label in chart.attributes["aria-labelledby"].split(' ') {
            assert!(ids.contains(&&label.to_owned()), "{label}");
        }
    }
    // p95 and speed-up of the list, and of the whole mix, of which it is the heaviest part.
    assert!(tags(&all, "circle", "ring").len() >= 2);
    assert!(page.contains("from nightly-20 ("), "a change is told with its run");
    assert!(page.contains("(patternbench 0.1.0, mongod 8.2.1)"), "and with its versions");
}

#[test]
fn names_of_others_are_harmless() {
    let hostile = "</text><script>alert(1)</script>\u{1b}[31m";
    let results = folder();
    for number in 0..8 {
        let mut run = night(number, if number < 4 { 1.0 } else { 2.0 });
        run.label = Some(hostile.to_owned());
        run.server.version = hostile.to_owned();
        run.scenarios[0].name = hostile.to_owned();
        keep(results.path(), run, days_ago(20 - number), "nightly");
    }
    let record = history(results.path());
    let page = trend_html(&record);
    assert!(elements(&page).iter().all(|element| element.name != "script"));
    assert!(!shown(&record, &Style::default()).contains('\u{1b}'));
}

#[test]
fn a_history_on_a_terminal() {
    let results = folder();
    for number in 0..10 {
        let began = patternbench::record::Stamp::from(
            // 2026-03-01T02:00:00Z, and a night later each.
            std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_772_330_400 + u64::from(number) * 86_400),
        );
        keep(results.path(), night(number, if number < 6 { 1.0 } else { 1.3 }), began, "nightly");
    }
    insta::assert_snapshot!(shown(&history(results.path()), &Style { width: 140, ..Style::default() }));
}

#[test]
fn the_command_line_shows_a_history_and_writes_its_page() {
    let results = folder();
    thirty_nights(results.path());
    let broken = keep(results.path(), night(31, 1.0), days_ago(2), "broken");
    cut_off(&broken);
    let output = patternbench().arg("trend").arg(results.path()).arg("--html").output().expect("it starts");
    let (text, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}");
    assert!(text.contains("30 runs") && text.contains("list_page") && text.contains("from nightly-20"), "{text}");
    assert!(told.contains("-broken") && told.contains("left out") && told.contains("trend.html"), "{told}");
    let page = std::fs::read_to_string(results.path().join("trend.html")).expect("it was written");
    assert!(page.contains("trend-chart"));

    let json = said(patternbench().arg("trend").arg(results.path()).arg("--json"));
    let record: TrendRecord = serde_json::from_str(&json).expect("it reads back");
    assert_eq!(record.runs.len(), 30);
    let schema: serde_json::Value =
        serde_json::from_str(&said(patternbench().args(["schema", "trend"]))).expect("a schema is JSON");
    let document = serde_json::from_str(&json).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert_eq!(
        validator.iter_errors(&document).map(|error| error.to_string()).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
}

#[test]
fn an_empty_folder_and_no_folder_are_wrong_usage() {
    let results = folder();
    for path in [results.path().to_owned(), results.path().join("absent")] {
        let output = patternbench().arg("trend").arg(&path).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
