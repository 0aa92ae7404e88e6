//! What the embedded server is known to execute unlike mongod: the one list of engine-limited shapes.
//!
//! A row with such a step is measured and shown, but marked †, explained, and left out of claims and counts. The list
//! follows the server's source and measurements; a shape that both servers execute alike (a scan where no index could
//! serve either) is not on it.

mod absent;
mod filter;
mod limits;
mod view;

#[cfg(test)]
mod tests;

pub use absent::absent;
pub(super) use limits::shares_tables;
pub use limits::{CollectionTraits, SentStep, engine_limits};
pub use view::{TopN, top_n};
