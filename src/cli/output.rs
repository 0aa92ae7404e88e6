//! Standard output and standard error. A closed pipe (`list | head`) is no error.

use std::io::{self, IsTerminal, Write};

use super::exit::{Exit, Failure};
use crate::report::Style;
use console::Term;

/// Writes to standard output.
///
/// # Errors
/// Where the output cannot be written for another reason than that nobody reads it.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Server, format!("failed to write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error; there is nobody left to tell where that fails.
pub(super) fn tell(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "{}", text.trim_end());
}

/// Whether standard output shows colours.
pub(super) fn colour_out() -> bool {
    io::stdout().is_terminal() && colour_wanted()
}

/// Whether standard error shows colours.
pub(super) fn colour_err() -> bool {
    io::stderr().is_terminal() && colour_wanted()
}

/// <https://no-color.org>, and terminals that cannot.
fn colour_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// What standard output can show.
pub(super) fn style() -> Style {
    let terminal = Term::stdout();
    let width = columns_wanted().or_else(|| terminal.is_term().then(|| usize::from(terminal.size().1)));
    Style { colour: colour_out(), width: width.unwrap_or(Style::default().width), unicode: unicode() }
}

/// What `COLUMNS` asks for, for terminals that do not tell their width, and for pipes.
fn columns_wanted() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|columns| *columns > 0)
}

/// Whether the locale is a Unicode one; a file or pipe gets Unicode whatever the locale.
fn unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    !io::stdout().is_terminal() || locale.is_none_or(|locale| locale.to_lowercase().replace('-', "").contains("utf8"))
}
