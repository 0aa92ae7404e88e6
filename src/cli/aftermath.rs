//! What failed of a run over several scenarios, a line each, for whoever reads the end of a long log.

use super::exit::{Exit, Failure};
use crate::run::RunError;

/// What failed, a line each with what its exit code means, under a heading; nothing where a single scenario was asked for,
/// whose error was told already, or where nothing failed. Of what was `planned`, so much was `begun`.
pub(super) fn lines(broken: &[(String, Failure)], planned: usize, begun: usize, errors: &[RunError]) -> Vec<String> {
    let asked_for = broken.len() + planned;
    if asked_for < 2 || (broken.is_empty() && errors.is_empty()) {
        return Vec::new();
    }
    let unread = broken.iter().map(|(word, failure)| line(failure.exit, &format!("{word}: {}", failure.message)));
    let failed = errors.iter().map(|error| line(error.exit(), &error.to_string()));
    let mut lines: Vec<String> = unread.chain(failed).collect();
    let (what, number) = (if lines.len() == 1 { "failure" } else { "failures" }, lines.len());
    lines.insert(0, format!("{number} {what} among {asked_for} scenarios and workloads:"));
    let not_begun = planned.saturating_sub(begun);
    if not_begun > 0 {
        lines.push(format!("  {not_begun} not begun"));
    }
    lines
}

/// The gravest outcome of all.
pub(super) fn exit(broken: &[(String, Failure)], errors: &[RunError]) -> Exit {
    let unread = broken.iter().map(|(_, failure)| failure.exit);
    unread.chain(errors.iter().map(RunError::exit)).fold(Exit::Done, Exit::max)
}

/// The first line of the message suffices here: the whole was told when it happened.
fn line(exit: Exit, message: &str) -> String {
    let first = message.lines().next().unwrap_or_default().trim_end_matches(':');
    format!("  {} ({}): {first}", exit.code(), exit.meaning())
}
