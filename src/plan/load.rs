//! How load is offered in a window.

use crate::units::Rate;
use crate::words::{ArrivalProcess, Mode};

/// How load is offered in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Each worker sends its next operation when the last returned.
    Closed {
        /// Workers.
        workers: u32,
    },
    /// Operations are due at intended times, whatever the server does.
    Open {
        /// Workers: as many operations can be under way at a time.
        workers: u32,
        /// Operations due per second.
        rate: Rate,
        /// How their times lie.
        arrivals: ArrivalProcess,
        /// What random arrivals follow from.
        seed: u64,
    },
}

impl Load {
    /// Its mode.
    pub const fn mode(&self) -> Mode {
        match self {
            Self::Closed { .. } => Mode::Closed,
            Self::Open { .. } => Mode::Open,
        }
    }

    /// Workers that send operations.
    pub const fn workers(&self) -> u32 {
        match self {
            Self::Closed { workers } | Self::Open { workers, .. } => *workers,
        }
    }

    /// The same load whose random arrivals are those of one window among many: the same for every model, and independent
    /// of those of other windows.
    #[must_use]
    pub const fn of_window(self, window: u64) -> Self {
        match self {
            Self::Closed { .. } => self,
            Self::Open { workers, rate, arrivals, seed } => {
                // Any odd multiplier keeps windows apart; the generator scrambles the seed itself.
                let seed = seed.wrapping_add(window.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                Self::Open { workers, rate, arrivals, seed }
            }
        }
    }

    /// The offered rate; `None` under closed load.
    pub const fn rate(&self) -> Option<Rate> {
        match self {
            Self::Closed { .. } => None,
            Self::Open { rate, .. } => Some(*rate),
        }
    }
}
