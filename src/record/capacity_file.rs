//! Reading and writing `capacity.json`.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::RecordError;
use super::file::write_atomically;
use super::types::{CAPACITY_SCHEMA, CapacityRecord};

/// The name of a capacity study's record in its folder.
pub const CAPACITY_FILE: &str = "capacity.json";

/// What every layout has, whatever its version.
#[derive(Deserialize)]
struct Header {
    schema: String,
}

impl CapacityRecord {
    /// Reads a record; `path` is the file or the study's folder.
    ///
    /// # Errors
    /// When the file cannot be read, is no such record, or has a layout that this version does not know.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let path = if path.is_dir() { path.join(CAPACITY_FILE) } else { path.to_owned() };
        let bytes = std::fs::read(&path).map_err(|source| RecordError::Read { path: path.clone(), source })?;
        let malformed = |source| RecordError::NoCapacity { path: path.clone(), source };
        let header: Header = serde_json::from_slice(&bytes).map_err(malformed)?;
        if header.schema != CAPACITY_SCHEMA {
            return Err(RecordError::CapacitySchema { path, found: header.schema });
        }
        serde_json::from_slice(&bytes).map_err(malformed)
    }

    /// Writes the record into the folder as [`CAPACITY_FILE`]; a reader sees the old record or the new one, never a part.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn write_atomically(&self, folder: &Path) -> Result<PathBuf, RecordError> {
        let path = folder.join(CAPACITY_FILE);
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| RecordError::Write { path: path.clone(), source: io::Error::other(error) })?;
        bytes.push(b'\n');
        write_atomically(&path, &bytes)?;
        Ok(path)
    }
}
