//! A file's text and places in it.

use std::sync::Arc;

/// A half-open range of byte offsets into a [`SourceText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }
}

/// The text of one file (at most 1 MiB of UTF-8) and what to call it in messages.
#[derive(Debug, Clone)]
pub struct SourceText {
    name: Arc<str>,
    text: Arc<str>,
}

impl SourceText {
    /// Names a text, usually by its path as the user typed it.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// What messages call this file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = SourceText::new("t", "ab\nüx\n");
        let place = |offset| text.line_column(offset);
        assert_eq!([place(0), place(2), place(3), place(5), place(6)], [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3)]);
        assert_eq!(place(4), (2, 1), "inside a character is at the character");
        assert_eq!(place(1000), (3, 1), "behind the end is at the end");
    }
}
