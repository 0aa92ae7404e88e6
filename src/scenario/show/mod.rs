//! A scenario with its models side by side, for people who read it rather than run it.

mod document;
mod layout;
mod samples;
mod sheet;

pub use sheet::{CollectionSheet, ModelSheet, OperationSheet, Samples, Sheet};
