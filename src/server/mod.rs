//! Finds or starts a server, and tells what it is.
//!
//! A server that patternbench starts is a process of its own over a fresh temporary folder, on a free loopback port,
//! with an empty environment; it is stopped and its folder deleted whatever happens. Facts are gathered here; whether
//! they permit a run is for [`guard`](crate::guard) to judge.

mod choice;
mod connect;
mod embedded;
mod error;
mod facts;
mod lacks;
mod memory;
mod mongod;
mod own_commands;
mod pool;
mod process;
mod running;
pub mod secantusd;
mod secret;
mod start;
mod traffic;

pub use choice::{
    DEFAULT_CACHE_BYTES, DecidedServer, Decision, EMBEDDED_VARIABLE, ServerChoice, ServerOptions, Surroundings,
    URI_VARIABLE, decide,
};
pub use connect::{APP_NAME, in_brief};
pub use embedded::EMBEDDED_VERSION;
pub use error::ServerError;
pub use facts::{DATABASE_PREFIX, ServerFacts, Visible};
pub use memory::refuses_memory_limit;
pub use mongod::{LEAST_CACHE_OF_MONGOD, refuses_cache};
pub use own_commands::OwnCommands;
pub use pool::{Pool, PoolWaits};
pub use running::{RunningServer, open};
pub use secret::{SecretUri, UriProblem};
pub use traffic::{Traffic, TrafficCount};
