//! Shows a sweep: now, or again from its record.

use std::path::Path;

use super::super::exit::{Exit, Failure};
use super::super::output;
use super::super::report::{REPORT, write_html};
use crate::analysis::{analyse_sweep, keep_claims, renew_point};
use crate::record::{self, RunRecord, SWEEP_FILE, SweepRecord};
use crate::report;

/// Whether a folder, or a file in it, is a sweep's.
pub(in crate::cli) fn is_sweep(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SWEEP_FILE) || path.join(SWEEP_FILE).is_file()
}

/// Shows a finished sweep again, from its record and those of its runs: on the terminal, or as HTML into `html` (`None` in
/// it is the usual file beside the record).
///
/// # Errors
/// Where the record cannot be read, or the report cannot be written.
pub(in crate::cli) fn report(path: &Path, html: Option<Option<&Path>>) -> Result<Exit, Failure> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    let mut sweep = SweepRecord::read(path).map_err(Failure::usage)?;
    renew(&mut sweep, folder);
    match html {
        None => output::print(&report::sweep_terminal(&sweep, &output::style()))?,
        Some(target) => {
            let usual = folder.join(REPORT);
            let target = target.unwrap_or(&usual);
            write(&sweep, target)?;
            output::print(&format!("wrote {}\n", target.display()))?;
        }
    }
    Ok(Exit::Done)
}

/// Takes from the runs' own records what they say; a run that is not there, or cannot be read, leaves what the sweep's
/// record says.
fn renew(sweep: &mut SweepRecord, folder: &Path) {
    let SweepRecord { points, claims, axis, .. } = sweep;
    for point in points {
        if let Ok(run) = RunRecord::read(&folder.join(&point.run)) {
            renew_point(point, &run);
            keep_claims(claims, axis, &point.run, &run);
        }
    }
    analyse_sweep(sweep);
}

/// Writes the report of a sweep, and one for each of its runs.
///
/// # Errors
/// Where a file cannot be written.
pub(super) fn write_all(sweep: &SweepRecord, folder: &Path) -> Result<(), Failure> {
    for point in &sweep.points {
        let of_run = folder.join(&point.run);
        if let Ok(run) = RunRecord::read(&of_run) {
            write_html(&run, &of_run.join(REPORT))?;
        }
    }
    write(sweep, &folder.join(REPORT))
}

fn write(sweep: &SweepRecord, target: &Path) -> Result<(), Failure> {
    record::write_atomically(target, report::sweep_html(sweep).as_bytes()).map_err(Failure::from)
}
