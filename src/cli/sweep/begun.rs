//! A sweep that was begun before.

use std::path::{Path, PathBuf};

use super::super::exit::Failure;
use crate::record::{SWEEP_FILE, SweepRecord};
use crate::study::differences;

/// The word for the sweep that was begun last.
const LATEST: &str = "latest";

/// The folder that `--resume` names.
///
/// # Errors
/// Usage, where there is no such sweep.
pub(super) fn folder(word: &Path, out: &Path) -> Result<PathBuf, Failure> {
    if word != Path::new(LATEST) {
        let folder = if word.is_file() { word.parent().unwrap_or(Path::new(".")) } else { word };
        return Ok(folder.to_owned());
    }
    // Folders are named by the time at which they were made.
    let folders = std::fs::read_dir(out).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let latest = folders.filter(|folder| folder.join(SWEEP_FILE).is_file()).max();
    latest.ok_or_else(|| {
        Failure::usage(format!("there is no sweep in {}; name its folder, or leave --resume out", out.display()))
    })
}

/// The record to go on with: what was begun, with the values that are asked for now besides.
///
/// # Errors
/// Usage, where it is another sweep, each difference named.
pub(super) fn go_on(folder: &Path, asked: &SweepRecord) -> Result<SweepRecord, Failure> {
    let mut begun = SweepRecord::read(folder).map_err(Failure::usage)?;
    let differences = differences(&begun, asked);
    if !differences.is_empty() {
        return Err(Failure::usage(format!(
            "{} cannot be gone on with, since its values could not stand beside new ones:\n  {}\nrepeat the command that began \
             it, or leave --resume out",
            folder.display(),
            differences.join("\n  ")
        )));
    }
    let more = asked.axis.values.iter().filter(|value| !begun.axis.values.contains(value)).cloned();
    let more: Vec<_> = more.collect();
    begun.axis.values.extend(more);
    begun.axis.refined_to = asked.axis.refined_to;
    begun.axis.refinement = None;
    begun.client = asked.client.clone();
    begun.server = asked.server.clone();
    Ok(begun)
}
