//! Studies of many loads: what a single run cannot say.
//!
//! [`verify_growth`] loads scenarios at two sizes and looks which operations cost more over the larger data than their
//! author says. [`sweep`] measures a scenario at several values of a parameter, of the cache or of the mix, and says how
//! costs grow and where one model overtakes the other. [`capacity`] searches for the highest rate that each model of a scenario sustains within an objective.
//! author says. [`sweep()`] measures a scenario at several values of a parameter, of the cache or of the mix, and says how
//! costs grow and where one model overtakes the other.

mod capacity;
mod growth;
mod sweep;

pub use capacity::{CapacityFinish, CapacityRequest, capacity, capacity_begun, capacity_refusal, hold};
pub use growth::{GrowthRequest, verify_growth};
pub use sweep::{
    Axis, AxisChoice, AxisError, AxisValue, Refinement, SweepFinish, SweepListener, SweepRequest, differences,
    empty_sweep, plan_point, sweep, usual_load, values_of,
};
