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

/// A text that is no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a whole number with B, KiB, MiB or GiB, such as 256MiB")]
pub struct NoSize;

impl std::str::FromStr for Bytes {
    type Err = NoSize;

    /// Reads a size such as `256MiB`.
    fn from_str(text: &str) -> Result<Self, NoSize> {
        let digits = text.find(|character: char| !character.is_ascii_digit()).ok_or(NoSize)?;
        let (number, unit) = text.split_at(digits);
        let factor: u64 = match unit.trim_start() {
            "B" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return Err(NoSize),
        };
        let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
        bytes.map(Self).ok_or(NoSize)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_numbers_with_a_binary_unit() {
        assert_eq!("256MiB".parse(), Ok(Bytes::new(256 * 1024 * 1024)));
        assert_eq!("1 GiB".parse(), Ok(Bytes::new(1024 * 1024 * 1024)));
        assert_eq!("512B".parse(), Ok(Bytes::new(512)));
        for wrong in ["256", "MiB", "256MB", "-1MiB", "1.5GiB", "99999999999GiB", ""] {
            assert_eq!(wrong.parse::<Bytes>(), Err(NoSize), "{wrong}");
        }
    }
}
