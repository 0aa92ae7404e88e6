//! What can go wrong with records and where they are kept.

use std::io;
use std::path::PathBuf;

use super::types::{CAPACITY_SCHEMA, SCHEMA};

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file could not be read.
    #[error("failed to read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what `run` writes.
    #[error("failed to read {}: {source}; a run's record is the run.json that `patternbench run` writes", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The file was written in a layout that this version does not know.
    #[error(
        "failed to read {}: its schema is `{found}` and this version reads `{SCHEMA}`; use the patternbench that wrote it{}",
        path.display(), .tool.as_ref().map(|version| format!(" (version {version})")).unwrap_or_default()
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// The schema it names.
        found: String,
        /// The version of the tool that wrote it, if it says so.
        tool: Option<String>,
    },
    /// The file is no sweep.
    #[error("failed to read {}: {why}; a sweep's record is the sweep.json that `patternbench sweep` writes", path.display())]
    NoSweep {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file is not what `capacity` writes.
    #[error("failed to read {}: {source}; such a record is the capacity.json that `patternbench capacity` writes", path.display())]
    NoCapacity {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The record of a capacity study has a layout that this version does not know.
    #[error(
        "failed to read {}: its schema is `{found}` and this version reads `{CAPACITY_SCHEMA}`; use the patternbench that \
         wrote it", path.display()
    )]
    CapacitySchema {
        /// The file.
        path: PathBuf,
        /// The schema it names.
        found: String,
    },
    /// The file could not be written.
    #[error("failed to write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A results folder could not be made or written to.
    #[error("failed to write results to {}: {source}; choose another folder with --out", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is too little room for results.
    #[error(
        "failed to write results to {}: {} MiB free, at least {} MiB are needed; make room, or choose another folder with --out",
        path.display(), free >> 20, needed >> 20
    )]
    DiskFull {
        /// The folder.
        path: PathBuf,
        /// Bytes free.
        free: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// A run could not be removed.
    #[error("failed to remove {}: {source}", path.display())]
    Remove {
        /// The run's folder, or the results folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A histogram in a record cannot be decoded.
    #[error("failed to decode a histogram: {0}; the record is damaged")]
    Histogram(String),
}
