//! A comparison of runs as Markdown, for a pull request: the answer first, tables folded below it.

use crate::record::CompareRecord;
use crate::report::text::clean;
use crate::report::view::{Align, Cell, CompareView, ComparedView, Mark, Table, Tone};

/// What changed between two runs or groups of runs, as GitHub-flavoured Markdown.
pub fn comparison_markdown(record: &CompareRecord) -> String {
    let view = CompareView::of(record);
    let mut out = String::from("## patternbench compare\n\n");
    paragraph(&mut out, &format!("**{}.**", text(&view.answer)));
    list(&mut out, view.judged.iter().map(|(line, tone)| format!("{}{}", sign(*tone), text(line))));
    list(&mut out, [format!("base: {}", text(&view.base)), format!("new: {}", text(&view.new))].into_iter());
    for stamp in &view.stamps {
        paragraph(&mut out, &format!("> {}", text(stamp)));
    }
    list(&mut out, view.missing.iter().map(|line| text(line)));
    if let Some(differences) = &view.differences {
        table(&mut out, differences);
    }
    for scenario in &view.scenarios {
        show(&mut out, scenario);
    }
    for said in &view.coverage {
        paragraph(&mut out, &text(said));
    }
    format!("{}\n", out.trim_end())
}

fn show(out: &mut String, view: &ComparedView) {
    paragraph(out, &format!("### {}", text(&view.heading)));
    paragraph(out, &text(&view.title));
    list(out, view.remarks.iter().map(|remark| text(remark)));
    if let Some(speedups) = &view.speedups {
        table(out, speedups);
    }
    match (&view.evidence, view.unchanged) {
        (Some(evidence), _) => table(out, evidence),
        (None, Some(unchanged)) => paragraph(out, &text(unchanged)),
        (None, None) => {}
    }
    if let Some(figures) = &view.figures {
        out.push_str("<details><summary>Figures of each model</summary>\n\n");
        table(out, figures);
        out.push_str("</details>\n\n");
    }
    for limited in &view.notes.limited {
        paragraph(out, &format!("† engine-limited on both sides, so it does not count: {}", text(limited)));
    }
    for (place, note) in view.notes.numbered.iter().enumerate() {
        paragraph(out, &format!("\\[{}\\] {}", place + 1, text(note)));
    }
}

fn paragraph(out: &mut String, line: &str) {
    out.push_str(line);
    out.push_str("\n\n");
}

fn list(out: &mut String, lines: impl Iterator<Item = String>) {
    let before = out.len();
    lines.for_each(|line| out.push_str(&format!("- {line}\n")));
    if out.len() > before {
        out.push('\n');
    }
}

fn table(out: &mut String, table: &Table) {
    paragraph(out, &text(&table.caption));
    let row = |out: &mut String, cells: Vec<String>| out.push_str(&format!("| {} |\n", cells.join(" | ")));
    row(out, table.columns.iter().map(|column| text(column.head)).collect());
    let rule = |align| match align {
        Align::Left => "---".to_owned(),
        Align::Right => "---:".to_owned(),
    };
    row(out, table.columns.iter().map(|column| rule(column.align)).collect());
    for cells in &table.rows {
        row(out, cells.cells.iter().map(cell).collect());
    }
    out.push('\n');
}

fn cell(cell: &Cell) -> String {
    let marks = cell.marks.iter().map(|mark| match mark {
        Mark::Limited => " †".to_owned(),
        Mark::Note(number) => format!(" \\[{number}\\]"),
    });
    let shown = text(&cell.text);
    let shown = match cell.tone {
        Tone::Strong | Tone::Bad | Tone::Good | Tone::Warning if !shown.is_empty() => format!("**{shown}**"),
        _ => shown,
    };
    format!("{}{shown}{}", if shown.is_empty() { "" } else { sign(cell.tone) }, marks.collect::<String>())
}

/// Markdown has no colours: what must not be overlooked bears a sign.
fn sign(tone: Tone) -> &'static str {
    match tone {
        Tone::Bad => "✗ ",
        Tone::Good => "✓ ",
        _ => "",
    }
}

/// Text as it is: nothing in it is markup, a mention or a reference.
fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in clean(text).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' | '$' => {
                shown.push('\\');
                shown.push(character);
            }
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '@' => shown.push_str("&#64;"),
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_was_written_is_text() {
        assert_eq!(text("a|b <img> **c** @d #1"), "a\\|b &lt;img&gt; \\*\\*c\\*\\* &#64;d \\#1");
        assert_eq!(text("two\nlines"), "two lines");
    }
}
