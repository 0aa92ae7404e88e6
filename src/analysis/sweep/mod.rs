//! What the points of a sweep say together: how costs grow, and where one model overtakes the other.

mod analyse;
mod claims;
mod crossing;
mod curve;
mod figures;
mod slopes;

pub use analyse::{analyse_sweep, renew_point};
pub use claims::keep_claims;
pub use crossing::{Crossing, RatioPoint, crossing};
pub use curve::{Curve, Growing, Observation, curve};
pub use figures::figures;
pub use slopes::{Slope, growth_word, slopes};
