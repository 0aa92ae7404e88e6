//! The record of a run: the types of `run.json`, reading and atomic writing, the results folder.
//!
//! A results folder holds a folder for each run, `<UTC time to the second>-<label or scenario>` (a second run of the same
//! second has `-2` behind it). In it stand
//!
//! - `run.json`, the record: written whole or not at all, after each scenario and at the end. Until then `complete` is
//!   false in it and `finished_at` absent;
//! - `report.html` and what `patternbench report` made besides, all of it from `run.json` alone.
//!
//! A folder without `run.json` is no run (yet); a run that is killed in its first scenario leaves it empty. Names that begin with a dot are passed over: files on their way, and runs
//! on their way out. Beside the runs, `trend` and `scripts/nightly` keep files of their own; they are no folders with a
//! record, so no list has them.

mod capacity_file;
mod digest;
mod error;
mod file;
mod folder;
pub mod histogram;
mod listing;
mod named;
mod pruning;
mod stamp;
mod sweep;
mod thinning;
mod types;

pub use capacity_file::CAPACITY_FILE;
pub use digest::{ComparisonDigest, ModelDigest, RunDigest, ScenarioDigest};
pub use error::RecordError;
pub use file::{RUN_FILE, write_atomically};
pub use folder::{MIN_FREE_BYTES, ResultsFolder, free_bytes};
pub use listing::{ListedRun, Listing, RunHeader, host_group, list_runs};
pub use named::{NameError, resolve_runs};
pub use pruning::{Pruned, Unremovable, remove_run, sweep};
pub use stamp::{Stamp, now};
pub use sweep::SWEEP_FILE;
pub use thinning::{BadRule, KeepRule, Kept};
pub use types::*;
