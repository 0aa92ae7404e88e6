//! Text → scenario.

use super::check;
use super::types::Scenario;
use crate::source::{Parsed, Problem, Problems, SourceText, Span, parse};

/// Checks walk as deep as a file nests; a thread's usual 2 MiB are too little for what the parser lets through.
const STACK_BYTES: usize = 16 << 20;

/// Reads, checks and compiles a scenario. It is named after the text's name: the stem of its path.
///
/// # Errors
/// The text, with everything that is wrong in it.
pub fn load_scenario(text: SourceText) -> Result<Scenario, (SourceText, Problems)> {
    let Parsed { file, mut problems } = parse(text)?;
    let checked = std::thread::scope(|scope| {
        let checker = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES);
        let thread = checker.spawn_scoped(scope, || check::check(&file, &mut problems));
        thread.map(|thread| thread.join())
    });
    let fault = match checked {
        Ok(Ok(Some(scenario))) => return Ok(scenario),
        Ok(Ok(None)) => None,
        Ok(Err(_panic)) => Some("this file cannot be checked".to_owned()),
        Err(error) => Some(format!("failed to start a thread to check this file: {error}")),
    };
    if let Some(fault) = fault {
        problems.push(Problem::new(Span::default(), fault));
    }
    Err((file.text, problems))
}
