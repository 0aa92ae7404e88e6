//! The types of `run.json`. Names in it are a contract: other programs rely on them.
//!
//! Durations are microseconds unless the name says otherwise. A figure without a sample is absent, never 0 or NaN.

mod analysis;
mod break_even;
mod capacity;
mod compare;
mod evidence;
mod growth;
mod model;
mod round;
mod run;
mod scenario;
mod sweep;
mod trend;

pub use analysis::*;
pub use break_even::*;
pub use capacity::*;
pub use compare::*;
pub use evidence::*;
pub use growth::*;
pub use model::*;
pub use round::*;
pub use run::*;
pub use scenario::*;
pub use sweep::*;
pub use trend::*;
