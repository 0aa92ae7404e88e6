//! What each chart shows of a scenario.

mod course;
mod curves;
mod dots;
mod speedups;
mod storage;
mod timeline;

pub(super) use course::course;
pub(super) use curves::{distribution, percentiles};
pub(super) use dots::dots;
pub(super) use speedups::speedups;
pub(super) use storage::storage;
pub(super) use timeline::{latencies, throughput};
