//! Which scenario a word on the command line means: a file, or a built-in scenario.

use std::path::Path;

use super::exit::{Exit, Failure};
use super::output;
use crate::scenario::{self, Scenario};
use crate::source::{self, SourceText};

/// Reads and checks the scenario that `word` names.
///
/// # Errors
/// Usage, with every problem of the file, or the nearest built-in name.
pub(super) fn scenario(word: &str) -> Result<Scenario, Failure> {
    compile(text(word)?)
}

/// Checks the text of a scenario.
///
/// # Errors
/// Usage, with every problem of the text.
pub(super) fn compile(text: SourceText) -> Result<Scenario, Failure> {
    scenario::load_scenario(text).map_err(|(text, problems)| {
        let shown = source::show(&text, &problems, output::colour_err());
        Failure::new(Exit::Usage, format!("{} is not a valid scenario\n\n{}", text.name(), shown.trim_end()))
    })
}

/// The text of the scenario that `word` names.
///
/// # Errors
/// Usage, where there is no such file or built-in scenario.
pub(super) fn text(word: &str) -> Result<SourceText, Failure> {
    if is_path(word) {
        return source::read_text(Path::new(word)).map_err(Failure::usage);
    }
    if let Some(text) = scenario::builtin(word) {
        return Ok(SourceText::new(format!("{word}.yaml"), text));
    }
    let hint = source::nearest(word, scenario::builtin_names()).map_or_else(
        || {
            "`patternbench list` shows the built-in scenarios; a file is named with its ending, `./mine.yaml`"
                .to_owned()
        },
        |nearest| format!("did you mean `{nearest}`?"),
    );
    Err(Failure::usage(format!("there is no scenario `{word}`; {hint}")))
}

fn is_path(word: &str) -> bool {
    let path = Path::new(word);
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
        || path.components().count() > 1
        || path.is_file()
}
