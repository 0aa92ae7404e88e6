//! patternbench settles MongoDB schema arguments with evidence: it drives two data models with the same operations
//! against a real server, checks that both give the same answers, records every latency in HDR histograms, and puts an
//! honest interval on the difference.
//!
//! ```
//! use patternbench::scenario::{load_scenario, starter};
//! use patternbench::source::SourceText;
//!
//! // What `patternbench new my-models` writes is a valid scenario: two models of the same facts, and a workload.
//! let text = SourceText::new("my-models.yaml", starter("my-models"));
//! let scenario = load_scenario(text).expect("the starting point is valid");
//! assert!(scenario.models.len() >= 2);
//! for operation in &scenario.workloads[0].operations {
//!     assert!(scenario.models.iter().all(|model| model.operations.contains_key(&operation.name)));
//! }
//! ```
//!
//! The rooms, from the bottom up; an import goes only to a room before it:
//! [`words`], [`units`], [`clock`] · [`record`] · [`analysis`] · [`source`] · [`value`] · [`scenario`] · [`server`] · [`backend`] ·
//! [`plan`] · [`operation`] · [`guard`] · [`load`] · [`evidence`] · [`parity`] · [`run`] · [`study`] · [`report`] · [`cli`].

pub mod analysis;
pub mod backend;
pub mod cli;
pub mod clock;
pub mod evidence;
pub mod guard;
pub mod load;
pub mod operation;
pub mod parity;
pub mod plan;
pub mod record;
pub mod report;
pub mod run;
pub mod scenario;
pub mod server;
pub mod source;
pub mod study;
pub mod units;
pub mod value;
pub mod words;
