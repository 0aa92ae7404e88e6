//! Results folders with known contents.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use patternbench::analysis::analyse;
use patternbench::record::{RUN_FILE, RunRecord, Stamp};
use patternbench::words::{Product, Profile, ServerSource};

use crate::known::{product_page, run_of};

/// The program, free of the caller's environment.
pub(crate) fn patternbench() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_patternbench"));
    command.env_remove("PATTERNBENCH_URI").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// The standard output of a command that succeeds.
pub(crate) fn said(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// A run of product-list-page whose page model takes so much longer for its list than usual. Its figures differ a little
/// from night to night.
pub(crate) fn night(number: u32, factor: f64) -> RunRecord {
    let mut maker = product_page().rounds(5, 120);
    let truth = |model: &str| (model.to_owned(), "list_page".to_owned());
    // A rule that repeats itself after eleven nights, within ±1 %.
    let luck = |salt: u32| 1.0 + 0.01 * (f64::from((number * 7 + salt * 3) % 11) / 5.0 - 1.0);
    maker.truths.get_mut(&truth("naive")).expect("it has it").median *= luck(1);
    maker.truths.get_mut(&truth("page")).expect("it has it").median *= factor * luck(2);
    let mut scenario = maker.build();
    analyse(&mut scenario, Profile::Nightly);
    let mut run = run_of(Profile::Nightly, vec![scenario]);
    run.label = Some(format!("nightly-{number:02}"));
    run
}

/// The same on another server.
pub(crate) fn elsewhere(mut run: RunRecord, version: &str) -> RunRecord {
    run.server.source = ServerSource::Uri;
    run.server.product = Product::Mongod;
    run.server.version = version.to_owned();
    run.server.host = "db1.test.example:27017".to_owned();
    run
}

/// So many days before today.
pub(crate) fn days_ago(days: u32) -> Stamp {
    Stamp::from(SystemTime::now() - Duration::from_secs(u64::from(days) * 86_400))
}

/// Puts a run into a results folder, as if it had begun then; gives its folder.
pub(crate) fn keep(results: &Path, mut run: RunRecord, began: Stamp, name: &str) -> PathBuf {
    run.started_at = began.rfc3339();
    run.finished_at = Some(began.rfc3339());
    keep_as_it_is(results, &run, &format!("{}-{name}", began.compact()))
}

/// Puts a run into a folder of that name.
pub(crate) fn keep_as_it_is(results: &Path, run: &RunRecord, name: &str) -> PathBuf {
    let folder = results.join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    run.write_atomically(&folder).expect("the folder can be written to");
    std::fs::write(folder.join("report.html"), "<!DOCTYPE html>").expect("the folder can be written to");
    folder
}

/// Thirty nights, of which the last ten have a page model that takes 20 % longer.
pub(crate) fn thirty_nights(results: &Path) {
    for number in 0..30 {
        let factor = if number < 20 { 1.0 } else { 1.2 };
        keep(results, night(number, factor), days_ago(40 - number), "nightly");
    }
}

/// The record's measurements cut off, as no run ever leaves it.
pub(crate) fn cut_off(folder: &Path) {
    let file = folder.join(RUN_FILE);
    let text = std::fs::read_to_string(&file).expect("a record");
    let (header, _) = text.split_once("\"scenarios\"").expect("a record has scenarios");
    std::fs::write(&file, format!("{header}\"scenarios\": [{{\"name\": ")).expect("it can be written");
}
