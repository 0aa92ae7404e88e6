//! What the rounds say: pure functions over a record.
//!
//! The unit of inference is the round (or a few neighbouring rounds joined), never the operation: operations inside one
//! window are correlated, and pooling them makes intervals far too short. Per unit the quantile of naive is divided by
//! that of the other model; the logarithms of these paired ratios get a Student t interval with K − 1 degrees of
//! freedom; the verdict is a test against a practical threshold of ±5 % that is fixed beforehand. With several restarts
//! the restart is the unit, by the geometric mean of its rounds. Beside the ratio stand the same of service times and at
//! light load, a pooled ratio with its jackknife, and the Hodges–Lehmann estimate with the interval of signed ranks;
//! neighbouring units that are correlated are joined.
//!
//! Sources: paired and randomised trials: A. Abedi, T. Brecht, *Conducting repeatable experiments in highly variable
//! cloud computing environments*, ICPE 2017. The level that varies is the one to repeat: T. Kalibera, R. Jones,
//! *Quantifying performance changes with effect size confidence intervals*, arXiv 2007.10899. Step-down adjustment:
//! S. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 6 (1979). Equivalence by the
//! 90 % interval: D. J. Schuirmann, *A comparison of the two one-sided tests procedure*, J. Pharmacokinet. Biopharm. 15
//! (1987). Sources of the other methods stand in their files: jackknife, signed ranks, serial correlation, order effects.

mod analyse;
mod around;
mod assemble;
mod bearing;
mod break_even;
mod capacity;
mod cast;
mod checks;
mod claims;
mod compare;
mod contest;
mod course;
mod disturbance;
mod estimate;
mod expectation;
mod fieller;
mod growth;
mod headline;
mod holm;
mod jackknife;
mod judge;
mod latencies;
mod least_squares;
mod limited;
mod load;
mod metric;
mod mix;
mod order_effects;
mod overview;
mod paired;
mod pooled;
mod prospect;
mod quantiles;
mod samples;
mod serial;
mod series;
mod settle;
mod signed_rank;
mod spread;
mod sweep;
mod throughput;
pub mod trend;
mod tuning;
mod units;
mod verdict;
mod windows;
mod witness;

pub use analyse::{ALL, analyse, operations};
pub use bearing::{Bearing, bearing};
pub use capacity::{Asked, KNEE, SearchLimits, capacity, knee, least_operations, next_rate, probed, rate_curve};
pub use cast::Cast;
pub use compare::{CompareOptions, Compared, Incomparable, RUN_TO_RUN, compare, differences};
pub use course::{Course, courses};
pub use disturbance::{
    Disturbance, LEAST, OTHERS_ABOVE, ROUNDS_LEFT_AT_LEAST, STEAL_ABOVE, TooDisturbed, disturbance_rule, disturbances,
    too_disturbed,
};
pub use expectation::{Accord, accords};
pub use growth::{GROWTH_BEARABLE, grown};
pub use headline::{Headline, headline, headline_of_other};
pub use holm::adjusted as holm_adjusted;
pub use limited::engine_limited;
pub use metric::least_at_all;
pub use mix::{MeasuredMix, compare_mixes, compare_points};
pub use overview::{Conduct, MainOperation, Overview, OverviewRow, overview};
pub use paired::Paired;
pub use pooled::{Pooled, pooled};
pub use prospect::{Prospect, latency_metrics, prospect};
pub use quantiles::quantiles;
pub use samples::Latency;
pub use series::{inference_logs, restarts};
pub use spread::{Shape, Spread, shapes, spreads};
pub use sweep::{
    Crossing, Curve, Growing, Observation, RatioPoint, Slope, analyse_sweep, crossing, curve, figures, growth_word,
    keep_claims, renew_point, slopes,
};
pub use verdict::{ALPHA, Decision, THRESHOLD, decide};
pub use windows::{Fault, TakenOut, taken_out};
