//! Facts that explain a latency and do not depend on the machine: so far, what a model's data and indexes take.

mod holdings;
mod sizes;

pub use holdings::holdings;
pub use sizes::{EvidenceError, flush, storage};
