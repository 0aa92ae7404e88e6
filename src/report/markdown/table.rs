//! Tables, marks and notes in Markdown.

use super::escape::escaped;
use crate::report::view::{Align, Cell, Mark, Notes, Table, Tone};

/// A table with its caption above it.
pub(super) fn table(out: &mut String, table: &Table) {
    paragraph(out, &escaped(&table.caption));
    row(out, table.columns.iter().map(|column| escaped(column.head)));
    row(
        out,
        table.columns.iter().map(|column| match column.align {
            Align::Left => ":---".to_owned(),
            Align::Right => "---:".to_owned(),
        }),
    );
    for line in &table.rows {
        row(out, line.cells.iter().map(cell));
    }
    out.push('\n');
}

/// A paragraph of Markdown; nothing where there is no text.
pub(super) fn paragraph(out: &mut String, markdown: &str) {
    if !markdown.is_empty() {
        out.push_str(markdown);
        out.push_str("\n\n");
    }
}

/// The notes that marks point to.
pub(super) fn notes(out: &mut String, notes: &Notes) {
    for text in &notes.limited {
        paragraph(out, &format!("† engine-limited: {}", escaped(text)));
    }
    for (place, text) in notes.numbered.iter().enumerate() {
        out.push_str(&format!("{}. {}\n", place + 1, escaped(text)));
    }
    if !notes.numbered.is_empty() {
        out.push('\n');
    }
}

fn row(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        out.push_str(&cell);
        out.push_str(" |");
    }
    out.push('\n');
}

fn cell(cell: &Cell) -> String {
    let text = toned(&escaped(&cell.text), cell.tone);
    let marks: Vec<String> = cell.marks.iter().map(mark).collect();
    if marks.is_empty() { text } else { format!("{text} <sup>{}</sup>", marks.join(", ")) }
}

fn mark(mark: &Mark) -> String {
    match mark {
        Mark::Limited => "†".to_owned(),
        Mark::Note(number) => number.to_string(),
    }
}

/// Escaped text in its tone: what decides is bold.
pub(super) fn toned(text: &str, tone: Tone) -> String {
    match tone {
        _ if text.is_empty() => String::new(),
        Tone::Strong | Tone::Good | Tone::Bad | Tone::Warning => format!("**{text}**"),
        Tone::Plain | Tone::Quiet | Tone::Open => text.to_owned(),
    }
}
