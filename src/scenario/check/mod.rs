//! What a scenario file means: every check, all problems in one go, and the compiled scenario where there is none.

mod actors;
mod blocks;
mod bulk;
mod checker;
mod claims;
mod classes;
mod collections;
mod command;
mod dataset;
mod fields;
mod filter;
mod indexes;
mod loops;
mod models;
mod names;
mod order;
mod parameters;
mod partitions;
mod pipeline;
mod scenario;
mod shapes;
mod steps;
mod workloads;

pub(super) use bulk::BULK_WRITES;
pub use collections::CREATE_OPTIONS;
pub use command::READ_COMMANDS;
pub(super) use scenario::check;
pub(super) use shapes::Shape;
pub(super) use steps::EXTRAS;
pub(super) use workloads::STATES;
