//! The record of a run: the types of `run.json`, reading and atomic writing, the results folder.

mod error;
mod file;
mod folder;
pub mod histogram;
mod named;
mod stamp;
mod types;

pub use error::RecordError;
pub use file::{RUN_FILE, write_atomically};
pub use folder::{MIN_FREE_BYTES, ResultsFolder, free_bytes};
pub use named::{NameError, resolve_runs};
pub use stamp::{Stamp, now};
pub use types::*;
