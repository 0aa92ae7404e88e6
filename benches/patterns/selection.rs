//! What the command line asks for. Which names a filter leaves is asked of Criterion itself: it is the one that knows.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Command;

/// What is to be done with what a filter leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// `--list`: names are printed.
    Listed,
    /// `--test`: it is done once, without a server.
    Tried,
    /// It is measured.
    Measured,
}

/// What the command line asks for.
#[derive(Debug)]
pub(crate) struct Selection {
    how: How,
    /// The names that the filter leaves; `None` where that is not known, or does not matter.
    names: Option<BTreeSet<String>>,
}

impl Selection {
    /// What this process's arguments ask for.
    pub(crate) fn of_arguments() -> Self {
        let given = |option: &str| std::env::args().skip(1).any(|argument| argument == option);
        let how = match (given("--list"), given("--test")) {
            (true, _) => How::Listed,
            (_, true) => How::Tried,
            _ => How::Measured,
        };
        Self { how, names: if how == How::Measured { left() } else { None } }
    }

    pub(crate) fn how(&self) -> How {
        self.how
    }

    /// Whether the filter leaves a name. Criterion looks again, so that too many do no harm.
    pub(crate) fn wants(&self, id: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(id))
    }
}

/// The name of a line, as Criterion puts it together.
pub(crate) fn id(scenario: &str, operation: &str, model: &str) -> String {
    format!("{scenario}/{operation}/{model}")
}

/// What this program lists with the same arguments; `None` where an argument does not go together with a list.
fn left() -> Option<BTreeSet<String>> {
    let program = std::env::current_exe().ok()?;
    let listed = Command::new(program).args(std::env::args_os().skip(1)).arg("--list").output().ok()?;
    let text = String::from_utf8(listed.stdout).ok().filter(|_| listed.status.success())?;
    Some(text.lines().filter_map(|line| line.strip_suffix(": benchmark")).map(str::to_owned).collect())
}

/// Says something beside Criterion's output.
pub(crate) fn tell(text: &str) {
    // There is nobody left to tell where that fails.
    let _ = writeln!(std::io::stderr(), "{text}");
}
