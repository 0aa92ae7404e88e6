//! Reading and writing `sweep.json`.

use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::file::write_atomically;
use super::types::{SWEEP_SCHEMA, SweepRecord};

/// The name of a sweep's record in its folder.
pub const SWEEP_FILE: &str = "sweep.json";

impl SweepRecord {
    /// Reads a record; `path` is the file or the sweep's folder.
    ///
    /// # Errors
    /// When the file cannot be read, is no sweep, or has a layout that this version does not know.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let path = if path.is_dir() { path.join(SWEEP_FILE) } else { path.to_owned() };
        let bytes = std::fs::read(&path).map_err(|source| RecordError::Read { path: path.clone(), source })?;
        let fault = |source: serde_json::Error| RecordError::NoSweep { path: path.clone(), why: source.to_string() };
        let written: serde_json::Value = serde_json::from_slice(&bytes).map_err(fault)?;
        let schema = written.get("schema").and_then(serde_json::Value::as_str).unwrap_or_default();
        if schema != SWEEP_SCHEMA {
            let why = format!("its schema is `{schema}` and this version reads `{SWEEP_SCHEMA}`");
            return Err(RecordError::NoSweep { path, why });
        }
        serde_json::from_value(written).map_err(fault)
    }

    /// Writes the record into the folder as [`SWEEP_FILE`]; a reader sees the old record or the new one, never a part.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn write_atomically(&self, folder: &Path) -> Result<PathBuf, RecordError> {
        let path = folder.join(SWEEP_FILE);
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| RecordError::Write { path: path.clone(), source: std::io::Error::other(error) })?;
        bytes.push(b'\n');
        write_atomically(&path, &bytes)?;
        Ok(path)
    }
}
