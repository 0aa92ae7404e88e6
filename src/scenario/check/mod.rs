//! What a scenario file means: every check, all problems in one go, and the compiled scenario where there is none.

mod checker;
mod claims;
mod classes;
mod collections;
mod dataset;
mod filter;
mod models;
mod names;
mod order;
mod parameters;
mod pipeline;
mod scenario;
mod shapes;
mod steps;
mod workloads;

pub use collections::CREATE_OPTIONS;
pub(super) use scenario::check;
pub(super) use shapes::Shape;
pub(super) use steps::EXTRAS;
