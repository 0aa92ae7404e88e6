//! Newtypes for quantities with a unit, so that no bare `f64` crosses a module.
//!
//! All of them serialise as the plain number, in the unit that the type's name says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! unit {
    ($(#[$meta:meta])* $name:ident($inner:ty)) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name($inner);

        impl $name {
            /// Wraps a number that is already in this unit.
            pub const fn new(value: $inner) -> Self {
                Self(value)
            }

            /// The number, in this unit.
            pub const fn get(self) -> $inner {
                self.0
            }
        }
    };
}

unit! {
    /// A duration in microseconds. Histogram values are whole; means are not.
    Micros(f64)
}
unit! {
    /// A duration in seconds.
    Seconds(f64)
}
unit! {
    /// A number of bytes.
    Bytes(u64)
}
unit! {
    /// Operations (or documents) per second.
    Rate(f64)
}
unit! {
    /// A dimensionless quotient, above 1 when the first of the two is larger. Never NaN in a record.
    Ratio(f64)
}
unit! {
    /// A part of a whole, 0 to 1.
    Share(f64)
}

impl From<std::time::Duration> for Micros {
    fn from(duration: std::time::Duration) -> Self {
        Self(duration.as_secs_f64() * 1e6)
    }
}

impl From<std::time::Duration> for Seconds {
    fn from(duration: std::time::Duration) -> Self {
        Self(duration.as_secs_f64())
    }
}
