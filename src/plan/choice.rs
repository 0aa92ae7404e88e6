//! Which load a plan asks for, before calibration.

use crate::units::Rate;

/// Which load a plan asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoadChoice {
    /// Open at a share of the slower capacity; closed where that is too slow for it.
    Auto,
    /// Closed.
    Closed,
    /// Open.
    Open {
        /// Operations due per second; `None` takes a share of the slower capacity.
        rate: Option<Rate>,
    },
}

impl LoadChoice {
    /// The rate asked for, if one is.
    pub const fn rate(self) -> Option<Rate> {
        match self {
            Self::Open { rate } => rate,
            Self::Auto | Self::Closed => None,
        }
    }
}
