//! Facts that explain a latency and do not depend on the machine: plans and what they examine, what data and indexes take,
//! which indexes were used.
//!
//! [`Explainer`] asks the server to explain the very command that a step sends, with figures; [`Explained`] reads the reply,
//! whichever product wrote it. Nothing here runs inside a window.

mod explained;
mod flags;
mod holdings;
mod index_use;
mod number;
mod request;
mod sizes;
mod steps;

pub use explained::Explained;
pub use flags::flags_of;
pub use holdings::holdings;
pub use index_use::{IndexCounts, index_counts, index_use};
pub use request::EvidenceError;
pub use sizes::{beside_cache, flush, sizes, storage};
pub use steps::{Explainer, Gathered, calls_of, not_run, too_slow};
