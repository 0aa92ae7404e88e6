//! What a reply of `explain` says, whichever product and version wrote it: the one place that knows how they differ.
//!
//! Replies come as one plan or one per shard; as `queryPlanner` and `executionStats` at the top, or inside the `$cursor`
//! stage of a pipeline; from the classic engine, whose execution tree mirrors the plan, or from the slot-based one, whose
//! execution tree refers to the plan by number; and since 8.0 with `EXPRESS` stages. What a reply does not say is
//! absent here, never guessed.

mod figures;
mod joined;
mod part;
mod tree;

#[cfg(test)]
mod tests;

pub use figures::Explained;
