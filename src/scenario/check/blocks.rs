//! Blocks: transactions and loops, and which calls a transaction cannot hold.

use super::checker::{Checker, given};
use super::command::WRITE_COMMANDS;
use super::steps::{Call, Place, Written, all_or_none, part};
use crate::scenario::file::{DoFile, TransactionFile};
use crate::scenario::tree::BlockStep;
use crate::source::{At, Entry, List, NodeId, NodeRef, Problem, Soft, Span};
use crate::value::Scope;
use crate::words::{Block, ErrorName};

/// A block as it is written.
pub(super) struct BlockForm {
    kind: Block,
    /// Where its word stands.
    span: Span,
    body: NodeId,
    pub(super) steps: Vec<Option<Written>>,
    name: Option<At<String>>,
    when: Option<NodeRef>,
    for_each: Option<NodeRef>,
    repeat: Option<NodeRef>,
    expect: Vec<ErrorName>,
    assert: Option<NodeRef>,
}

impl Checker<'_> {
    /// Reads a block; `None` where it has no steps, or what stands in its braces is broken.
    pub(super) fn block_form(&mut self, kind: Block, entry: &Entry) -> Option<BlockForm> {
        let form = BlockForm {
            kind,
            span: entry.key_span,
            body: entry.value,
            steps: Vec::new(),
            name: None,
            when: None,
            for_each: None,
            repeat: None,
            expect: Vec::new(),
            assert: None,
        };
        match kind {
            Block::Transaction => {
                let file = self.decode::<TransactionFile>(entry.value)?;
                Some(BlockForm {
                    steps: self.steps_of_block(entry, file.steps.as_ref())?,
                    name: given(&file.name).cloned(),
                    when: file.when,
                    for_each: file.for_each,
                    expect: given(&file.expect).map(|names| names.0.clone()).unwrap_or_default(),
                    assert: file.assert,
                    ..form
                })
            }
            Block::Do => {
                let file = self.decode::<DoFile>(entry.value)?;
                Some(BlockForm {
                    steps: self.steps_of_block(entry, file.steps.as_ref())?,
                    when: file.when,
                    for_each: file.for_each,
                    repeat: file.repeat,
                    ..form
                })
            }
        }
    }

    fn steps_of_block(
        &mut self,
        entry: &Entry,
        steps: Option<&Soft<At<List<NodeRef>>>>,
    ) -> Option<Vec<Option<Written>>> {
        let Some(steps) = steps else {
            self.missing(entry.key_span, "steps", &format!("`{}`", entry.key), "such as `steps: [{updateOne: {…}}]`");
            return None;
        };
        let steps = steps.0.as_ref()?;
        if steps.value.0.is_empty() {
            let problem = Problem::new(steps.span, format!("`{}` holds no step", entry.key));
            self.report(problem.help("such as `- updateOne: {collection: …, filter: {…}, update: {…}}`"));
            return None;
        }
        Some(self.written(&steps.value.0))
    }

    /// Checks a block and compiles it. What it binds is known to what follows.
    pub(super) fn block(&mut self, form: &BlockForm, place: &Place<'_>, scope: &mut Scope) -> Option<BlockStep> {
        let mut inside = *place;
        if form.kind == Block::Transaction {
            if let Some(outer) = place.transaction {
                self.report(
                    Problem::new(form.span, "a transaction stands inside another")
                        .help("put the steps of both into one, or one after the other")
                        .note(outer, "the other begins here"),
                );
            }
            inside.transaction.get_or_insert(form.span);
        }
        let when = part(self, form.when, scope);
        let for_each = part(self, form.for_each, scope);
        let each_outside = scope.each;
        scope.each |= form.for_each.is_some();
        let steps = self.compiled_steps(&form.steps, &inside, scope);
        scope.each = each_outside;
        let repeat = all_or_none(form.repeat.map(|node| self.repeat(node.0, scope)));
        self.one_loop(form.kind.word(), form.body, "forEach");
        let assert = part(self, form.assert, scope);
        let binding = form.name.clone().map(|name| self.slot_of(name, scope));
        Some(BlockStep {
            kind: form.kind,
            steps: steps?,
            binding,
            when: when?,
            expect: form.expect.clone(),
            for_each: for_each?,
            repeat: repeat?,
            assert: assert?,
            span: form.span,
        })
    }

    /// Records what a transaction cannot hold: an error that is taken for an answer, and changes of collections.
    pub(super) fn fits_in_transaction(&mut self, call: Call, place: &Place<'_>) {
        let Some(transaction) = place.transaction else { return };
        for extra in ["expect", "retry"] {
            if let Some(entry) = self.arena.entry(call.body, extra) {
                self.report(
                    Problem::new(
                        entry.key_span,
                        format!("`{extra}` stands inside a transaction, which any error of a call aborts"),
                    )
                    .help("write `expect` in the braces of the transaction: it is aborted then, and `error` of its `as` holds the name")
                    .note(transaction, "the transaction begins here"),
                );
            }
        }
        let changes_collections = match call.word {
            "runCommand" => {
                self.command_name(call.body).is_some_and(|name| WRITE_COMMANDS.contains(&name.key.as_str()))
            }
            "aggregate" => self.stores_result(call.body),
            _ => false,
        };
        if changes_collections {
            self.report(
                Problem::new(call.span, format!("this `{}` cannot be part of a transaction", call.word))
                    .help("put it before or after the transaction")
                    .note(transaction, "the transaction begins here"),
            );
        }
    }

    fn stores_result(&self, body: NodeId) -> bool {
        let stages = self.arena.get(body, "pipeline").and_then(|node| self.items(node)).unwrap_or_default();
        let last = stages.last().map(|stage| self.arena.entries(*stage)).unwrap_or_default();
        last.iter().any(|stage| matches!(stage.key.as_str(), "$out" | "$merge"))
    }
}
