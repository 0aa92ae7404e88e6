//! Capacity: the highest rate that a model sustains within an objective, from windows at many rates.
//!
//! Whether a window holds is a matter of chance near the edge, so the edge is estimated: the rate at which half of the
//! windows hold, in a logistic curve over the logarithm of the rate, by maximum likelihood; its interval is that of the
//! profile likelihood. Windows far from the edge say next to nothing then, and no single window sets an end: each takes three
//! windows near the edge that held, or missed. The search follows from the windows so far and nothing else, so that it goes on after
//! an interruption as if there had been none.
//!
//! Sources: profile likelihood: A. Agresti, *Categorical data analysis*, 3rd edition, 2013, chapter 5. Up and down around
//! the edge: W. J. Dixon, A. M. Mood, *A method for obtaining and analyzing sensitivity data*, J. Amer. Statist. Assoc. 43
//! (1948).

mod curve;
mod edge;
mod judge;
mod search;

pub use curve::{KNEE, knee, rate_curve};
pub use edge::capacity;
pub use judge::{Asked, least_operations, probed};
pub use search::{SearchLimits, next_rate};
