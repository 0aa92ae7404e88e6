//! Executes one operation of one model on a backend: arguments, steps, bindings, result.
//!
//! [`ModelProgram`] is a model's operations with parameters filled in. [`ModelProgram::prepare`] renders, before any
//! clock starts, what can be rendered; [`ModelProgram::execute`] sends the calls and renders what depends on replies.

mod answer;
mod binding;
mod blocks;
mod call_program;
mod execute;
mod identity;
mod prepare;
mod program;
mod render;
mod transaction;
mod tree;

pub use answer::Answer;
pub use execute::{Done, Traced, TracedCall};
pub use prepare::PreparedOperation;
pub use program::ModelProgram;
