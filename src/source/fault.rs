//! Why a value did not decode, in the reader's terms.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use super::decode::Log;
use super::{Problem, nearest};

/// Why a value did not decode.
#[derive(Debug)]
pub(super) enum Fault {
    /// The problem has been recorded with its place.
    Recorded,
    /// A problem that does not know its place yet: the node being decoded gives it.
    Unplaced {
        /// What is wrong.
        message: String,
        /// What would be right.
        help: Option<String>,
    },
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self::Unplaced { message: message.into(), help: None }
    }

    /// Records the problem, where that has not happened yet, at the place that `place` gives it.
    pub(super) fn record(self, log: &Log<'_>, place: impl FnOnce(String) -> Problem) -> Self {
        if let Self::Unplaced { message, help } = self {
            let problem = place(message);
            log.record(match help {
                Some(help) => problem.help(help),
                None => problem,
            });
        }
        Self::Recorded
    }

    pub(super) fn help(self, text: impl Into<String>) -> Self {
        match self {
            Self::Recorded => Self::Recorded,
            Self::Unplaced { message, .. } => Self::Unplaced { message, help: Some(text.into()) },
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded => f.write_str("a problem that was recorded"),
            Self::Unplaced { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {}", describe(unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {}", describe(unexpected)))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {length} values"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("{} is not known here", code(variant))).help(suggestion(variant, expected))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("unknown field {}", code(field))).help(suggestion(field, expected))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is given twice"))
    }
}

fn describe(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(value) => format!("`{value}`"),
        Unexpected::Signed(value) => format!("`{value}`"),
        Unexpected::Float(value) => format!("`{value}`"),
        Unexpected::Char(value) => format!("the string {}", quoted(&value.to_string())),
        Unexpected::Str(value) => format!("the string {}", quoted(value)),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        other => other.to_string(),
    }
}

/// A string as messages show it.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text))
}

/// A name as messages show it.
pub(super) fn code(name: &str) -> String {
    format!("`{}`", shortened(name))
}

/// On one line, and only the beginning of what is long.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown = visible(text.chars().take(SHOWN));
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Key and value of `a:1`, which is a string where a map was meant.
pub(super) fn space_missing(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_$^.-".contains(c));
    let is_value = !value.is_empty() && !value.starts_with("//") && !value.starts_with(char::is_whitespace);
    (is_key && is_value).then_some((key, value))
}

/// The nearest of the known names, or all of them.
pub(super) fn suggestion(word: &str, known: &[&str]) -> String {
    /// So many are worth reading beside the nearest.
    const FEW: usize = 6;
    match nearest(word, known.iter().copied()) {
        Some(name) if known.len() > FEW => format!("did you mean `{name}`?"),
        Some(name) => format!("did you mean `{name}`? Known here: {}", names(known)),
        None => format!("known here: {}", names(known)),
    }
}

/// Names as a list in code marks.
pub(super) fn names(known: &[&str]) -> String {
    known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Without characters that would break the line or steer the terminal.
pub(super) fn visible(text: impl IntoIterator<Item = char>) -> String {
    let mut shown = String::new();
    for character in text {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            other => shown.extend(other.escape_debug()),
        }
    }
    shown
}
