//! Problems of a file: collected while reading goes on, shown in one go.

use std::collections::BTreeSet;

use super::Span;

/// One thing that is wrong in a file, in the reader's terms.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What is wrong: one sentence without a full stop.
    pub message: String,
    /// A few words under the marked place, if they add anything.
    pub label: Option<String>,
    /// What would be right.
    pub help: Option<String>,
    /// Further places that explain it (where an alias was defined, where a name was first used).
    pub notes: Vec<Note>,
}

/// A further place that explains a problem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Where.
    pub span: Span,
    /// What to see there.
    pub text: String,
}

impl Problem {
    /// A problem at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), label: None, help: None, notes: Vec::new() }
    }

    /// Says what stands at the marked place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at a further place.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note { span, text: text.into() });
        self
    }
}

/// The problems of one file, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    /// Sorted by place, which is a problem's first field.
    problems: BTreeSet<Problem>,
}

impl Problems {
    /// Adds a problem, unless the same one stands there already.
    pub fn push(&mut self, problem: Problem) {
        self.problems.insert(problem);
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.problems.len()
    }

    /// The problems by their place in the file.
    pub fn in_order(&self) -> Vec<&Problem> {
        self.problems.iter().collect()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self { problems: BTreeSet::from([problem]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_stand_once_each_in_the_order_of_the_file() {
        let mut problems = Problems::default();
        for (start, message) in [(9, "late"), (2, "early"), (9, "late")] {
            problems.push(Problem::new(Span::new(start, start + 1), message));
        }
        let messages: Vec<_> = problems.in_order().iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, ["early", "late"]);
    }
}
