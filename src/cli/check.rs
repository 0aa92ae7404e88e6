//! `patternbench check`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::args::CheckArgs;
use super::exit::{Exit, Failure};
use super::{connect, output, select, trial};
use crate::record::ScenarioRecord;
use crate::report;
use crate::run::RunFinish;
use crate::scenario::Scenario;

/// Validates every file, all problems in one go; then compares the models' answers at smoke size.
///
/// # Errors
/// The server cannot be used. What is wrong with a file is told, and gives the exit code.
pub(super) async fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let mut valid = Vec::new();
    for word in &args.files {
        match select::scenario(word) {
            Ok(scenario) => valid.push(Arc::new(scenario)),
            Err(failure) => {
                output::tell(&format!("error: {}\n", failure.message));
                exit = exit.max(failure.exit);
            }
        }
    }
    if args.no_server || valid.is_empty() {
        for scenario in &valid {
            output::print(&format!("{}: valid\n", scenario.source.name()))?;
        }
        return Ok(exit);
    }
    let server = connect::open(&args.server, None).await?;
    for scenario in &valid {
        let finish = trial::compare(scenario, &server, connect::consent(&args.server)).await?;
        output::print(&verdict(scenario, &finish))?;
        for error in &finish.errors {
            output::tell(&format!("error: {error}\n"));
            exit = exit.max(error.exit());
        }
    }
    server.stop().await;
    Ok(exit)
}

fn verdict(scenario: &Scenario, finish: &RunFinish) -> String {
    let name = scenario.source.name();
    if !finish.errors.is_empty() {
        return format!("{name}: valid as a file, but the models were not found to give the same answers\n");
    }
    let records = &finish.record.scenarios;
    let compared = records.iter().filter_map(|scenario| scenario.parity.as_ref());
    let (operations, mismatches) =
        compared.fold((0, 0), |sum, parity| (sum.0 + parity.operations, sum.1 + parity.mismatches));
    let mut said = match records.iter().find_map(|scenario| scenario.not_measurable.as_ref()) {
        Some(why) => format!("{name}: valid; not measurable on this server: {why}\n"),
        None => format!("{name}: valid; {operations} operations compared, {mismatches} mismatches\n"),
    };
    said.extend(report::flags(&finish.record).iter().map(|line| format!("  {line}\n")));
    said.extend(skipped(records).into_iter().map(|(model, why)| format!("  model {model} was skipped: {why}\n")));
    said
}

/// The models that were skipped, each with the reason.
fn skipped(records: &[ScenarioRecord]) -> BTreeMap<&str, &str> {
    let measurable = records.iter().filter(|scenario| scenario.not_measurable.is_none());
    let models = measurable.flat_map(|scenario| &scenario.models);
    models.filter_map(|model| Some((model.name.as_str(), model.skipped.as_deref()?))).collect()
}
