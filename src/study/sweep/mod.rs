//! A scenario at several values of a parameter, of the cache, or of the mix.
//!
//! Every value is an ordinary run with a folder and a record of its own, so that it can be looked at by itself. The record
//! of the sweep is written anew after each, so that an interruption costs the value in work and nothing else. Between
//! values the server is kept, where all are measured on it; within one, all models and workloads are built from the same
//! source data. Data are loaded anew for each value: those of another parameter are others, and a model that operations
//! have written to is no longer what a run begins with.

mod axis;
mod drive;
mod load;
mod mix;
mod point;
mod refine;
mod resume;
mod values;

pub use axis::{Axis, AxisChoice, AxisError, AxisValue};
pub use drive::{SweepFinish, SweepListener, SweepRequest, empty_sweep, sweep};
pub use load::usual_load;
pub use point::plan_point;
pub use refine::Refinement;
pub use resume::differences;
pub use values::values_of;
