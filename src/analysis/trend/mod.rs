//! Histories: the figures of a results folder over its runs, and where they changed.
//!
//! Runs belong to one line where their figures can stand beside each other: the same product and version of the server on
//! the same group of hosts, the same profile, mode and parameters. Each line has, for each operation, the p95 of every
//! model and the speed-up of every model but naive; a run without a figure is a gap.
//!
//! **The change detector** cuts the logarithms of a figure into segments by optimal partitioning: of all ways to cut it
//! takes the one with the least sum of absolute deviations from the medians of the segments plus a penalty for each cut,
//! which is in proportion to the night-to-night noise. Medians, and segments of at least three runs, keep a single wild
//! night from being a step; so a step shows with its third night, a large one with its second. Noise is estimated from the
//! differences of neighbouring nights, without the largest quarter, so that steps themselves do not count as noise. The
//! penalty is set by simulation: a history that only has independent normal noise bears a mark in one of a hundred
//! cases, whatever its length from six runs on (shorter ones have none). It is a detector for a picture: it tests each
//! figure by itself, so that of three hundred flat figures about three bear a mark, and nights that depend on each other bear
//! more. For alarms there are tools that do this in earnest; `trend --export` writes for them.
//!
//! Sources: optimal partitioning: B. Jackson and others, *An algorithm for optimal partitioning of data on an interval*,
//! IEEE Signal Processing Letters 12 (2005); R. Killick, P. Fearnhead, I. A. Eckley, *Optimal detection of changepoints with
//! a linear computational cost*, J. Am. Stat. Assoc. 107 (2012). A loss that single outliers cannot pull: P. Fearnhead,
//! G. Rigaill, *Changepoint detection in the presence of outliers*, J. Am. Stat. Assoc. 114 (2019). Noise from differences:
//! J. von Neumann and others, *The mean square successive difference*, Ann. Math. Stat. 12 (1941). What it is for: D. Daly
//! and others, ICPE 2020 (E-divisive means at MongoDB); M. Fleming and others, *Hunter*, ICPE 2023, arXiv 2301.03034.

mod build;
mod context;
mod detector;
mod line;
mod noise;
mod partition;

pub use build::trend;
pub use detector::{FLAT_MARKED, LEAST_RUNS, LEAST_SEGMENT, Step, steps};
