//! Runs whose truth is known, and comparisons of them.

use std::collections::BTreeSet;

use patternbench::analysis::{CompareOptions, Compared, Incomparable, RUN_TO_RUN, analyse, compare};
use patternbench::record::{ChangeRecord, CompareRecord, RunRecord, ScenarioRecord};
use patternbench::units::Share;
use patternbench::words::{Metric, Profile, Sameness};

use crate::known::{Maker, run_of};

/// A run of a scenario on this day of January.
pub(crate) fn run(day: u32, maker: &Maker) -> RunRecord {
    of_scenario(day, maker.build())
}

/// The same of a scenario that was changed after it was made.
pub(crate) fn of_scenario(day: u32, mut scenario: ScenarioRecord) -> RunRecord {
    analyse(&mut scenario, Profile::Quick);
    let mut run = run_of(Profile::Quick, vec![scenario]);
    run.started_at = format!("2026-01-{day:02}T00:00:00.000Z");
    run
}

pub(crate) fn side(asked: &str, runs: Vec<RunRecord>) -> Compared {
    let named = runs.into_iter().map(|run| (format!("results/{}/run.json", run.started_at), run));
    Compared::new(asked.to_owned(), named.collect())
}

pub(crate) fn options() -> CompareOptions {
    CompareOptions {
        threshold: Share::new(0.05),
        metrics: vec![Metric::P95, Metric::Throughput],
        allowed: BTreeSet::new(),
        run_to_run: RUN_TO_RUN,
    }
}

/// A comparison of runs that can be compared.
pub(crate) fn compared(base: Vec<RunRecord>, new: Vec<RunRecord>) -> CompareRecord {
    allowing(&[], base, new).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// A comparison, or why there is none, of runs that may differ in some things.
pub(crate) fn allowing(
    allowed: &[Sameness],
    base: Vec<RunRecord>,
    new: Vec<RunRecord>,
) -> Result<CompareRecord, Incomparable> {
    let options = CompareOptions { allowed: allowed.iter().copied().collect(), ..options() };
    compare(&side("before", base), &side("after", new), &options)
}

/// The change of an operation's speed-up in the only scenario.
pub(crate) fn speedup<'a>(compared: &'a CompareRecord, operation: &str, model: &str) -> &'a ChangeRecord {
    find(&compared.scenarios[0].speedups, operation, model)
}

/// The change of a model's own figure.
pub(crate) fn figure<'a>(compared: &'a CompareRecord, operation: &str, model: &str) -> &'a ChangeRecord {
    find(&compared.scenarios[0].figures, operation, model)
}

fn find<'a>(changes: &'a [ChangeRecord], operation: &str, model: &str) -> &'a ChangeRecord {
    let wanted = |change: &&ChangeRecord| {
        change.operation == operation && change.model == model && change.metric != Metric::Throughput
    };
    changes.iter().find(wanted).unwrap_or_else(|| panic!("{operation} of {model} was compared"))
}

pub(crate) fn number(ratio: Option<patternbench::units::Ratio>) -> f64 {
    ratio.expect("there is a figure").get()
}
