//! Reading files: bounded, and with errors that say what to do.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::yaml::MAX_BYTES;
use super::{Parsed, Problems, SourceFile, SourceText, parse};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The operating system refused.
    #[error("failed to read {}: {error}; {}", path.display(), advice(error))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        error: std::io::Error,
    },
    /// A folder was named.
    #[error("failed to read {}: it is a folder; name a file in it", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// More than is read.
    #[error("failed to read {}: it is larger than 1 MiB; put large data into a file of its own (`file: data.jsonl`)", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// Not text.
    #[error("failed to read {}: byte {offset} (line {line}) is not UTF-8; save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first byte that belongs to no character, from 0.
        offset: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// It was read, and there are problems in it ([`show`](super::show) shows them).
    #[error("{} in {}", super::show::count(problems.len()), text.name())]
    Broken {
        /// The text.
        text: SourceText,
        /// What is wrong with it.
        problems: Problems,
    },
}

fn advice(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "check the path",
        std::io::ErrorKind::PermissionDenied => "allow yourself to read it",
        _ => "check that it is an ordinary file",
    }
}

/// Reads a file of at most 1 MiB as text. Messages call it by `path` as given.
///
/// # Errors
/// The file cannot be read, is a folder, is too large, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<SourceText, SourceError> {
    let failed = |error| SourceError::Io { path: path.to_owned(), error };
    if path.is_dir() {
        return Err(SourceError::Folder { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more; an endless file (a device) is not read to its end.
    File::open(path).map_err(failed)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > MAX_BYTES {
        return Err(SourceError::TooLarge { path: path.to_owned() });
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count();
        SourceError::NotUtf8 { path: path.to_owned(), offset, line }
    })?;
    Ok(SourceText::new(path.display().to_string(), text))
}

/// Reads a YAML file.
///
/// # Errors
/// As [`read_text`]; or there are problems in the file.
pub fn read_file(path: &Path) -> Result<SourceFile, SourceError> {
    match parse(read_text(path)?) {
        Ok(Parsed { file, problems }) if problems.is_empty() => Ok(file),
        Ok(Parsed { file: SourceFile { text, .. }, problems }) | Err((text, problems)) => {
            Err(SourceError::Broken { text, problems })
        }
    }
}
