//! The folder of a run's results, made and tried before anything is measured.

use std::io;
use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::file::write_atomically;
use super::stamp::Stamp;

/// Room that a run's results may need: records of long runs stay below it by far.
pub const MIN_FREE_BYTES: u64 = 64 << 20;
/// Runs that may begin within the same second under the same name.
const MAX_NAMESAKES: u32 = 1_000;
const MAX_NAME: usize = 80;

/// A run's own folder: no other run writes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsFolder {
    path: PathBuf,
}

impl ResultsFolder {
    /// Makes `out/<stamp>-<name>` and makes sure that results can be written to it. `name` is the label, or the
    /// scenarios' names; characters unfit for a file name become `-`. A folder that exists is never used again: a
    /// second run in the same second gets `-2` behind its name.
    ///
    /// # Errors
    /// When the folder cannot be made or written to, or the disk has too little room.
    pub fn create(out: &Path, stamp: Stamp, name: &str) -> Result<Self, RecordError> {
        let base = format!("{}-{}", stamp.compact(), file_name(name));
        std::fs::create_dir_all(out).map_err(|source| RecordError::Folder { path: out.to_owned(), source })?;
        let folder = Self { path: make_fresh(out, &base)? };
        if let Err(error) = folder.check() {
            // Only an empty folder is removed; what removal says does not matter beside the error.
            let _ = std::fs::remove_dir(&folder.path);
            return Err(error);
        }
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn check(&self) -> Result<(), RecordError> {
        if let Some(free) = free_bytes(&self.path).filter(|free| *free < MIN_FREE_BYTES) {
            return Err(RecordError::DiskFull { path: self.path.clone(), free, needed: MIN_FREE_BYTES });
        }
        let probe = self.path.join(".probe");
        let tried = write_atomically(&probe, &[0; 4096]);
        let _ = std::fs::remove_file(&probe);
        tried.map_err(|error| match error {
            RecordError::Write { source, .. } => RecordError::Folder { path: self.path.clone(), source },
            other => other,
        })
    }
}

/// Makes a folder that did not exist: `create_dir` fails where another run made it first.
fn make_fresh(out: &Path, base: &str) -> Result<PathBuf, RecordError> {
    let mut path = out.join(base);
    for namesake in 2..=MAX_NAMESAKES {
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => path = out.join(format!("{base}-{namesake}")),
            Err(source) => return Err(RecordError::Folder { path, source }),
        }
    }
    Err(RecordError::Folder { path, source: io::ErrorKind::AlreadyExists.into() })
}

fn file_name(name: &str) -> String {
    let mut clean = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' if clean.len() < MAX_NAME => clean.push(c),
            _ if clean.len() < MAX_NAME && !clean.ends_with('-') => clean.push('-'),
            _ => {}
        }
    }
    let clean = clean.trim_matches(['-', '.']);
    if clean.is_empty() { "run".to_owned() } else { clean.to_owned() }
}

/// Bytes that this user may still write to the disk of that folder; `None` where the system does not tell or there is no
/// such folder.
#[cfg(unix)]
pub fn free_bytes(path: &Path) -> Option<u64> {
    let stat = nix::sys::statvfs::statvfs(path).ok()?;
    // The types differ between systems; all of them fit.
    #[expect(clippy::useless_conversion, reason = "u32 on some systems, u64 on others")]
    Some(u64::from(stat.blocks_available()).saturating_mul(u64::from(stat.fragment_size())))
}

#[cfg(not(unix))]
pub fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_fit_for_a_folder() {
        assert_eq!(file_name("product-list-page"), "product-list-page");
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd");
        assert_eq!(file_name("before & after, ünïcode"), "before-after-n-code");
        assert_eq!(file_name("///"), "run");
        assert_eq!(file_name(&"x".repeat(500)).len(), MAX_NAME);
    }
}
