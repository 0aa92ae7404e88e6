//! The table of figures: a program loads it with the stated columns, and its values are the record's.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use patternbench::analysis::analyse;
use patternbench::record::RunRecord;
use patternbench::report::{CSV_COLUMNS, Export, Wish};
use patternbench::units::Ratio;
use patternbench::words::{Metric, Profile};

use crate::known::{of, on_naive, product_page, run_of, wobble};
use crate::terminal::{troubled, typical};

/// A row by its columns.
pub(crate) type Row = BTreeMap<String, String>;

/// What a strict reader of Python's standard library makes of a table: a row that has more or fewer cells than there are
/// columns ends it with an error.
const READER: &str = "
import csv, json, sys
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    rows = list(csv.DictReader(file, strict=True))
assert all(None not in row and None not in row.values() for row in rows), 'a row has not the columns of the head'
print(json.dumps(rows))
";

/// The table of a record.
pub(crate) fn table(run: &RunRecord) -> String {
    Export::Csv.of(run, &Wish::default()).main.expect("a table is a file")
}

/// The rows of a table, as Python loads them.
pub(crate) fn loaded(table: &str) -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("report.csv");
    std::fs::write(&path, table).expect("the folder can be written to");
    let read = Command::new("python3").args(["-c", READER]).arg(&path).output();
    let read = read.expect("python3 runs (scripts/test installs it)");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    serde_json::from_slice(&read.stdout).expect("rows of text")
}

/// The row of a metric, at the plan's load by what is compared.
fn row<'a>(rows: &'a [Row], model: &str, operation: &str, metric: &str) -> &'a Row {
    let wanted = |row: &&Row| {
        row["model"] == model && row["operation"] == operation && row["metric"] == metric && row["load"] != "light_load"
    };
    rows.iter().find(wanted).unwrap_or_else(|| panic!("{metric} of {operation} in {model}"))
}

fn number(cell: &str) -> Option<f64> {
    (!cell.is_empty()).then(|| cell.parse().expect("a number"))
}

#[test]
fn the_columns_are_the_stated_ones_and_no_figure_has_two_rows() {
    for run in [typical(), troubled()] {
        let text = table(&run);
        let stated: Vec<&str> = CSV_COLUMNS.iter().map(|(name, _)| *name).collect();
        assert_eq!(text.lines().next().expect("a line of names"), stated.join(","));
        assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains('\n'), "lines end as RFC 4180 has it");
        let rows = loaded(&text);
        let key = |row: &Row| {
            ["scenario", "workload", "model", "operation", "metric", "load", "time"].map(|column| row[column].clone())
        };
        let keys: BTreeSet<_> = rows.iter().map(key).collect();
        assert_eq!(keys.len(), rows.len());
        for row in &rows {
            assert!(!row["unit"].is_empty() && !row["metric"].is_empty());
            assert!(!row["value"].is_empty() || !row["reason"].is_empty() || row["operation"].is_empty(), "{row:?}");
        }
    }
}

#[test]
fn values_speedups_and_verdicts_are_the_records() {
    let run = typical();
    let scenario = &run.scenarios[0];
    let rows = loaded(&table(&run));
    for operation in ["list_page", "add_review", "all"] {
        for metric in [Metric::P50, Metric::P95, Metric::P99, Metric::Mean] {
            let known = of(scenario, operation, metric);
            let naive = row(&rows, "naive", operation, metric.word());
            assert_eq!(number(&naive["value"]), known.naive);
            assert_eq!(
                (naive["speedup"].as_str(), naive["verdict"].as_str()),
                ("", ""),
                "it is what others are compared with"
            );
            let page = row(&rows, "page", operation, metric.word());
            assert_eq!(number(&page["value"]), known.pattern);
            let ratios =
                [known.speedup.speedup, known.speedup.low, known.speedup.high].map(|ratio| ratio.map(Ratio::get));
            assert_eq!(["speedup", "low", "high"].map(|column| number(&page[column])), ratios);
            assert_eq!(page["verdict"], known.speedup.verdict.map(|verdict| verdict.to_string()).unwrap_or_default());
            let tuned = row(&rows, "tuned", operation, metric.word());
            assert_eq!(number(&tuned["speedup"]), known.others["tuned"].speedup.speedup.map(Ratio::get));
        }
    }
    let limited = row(&rows, "tuned", "list_page", "p95");
    assert!(limited["engine_limited"].contains("pipeline-form $lookup"), "{limited:?}");
    assert_eq!((limited["product"].as_str(), limited["unit"].as_str()), ("secantusd", "us"));
    let bytes = row(&rows, "page", "", "data_bytes");
    let stored = scenario.models[1].storage.expect("made with a bill").data_bytes.get();
    assert_eq!((bytes["value"].as_str(), bytes["unit"].as_str()), (stored.to_string().as_str(), "bytes"));
}

#[test]
fn service_time_and_light_load_have_rows_of_their_own() {
    let mut maker = product_page().open().light_load(5, 400);
    maker.waiting = |round, model| on_naive(model, 2.0) + wobble(round + 7, model);
    let mut scenario = maker.build();
    analyse(&mut scenario, Profile::Quick);
    let run = run_of(Profile::Quick, vec![scenario]);
    let p95 = of(&run.scenarios[0], "list_page", Metric::P95);
    let rows = loaded(&table(&run));
    let speedup = |load: &str, time: &str| {
        let wanted = |row: &&Row| {
            (row["load"].as_str(), row["time"].as_str()) == (load, time)
                && row["model"] == "page"
                && row["operation"] == "list_page"
                && row["metric"] == "p95"
        };
        number(&rows.iter().find(wanted).expect("a row")["speedup"])
    };
    let side = |side: &Option<patternbench::record::SideRecord>| {
        side.as_ref().and_then(|side| side.speedup.speedup).map(Ratio::get)
    };
    assert_eq!(speedup("measured", "response"), p95.speedup.speedup.map(Ratio::get));
    assert_eq!(speedup("measured", "service"), side(&p95.service));
    assert_eq!(speedup("light_load", "service"), side(&p95.light_load));
    assert_ne!(speedup("measured", "response"), speedup("measured", "service"), "naive waits twice as long");
}
