//! `patternbench report A B … --html=FILE`: several runs beside each other in one page.

use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::output;
use crate::record::{self, RunRecord};
use crate::report;

/// Writes one page of several runs, made from their records alone.
///
/// # Errors
/// A record cannot be read, or the page cannot be written.
pub(super) fn write(runs: &[PathBuf], target: &Path) -> Result<Exit, Failure> {
    let read = |run: &PathBuf| RunRecord::read(run).map_err(Failure::usage);
    let records = runs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    record::write_atomically(target, report::side_by_side_html(&records).as_bytes())?;
    output::print(&format!("wrote {}\n", target.display()))?;
    Ok(Exit::Done)
}
