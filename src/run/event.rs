//! What a run tells while it goes on. The progress display and the recorder listen; the run itself never prints.

use crate::plan::OutlineRow;
use crate::record::RoundRecord;
use crate::units::Micros;
use crate::words::Phase;

/// Something that happened in a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A scenario under a workload begins.
    ScenarioStarted {
        /// Its name.
        scenario: String,
        /// The workload.
        workload: String,
        /// Models that will run, in the order of the file.
        models: Vec<String>,
        /// Estimated duration in seconds, where the plan can tell.
        estimate_seconds: f64,
    },
    /// Loading of a database begins.
    LoadStarted {
        /// `source` or the model's name.
        target: String,
        /// Whether it is a small database for parity.
        parity: bool,
        /// Documents to come; `None` where a pipeline decides it.
        documents: Option<u64>,
    },
    /// Documents loaded so far.
    LoadProgress {
        /// `source` or the model's name.
        target: String,
        /// Documents so far.
        documents: u64,
    },
    /// Loading of a database ended.
    LoadFinished {
        /// `source` or the model's name.
        target: String,
        /// Documents in all.
        documents: u64,
        /// Seconds taken.
        seconds: f64,
    },
    /// A phase begins.
    PhaseStarted {
        /// Which.
        phase: Phase,
        /// Its length in units of progress (operations compared, windows); 0 where it cannot be told beforehand.
        length: u64,
    },
    /// Progress of the current phase.
    PhaseProgress {
        /// Units done.
        done: u64,
    },
    /// The current phase ended.
    PhaseFinished {
        /// Which.
        phase: Phase,
        /// A line worth telling.
        summary: Option<String>,
    },
    /// Calibration has completed the plan: figures, growth, and what becomes of the data.
    Planned {
        /// What it added, line by line.
        rows: Vec<OutlineRow>,
    },
    /// A window of a model begins.
    WindowStarted {
        /// Light load or measured.
        phase: Phase,
        /// Round, from 0.
        round: u32,
        /// The model.
        model: String,
    },
    /// A window of a model ended.
    WindowFinished {
        /// What was recorded.
        record: Box<RoundRecord>,
        /// Service-time p95 of the whole mix in that window, for the live display.
        p95: Option<Micros>,
    },
    /// Something that the user should know.
    Warning(String),
    /// The scenario ended.
    ScenarioFinished {
        /// Its name.
        scenario: String,
    },
}

/// Hears the events of a run, in order, on the run's own task: it must return quickly.
pub trait Listener: Send {
    /// Hears one event.
    fn hear(&mut self, event: &Event);
}
