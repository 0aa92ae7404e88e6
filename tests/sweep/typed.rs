//! The command line in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use patternbench::record::SweepRecord;
use tempfile::TempDir;

/// Orders with a number of lines, read one by one or all at once. On a simulated server its steps never run.
pub(crate) const ORDERS: &str = r#"
format: 1
title: Orders and their lines
summary: An order with its lines, read with them or one after the other.
parameters:
  orders: {default: 60, smoke: 20, min: 1, max: 5000}
  lines: {default: 5, smoke: 2, min: 1, max: 1000, help: lines of each order}
  mode: {default: fast, help: no number}
sweep: {lines: [2, 8, 32]}
dataset:
  orders: {count: ^orders, document: {_id: ^index, name: {^words: 2}}}
  lines:
    children: {of: orders, count: ^lines}
    document: {_id: ^index, orderId: ^parent._id, text: {^words: 4}}
models:
  naive:
    role: naive
    title: A line per document
    collections:
      orders: {from: orders}
      lines: {from: lines, indexes: [{key: {orderId: 1, _id: 1}}]}
    operations:
      show:
        growth: linear in lines
        steps:
          - find: {collection: lines, filter: {orderId: ^order}, sort: {_id: 1}, projection: {_id: 1, text: 1}}
      rename: [{updateOne: {collection: orders, filter: {_id: ^order}, update: {$set: {name: ^name}}}}]
  embedded:
    role: pattern
    title: Lines in their order
    collections:
      orders:
        from: orders
        pipeline:
          - {$lookup: {from: lines, localField: _id, foreignField: orderId, as: lines}}
    operations:
      show:
        growth: linear in lines
        steps:
          - aggregate:
              collection: orders
              pipeline:
                - {$match: {_id: ^order}}
                - {$unwind: $lines}
                - {$project: {_id: $lines._id, text: $lines.text}}
                - {$sort: {_id: 1}}
      rename: [{updateOne: {collection: orders, filter: {_id: ^order}, update: {$set: {name: ^name}}}}]
workload:
  show: {weight: 80, args: {order: {^key: orders}}, returns: {fields: [_id, text], order: true}}
  rename: {weight: 20, args: {order: {^key: orders}, name: {^words: 2}}}
"#;

/// What the two models take: naive 0.1 ms for each line, the pattern 1 ms and little for each: equal at 10 lines or so.
pub(crate) const DECLARED: &str = "
models:
  naive:
    show: {latency: {lognormal: {median: 0.1ms, sigma: 0.2}}, grows: {with: lines}}
    rename: {latency: {lognormal: {median: 1ms, sigma: 0.2}}}
  embedded:
    show: {latency: {lognormal: {median: 1ms, sigma: 0.2}}}
    rename: {latency: {lognormal: {median: 2ms, sigma: 0.2}}}
";

/// A folder with a scenario, `orders.yaml`, and a simulated server, `declared.yaml`.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    fs::write(folder.path().join("orders.yaml"), ORDERS).expect("the folder is writable");
    fs::write(folder.path().join("declared.yaml"), DECLARED).expect("the folder is writable");
    folder
}

/// The program, in that folder, free of the caller's environment.
pub(crate) fn patternbench(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command.current_dir(folder).env_remove("PATTERNBENCH_URI").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// A sweep of the scenario on the simulated server.
pub(crate) fn sweep(folder: &Path) -> Command {
    let mut command = patternbench(folder);
    command.args(["sweep", "orders.yaml", "--server", "simulated=declared.yaml"]);
    command
}

/// The only sweep in the results folder.
pub(crate) fn only_sweep(folder: &Path) -> PathBuf {
    let found = fs::read_dir(folder.join("results")).expect("there are results");
    let found: Vec<PathBuf> = found.map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(found.len(), 1, "one sweep, one folder: {found:?}");
    found[0].clone()
}

/// What it holds.
pub(crate) fn record(folder: &Path) -> SweepRecord {
    SweepRecord::read(&only_sweep(folder)).unwrap_or_else(|error| panic!("{error}"))
}

/// The values tried.
pub(crate) fn places(sweep: &SweepRecord) -> Vec<f64> {
    sweep.points.iter().map(|point| point.at).collect()
}
