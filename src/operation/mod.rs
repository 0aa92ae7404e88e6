//! Executes one operation of one model on a backend: arguments, steps, bindings, result.
//!
//! [`ModelProgram`] is a model's operations with parameters filled in. [`ModelProgram::prepare`] renders, before any
//! clock starts, what can be rendered; [`ModelProgram::execute`] sends the calls and renders what depends on replies.

mod actor;
mod answer;
mod beside;
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

pub use actor::{ActorProgram, Drive, EventProgram};
pub use answer::Answer;
pub use beside::{Acted, Acting, ActorPlace, ActorState, Turns, work_off};
pub use execute::{Done, Traced, TracedCall, Written};
pub use prepare::PreparedOperation;
pub use program::ModelProgram;
