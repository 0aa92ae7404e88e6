//! `patternbench run --verify-growth`.

use super::args::{FailOn, RunArgs};
use super::exit::{Exit, Failure};
use super::named::Named;
use super::progress::Progress;
use super::{aftermath, connect, output};
use crate::plan::RunOptions;
use crate::record::GrowthStudyRecord;
use crate::report;
use crate::run::{Event, Interrupt, Listener, RunError};
use crate::study::{GrowthRequest, verify_growth};

/// Loads what is named at two sizes, and marks operations that are declared constant and are not.
///
/// # Errors
/// Usage, or the server cannot be used. What goes wrong while measuring is told, and gives the exit code.
pub(super) async fn verify(
    args: &RunArgs,
    options: RunOptions,
    named: Named,
    progress: Progress,
    interrupt: Interrupt,
) -> Result<Exit, Failure> {
    let Named { scenarios, broken, .. } = named;
    let planned = scenarios.len();
    let server = connect::open(&args.server, args.cache).await?;
    let request = GrowthRequest { server: &server, consent: connect::consent(&args.server), options, scenarios };
    let study = verify_growth(&request, &mut Quieter(progress), interrupt).await;
    drop(request);
    server.stop().await;
    let (study, errors) = study.map_err(Failure::usage)?;
    show(args, &study)?;
    for error in &errors {
        output::tell(&format!("error: {error}"));
    }
    aftermath::lines(&broken, planned, planned, &errors).iter().for_each(|line| output::tell(line));
    let marked = args.fail_on.contains(&FailOn::Expect) && study.marked().next().is_some();
    let condition = if marked { Exit::ConditionFailed } else { Exit::Done };
    Ok(condition.max(aftermath::exit(&broken, &errors)))
}

fn show(args: &RunArgs, study: &GrowthStudyRecord) -> Result<(), Failure> {
    if args.json {
        let text = serde_json::to_string_pretty(study)
            .map_err(|error| Failure::new(Exit::Server, format!("failed to print what was found: {error}")))?;
        return output::print(&format!("{text}\n"));
    }
    output::print(&report::growth(study, &output::style()))
}

/// The refusal of a study without data.
pub(super) fn on_simulation() -> Failure {
    Failure::usage(RunError::Usage(
        "--verify-growth does not go with --server simulated: a simulated server holds no data to grow".to_owned(),
    ))
}

/// Leaves out what a study of many loads has no room for.
struct Quieter(Progress);

impl Listener for Quieter {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Planned { .. } => {}
            Event::PhaseFinished { phase, .. } => self.0.hear(&Event::PhaseFinished { phase: *phase, summary: None }),
            other => self.0.hear(other),
        }
    }
}
