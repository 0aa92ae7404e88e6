//! Dataset → source database → each model's database.
//!
//! The facts are written once, by parallel bulk inserts, into the *source database* ([`load_source`]). Each collection
//! of a model is an aggregation pipeline over it, whose answers the client reads and writes on ([`load_model`]): the
//! migration that the model would need, in effect. Since documents pass through the client, validators, time series
//! collections and sharded targets work as they would for an application, on any server.
//!
//! Data are a function of the seed alone: whatever the number of connections, the same documents arrive. Every wait is
//! bounded ([`LoadOptions`]), and so is memory: a few batches per connection.

mod batch;
mod cause;
mod count;
mod create;
mod error;
mod identity;
mod model;
mod options;
mod oversize;
mod prepare;
mod progress;
mod sample;
mod source;
mod stream;
mod timed;
mod write;

pub use cause::Cause;
pub use error::{LoadError, Oversize, StagePlace};
pub use model::{LoadedModel, load_model};
pub use options::LoadOptions;
pub use progress::{LoadProgress, ProgressListener};
pub use source::load_source;
