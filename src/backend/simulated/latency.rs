//! Distributions of a time in service.

use std::time::Duration;

use rand::{Rng, RngExt as _};
use rand_distr::{Distribution as _, Exp1, Pareto, StandardNormal};

use crate::units::Share;

/// The longest latency that is drawn.
const LONGEST_SECONDS: f64 = 3_600.0;

/// A distribution of times in service.
#[derive(Debug, Clone, PartialEq)]
pub enum Latency {
    /// Always the same.
    Constant(Duration),
    /// Every time between these two is as likely as any other.
    Uniform {
        /// The shortest.
        low: Duration,
        /// The longest.
        high: Duration,
    },
    /// Without memory.
    Exponential {
        /// Its mean.
        mean: Duration,
    },
    /// Its logarithm is normal.
    LogNormal {
        /// Its median.
        median: Duration,
        /// Standard deviation of its logarithm.
        sigma: f64,
    },
    /// Its tail falls as a power: P(longer than x) = (minimum ÷ x)^shape.
    Pareto {
        /// The shortest.
        minimum: Duration,
        /// The exponent.
        shape: f64,
    },
    /// Now of this kind, now of that; shares add up to 1.
    Mixture(Vec<(Share, Latency)>),
}

impl Latency {
    /// Draws a time, multiplied by a factor.
    pub(super) fn draw(&self, factor: f64, random: &mut impl Rng) -> Duration {
        let seconds = self.seconds(random) * factor;
        Duration::from_secs_f64(if seconds.is_finite() { seconds.clamp(0.0, LONGEST_SECONDS) } else { LONGEST_SECONDS })
    }

    fn seconds(&self, random: &mut impl Rng) -> f64 {
        match self {
            Self::Constant(time) => time.as_secs_f64(),
            Self::Uniform { low, high } => {
                low.as_secs_f64() + (high.as_secs_f64() - low.as_secs_f64()) * random.random::<f64>()
            }
            Self::Exponential { mean } => mean.as_secs_f64() * random.sample::<f64, _>(Exp1),
            Self::LogNormal { median, sigma } => {
                median.as_secs_f64() * (sigma * random.sample::<f64, _>(StandardNormal)).exp()
            }
            Self::Pareto { minimum, shape } => {
                let unit = Pareto::new(1.0, *shape).expect("the shape was checked to be positive");
                minimum.as_secs_f64() * unit.sample(random)
            }
            Self::Mixture(parts) => Self::chosen(parts, random.random()).map_or(0.0, |part| part.seconds(random)),
        }
    }

    /// The part of a mixture in which a uniform draw falls.
    fn chosen(parts: &[(Share, Self)], mut place: f64) -> Option<&Self> {
        let inside = parts.iter().find(|(share, _)| {
            place -= share.get();
            place < 0.0
        });
        // Shares may add up to a hair less than 1.
        inside.or(parts.last()).map(|(_, part)| part)
    }
}
