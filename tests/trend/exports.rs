//! What other tools read: Apache Otava itself, and the published shapes of the others.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::folder::{days_ago, folder, keep, night, patternbench, said, thirty_nights};
use crate::known::close;

/// What an export prints.
fn exported(results: &Path, tool: &str) -> Value {
    let text = said(patternbench().arg("trend").arg(results).args(["--export", tool]));
    serde_json::from_str(&text).expect("it is JSON")
}

fn newest(results: &Path) {
    keep(results, night(1, 1.0), days_ago(3), "nightly");
    keep(results, night(2, 2.0), days_ago(2), "nightly");
    let mut incomplete = night(3, 9.0);
    incomplete.complete = false;
    keep(results, incomplete, days_ago(1), "nightly");
}

/// The type that github-action-benchmark gives its input (`BenchmarkResult` in its src/extract.ts), in words of JSON Schema.
fn github_shape() -> Value {
    let entry = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"}, "value": {"type": "number"}, "unit": {"type": "string"},
            "range": {"type": "string"}, "extra": {"type": "string"}
        },
        "required": ["name", "value", "unit"],
        "additionalProperties": false
    });
    json!({"type": "array", "items": entry, "minItems": 1})
}

/// The schema that Bencher publishes as <https://bencher.dev/bmf.json>.
fn bencher_shape() -> Value {
    let metric = json!({
        "type": "object",
        "properties": {
            "value": {"type": "number"}, "lower_value": {"type": "number"}, "upper_value": {"type": "number"}
        },
        "required": ["value"]
    });
    let measures = json!({"type": "object", "patternProperties": {".+": metric}});
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "patternProperties": {".+": measures}
    })
}

fn check(shape: &Value, document: &Value) {
    let validator = jsonschema::validator_for(shape).expect("a schema");
    let errors: Vec<_> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn github_action_benchmark_gets_the_newest_complete_run_where_smaller_is_better() {
    let results = folder();
    newest(results.path());
    let document = exported(results.path(), "github");
    check(&github_shape(), &document);
    let entries = document.as_array().expect("a list");
    let value = |name: &str| {
        let entry =
            entries.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("{name}: {document:#}"));
        (entry["value"].as_f64().expect("a number"), entry["unit"].as_str().expect("a text"))
    };
    let (naive, _) = value("product-list-page/list_page/naive p95");
    let (page, unit) = value("product-list-page/list_page/page p95");
    assert_eq!(unit, "µs");
    // Naive's median is 4,200 µs and the page's twice its 600 µs, with the same spread; both within a percent.
    close(naive / page, 3.5, 0.03);
    let (ratio, _) = value("product-list-page/list_page/page p95 ÷ naive p95");
    close(ratio, page / naive, 0.01);
    let names: std::collections::BTreeSet<_> = entries.iter().map(|entry| entry["name"].to_string()).collect();
    assert_eq!(names.len(), entries.len(), "every name once");
}

#[test]
fn bencher_gets_nanoseconds_and_intervals() {
    let results = folder();
    newest(results.path());
    let document = exported(results.path(), "bencher");
    check(&bencher_shape(), &document);
    let page = &document["product-list-page/list_page/page"];
    let number = |measure: &str, value: &str| page[measure][value].as_f64().expect("a number");
    // e to the 0.4 × 1.645 is the p95 of a lognormal with that spread; 1,200 µs is the median.
    close(number("latency", "value"), 1_200e3 * (0.4_f64 * 1.645).exp(), 0.05);
    assert!(number("latency", "lower_value") < number("latency", "value"));
    close(number("speedup", "value"), 3.5, 0.03);
    assert!(number("speedup", "value") < number("speedup", "upper_value"));
    assert!(document["product-list-page/list_page/naive"].get("speedup").is_none());
}

#[test]
fn an_export_goes_to_a_file_where_one_is_named() {
    let results = folder();
    newest(results.path());
    let file = results.path().join("bench.json");
    let export = format!("github={}", file.display());
    assert_eq!(said(patternbench().arg("trend").arg(results.path()).args(["--export", &export])), "");
    check(&github_shape(), &serde_json::from_slice(&std::fs::read(&file).expect("it was written")).expect("JSON"));
    for wrong in ["github=", "graphite"] {
        let refused =
            patternbench().arg("trend").arg(results.path()).args(["--export", wrong]).output().expect("starts");
        assert_eq!(refused.status.code(), Some(2));
    }
}

#[test]
fn otava_gets_a_file_for_each_operation_and_model_whose_rows_are_whole() {
    let results = folder();
    thirty_nights(results.path());
    said(patternbench().arg("trend").arg(results.path()).args(["--export", "otava"]));
    let otava = results.path().join("otava");
    let text =
        std::fs::read_to_string(otava.join("product-list-page.list_page.page@mongod-8.2.1.csv")).expect("written");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time,run,label,patternbench,server,speedup,naive_p95_us,p95_us"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 30);
    for row in &rows {
        let figures: Vec<f64> = row[5..].iter().map(|cell| cell.parse().expect("a number")).collect();
        close(figures[0], figures[1] / figures[2], 0.01);
    }
    assert!(rows.windows(2).all(|pair| pair[0][0] < pair[1][0]), "from the oldest to the newest");
    let files = std::fs::read_dir(&otava).expect("a folder").count();
    assert_eq!(files, 1 + 3 * 2, "three operations of two models, and the configuration");
}

#[test]
#[ignore = "needs Apache Otava; scripts/test installs it and runs this"]
fn otava_reads_the_export_and_finds_the_step() {
    let program = std::env::var("PATTERNBENCH_OTAVA").expect("PATTERNBENCH_OTAVA names Otava's program");
    let results = folder();
    thirty_nights(results.path());
    said(patternbench().arg("trend").arg(results.path()).args(["--export", "otava"]));
    let folder = results.path().join("otava");
    let otava = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        said(command.current_dir(&folder).env("OTAVA_CONFIG", folder.join("otava.yaml")).args(arguments))
    };
    let tests = otava(&["list-tests"]);
    assert_eq!(tests.lines().count(), 6, "{tests}");
    let test = "product-list-page.list_page.page@mongod-8.2.1";
    let found = otava(&["analyze", test]);
    // A change is printed between the night before it and the night of it.
    let before: Vec<&str> = found.split("nightly-20").next().expect("a part").lines().rev().take(4).collect();
    assert!(before.iter().any(|line| line.contains("+2") && line.contains('%')), "p95 up by 20 %:\n{found}");
    assert!(before.iter().any(|line| line.contains("-1") && line.contains('%')), "speed-up down:\n{found}");
    let flat = otava(&["analyze", "product-list-page.add_review.page@mongod-8.2.1"]);
    assert!(!flat.contains('%'), "nothing changed:\n{flat}");
}
