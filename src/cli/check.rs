//! `patternbench check`.

use std::sync::Arc;

use super::args::CheckArgs;
use super::exit::{Exit, Failure};
use super::{connect, output, select, trial};
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
    let (operations, mismatches) = finish
        .record
        .scenarios
        .iter()
        .filter_map(|scenario| scenario.parity.as_ref())
        .fold((0, 0), |sum, parity| (sum.0 + parity.operations, sum.1 + parity.mismatches));
    let name = scenario.source.name();
    match finish.errors.is_empty() {
        true => {
            let flags: String = report::flags(&finish.record).iter().map(|line| format!("  {line}\n")).collect();
            format!("{name}: valid; {operations} operations compared, {mismatches} mismatches\n{flags}")
        }
        false => format!("{name}: valid as a file, but the models were not found to give the same answers\n"),
    }
}
