//! Reading `run.json`, and writing it so that a reader never sees half of it.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::RecordError;
use super::types::{RunRecord, SCHEMA};

/// The name of a run's record in its folder.
pub const RUN_FILE: &str = "run.json";

/// What every layout of a record has, whatever its version.
#[derive(Deserialize)]
struct Header {
    schema: String,
    #[serde(default)]
    tool: Option<HeaderTool>,
}

#[derive(Deserialize)]
struct HeaderTool {
    #[serde(default)]
    version: Option<String>,
}

impl RunRecord {
    /// Reads a record; `path` is the file or the run's folder.
    ///
    /// # Errors
    /// When the file cannot be read, is no record, or has a layout that this version does not know.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let path = if path.is_dir() { path.join(RUN_FILE) } else { path.to_owned() };
        let bytes = std::fs::read(&path).map_err(|source| RecordError::Read { path: path.clone(), source })?;
        let header: Header =
            serde_json::from_slice(&bytes).map_err(|source| RecordError::Malformed { path: path.clone(), source })?;
        if header.schema != SCHEMA {
            let tool = header.tool.and_then(|tool| tool.version);
            return Err(RecordError::Schema { path, found: header.schema, tool });
        }
        serde_json::from_slice(&bytes).map_err(|source| RecordError::Malformed { path, source })
    }

    /// Writes the record into the folder as [`RUN_FILE`]; a reader sees the old record or the new one, never a part.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn write_atomically(&self, folder: &Path) -> Result<PathBuf, RecordError> {
        let path = folder.join(RUN_FILE);
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| RecordError::Write { path: path.clone(), source: io::Error::other(error) })?;
        bytes.push(b'\n');
        write_atomically(&path, &bytes)?;
        Ok(path)
    }
}

/// Writes a file by way of a temporary one beside it, synced and renamed: after a crash there is the old file or the
/// new one.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    replace(folder, path, bytes).map_err(|source| RecordError::Write { path: path.to_owned(), source })
}

fn replace(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = tempfile::Builder::new().prefix(".patternbench-").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    readable_by_others(temporary.as_file())?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// Temporary files are private; results are not.
#[cfg(unix)]
fn readable_by_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_others(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Makes the rename itself durable, where folders can be synced; where they cannot, the file is still whole.
fn sync_folder(folder: &Path) {
    if let Ok(handle) = File::open(folder) {
        let _ = handle.sync_all();
    }
}
