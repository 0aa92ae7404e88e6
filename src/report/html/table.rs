//! Tables, marks and notes in HTML.

use maud::{Markup, html as markup};

use crate::report::view::{Align, Cell, Column, Mark, Notes, Row, Table, Tone};

/// The class of a tone.
pub(super) fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Strong => "strong",
        Tone::Quiet => "quiet",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Open => "open",
        Tone::Warning => "warning",
    }
}

/// A table; `anchor` is the prefix of its section's ids. The first cell of a row is its head; in grouped tables that of
/// the group's first row spans the group.
pub(super) fn table(table: &Table, anchor: &str) -> Markup {
    let dense = is_dense(table);
    let grouped = table.rows.iter().any(|row| row.opens_group);
    markup! {
        div.scroll tabindex="0" role="group" aria-label=(table.caption) {
            table class=[dense.then_some("dense")] {
                caption { (table.caption) }
                thead {
                    tr {
                        @for column in &table.columns {
                            th.(align(column)) scope="col" title=(column.help) {
                                // A head breaks between words, not inside of one.
                                @if dense { (column.head.replace('-', "\u{2011}")) } @else { (column.head) }
                            }
                        }
                    }
                }
                @if grouped {
                    @for group in groups(&table.rows) {
                        tbody.group {
                            @for (place, row) in group.iter().enumerate() {
                                (grouped_row(table, row, place, group.len(), anchor))
                            }
                        }
                    }
                } @else {
                    tbody { @for row in &table.rows { tr { (named_cells(table, &row.cells, 0, anchor)) } } }
                }
            }
        }
    }
}

/// More columns than this do not fit beside each other unless intervals stand below their ratios.
const LOOSE_UP_TO: usize = 11;

fn is_dense(table: &Table) -> bool {
    table.columns.len() > LOOSE_UP_TO
}

/// Text that breaks before a bracket and nowhere else.
fn unbroken(text: &str) -> Markup {
    let text = text.replace(' ', "\u{a0}");
    match text.split_once("\u{a0}(") {
        Some((before, bracket)) => markup! { (before) " " span.unbroken { "(" (bracket) } },
        None => markup! { (text) },
    }
}

/// A longer word has places at which it may break.
const LONG_WORD: usize = 20;

/// Text whose long names may break after an underscore.
fn breakable(text: &str) -> Markup {
    markup! {
        @for word in text.split_inclusive(' ') {
            @if word.chars().count() <= LONG_WORD { (word) } @else {
                @for (place, part) in word.split_inclusive('_').enumerate() {
                    @if place > 0 { wbr; }
                    (part)
                }
            }
        }
    }
}

/// Prose in which names stand between backticks.
pub(super) fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without its fellow is one.
    let paired = parts.len() % 2 == 1;
    markup! {
        @if paired {
            @for (place, part) in parts.iter().enumerate() {
                @if place % 2 == 1 { code { (part) } } @else { (part) }
            }
        } @else { (text) }
    }
}

/// A sentence of a report: with a capital, unless it begins with a name.
pub(super) fn sentence(text: &str, names: &[&str]) -> String {
    let mut letters = text.chars();
    let begins_with_name = names.iter().any(|name| text.starts_with(name));
    match letters.next() {
        Some(first) if !begins_with_name => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Rows that belong together.
fn groups(rows: &[Row]) -> Vec<&[Row]> {
    let mut starts: Vec<usize> =
        rows.iter().enumerate().filter(|(place, row)| *place == 0 || row.opens_group).map(|(place, _)| place).collect();
    starts.push(rows.len());
    starts.windows(2).map(|ends| &rows[ends[0]..ends[1]]).collect()
}

fn grouped_row(table: &Table, row: &Row, place: usize, of: usize, anchor: &str) -> Markup {
    let Some((name, rest)) = row.cells.split_first() else { return markup! { tr {} } };
    markup! {
        tr {
            @if place == 0 { th.group-name scope="rowgroup" rowspan=(of) { (content(table, name, anchor)) } }
            (named_cells(table, rest, 1, anchor))
        }
    }
}

/// Cells of which the first names the row; `skipped` columns come before it.
fn named_cells(table: &Table, cells: &[Cell], skipped: usize, anchor: &str) -> Markup {
    let columns = &table.columns[skipped.min(table.columns.len())..];
    markup! {
        @for (place, (cell, column)) in cells.iter().zip(columns).enumerate() {
            @if place == 0 {
                th.(align(column)) scope="row" { (content(table, cell, anchor)) }
            } @else {
                td.(align(column)).(class(cell.tone)) { (content(table, cell, anchor)) }
            }
        }
    }
}

fn align(column: &Column) -> &'static str {
    match column.align {
        Align::Left => "left",
        Align::Right => "right",
    }
}

fn content(table: &Table, cell: &Cell, anchor: &str) -> Markup {
    markup! {
        @if is_dense(table) { (unbroken(&cell.text)) } @else { (breakable(&cell.text)) }
        @for mark in &cell.marks { (self::mark(*mark, anchor)) }
    }
}

/// The text of a cell with its marks.
pub(super) fn text(cell: &Cell, anchor: &str) -> Markup {
    markup! { (cell.text) @for mark in &cell.marks { (self::mark(*mark, anchor)) } }
}

fn mark(mark: Mark, anchor: &str) -> Markup {
    match mark {
        Mark::Limited => markup! { sup { a href=(format!("#{anchor}-limited")) title="engine-limited" { "†" } } },
        Mark::Note(number) => markup! { sup { a href=(format!("#{anchor}-n{number}")) { (number) } } },
    }
}

/// The notes that a section's marks point to.
pub(super) fn notes(notes: &Notes, anchor: &str) -> Markup {
    if notes.is_empty() {
        return markup! {};
    }
    markup! {
        div.notes {
            @if !notes.limited.is_empty() {
                div id=(format!("{anchor}-limited")) {
                    p {
                        strong { "† Engine-limited." }
                        " This server executes these unlike mongod; they are left out of claims and counts:"
                    }
                    ul { @for text in &notes.limited { li { (text) } } }
                }
            }
            @if !notes.numbered.is_empty() {
                ol {
                    @for (place, text) in notes.numbered.iter().enumerate() {
                        li id=(format!("{anchor}-n{}", place + 1)) { (text) }
                    }
                }
            }
        }
    }
}
