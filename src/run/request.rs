//! What a run is asked to do, and what it yields.

use std::path::Path;
use std::sync::Arc;

use super::error::RunError;
use crate::backend::simulated::SimulatedServer;
use crate::guard::Consent;
use crate::plan::{Plan, RunOptions};
use crate::record::RunRecord;
use crate::server::RunningServer;

/// How far a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// To the last round and the comparison after it.
    Everything,
    /// To the comparison of answers on small data; nothing is measured, and the record's collections are the small ones.
    Answers,
}

/// What a run measures on.
#[derive(Debug, Clone)]
pub enum Target<'a> {
    /// A server.
    Server {
        /// The server.
        server: &'a RunningServer,
        /// What the user has agreed to.
        consent: Consent,
        /// Whether it is stopped after the run where patternbench started it. Then its data go with it, which is a lot
        /// quicker than dropping them.
        ends: bool,
    },
    /// No server: declared latencies. Where its clock is a virtual one, the run must be driven by that clock's runtime.
    Simulated(Arc<SimulatedServer>),
}

/// What a run is asked to do.
#[derive(Debug)]
pub struct RunRequest<'a> {
    /// What to measure on.
    pub target: Target<'a>,
    /// What to measure, in this order; workloads of one scenario stand together.
    pub plans: Vec<Plan>,
    /// What the user asked for, from which the plans were made.
    pub options: RunOptions,
    /// The folder to which the record is written after every scenario and at the end, however that comes; `None` leaves
    /// writing to the caller.
    pub folder: Option<&'a Path>,
    /// How far to go.
    pub extent: Extent,
}

/// What a run yields, whatever happened.
#[derive(Debug)]
pub struct RunFinish {
    /// What was measured; `complete` says whether that is all that was planned.
    pub record: RunRecord,
    /// What went wrong, in the order met: at most one error per scenario and workload, and the last may have ended the
    /// run.
    pub errors: Vec<RunError>,
}
