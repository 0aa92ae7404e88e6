//! Tables without a look: columns, rows, cells with their tone and marks.

use super::notes::Mark;
use crate::report::format::NOT_AVAILABLE;

/// What a text says besides its words; each renderer finds a look for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Tone {
    Plain,
    Strong,
    Quiet,
    /// The pattern is better; a claim is confirmed.
    Good,
    /// The pattern is worse; a claim is refuted; something failed.
    Bad,
    /// Undecided.
    Open,
    /// Must not be overlooked.
    Warning,
}

/// Where a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Align {
    Left,
    Right,
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Column {
    pub(in crate::report) head: &'static str,
    /// What the head means, in full.
    pub(in crate::report) help: &'static str,
    pub(in crate::report) align: Align,
    /// On a narrow terminal the columns with the lowest number go first; 9 never goes.
    pub(in crate::report) keep: u8,
}

impl Column {
    pub(super) const fn left(head: &'static str, help: &'static str, keep: u8) -> Self {
        Self { head, help, align: Align::Left, keep }
    }

    pub(super) const fn right(head: &'static str, help: &'static str, keep: u8) -> Self {
        Self { head, help, align: Align::Right, keep }
    }
}

/// A cell.
#[derive(Debug, Clone)]
pub(in crate::report) struct Cell {
    pub(in crate::report) text: String,
    pub(in crate::report) tone: Tone,
    pub(in crate::report) marks: Vec<Mark>,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), tone: Tone::Plain, marks: Vec::new() }
    }

    pub(super) fn empty() -> Self {
        Self::new("")
    }

    /// A figure that is not there, with the mark of its reason.
    pub(super) fn not_available(mark: Mark) -> Self {
        Self::new(NOT_AVAILABLE).toned(Tone::Quiet).marked(mark)
    }

    /// A figure that the record does not hold, where the table's caption says why that can be.
    pub(super) fn unknown() -> Self {
        Self::new(NOT_AVAILABLE).toned(Tone::Quiet)
    }

    pub(super) fn toned(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    pub(super) fn marked(mut self, mark: Mark) -> Self {
        self.marks.push(mark);
        self
    }
}

/// A row; its first cell is the row's name.
#[derive(Debug, Clone)]
pub(in crate::report) struct Row {
    pub(in crate::report) cells: Vec<Cell>,
    /// Whether it is the first of rows that belong together.
    pub(in crate::report) opens_group: bool,
}

/// A table.
#[derive(Debug, Clone)]
pub(in crate::report) struct Table {
    pub(in crate::report) caption: String,
    pub(in crate::report) columns: Vec<Column>,
    pub(in crate::report) rows: Vec<Row>,
}

impl Table {
    /// Leaves out a column that holds nothing.
    pub(super) fn without_column(&mut self, place: usize) {
        self.columns.remove(place);
        for row in &mut self.rows {
            row.cells.remove(place);
        }
    }
}
