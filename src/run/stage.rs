//! Where models are measured: its clock, whether its server is still there, and what happens on it besides.

use std::collections::BTreeMap;
use std::future::Future;

use super::error::RunError;
use super::watchdog::Health;
use crate::clock::Clock;
use crate::record::{CpuRecord, HoldingsRecord, MemoryRecord, PoolWait};

/// Where models are measured. A contender is named by its place among the plan's models.
pub(super) trait Stage: Health {
    /// The clock that load follows.
    type Clock: Clock;

    /// The clock that load follows.
    fn clock(&self) -> Self::Clock;

    /// Makes ready for a model, before its lead-in or another range of its numbers; with `fresh` its data are loaded anew
    /// first.
    ///
    /// # Errors
    /// Where the server is lost, the user wishes to end, or the data cannot be loaded.
    fn enter(&self, contender: usize, fresh: bool) -> impl Future<Output = Result<(), RunError>> + Send;

    /// Begins to observe, right before a window.
    fn begin(&self, contender: usize) -> impl Future<Output = ()> + Send;

    /// What was observed since, right after it.
    fn end(&self, contender: usize) -> impl Future<Output = Observed> + Send;

    /// Lets go of a model, after its window.
    fn leave(&self, contender: usize) -> impl Future<Output = ()> + Send;

    /// What an entered model's collections hold; `None` where nobody tells.
    fn holds(&self, _contender: usize) -> impl Future<Output = Option<HoldingsRecord>> + Send {
        std::future::ready(None)
    }
}

/// What was observed during a window, beside its operations.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Observed {
    /// What disturbed it, by the rule that the report states.
    pub(super) disturbed: Vec<String>,
    /// Processor time; the pacer's is the window's own affair.
    pub(super) cpu: CpuRecord,
    /// Resident memory.
    pub(super) memory: MemoryRecord,
    /// What the server's counters rose by.
    pub(super) server_counters: BTreeMap<String, i64>,
    /// Waits for a connection.
    pub(super) pool_wait: Option<PoolWait>,
}
