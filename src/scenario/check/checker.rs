//! What every check has at hand: the arena, and where problems go.

use serde::de::DeserializeOwned;

use crate::source::{Arena, Entry, NodeId, NodeKind, Problem, Problems, Soft, Span, decode, nearest};
use crate::value::{Scope, Template};

/// The arena of the file, and where problems go.
pub(super) struct Checker<'a> {
    pub(super) arena: &'a Arena,
    pub(super) problems: &'a mut Problems,
}

impl<'a> Checker<'a> {
    /// Records a problem.
    pub(super) fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Records a problem of a node, with where its value was defined if that is elsewhere.
    pub(super) fn report_node(&mut self, node: NodeId, message: impl Into<String>, help: impl Into<String>) {
        let problem = self.arena.problem(node, message).help(help);
        self.report(problem);
    }

    /// Records that a field must stand where it does not.
    pub(super) fn missing(&mut self, place: Span, field: &str, of: &str, help: &str) {
        self.report(Problem::new(place, format!("{of} has no `{field}`")).help(help));
    }

    /// Records that a name is not known, with the nearest that is.
    pub(super) fn unknown<'k>(
        &mut self,
        place: Span,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let known: Vec<&str> = known.into_iter().collect();
        self.report(Problem::new(place, format!("unknown {what} `{name}`")).help(suggestion(name, &known)));
    }

    /// Decodes a node, recording its problems.
    pub(super) fn decode<T: DeserializeOwned>(&mut self, node: NodeId) -> Option<T> {
        decode(self.arena, node, self.problems)
    }

    /// Compiles a template, recording its problems.
    pub(super) fn template(&mut self, node: NodeId, scope: &Scope) -> Option<Template> {
        Template::compile(self.arena, node, scope, self.problems)
    }

    /// Compiles a value in which nothing is to be filled in.
    pub(super) fn constant(&mut self, node: NodeId, what: &str) -> Option<bson::Bson> {
        let template = self.template(node, &Scope::default())?;
        let constant = template.as_constant().cloned();
        if constant.is_none() {
            self.report_node(node, format!("{what} must be a constant"), "write the value itself");
        }
        constant
    }

    /// As [`constant`](Self::constant), for a document.
    pub(super) fn document(&mut self, node: NodeId, what: &str) -> Option<bson::Document> {
        match self.constant(node, what)? {
            bson::Bson::Document(document) => Some(document),
            _ => {
                let found = self.arena.kind(node).describe();
                self.report_node(node, format!("{what} must be a map, found {found}"), "such as `{productId: 1}`");
                None
            }
        }
    }

    /// The text of a node that is a string.
    pub(super) fn text(&self, node: NodeId) -> Option<&'a str> {
        match self.arena.kind(node) {
            NodeKind::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a node that is a list.
    pub(super) fn items(&self, node: NodeId) -> Option<&'a [NodeId]> {
        match self.arena.kind(node) {
            NodeKind::Seq(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a node that is a map with its own keys (no generator or function).
    pub(super) fn plain_map(&self, node: NodeId) -> Option<&'a [Entry]> {
        match self.arena.kind(node) {
            NodeKind::Map(entries) if !is_function(entries) => Some(entries),
            _ => None,
        }
    }

    /// Whether the node's value is known only when it is rendered: a reference, a generator or a function.
    pub(super) fn is_filled_in(&self, node: NodeId) -> bool {
        match self.arena.kind(node) {
            NodeKind::Str(text) => text.starts_with('^') && !text.starts_with("^^"),
            NodeKind::Map(entries) => is_function(entries),
            _ => false,
        }
    }
}

fn is_function(entries: &[Entry]) -> bool {
    matches!(entries, [only] if only.key.starts_with('^') && !only.key.starts_with("^^"))
}

/// What decoding made of an optional field: `None` where it is absent or broken.
pub(super) fn given<T>(field: &Option<Soft<T>>) -> Option<&T> {
    field.as_ref().and_then(|soft| soft.0.as_ref())
}

/// The nearest of the known names, or all of them.
pub(super) fn suggestion(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there is none".to_owned(),
        None => format!("known here: {}", list(known)),
    }
}

/// Names as a list in code marks.
pub(super) fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
