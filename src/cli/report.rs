//! `patternbench report`.

use std::path::{Path, PathBuf};

use super::args::ReportArgs;
use super::exit::{Exit, Failure};
use super::output;
use crate::record::{self, RunRecord};
use crate::report;

/// The name of a run's record in its folder.
const RECORD: &str = "run.json";
/// The name of the HTML report beside it.
pub(super) const REPORT: &str = "report.html";

/// Makes the reports of finished runs again, from their records alone.
///
/// # Errors
/// A record cannot be read, or a report cannot be written.
pub(super) fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    if args.runs.len() > 1 && matches!(args.html, Some(Some(_))) {
        return Err(Failure::usage(
            "--html=FILE takes one run; without FILE each report is written beside its run.json",
        ));
    }
    for run in &args.runs {
        let path = record_path(run);
        let read = RunRecord::read(&path).map_err(Failure::usage)?;
        match &args.html {
            None => output::print(&report::terminal(&read, &output::style()))?,
            Some(target) => {
                let target = target.clone().unwrap_or_else(|| path.with_file_name(REPORT));
                write_html(&read, &target)?;
                output::print(&format!("wrote {}\n", target.display()))?;
            }
        }
    }
    Ok(Exit::Done)
}

/// Writes the HTML report of a record.
///
/// # Errors
/// Where the file cannot be written.
pub(super) fn write_html(record: &RunRecord, target: &Path) -> Result<(), Failure> {
    record::write_atomically(target, report::html(record).as_bytes()).map_err(Failure::from)
}

fn record_path(run: &Path) -> PathBuf {
    if run.is_dir() { run.join(RECORD) } else { run.to_owned() }
}
