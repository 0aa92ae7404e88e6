//! Two runs, or two groups of runs, compared: what changed, and how sure that is.
//!
//! Judged first is the change of the *speed-up*: the difference of the two sides' mean log ratios. Whatever makes one night
//! slower than another makes both models of that night slower, so naive is each run's own control. Then the figures of each
//! model, which have no such control and get a verdict only from three runs, or three restarts, on each side. Changes of the
//! evidence are facts and are always told.
//!
//! **What the interval covers.** A run speaks of one server start, one loaded dataset and one night; the interval over its
//! rounds knows nothing of the next. Three levels are told apart, and every figure says which one it stands on:
//!
//! - *runs*: one side at least has three. The run is the unit: Welch's t interval where both sides have three, else a t
//!   interval with the spread that the runs of both sides share. It covers whatever varies between the runs compared.
//! - *restarts*: one run on each side with three fresh loads or more. The restart is the unit, in Welch's interval. It covers
//!   loads and server starts, not another night.
//! - *rounds*: fewer. Welch's interval over rounds, to which the variance of an allowance is added for each run: by default a
//!   standard deviation of [`RUN_TO_RUN`] of the speed-up. So two runs of the same build are not told apart by what any two
//!   runs differ in; the price is that a change below about a fifth does not show. The allowance is a convention, not a
//!   measurement: where a machine varies more, it is too small, and comparing groups of runs tells how much that is. Figures
//!   of a single model get no allowance, and no verdict, from rounds alone: their interval covers the rounds of these runs.
//!
//! The verdict is the whole interval beyond the practical threshold, by the test of |log change| ≤ log(1 + threshold), with
//! Holm's adjustment over the operations of a scenario for each model and metric; the whole mix is a question of its own.
//!
//! Response times depend on the rate offered, and service times too: more requests are under way at a time. Where both
//! sides were not offered the same, or a model could not bear it, light load is compared; service times where the load
//! generator was late, or there is no light load.
//!
//! Sources: B. L. Welch, *The generalization of "Student's" problem when several different population variances are
//! involved*, Biometrika 34 (1947); F. E. Satterthwaite, *An approximate distribution of estimates of variance components*,
//! Biometrics Bulletin 2 (1946). That the level that varies is the one to repeat: T. Kalibera, R. Jones, arXiv 2007.10899;
//! L. Bulej et al., *Duet benchmarking*, arXiv 2001.05811; D. Daly et al., ICPE 2020.

mod basis;
mod changes;
mod differences;
mod evidence;
mod fields;
mod incomparable;
mod judge;
mod missing;
mod pair;
mod sample;
mod together;
mod welch;

pub use differences::differences;
pub use incomparable::Incomparable;
pub use together::{CompareOptions, Compared, RUN_TO_RUN, compare};

#[cfg(test)]
mod tests;
