//! From the nodes of a file to expressions: every mistake is recorded with its place and what would be right.

mod call;
mod checks;
mod extended_json;
mod format;
mod options;
mod reference;

use bson::Bson;

use super::draw::hash;
use super::expression::Expression;
use super::number::whole;
use super::scope::Scope;
use crate::source::{Arena, Entry, NodeId, NodeKind, Problem, Problems, Span};

/// The deepest nesting that compiles: that of a BSON document on a server.
const MAX_DEPTH: u32 = 100;

/// Compiles a node; `None` says that problems were recorded.
pub(crate) fn compile(arena: &Arena, node: NodeId, scope: &Scope, problems: &mut Problems) -> Option<Expression> {
    let spot = Spot { place: hash(0, &scope.place), depth: 0, it: scope.it, position: scope.parent };
    Compiler { arena, scope, problems }.value(node, spot)
}

/// Where in its template a value stands, and what is known there beside the scope.
#[derive(Debug, Clone, Copy)]
struct Spot {
    place: u64,
    depth: u32,
    it: bool,
    position: bool,
}

impl Spot {
    fn child(self, key: &str) -> Self {
        Self { place: hash(self.place, key), depth: self.depth + 1, ..self }
    }

    fn element(self, index: usize) -> Self {
        self.child(&index.to_string())
    }
}

struct Compiler<'c> {
    arena: &'c Arena,
    scope: &'c Scope,
    problems: &'c mut Problems,
}

impl Compiler<'_> {
    /// Records a problem.
    fn problem(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        let problem = Problem::new(span, message);
        self.problems.push(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }

    fn value(&mut self, node: NodeId, spot: Spot) -> Option<Expression> {
        let span = self.arena.span(node);
        if spot.depth > MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep, which no server takes");
            self.problem(span, message, None);
            return None;
        }
        match self.arena.kind(node) {
            NodeKind::Null => Some(Expression::Constant(Bson::Null)),
            NodeKind::Bool(truth) => Some(Expression::Constant(Bson::Boolean(*truth))),
            NodeKind::Int(number) => Some(Expression::Constant(whole(*number))),
            NodeKind::Float(number) => Some(Expression::Constant(Bson::Double(*number))),
            NodeKind::Str(text) => self.text(text, span, spot),
            NodeKind::Seq(elements) => self.list(elements, spot).map(Expression::list),
            NodeKind::Map(entries) => self.map(entries, spot),
        }
    }

    fn text(&mut self, text: &str, span: Span, spot: Spot) -> Option<Expression> {
        match text.strip_prefix('^') {
            // `^^` is a literal `^`.
            Some(rest) if rest.starts_with('^') => Some(Expression::Constant(Bson::from(rest))),
            Some(name) => self.reference(name, span, spot),
            None => Some(Expression::Constant(Bson::from(text))),
        }
    }

    /// Every element, so that all problems are found; `None` when there was one.
    fn list(&mut self, elements: &[NodeId], spot: Spot) -> Option<Vec<Expression>> {
        let values: Vec<_> =
            elements.iter().enumerate().map(|(index, element)| self.value(*element, spot.element(index))).collect();
        values.into_iter().collect()
    }

    fn map(&mut self, entries: &[Entry], spot: Spot) -> Option<Expression> {
        if let [entry] = entries {
            if let Some(name) = marked(&entry.key) {
                return self.call(name, entry, spot);
            }
            if extended_json::is_known(&entry.key) {
                return self.extended_json(entry).map(Expression::Constant);
            }
        }
        self.document(entries, spot).map(Expression::document)
    }

    fn document(&mut self, entries: &[Entry], spot: Spot) -> Option<Vec<(String, Expression)>> {
        let mut fields = Some(Vec::with_capacity(entries.len()));
        for entry in entries {
            let sound = self.sound_key(entry, entries.len());
            match (self.value(entry.value, spot.child(&entry.key)).filter(|_| sound), &mut fields) {
                (Some(value), Some(fields)) => fields.push((literal_key(&entry.key).to_owned(), value)),
                _ => fields = None,
            }
        }
        fields
    }

    fn sound_key(&mut self, entry: &Entry, siblings: usize) -> bool {
        if let Some(name) = marked(&entry.key) {
            let message = format!("`^{name}` stands among {} other keys", siblings - 1);
            let help =
                "a generator or function is the only key of its map; a key that begins with `^` is written `^^…`";
            self.problem(entry.key_span, message, Some(help.to_owned()));
            return false;
        }
        if entry.key.contains('\0') {
            self.problem(entry.key_span, "a field's name holds a null character, which BSON forbids", None);
            return false;
        }
        true
    }
}

/// The name behind the `^` of a key, unless it is the literal `^^`.
fn marked(key: &str) -> Option<&str> {
    key.strip_prefix('^').filter(|name| !name.starts_with('^'))
}

/// A key as it is stored: `^^` is a literal `^`.
fn literal_key(key: &str) -> &str {
    if key.starts_with("^^") { &key[1..] } else { key }
}
