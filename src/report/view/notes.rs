//! Footnotes of a scenario: each reason once, numbered in the order met; what is engine-limited bears †.

/// Refers from a cell to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Mark {
    /// †
    Limited,
    /// A numbered note, from 1.
    Note(usize),
}

/// The notes of a scenario.
#[derive(Debug, Clone, Default)]
pub(in crate::report) struct Notes {
    /// What is engine-limited.
    pub(in crate::report) limited: Vec<String>,
    /// The numbered ones; the first is number 1.
    pub(in crate::report) numbered: Vec<String>,
}

impl Notes {
    /// The mark of a reason; the same reason keeps its number.
    pub(super) fn note(&mut self, text: &str) -> Mark {
        let place = self.numbered.iter().position(|known| known == text).unwrap_or_else(|| {
            self.numbered.push(text.to_owned());
            self.numbered.len() - 1
        });
        Mark::Note(place + 1)
    }

    /// The mark of an engine-limited row.
    pub(super) fn limited(&mut self, text: String) -> Mark {
        if !self.limited.contains(&text) {
            self.limited.push(text);
        }
        Mark::Limited
    }

    pub(in crate::report) fn is_empty(&self) -> bool {
        self.limited.is_empty() && self.numbered.is_empty()
    }
}
