//! What the load generator needs of memory, with as many rounds, models and operations as a run has at most.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

/// Three models with seven operations each.
const SCENARIO: &str = r#"
format: 1
title: Seven operations
summary: Three models and seven operations, as many as a scenario has at most.
dataset:
  notes: {count: 1000, document: {_id: ^index}}
models:
  plain:
    role: naive
    collections: {notes: {from: notes}}
    operations:
      by_id: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      by_author: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      by_tag: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      page: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      add: [{insertOne: {collection: notes, document: {_id: ^id}}}]
      rename: [{updateOne: {collection: notes, filter: {_id: ^note}, update: {$set: {seen: true}}}}]
      remove: [{updateOne: {collection: notes, filter: {_id: ^note}, update: {$set: {gone: true}}}}]
  fancy:
    role: pattern
    collections: {notes: {from: notes}}
    operations:
      by_id: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      by_author: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      by_tag: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      page: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      add: [{insertOne: {collection: notes, document: {_id: ^id}}}]
      rename: [{updateOne: {collection: notes, filter: {_id: ^note}, update: {$set: {seen: true}}}}]
      remove: [{updateOne: {collection: notes, filter: {_id: ^note}, update: {$set: {gone: true}}}}]
  tuned:
    role: alternative
    collections: {notes: {from: notes}}
    operations:
      by_id: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      by_author: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      by_tag: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      page: {growth: constant, steps: [{findOne: {collection: notes, filter: {_id: ^note}}}]}
      add: [{insertOne: {collection: notes, document: {_id: ^id}}}]
      rename: [{updateOne: {collection: notes, filter: {_id: ^note}, update: {$set: {seen: true}}}}]
      remove: [{updateOne: {collection: notes, filter: {_id: ^note}, update: {$set: {gone: true}}}}]
workload:
  by_id: {weight: 20, args: {note: {^key: notes}}, returns: {fields: [_id]}}
  by_author: {weight: 20, args: {note: {^key: notes}}, returns: {fields: [_id]}}
  by_tag: {weight: 20, args: {note: {^key: notes}}, returns: {fields: [_id]}}
  page: {weight: 20, args: {note: {^key: notes}}, returns: {fields: [_id]}}
  add: {weight: 8, args: {id: ^objectId}}
  rename: {weight: 6, args: {note: {^key: notes}}}
  remove: {weight: 6, args: {note: {^key: notes}}}
"#;

/// Latencies over three orders of magnitude, so that histograms are wide.
const SERVER: &str = "
default: {latency: {lognormal: {median: 2ms, sigma: 1.5}}, between_windows: 0.05}
concurrency: 16
";

/// The most that any child of this process has had resident so far, in MiB.
fn peak_of_children() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
    // Linux tells it in KiB.
    u64::try_from(usage.max_rss()).expect("memory is not negative") / 1_024
}

fn run(folder: &Path, rounds: u32) {
    let output = Command::new(env!("CARGO_BIN_EXE_patternbench"))
        .current_dir(folder)
        .args(["run", "seven.yaml", "--server", "simulated=server.yaml", "--round-time", "0.2", "--quiet"])
        .args(["--rounds", &rounds.to_string()])
        .stdin(Stdio::null())
        .output()
        .expect("the program was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn thirty_rounds_of_three_models_and_seven_operations_stay_small_and_so_do_sixty() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    fs::write(folder.path().join("seven.yaml"), SCENARIO).expect("the folder is writable");
    fs::write(folder.path().join("server.yaml"), SERVER).expect("the folder is writable");
    run(folder.path(), 30);
    let thirty = peak_of_children();
    assert!(thirty < 250, "{thirty} MiB");
    run(folder.path(), 60);
    let sixty = peak_of_children();
    assert!(sixty < 250, "{sixty} MiB, after {thirty} MiB with half the rounds");
}
