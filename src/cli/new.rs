//! `patternbench new`.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

use super::args::NewArgs;
use super::exit::{Exit, Failure};
use super::output;
use crate::scenario::{load_scenario, starter};
use crate::source::SourceText;

/// Writes `NAME.yaml` into the current folder; an existing file is left alone.
///
/// # Errors
/// Usage, for a name that cannot name databases, or a file that exists.
pub(super) fn run(args: &NewArgs) -> Result<Exit, Failure> {
    let name = args.name.strip_suffix(".yaml").unwrap_or(&args.name);
    let path = format!("{name}.yaml");
    let text = starter(name);
    // Names are judged where scenarios are checked; nothing else can be wrong with the text.
    load_scenario(SourceText::new(path.as_str(), text.as_str())).map_err(|_| {
        Failure::usage(format!(
            "`{name}` cannot name a scenario: use small letters, digits and hyphens, such as `my-models`"
        ))
    })?;
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                Failure::usage(format!("{path} exists already and was left alone; choose another name"))
            }
            _ => Failure::new(Exit::Server, format!("failed to write {path}: {error}")),
        })?;
    output::print(&format!(
        "wrote {path}\n\nnext:\n  patternbench check {path}   every mistake in one go, then: do both models give the \
         same answers?\n  patternbench run {path}     measure it\n"
    ))?;
    Ok(Exit::Done)
}
