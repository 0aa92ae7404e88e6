//! The known truths: what is declared to the simulated server is what harness and statistics must find, or must say that
//! they cannot tell. Every seed is fixed beforehand: the first, and whatever comes of it stands.

mod capacity;
mod coverage;
mod drift;
mod errors;
mod identical;
mod limits;
mod quantiles;
mod repeat;
mod stall;
mod steps;
mod support;
mod sweep;
mod too_few;
mod trials;
