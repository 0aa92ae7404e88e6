//! Which runs words on the command line mean.

use std::path::{Path, PathBuf};

use super::exit::Failure;
use crate::record::{self, RunRecord};

/// The records that words name, in the order named: files and folders of runs, and names in a results folder.
///
/// # Errors
/// Usage: a word that is no path means no run.
pub(super) fn files(words: &[PathBuf], results: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for word in words {
        match word.to_str().filter(|name| !is_path(name)) {
            Some(name) => files.extend(record::resolve_runs(name, results).map_err(Failure::usage)?),
            None => files.push(word.clone()),
        }
    }
    Ok(files)
}

/// What is a path whether it exists or not: whoever reads it says what is wrong with it.
fn is_path(word: &str) -> bool {
    word.contains(std::path::is_separator) || word.ends_with(".json") || Path::new(word).exists()
}

/// The runs that one word names, each with the place that it was read from, from the oldest to the latest.
///
/// # Errors
/// Usage: the word means no run, or a record cannot be read.
pub(super) fn read(word: &str, results: &Path) -> Result<Vec<(String, RunRecord)>, Failure> {
    let read = |file: PathBuf| {
        let run = RunRecord::read(&file).map_err(Failure::usage)?;
        Ok((file.display().to_string(), run))
    };
    let files = record::resolve_runs(word, results).map_err(Failure::usage)?;
    let mut runs: Vec<(String, RunRecord)> = files.into_iter().map(read).collect::<Result<_, Failure>>()?;
    runs.sort_by(|(_, left), (_, right)| left.started_at.cmp(&right.started_at));
    Ok(runs)
}
