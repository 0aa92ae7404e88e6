//! A sheet as text for a terminal: models in columns beside each other.

use std::fmt::Write;

use super::sheet::{CollectionSheet, ModelSheet, OperationSheet, Sheet, StepsSheet, under};

/// Columns narrower than this are unreadable: models then stand one below the other.
const NARROWEST: usize = 36;
/// Stands between two columns.
const GAP: &str = " │ ";

impl Sheet {
    /// The sheet for a terminal that is so many characters wide, without colours.
    pub fn text(&self, width: usize) -> String {
        let mut text = format!("{}: {}\n\n", self.name, self.title);
        paragraphs(&self.summary, width, &mut text);
        text.push('\n');
        for (what, fact) in &self.facts {
            for (number, line) in wrapped(fact, width.saturating_sub(15)).into_iter().enumerate() {
                let _ = writeln!(text, "{:<15}{line}", if number == 0 { what } else { "" });
            }
        }
        let heads: Vec<String> = self.models.iter().map(head).collect();
        text.push_str("\nCollections\n");
        columns(&heads, self.models.iter().map(model_text).collect(), width, &mut text);
        for operation in &self.operations {
            let _ = writeln!(text, "\n{}", operation_line(operation));
            for (name, arg) in &operation.args {
                paragraphs(&under(&format!("  ^{name}:"), arg), width, &mut text);
            }
            if let Some(returns) = &operation.returns {
                paragraphs(&under("  returns:", returns), width, &mut text);
            }
            columns(&heads, operation.models.iter().map(steps_text).collect(), width, &mut text);
        }
        if self.models.iter().any(|model| !model.beside.is_empty()) {
            text.push_str("\nBeside the operations\n");
            columns(&heads, self.models.iter().map(|model| model.beside.clone()).collect(), width, &mut text);
        }
        text
    }
}

pub(super) fn head(model: &ModelSheet) -> String {
    if model.name == model.role.word() { model.name.clone() } else { format!("{} ({})", model.name, model.role) }
}

fn operation_line(operation: &OperationSheet) -> String {
    format!("{}: {} of the mix", operation.name, shares(operation))
}

/// An operation's share of the mix, or of each of several mixes with its name.
pub(super) fn shares(operation: &OperationSheet) -> String {
    let shares: Vec<String> = operation
        .shares
        .iter()
        .map(|(workload, share)| match operation.shares.len() {
            1 => format!("{share:.3}"),
            _ => format!("{workload} {share:.3}"),
        })
        .map(|share| format!("{} %", share.trim_end_matches('0').trim_end_matches('.')))
        .collect();
    shares.join(", ")
}

fn steps_text(done: &StepsSheet) -> String {
    match &done.growth {
        Some(growth) => format!("growth: {growth}\n{}", done.steps),
        None => done.steps.clone(),
    }
}

fn model_text(model: &ModelSheet) -> String {
    let title = model.title.iter().cloned();
    title.chain([collections_text(model)]).collect::<Vec<_>>().join("\n\n")
}

fn collections_text(model: &ModelSheet) -> String {
    model.collections.iter().map(collection_text).collect::<Vec<_>>().join("\n\n")
}

fn collection_text(collection: &CollectionSheet) -> String {
    let mut lines = vec![match &collection.from {
        Some(from) => format!("{} from {from}", collection.name),
        None => format!("{}, empty at first", collection.name),
    }];
    lines.extend(collection.partitions.iter().map(|partitions| format!("  partitioned {partitions}")));
    lines.extend(collection.indexes.iter().map(|index| format!("  index {index}")));
    let parts =
        [("options", &collection.options), ("pipeline", &collection.pipeline), ("document", &collection.sample)];
    for (what, part) in parts {
        let Some(part) = part else { continue };
        lines.push(format!("  {what}"));
        lines.extend(part.lines().map(|line| format!("    {line}")));
    }
    lines.join("\n")
}

/// Writes cells beside each other under their heads, or below each other where the width is too small.
fn columns(heads: &[String], cells: Vec<String>, width: usize, text: &mut String) {
    let count = heads.len().max(1);
    let column = (width + GAP.chars().count()) / count;
    let column = column.saturating_sub(GAP.chars().count());
    if column < NARROWEST {
        for (head, cell) in heads.iter().zip(cells) {
            let _ = writeln!(text, "  {head}");
            paragraphs(&cell.lines().map(|line| format!("    {line}\n")).collect::<String>(), width, text);
        }
        return;
    }
    let cells: Vec<Vec<String>> = heads
        .iter()
        .zip(cells)
        .map(|(head, cell)| {
            let rule = "─".repeat(column);
            let lines = cell.lines().flat_map(|line| wrapped(line, column)).collect::<Vec<_>>();
            [wrapped(head, column), vec![rule], lines].concat()
        })
        .collect();
    for row in 0..cells.iter().map(Vec::len).max().unwrap_or_default() {
        let line: Vec<String> = cells
            .iter()
            .map(|lines| lines.get(row).map_or("", String::as_str))
            .map(|line| format!("{line}{}", " ".repeat(column.saturating_sub(line.chars().count()))))
            .collect();
        let _ = writeln!(text, "{}", line.join(GAP).trim_end());
    }
}

fn paragraphs(paragraphs: &str, width: usize, text: &mut String) {
    for line in paragraphs.lines().flat_map(|line| wrapped(line, width)) {
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// A line broken at blanks where it is too long; what follows is indented two further than the line.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let indent = line.chars().take_while(|character| *character == ' ').count();
    let further = " ".repeat((indent + 2).min(width / 2));
    let mut lines = Vec::new();
    let mut current = " ".repeat(indent.min(width / 2));
    let mut is_bare = true;
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let needed = current.chars().count() + usize::from(!is_bare) + word.chars().count();
        if needed > width && !is_bare {
            lines.push(std::mem::replace(&mut current, further.clone()));
            is_bare = true;
        }
        if !is_bare {
            current.push(' ');
        }
        current.push_str(word);
        is_bare = false;
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_blanks_and_keep_their_indent() {
        assert_eq!(wrapped("  - find: {collection: products}", 20), ["  - find:", "    {collection:", "    products}"]);
        assert_eq!(wrapped("", 10), [""]);
        assert_eq!(wrapped("unbreakable-and-long", 5), ["unbreakable-and-long"]);
    }

    #[test]
    fn columns_stand_beside_each_other_where_there_is_room() {
        let heads = ["naive".to_owned(), "page".to_owned()];
        let cells = || vec!["a\nb".to_owned(), "c".to_owned()];
        let mut wide = String::new();
        columns(&heads, cells(), 80, &mut wide);
        let rows: Vec<Vec<&str>> = wide.lines().map(|line| line.split('│').map(str::trim).collect()).collect();
        assert_eq!(rows[0], ["naive", "page"]);
        assert_eq!(rows[2..], [vec!["a", "c"], vec!["b", ""]]);
        let mut narrow = String::new();
        columns(&heads, cells(), 40, &mut narrow);
        assert_eq!(narrow, "  naive\n    a\n    b\n  page\n    c\n");
    }
}
