//! What a step needs of a server, as a trait: the driver's implementation and the simulated one.

mod action;
mod bulk;
mod call;
mod changes;
mod command;
mod error;
mod mongo;
mod prepared;
pub mod simulated;
mod typed;

pub use call::{Backend, Call, CallError, CallErrorKind, Keep, Remedy, Rendered, Reply, WriteOutcome};
pub use changes::{ChangePlace, Changes, MongoChanges, Watched};
pub use mongo::MongoBackend;
pub use prepared::PreparedCall;
