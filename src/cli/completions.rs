//! `patternbench completions`.

use clap::CommandFactory;

use super::args::{Cli, CompletionsArgs};
use super::exit::{Exit, Failure};
use super::output;

/// Prints the completion script of a shell.
///
/// # Errors
/// Where the output cannot be written.
pub(super) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "patternbench", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
