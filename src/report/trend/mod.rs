//! The history of a results folder: on a terminal, and for tools that judge histories.

mod bencher;
mod github;
mod named;
mod otava;
mod scale;
mod terminal;

pub use bencher::bencher;
pub use github::github;
pub use otava::{OTAVA_CONFIG, otava};
pub(super) use scale::Scale;
pub use terminal::trend;
