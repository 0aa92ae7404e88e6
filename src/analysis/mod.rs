//! What the rounds say: pure functions over a record.
//!
//! The unit of inference is the round (or a few neighbouring rounds joined), never the operation: operations inside one
//! window are correlated, and pooling them makes intervals far too short. Per unit the quantile of naive is divided by
//! that of the other model; the logarithms of these paired ratios get a Student t interval with K − 1 degrees of
//! freedom; the verdict is a test against a practical threshold of ±5 % that is fixed beforehand.
//!
//! Sources: paired and randomised trials: A. Abedi, T. Brecht, *Conducting repeatable experiments in highly variable
//! cloud computing environments*, ICPE 2017. The level that varies is the one to repeat: T. Kalibera, R. Jones,
//! *Quantifying performance changes with effect size confidence intervals*, arXiv 2007.10899. Step-down adjustment:
//! S. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 6 (1979). Equivalence by the
//! 90 % interval: D. J. Schuirmann, *A comparison of the two one-sided tests procedure*, J. Pharmacokinet. Biopharm. 15
//! (1987).

mod analyse;
mod cast;
mod claims;
mod estimate;
mod headline;
mod holm;
mod limited;
mod metric;
mod paired;
mod samples;
mod settle;
mod spread;
mod throughput;
mod tuning;
mod units;
mod verdict;
mod windows;

pub use analyse::{ALL, analyse, operations};
pub use cast::Cast;
pub use headline::{Headline, headline, headline_of_other};
pub use limited::engine_limited;
pub use paired::Paired;
pub use samples::Latency;
pub use spread::{Spread, spreads};
pub use verdict::{ALPHA, Decision, THRESHOLD, decide};
pub use windows::{Fault, TakenOut, taken_out};
