//! `retry` and `repeat`: what makes a call or a block happen again, and how often at most.

use super::checker::Checker;
use crate::scenario::file::{RepeatFile, RetryFile};
use crate::scenario::tree::{Repeat, Retry};
use crate::source::{NodeId, NodeKind, NodeRef, Problem};
use crate::value::{Scope, Template};

impl Checker<'_> {
    /// Checks when a call is sent again.
    pub(super) fn retry(&mut self, node: NodeId, scope: &Scope) -> Option<Retry> {
        let file = self.decode::<RetryFile>(node)?;
        let place = self.arena.span(node);
        if file.on.is_none() {
            self.missing(
                place,
                "on",
                "`retry`",
                "the errors after which to send it again, such as `on: [DuplicateKey]`",
            );
        }
        let max = self.times(node, file.max, "retry", scope);
        let on = file.on.and_then(|on| on.0)?;
        let written = self.arena.get(node, "on").and_then(|on| self.items(on));
        if written.is_some_and(<[_]>::is_empty) {
            let problem = Problem::new(on.span, "`retry` names no error");
            self.report(problem.help("such as `on: [DuplicateKey]`"));
            return None;
        }
        Some(Retry { on: on.value.0, max: max? })
    }

    /// Checks until when a step is repeated; the scope is that of the condition.
    pub(super) fn repeat(&mut self, node: NodeId, scope: &Scope) -> Option<Repeat> {
        let file = self.decode::<RepeatFile>(node)?;
        if file.until.is_none() {
            let place = self.arena.span(node);
            self.missing(place, "until", "`repeat`", "the condition, such as `until: {^eq: [^it.modified, 0]}`");
        }
        let until = file.until.map(|until| self.template(until.0, scope));
        let max = self.times(node, file.max, "repeat", scope);
        Some(Repeat { until: until??, max: max? })
    }

    /// How many times at most: a whole number of at least 1, or made from parameters.
    fn times(&mut self, of: NodeId, node: Option<NodeRef>, word: &str, scope: &Scope) -> Option<Template> {
        let Some(NodeRef(node)) = node else {
            let place = self.arena.span(of);
            self.missing(place, "max", &format!("`{word}`"), "how many times at most, such as `max: 3`");
            return None;
        };
        let fits = self.is_filled_in(node) || matches!(self.arena.kind(node), NodeKind::Int(1..));
        if !fits {
            let found = self.arena.kind(node).describe();
            let message = format!("`max` of `{word}` takes a whole number of at least 1, found {found}");
            self.report_node(node, message, "write it out, or take it from a parameter, such as `^tries`");
            return None;
        }
        let parameters = Scope { parameters: scope.parameters.clone(), ..Scope::default() };
        self.template(node, &parameters)
    }

    /// Records it if a step has both `repeat` and another loop: which of them is the inner one would be a guess.
    pub(super) fn one_loop(&mut self, word: &str, body: NodeId, other: &str) {
        if let (Some(repeat), Some(other)) = (self.arena.entry(body, "repeat"), self.arena.entry(body, other)) {
            self.report(
                Problem::new(repeat.key_span, format!("`{word}` has both `repeat` and `{}`", other.key))
                    .help("put a `do` block around it for one of them: `do: {steps: […], forEach: …}`")
                    .note(other.key_span, format!("`{}` stands here", other.key)),
            );
        }
    }
}
