//! Removing runs from a results folder, and nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::file::RUN_FILE;
use super::stamp::Stamp;

/// Before the name of a run on its way out, so that a removal that was broken off can be finished.
const LEAVING: &str = ".leaving-";
/// The endings of what is written into a run's folder: the record, reports, exports.
const OURS: [&str; 8] = ["json", "html", "md", "csv", "hgrm", "hlog", "xml", "svg"];
/// What a writer that was killed leaves: files on their way, the probe of a new folder.
const HALF_WRITTEN: [&str; 2] = [".patternbench-", ".probe"];

/// What became of a run that was to go.
#[derive(Debug)]
pub enum Pruned {
    /// It is gone.
    Removed,
    /// It was left as it was.
    Left(Unremovable),
}

/// Why a folder is not removed: it is not, or not only, what `patternbench run` makes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unremovable {
    /// Its name does not begin with the time of a run.
    #[error("its name does not begin with the time of a run, so somebody named it")]
    Named,
    /// It holds something that patternbench does not write.
    #[error("it holds `{0}`, which patternbench did not write")]
    Foreign(String),
}

/// Removes a run's folder, if there is nothing in it but what patternbench writes. It is renamed first: whatever happens
/// then, nobody finds half a run.
///
/// # Errors
/// When the folder cannot be read or removed.
pub fn remove_run(folder: &Path) -> Result<Pruned, RecordError> {
    if let Some(why) = unremovable(folder)? {
        return Ok(Pruned::Left(why));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let leaving = folder.with_file_name(format!("{LEAVING}{name}"));
    fs::rename(folder, &leaving).and_then(|()| empty_and_remove(&leaving)).map_err(|source| failed(folder, source))?;
    Ok(Pruned::Removed)
}

/// Finishes removals that were broken off, and removes the empty folders that runs killed in their first scenario left
/// behind, of those that began before a moment.
///
/// # Errors
/// When the results folder cannot be read, or what is left cannot be removed.
pub fn sweep(results: &Path, began_before: Stamp) -> Result<(), RecordError> {
    for entry in fs::read_dir(results).map_err(|source| failed(results, source))? {
        let entry = entry.map_err(|source| failed(results, source))?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        if is_folder && name.strip_prefix(LEAVING).is_some_and(begins_with_a_time) {
            empty_and_remove(&path).map_err(|source| failed(&path, source))?;
        } else if is_folder && begins_with_a_time(&name) && name < began_before.compact() {
            // Of a folder that is not empty this removes nothing.
            let _ = fs::remove_dir(&path);
        }
    }
    Ok(())
}

fn failed(path: &Path, source: io::Error) -> RecordError {
    RecordError::Remove { path: path.to_owned(), source }
}

/// What keeps a folder from being removed, if anything does.
fn unremovable(folder: &Path) -> Result<Option<Unremovable>, RecordError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !begins_with_a_time(&name) {
        return Ok(Some(Unremovable::Named));
    }
    for file in files(folder).map_err(|source| failed(folder, source))? {
        if !is_ours(&file) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(Some(Unremovable::Foreign(name)));
        }
    }
    Ok(None)
}

/// `20260131T093000Z-…`, as [`Stamp::compact`](super::Stamp::compact) writes it.
fn begins_with_a_time(name: &str) -> bool {
    let pattern = "ddddddddTddddddZ-";
    let fits = |(wanted, found): (char, char)| if wanted == 'd' { found.is_ascii_digit() } else { found == wanted };
    name.len() > pattern.len() && pattern.chars().zip(name.chars()).all(fits)
}

/// A plain file of a kind that is written into a run's folder. Links and folders are not.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    let known = OURS.contains(&ending.as_str()) || HALF_WRITTEN.iter().any(|prefix| name.starts_with(prefix));
    known && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

/// The record goes first. Only files go, so that nothing which came meanwhile is lost: then the folder stays.
fn empty_and_remove(folder: &Path) -> io::Result<()> {
    let mut files = files(folder)?;
    files.sort_by_key(|file| file.file_name().is_none_or(|name| name != RUN_FILE));
    for file in files.iter().filter(|file| is_ours(file)) {
        fs::remove_file(file)?;
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_begin_with_the_time_of_a_run_are_of_runs() {
        assert!(begins_with_a_time("20260131T093000Z-product-list-page"));
        for other in ["sample", "20260131T093000Z", "20260131T093000Z-", "before-20260131T093000Z-x", "2026-01-31T09-x"]
        {
            assert!(!begins_with_a_time(other), "{other}");
        }
    }
}
