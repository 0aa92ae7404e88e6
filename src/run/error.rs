//! Why a run did not come to its planned end.

use crate::guard::GuardError;
use crate::load::LoadError;
use crate::plan::{PlanError, RunOptions};
use crate::record::RecordError;
use crate::server::ServerError;
use crate::units::Share;
use crate::words::Isolation;

/// Why a scenario, or the whole run, did not come to its planned end. What was measured until then is in the record.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Wrong usage, or a scenario that cannot be carried out as written.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Options that contradict each other or the server.
    #[error("{0}")]
    Usage(String),
    /// The data cannot be loaded as the scenario says.
    #[error("scenario {scenario}: {source}")]
    Load {
        /// The scenario.
        scenario: String,
        /// Why.
        source: Box<LoadError>,
    },
    /// The server does not have what a model needs. Before anything is measured the model is skipped for that, and the run
    /// goes on without it.
    #[error("scenario {scenario}, model {model}: {why}")]
    Unsupported {
        /// The scenario.
        scenario: String,
        /// The model.
        model: String,
        /// What the server said.
        why: String,
    },
    /// The scenario cannot be carried out as written.
    #[error("scenario {scenario}: {why}")]
    Scenario {
        /// The scenario.
        scenario: String,
        /// Why.
        why: String,
    },
    /// The models answer differently.
    #[error("{}", disagreement(scenario, *closing, *mismatches, *operations, diffs))]
    Disagreement {
        /// The scenario.
        scenario: String,
        /// Whether it was found after the last round, that is, whether the models diverged under load.
        closing: bool,
        /// Operations whose answers differ.
        mismatches: u64,
        /// Operations compared.
        operations: u64,
        /// The first differences, each as a person understands it.
        diffs: Vec<String>,
    },
    /// Operations fail in every model, so there is nothing to compare.
    #[error(
        "scenario {scenario}: {failed} of {operations} operations on the small data fail in every model\n  {}",
        failures.join("\n  ")
    )]
    FailsEverywhere {
        /// The scenario.
        scenario: String,
        /// Operations that failed in every model.
        failed: u64,
        /// Operations compared.
        operations: u64,
        /// The first few, each with its error.
        failures: Vec<String>,
    },
    /// Databases or the server may not be touched.
    #[error(transparent)]
    Refused(#[from] GuardError),
    /// The server cannot be used.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The server was lost on the way.
    #[error("lost the server; what was measured until then is kept: {why}")]
    Lost {
        /// What was noticed.
        why: String,
    },
    /// More operations failed than a measurement can bear.
    #[error("{}", failures(scenario, model, operations))]
    TooManyFailures {
        /// The scenario.
        scenario: String,
        /// The model.
        model: String,
        /// The operations that failed too often.
        operations: Vec<FailedOperation>,
    },
    /// More reads found nothing than the scenario declares: a benchmark of nothing is fast.
    #[error(
        "scenario {scenario}, model {model}: {empty} of {count} `{operation}` found nothing, and the scenario declares at \
         most {}; see that its arguments meet data, or declare it with `empty_up_to`", percent(*allowed)
    )]
    TooManyEmpty {
        /// The scenario.
        scenario: String,
        /// The model.
        model: String,
        /// The operation.
        operation: String,
        /// Reads that found nothing.
        empty: u64,
        /// Reads in all.
        count: u64,
        /// The share that is fine.
        allowed: Share,
    },
    /// Results could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The user wished the run to end.
    #[error("interrupted; what was measured until then is kept")]
    Interrupted,
}

impl RunError {
    /// The refusal of options that want data to last or to be found again, as they cannot be on a server that patternbench
    /// starts: its folder is temporary. `None` where the options want neither.
    pub fn lasting_data(options: &RunOptions) -> Option<Self> {
        let option = match (options.keep_data, options.reuse) {
            (true, _) => "--keep-data",
            (false, true) => "--reuse",
            (false, false) => return None,
        };
        Some(Self::Usage(format!(
            "{option} needs a server of your own (--uri, --uri-file or PATTERNBENCH_URI): one that patternbench starts takes \
             its data with it"
        )))
    }

    /// The refusal of options that need servers which patternbench starts, where it was named one. `None` where they need
    /// none.
    pub fn own_servers(options: &RunOptions) -> Option<Self> {
        (options.isolation == Some(Isolation::Process)).then(|| {
            Self::Usage(
                "--isolation process needs servers that patternbench starts, one for each model; leave it or the connection \
                 string (--uri, --uri-file, PATTERNBENCH_URI) out"
                    .to_owned(),
            )
        })
    }

    /// The refusal of options that need data or processes, as a simulated server has none. `None` where there is no such
    /// option.
    pub fn beside_simulation(options: &RunOptions) -> Option<Self> {
        let needed = [
            (options.keep_data, "--keep-data", "holds no data"),
            (options.reuse, "--reuse", "holds no data"),
            (options.isolation == Some(Isolation::Process), "--isolation process", "has no processes"),
            (options.cache_bytes.is_some(), "--cache", "has none"),
        ];
        let (_, option, why) = needed.into_iter().find(|(asked, ..)| *asked)?;
        Some(Self::Usage(format!("{option} does not go with --server simulated: a simulated server {why}")))
    }

    /// Whether nothing more can be measured in this run: the server is gone or refuses, results cannot be written, or
    /// the user wishes it to end. Other errors speak of one scenario alone.
    pub const fn ends_the_run(&self) -> bool {
        matches!(
            self,
            Self::Usage(_)
                | Self::Refused(_)
                | Self::Server(_)
                | Self::Lost { .. }
                | Self::Record(_)
                | Self::Interrupted
        )
    }
}

/// An operation that failed too often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedOperation {
    /// Its name.
    pub operation: String,
    /// How often it failed.
    pub failed: u64,
    /// How often it was tried.
    pub attempts: u64,
    /// Kinds of failures, how many there were of each, and what the first said; the most frequent first.
    pub kinds: Vec<(String, u64, String)>,
}

fn disagreement(scenario: &str, closing: bool, mismatches: u64, operations: u64, diffs: &[String]) -> String {
    let what = if closing {
        format!("the models of scenario {scenario} diverged under load: {mismatches} of {operations} reads differ")
    } else {
        format!("the models of scenario {scenario} disagree: {mismatches} of {operations} operations differ")
    };
    let rest = (mismatches > diffs.len() as u64).then(|| format!("\n… and {} more", mismatches - diffs.len() as u64));
    format!("{what}\n\n{}{}", diffs.join("\n\n"), rest.unwrap_or_default())
}

fn failures(scenario: &str, model: &str, operations: &[FailedOperation]) -> String {
    let mut text = format!("scenario {scenario}, model {model}: too many operations failed (more than 1 %)");
    for failed in operations {
        text.push_str(&format!("\n  {}: {} of {} failed", failed.operation, failed.failed, failed.attempts));
        for (kind, count, first) in &failed.kinds {
            text.push_str(&format!("\n    {count} × {kind}: {first}"));
        }
    }
    text
}

fn percent(share: Share) -> String {
    format!("{} %", share.get() * 100.0)
}
