//! The file as written: the text of its parts, with aliases filled in.

use std::collections::BTreeMap;

use crate::scenario::types::Scenario;
use crate::source::{Arena, NodeId, NodeKind, SourceText, Span, parse};

/// The file as written.
pub(super) struct Written {
    text: SourceText,
    arena: Arena,
    /// The values that stand where they were written, by their place.
    originals: BTreeMap<Span, NodeId>,
}

impl Written {
    pub(super) fn of(scenario: &Scenario) -> Self {
        let text = SourceText::clone(&scenario.source);
        let arena = parse(text.clone()).map(|parsed| parsed.file.arena).unwrap_or_default();
        let mut written = Self { text, arena, originals: BTreeMap::new() };
        if let Some(root) = written.arena.root() {
            written.note_originals(root);
        }
        written
    }

    fn note_originals(&mut self, node: NodeId) {
        let written = self.arena.node(node);
        if written.defined.is_some() {
            return;
        }
        self.originals.entry(written.span).or_insert(node);
        self.children(node).into_iter().for_each(|child| self.note_originals(child));
    }

    fn children(&self, node: NodeId) -> Vec<NodeId> {
        match self.arena.kind(node) {
            NodeKind::Seq(items) => items.clone(),
            NodeKind::Map(entries) => entries.iter().map(|entry| entry.value).collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn node(&self, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(self.arena.root()?, |node, key| self.arena.get(node, key))
    }

    /// The text of the value at this path. Its further lines are indented as its first; what it takes from elsewhere by
    /// an alias stands in it as if it had been written there.
    pub(super) fn text_at(&self, path: &[&str]) -> Option<String> {
        self.node(path).map(|node| self.text(node))
    }

    fn text(&self, node: NodeId) -> String {
        let defined = self.arena.node(node).defined;
        // What an alias stands for knows its parts' places where it was written, and only there.
        let node = defined.and_then(|defined| self.originals.get(&defined).copied()).unwrap_or(node);
        let span = self.arena.span(node);
        let mut aliases = Vec::new();
        self.aliases_in(node, &mut aliases);
        aliases.sort_by_key(|alias| self.arena.span(*alias));
        let mut text = String::new();
        let mut from = span.start;
        for alias in aliases {
            let place = self.arena.span(alias);
            text.push_str(self.slice(Span::new(from, place.start)));
            self.fill_in(alias, &mut text);
            from = place.end;
        }
        text.push_str(self.slice(Span::new(from, span.end)));
        let (_, column) = self.text.line_column(span.start);
        dedented(&without_anchors(&text), column - 1)
    }

    /// Values inside of a node, not the node itself, that stand there by an alias.
    fn aliases_in(&self, node: NodeId, found: &mut Vec<NodeId>) {
        for child in self.children(node) {
            match self.arena.node(child).defined {
                Some(_) => found.push(child),
                None => self.aliases_in(child, found),
            }
        }
    }

    /// Adds what an alias stands for, indented as it has to be at the alias's place.
    fn fill_in(&self, alias: NodeId, text: &mut String) {
        let meant = self.text(alias);
        let place = self.arena.span(alias);
        let before = self.slice(Span::new(0, place.start));
        let before = before.rsplit('\n').next().unwrap_or_default();
        let key_column = before.chars().take_while(|character| matches!(character, ' ' | '-')).count();
        let is_block = meant.contains('\n') && !meant.starts_with(['{', '[', '"', '\'']);
        let after_key = before.trim_end().ends_with(':');
        let indent = match (is_block, after_key) {
            (true, true) => key_column + 2,
            (true, false) => before.chars().count(),
            (false, _) => key_column,
        };
        let indent = " ".repeat(indent);
        if is_block && after_key {
            text.truncate(text.trim_end().len());
            meant.lines().for_each(|line| {
                text.push('\n');
                text.push_str(&indent);
                text.push_str(line);
            });
            return;
        }
        text.push_str(&meant.replace('\n', &format!("\n{indent}")));
    }

    fn slice(&self, span: Span) -> &str {
        self.text.text().get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

/// The lines after the first with so many blanks less before them.
fn dedented(text: &str, by: usize) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let rest = lines.map(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        line[indent.min(by)..].to_owned()
    });
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// The text without `&name` before values: nothing refers to it any more.
fn without_anchors(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let mut line = line.to_owned();
        while let Some((from, to)) = anchor(&line) {
            line.replace_range(from..to, "");
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// An anchor with the blank behind it, or, at the end of its line, with the blank before it.
fn anchor(line: &str) -> Option<(usize, usize)> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    line.match_indices('&').find_map(|(at, _)| {
        let before = &line[..at];
        let is_value = before.ends_with(": ") || before.ends_with("- ") || before.trim().is_empty();
        let name = line[at + 1..].find(|character| !is_name(character)).unwrap_or(line.len() - at - 1);
        let end = at + 1 + name;
        match line[end..].chars().next() {
            _ if !is_value || name == 0 => None,
            Some(' ') => Some((at, end + 1)),
            Some(_) => None,
            None => Some((before.trim_end().len(), end)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_go_and_ampersands_stay() {
        let text = "a: &one {b: 1}\nfind: &two\n  filter: {name: R&D, of: \"R & D\"}\n- &three x";
        let expected = "a: {b: 1}\nfind:\n  filter: {name: R&D, of: \"R & D\"}\n- x";
        assert_eq!(without_anchors(text), expected);
    }
}
