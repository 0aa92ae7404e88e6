//! A scenario with its models side by side, for people who read it rather than run it.

mod command;
mod contents;
mod document;
mod facts;
mod layout;
mod page;
mod samples;
mod sheet;
mod written;

pub use contents::contents;
pub use facts::ParameterSheet;
pub use sheet::{CollectionSheet, Commands, ModelSheet, OperationSheet, Samples, Sheet, StepsSheet};
