//! What a run is asked to do, and what it yields.

use std::path::Path;

use super::error::RunError;
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

/// What a run is asked to do.
#[derive(Debug)]
pub struct RunRequest<'a> {
    /// The server to measure.
    pub server: &'a RunningServer,
    /// What the user has agreed to.
    pub consent: Consent,
    /// What to measure, in this order; workloads of one scenario stand together.
    pub plans: Vec<Plan>,
    /// What the user asked for, from which the plans were made.
    pub options: RunOptions,
    /// The folder to which the record is written after every scenario and at the end, however that comes; `None` leaves
    /// writing to the caller.
    pub folder: Option<&'a Path>,
    /// Whether a server that patternbench started is stopped after the run. Then its data go with it, which is a lot
    /// quicker than dropping them.
    pub server_ends: bool,
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
