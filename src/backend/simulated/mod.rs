//! A server whose truth is known: latencies, stalls, errors and drift are declared in a file, and every draw follows from
//! the run's seed. It shows what harness and statistics make of a truth, never anything about MongoDB; its reports are
//! stamped SIMULATED.
//!
//! `patternbench run SCENARIO --server simulated=FILE` takes a YAML file such as
//!
//! ```yaml
//! time: virtual              # virtual (default): a minute passes in a moment. real: as it says
//! concurrency: 8             # operations served at a time; further ones queue in their order (default: no limit)
//! stalls:                    # the whole server stands still, operations in service included
//!   - {every: 1s, lasts: 100ms, after: 500ms}    # first after 500 ms (default: after `every`), then every second
//! generator: {cost: 20us}    # what the load generator itself needs to prepare an operation
//! default:                   # for models and operations that are not named below
//!   latency: {exponential: {mean: 2ms}}
//! models:
//!   naive:
//!     list_page:
//!       latency: {lognormal: {median: 5ms, sigma: 0.5}}
//!       grows: {with: reviews_per_product, unit: 20, exponent: 1, fixed: 0.1}
//!       errors: {share: 0.01, kind: Timeout}
//!       drift: 0.2
//!       between_windows: 0.05
//!       between_restarts: 0.1
//!       empty: 0.02
//!       answers: differ
//!     default: {latency: {constant: 1ms}}        # for the model's other operations
//! ```
//!
//! Latencies are times in service, without queue and stalls: `constant: 5ms`, `uniform: [1ms, 9ms]`,
//! `exponential: {mean: 5ms}`, `lognormal: {median: 5ms, sigma: 0.5}` (sigma is the standard deviation of the logarithm),
//! `pareto: {minimum: 1ms, shape: 2.5}`, `mixture: [{share: 0.9, of: {constant: 1ms}}, {share: 0.1, of: {constant: 20ms}}]`.
//! They are multiplied by
//!
//! - `grows`: fixed + (value ÷ unit)^exponent, of a parameter of the scenario (`with`); `unit` and `exponent` are 1 unless
//!   given, `fixed` is 0;
//! - `drift`: 1 at the first measured operation number, growing in a straight line to 1 + drift at the last (a model that
//!   does the same number at another time drifts alike, so paired ratios keep their truth), anew in each restart;
//! - `between_windows`: exp(s · z), z standard normal and the same for all operations of one window of a model: what
//!   makes operations within a window correlated. The median of the factor is 1;
//! - `between_restarts`: the same for all windows of a model in one restart.
//!
//! `errors` fail a share of operations, each by itself, after their latency. They occur under load, not while answers are
//! compared. Kinds are those of run.json: `Timeout`, `Connection`, `Driver`, and the errors that a scenario can name.
//! `empty` is the share of operations that find nothing, the same numbers in every
//! model. Every operation answers a value that follows from seed, operation and number, equal in all models, unless
//! `answers: differ`.

mod behaviour;
mod build;
mod clock;
mod duration;
mod file;
mod fit;
mod latency;
mod model;
mod server;
mod simulation;
mod stalls;
#[cfg(test)]
mod tests;

pub use behaviour::{Answers, Behaviour, Errors, Grows};
pub use clock::SimulatedClock;
pub use latency::Latency;
pub use model::{Common, Moment, Outcome, SimulatedModel, Step};
pub use server::SimulatedServer;
pub use simulation::{Simulation, Time};
pub use stalls::Stall;
