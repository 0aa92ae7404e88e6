//! patternbench settles MongoDB schema arguments with evidence: it drives two data models with the same operations
//! against a real server, checks that both give the same answers, records every latency in HDR histograms, and puts an
//! honest interval on the difference.
//!
//! The rooms, from the bottom up, are the modules below; an import goes only to a room before it.

pub mod analysis;
pub mod record;
pub mod report;
pub mod units;
pub mod words;
