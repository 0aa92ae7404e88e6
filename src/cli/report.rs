//! `patternbench report`.

use std::path::{Path, PathBuf};

use super::args::ReportArgs;
use super::exit::{Exit, Failure};
use super::exports::Wanted;
use super::{capacity, output, runs, side_by_side, sweep};
use crate::record::{self, RunRecord};
use crate::report;

/// The name of the HTML report beside it.
pub(super) const REPORT: &str = report::Export::Html.default_name();

/// Makes the reports of finished runs again, from their records alone.
///
/// # Errors
/// A record cannot be read, or a report cannot be written.
pub(super) fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let runs = runs::files(&args.runs, Path::new("results"))?;
    if let Some(page) = args.exports.one_page(runs.len())? {
        return side_by_side::write(&runs, page);
    }
    let wanted = args.exports.wanted(runs.len())?;
    let exported = wanted.iter().any(Wanted::is_shown);
    if args.json && exported {
        return Err(Failure::usage("--json and an export to standard output (-) do not go together"));
    }
    for run in &runs {
        let page = || args.exports.html.as_ref().map(Option::as_deref);
        if sweep::is_sweep(run) {
            args.exports.html_alone("a sweep is shown on the terminal or by --html; name the runs in its folder")?;
            sweep::report(run, page())?;
            continue;
        }
        if capacity::is_study(run) {
            args.exports.html_alone("a study of capacity is shown on the terminal or by --html")?;
            capacity::report(run, page())?;
            continue;
        }
        let path = record_path(run);
        let read = RunRecord::read(&path).map_err(Failure::usage)?;
        for export in &wanted {
            if let Some(written) = export.make(&read, &path, args.exports.service)? {
                tell(&format!("wrote {}", written.display()), args.json || exported)?;
            }
        }
        if args.json {
            print_json(read)?;
        } else if wanted.is_empty() {
            output::print(&report::terminal(&read, &output::style()))?;
        }
    }
    Ok(Exit::Done)
}

/// On standard output, unless that is taken.
fn tell(what: &str, taken: bool) -> Result<(), Failure> {
    if !taken {
        return output::print(&format!("{what}\n"));
    }
    output::tell(what);
    Ok(())
}

fn print_json(record: RunRecord) -> Result<(), Failure> {
    output::print(&format!("{:#}\n", report::digest(record)))
}

/// Writes the HTML report of a record.
///
/// # Errors
/// Where the file cannot be written.
pub(super) fn write_html(record: &RunRecord, target: &Path) -> Result<(), Failure> {
    record::write_atomically(target, report::html(record).as_bytes()).map_err(Failure::from)
}

fn record_path(run: &Path) -> PathBuf {
    if run.is_dir() { run.join(record::RUN_FILE) } else { run.to_owned() }
}
