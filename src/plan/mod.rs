//! From a scenario, parameters and options to a plan that fixes seed, order, mix and number ranges before the first
//! request. Pure: nothing here touches a server.

mod calibrated;
mod choice;
mod control;
mod effects;
mod error;
mod estimate;
mod figures;
mod growth;
mod load;
mod mix;
mod options;
mod order;
mod outline;
mod parameters;
mod preferred;
mod profile;
mod ranges;
mod resolve;
mod round;
mod sizes;
mod stream;
mod stretch;
mod worlds;

pub use calibrated::{CalibratedPlan, Capacity, LEAST_OPEN_CAPACITY, OFFERED_SHARE};
pub use choice::LoadChoice;
pub use error::PlanError;
pub use estimate::Estimate;
pub use load::Load;
pub use mix::Mix;
pub use options::{MAX_CONCURRENCY, RunOptions};
pub use order::balanced_order;
pub use outline::{Decided, OutlineRow};
pub use parameters::{parity_parameters, profile_parameters, resolve_parameters};
pub use profile::{LightLoadTimes, ProfileTimes};
pub use ranges::{CALIBRATION_FROM, LIGHT_LOAD_FROM, MEASURED_FROM, Ranges};
pub use resolve::{Plan, plan_scenario};
pub use round::RoundPlan;
pub use sizes::{GROWN_BY, Growable, Sizes, plan_sizes};
pub use stream::{STREAM_LENGTH, stream_sha256};
pub use stretch::Stretch;
pub use worlds::world;
