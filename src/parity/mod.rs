//! Whether all models give the same answers to the same operations: before anything is measured, and after the last
//! round. A faster model that answers something else is a fault in the scenario.

mod beside;
mod canonical;
mod closing;
mod compare;
mod diff;
mod difference;
mod judge;
mod number;
mod outcome;
mod project;
mod rules;
mod sample;
mod show;
#[cfg(test)]
mod tests;

pub use beside::settle;
pub use canonical::Canonical;
pub use closing::{Closing, compare_closing};
pub use compare::{ParityModel, compare};
pub use diff::{Diff, DiffSide};
pub use number::Number;
pub use outcome::{ApartCounts, Failure, FieldSeen, Observed, ParityError, ParityOutcome, Reads};
pub use sample::{Sample, stratified};
