//! `patternbench sweep`.

mod args;
mod begun;
mod present;
mod progress;
mod run;

pub(super) use args::SweepArgs;
pub(super) use present::{is_sweep, report};
pub(super) use run::run;
