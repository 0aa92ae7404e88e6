//! Facts that explain a latency and do not depend on the machine: so far, what a model's data and indexes take.

mod sizes;

pub use sizes::{EvidenceError, flush, storage};
