//! A table in columns of text.

use super::format::NOT_AVAILABLE;
use super::screen::{Screen, Span};
use super::text::{columns, shortened};
use super::view::{Align, Cell, Mark, Table, Tone};

/// Columns between two columns of a table.
const GUTTER: usize = 2;

/// No name is shortened below this.
const LEAST: usize = 8;

/// Writes the table, leaving out and shortening what does not fit.
pub(super) fn table(screen: &mut Screen<'_>, table: &Table) {
    let heads: Vec<String> = table.columns.iter().map(|column| screen.shown(column.head)).collect();
    let cells = texts(screen, table);
    let mut widths: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(place, head)| cells.iter().map(|row| columns(&row[place])).max().unwrap_or(0).max(columns(head)))
        .collect();
    let shown = fitting(table, &widths, screen.width());
    shrink(table, &shown, &mut widths, screen.width());

    screen.paragraph("", &table.caption, Tone::Quiet);
    let pad =
        |place: usize, text: &str| padded(&shortened(text, widths[place]), widths[place], table.columns[place].align);
    screen.line(&spans(shown.iter().map(|place| (pad(*place, &heads[*place]), Tone::Strong))));
    for (row, texts) in table.rows.iter().zip(&cells) {
        if row.opens_group {
            let across = shown.iter().map(|place| widths[*place] + GUTTER).sum::<usize>() - GUTTER;
            screen.line(&[Span::new("─".repeat(across), Tone::Quiet)]);
        }
        screen.line(&spans(shown.iter().map(|place| (pad(*place, &texts[*place]), row.cells[*place].tone))));
    }
}

/// The text of every cell with its marks. In columns of figures the marks of figures have a room of their own, so that
/// digits stand below digits.
fn texts(screen: &Screen<'_>, table: &Table) -> Vec<Vec<String>> {
    let room = |place: usize| match table.columns[place].align {
        Align::Left => 0,
        Align::Right => {
            let figures = table.rows.iter().map(|row| &row.cells[place]).filter(|cell| is_figure(cell));
            figures.map(|cell| columns(&screen.shown(&marks(cell)))).max().unwrap_or(0)
        }
    };
    let rooms: Vec<usize> = (0..table.columns.len()).map(room).collect();
    let text = |(cell, room): (&Cell, &usize)| {
        let marks = screen.shown(&marks(cell));
        let space = if is_figure(cell) { room.saturating_sub(columns(&marks)) } else { 0 };
        format!("{}{marks}{}", screen.shown(&cell.text), " ".repeat(space))
    };
    table.rows.iter().map(|row| row.cells.iter().zip(&rooms).map(text).collect()).collect()
}

fn is_figure(cell: &Cell) -> bool {
    !cell.text.is_empty() && cell.text != NOT_AVAILABLE
}

fn marks(cell: &Cell) -> String {
    let said = cell.marks.iter().map(|mark| match mark {
        Mark::Limited => " †".to_owned(),
        Mark::Note(number) => format!(" [{number}]"),
    });
    said.collect()
}

/// The columns that fit, by place; the least important leave first.
fn fitting(table: &Table, widths: &[usize], most: usize) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..widths.len()).collect();
    while total(widths, &shown) > most {
        let least = shown.iter().copied().filter(|place| table.columns[*place].keep < 9);
        let Some(least) = least.min_by_key(|place| table.columns[*place].keep) else { break };
        shown.retain(|place| *place != least);
    }
    shown
}

fn total(widths: &[usize], shown: &[usize]) -> usize {
    shown.iter().map(|place| widths[*place] + GUTTER).sum::<usize>().saturating_sub(GUTTER)
}

/// Shortens the longest column of words until the table fits or nothing is left to give; figures are never cut.
fn shrink(table: &Table, shown: &[usize], widths: &mut [usize], most: usize) {
    while total(widths, shown) > most {
        let words = shown.iter().copied().filter(|place| table.columns[*place].align == Align::Left);
        match words.max_by_key(|place| widths[*place]) {
            Some(longest) if widths[longest] > LEAST => widths[longest] -= 1,
            _ => break,
        }
    }
}

fn padded(text: &str, width: usize, align: Align) -> String {
    let space = " ".repeat(width.saturating_sub(columns(text)));
    match align {
        Align::Left => format!("{text}{space}"),
        Align::Right => format!("{space}{text}"),
    }
}

fn spans(cells: impl Iterator<Item = (String, Tone)>) -> Vec<Span> {
    let mut spans = Vec::new();
    for (text, tone) in cells {
        if !spans.is_empty() {
            spans.push(Span::new(" ".repeat(GUTTER), Tone::Plain));
        }
        spans.push(Span::new(text, tone));
    }
    spans
}
