//! Steps: the one call in each, its fields, its extras, and what they refer to.

use super::blocks::BlockForm;
use super::checker::{Checker, list, suggestion};
use super::fields::{Fields, field_names, fields_of};
use super::order::{Ordered, Reason};
use super::pipeline::Known;
use crate::scenario::step::{Compiled, StepKind};
use crate::scenario::tree::{CallStep, Step};
use crate::scenario::types::Binding;
use crate::source::{At, Entry, List, NodeId, NodeKind, NodeRef, Problem, Span};
use crate::value::{Scope, Template};
use crate::words::{Block, ErrorName};

/// What stands inside a step's braces besides the call's own fields.
pub(in crate::scenario) const EXTRAS: &[&str] =
    &["as", "when", "expect", "retry", "select", "forEach", "repeat", "assert"];

/// The surroundings of an operation's steps.
#[derive(Clone, Copy)]
pub(super) struct Setting<'s> {
    /// The model's collections.
    pub(super) known: &'s Known,
    /// Names of parameters.
    pub(super) parameters: &'s [String],
    /// Names of the operation's arguments.
    pub(super) args: &'s [String],
    /// Whether `returns` says `order: true`.
    pub(super) ordered: bool,
    /// Whether the operation's answer is built by a `result`.
    pub(super) has_result: bool,
}

/// The steps of an operation.
pub(super) struct Steps {
    /// The steps, unless one of them is broken.
    pub(super) steps: Option<Vec<Step>>,
    /// What a `result` after them can refer to.
    pub(super) scope: Scope,
    /// The calls, as far as they could be told.
    pub(super) calls: Vec<Call>,
}

/// The call of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// Its name.
    pub(super) word: &'static str,
    /// Where the name stands.
    pub(super) span: Span,
    /// Its fields and extras.
    pub(super) body: NodeId,
}

impl Call {
    /// Whether it only reads.
    pub(super) fn reads(&self) -> bool {
        StepKind::<Compiled>::READS.contains(&self.word)
    }
}

/// A step as it is written: which kind of step, and its braces.
pub(super) enum Written {
    Call(Call, Span),
    Block(BlockForm),
}

/// The calls of these steps, inside blocks too, in the order of the file.
fn calls_of<'w>(steps: &'w [Option<Written>], calls: &mut Vec<&'w Call>) {
    for step in steps.iter().flatten() {
        match step {
            Written::Call(call, _) => calls.push(call),
            Written::Block(block) => calls_of(&block.steps, calls),
        }
    }
}

/// What the steps of an operation are checked against.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) setting: Setting<'p>,
    /// The call whose documents are the operation's answer.
    answer: Option<NodeId>,
    /// The transaction around a step, where it is named.
    pub(super) transaction: Option<Span>,
}

impl Place<'_> {
    /// How far the order of a call's documents is part of the operation's answer.
    fn ordered(&self, call: Call) -> Ordered {
        match self.setting {
            Setting { ordered: false, .. } => Ordered::No,
            Setting { has_result: true, .. } => Ordered::WhereSorted,
            _ if self.answer == Some(call.body) => Ordered::Yes,
            _ => Ordered::No,
        }
    }
}

impl<'a> Checker<'a> {
    /// Checks the steps of an operation.
    pub(super) fn steps(&mut self, nodes: &[NodeRef], setting: Setting<'_>) -> Steps {
        let written = self.written(nodes);
        let mut calls = Vec::new();
        calls_of(&written, &mut calls);
        let answer = calls.iter().rfind(|call| call.reads()).map(|call| call.body);
        let mut calls: Vec<Call> = calls.into_iter().copied().collect();
        let names = setting.args.to_vec();
        let mut scope = Scope { parameters: setting.parameters.to_vec(), names, ..Scope::default() };
        let place = Place { setting, answer, transaction: None };
        let steps = self.compiled_steps(&written, &place, &mut scope);
        // The writes of a `bulkWrite` are calls of their own to whoever asks what an operation writes.
        let bulk: Vec<Call> = calls.iter().filter(|call| call.word == "bulkWrite").copied().collect();
        calls.extend(bulk.into_iter().flat_map(|call| self.bulk_writes(call.body)));
        Steps { steps, scope, calls }
    }

    /// Reads which steps there are; what is none is recorded.
    pub(super) fn written(&mut self, nodes: &[NodeRef]) -> Vec<Option<Written>> {
        nodes.iter().map(|node| self.written_step(node.0)).collect()
    }

    /// Checks steps, and compiles them unless one of them is broken. What they bind is added to the scope.
    pub(super) fn compiled_steps(
        &mut self,
        written: &[Option<Written>],
        place: &Place<'_>,
        scope: &mut Scope,
    ) -> Option<Vec<Step>> {
        let mut steps = Some(Vec::new());
        for step in written {
            let step = match step {
                None => None,
                Some(Written::Call(call, span)) => self.step(*call, *span, place, scope).map(Box::new).map(Step::Call),
                Some(Written::Block(block)) => self.block(block, place, scope).map(Box::new).map(Step::Block),
            };
            match (step, &mut steps) {
                (Some(step), Some(steps)) => steps.push(step),
                _ => steps = None,
            }
        }
        steps
    }

    /// What a step is: the one key that names a call or a block.
    fn written_step(&mut self, node: NodeId) -> Option<Written> {
        let NodeKind::Map(entries) = self.arena.kind(node) else {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("a step is a map with one key, found {found}"),
                "such as `find: {collection: …, filter: {…}}`",
            );
            return None;
        };
        let words = words();
        let word = |entry: &Entry| words.iter().find(|word| **word == entry.key).copied();
        let Some((entry, word)) = entries.iter().find_map(|entry| word(entry).map(|word| (entry, word))) else {
            self.no_step(node, entries, &words);
            return None;
        };
        let beside: Vec<&Entry> = entries.iter().filter(|other| other.key != entry.key).collect();
        if matches!(self.arena.kind(entry.value), NodeKind::Null) {
            self.empty_step(entry, &beside);
            return None;
        }
        beside.iter().for_each(|other| self.beside_step(other, entry));
        if self.plain_map(entry.value).is_none() {
            let found = self.arena.kind(entry.value).describe();
            self.report_node(entry.value, format!("`{word}` takes a map of its fields, found {found}"), keys_of(word));
            return None;
        }
        match word.parse::<Block>() {
            Ok(kind) => self.block_form(kind, entry).map(Written::Block),
            Err(_) => {
                let call = Call { word, span: entry.key_span, body: entry.value };
                Some(Written::Call(call, self.arena.span(node)))
            }
        }
    }

    fn no_step(&mut self, node: NodeId, entries: &[Entry], words: &[&'static str]) {
        let is_step = |entry: &&Entry| !EXTRAS.contains(&entry.key.as_str());
        match entries.iter().find(is_step).or(entries.first()) {
            Some(entry) => self.report(
                Problem::new(entry.key_span, format!("unknown step `{}`", entry.key))
                    .help(suggestion(&entry.key, words)),
            ),
            None => self.report_node(node, "a step is a map with one key, found none", list(words)),
        }
    }

    fn empty_step(&mut self, entry: &Entry, beside: &[&Entry]) {
        let problem = Problem::new(entry.key_span, format!("`{}` has no fields", entry.key));
        self.report(match beside {
            [] => problem.help(keys_of(&entry.key)),
            [first, ..] => problem
                .help(format!("indent what follows by two more spaces, or write `{}: {{{}: …}}`", entry.key, first.key))
                .note(first.key_span, "this stands beside it, not inside it"),
        });
    }

    fn beside_step(&mut self, other: &Entry, step: &Entry) {
        let (key, word) = (other.key.as_str(), &step.key);
        let inside = EXTRAS.contains(&key) || key == "collection" || key == "steps" || field_names(word).contains(&key);
        let problem = if inside {
            Problem::new(other.key_span, format!("`{key}` stands outside the braces of `{word}`"))
                .help(format!("move it inside: `{word}: {{…, {key}: …}}`"))
        } else {
            Problem::new(other.key_span, format!("`{key}` stands beside `{word}`: a step makes one call"))
                .help("begin another step with `-`")
        };
        self.report(problem.note(step.key_span, format!("`{word}` stands here")));
    }

    fn step(&mut self, call: Call, span: Span, place: &Place<'_>, scope: &mut Scope) -> Option<CallStep> {
        let known = place.setting.known;
        self.unknown_fields(call);
        self.fits_in_transaction(call, place);
        let get = |key: &str| self.arena.get(call.body, key);
        let (when, select, for_each, assert) = (get("when"), get("select"), get("forEach"), get("assert"));
        let (retry, repeat) = (get("retry"), get("repeat"));
        let over_partitions = get("collection").is_some_and(|collection| self.addresses_all(collection));
        let inner = Scope { each: scope.each || for_each.is_some() || over_partitions, ..scope.clone() };
        let when = when.map(|node| self.template(node, scope));
        let for_each = for_each.map(|node| self.template(node, scope));
        let select = select.map(|node| self.template(node, &Scope { it: true, ..scope.clone() }));
        let expect = self.arena.get(call.body, "expect").map(|node| self.decode::<List<ErrorName>>(node));
        let retry = retry.map(|node| self.retry(node, scope));
        let iterates = for_each.is_some();
        let mut fields = Fields { checker: self, call, scope: &inner, known, iterates };
        let kind = StepKind::read(call.word, &mut fields);
        self.meaning(call, known, place.ordered(call));
        let binding = self.binding(self.arena.get(call.body, "as"), scope);
        let with_it = Scope { it: true, ..scope.clone() };
        let repeat = repeat.map(|node| self.repeat(node, &with_it));
        self.one_loop(call.word, call.body, "forEach");
        let assert = assert.map(|node| self.template(node, &with_it));
        Some(CallStep {
            kind: kind?,
            binding,
            when: all_or_none(when)?,
            expect: expect.map_or(Some(Vec::new()), |names| names.map(|names| names.0))?,
            retry: all_or_none(retry)?,
            select: all_or_none(select)?,
            for_each: all_or_none(for_each)?,
            repeat: all_or_none(repeat)?,
            assert: all_or_none(assert)?,
            span,
        })
    }

    fn unknown_fields(&mut self, call: Call) {
        let known = [field_names(call.word), EXTRAS.to_vec()].concat();
        for entry in self.arena.entries(call.body) {
            if !known.contains(&entry.key.as_str()) {
                self.report(
                    Problem::new(entry.key_span, format!("`{}` has no field `{}`", call.word, entry.key))
                        .help(suggestion(&entry.key, &known)),
                );
            }
        }
    }

    /// The name that a step's result gets; it is known to what follows even where the name is not legal.
    fn binding(&mut self, name: Option<NodeId>, scope: &mut Scope) -> Option<Binding> {
        let name = self.decode::<At<String>>(name?)?;
        Some(self.slot_of(name, scope))
    }

    /// The slot of a name.
    pub(super) fn slot_of(&mut self, name: At<String>, scope: &mut Scope) -> Binding {
        let taken: Vec<String> = scope.parameters.iter().chain(&scope.names).cloned().collect();
        self.reference_name(name.span, "a step's result", &name.value, taken.iter().map(String::as_str));
        let slot = scope.names.len();
        if !taken.contains(&name.value) {
            scope.names.push(name.value.clone());
        }
        Binding { name: name.value, slot }
    }

    /// Checks what the fields of a call mean: operators, stages, order.
    fn meaning(&mut self, call: Call, known: &Known, ordered: Ordered) {
        self.repeatable(call.body);
        match call.word {
            "bulkWrite" => return self.bulk(call.body, known),
            "runCommand" => return self.command(call, known),
            _ => {}
        }
        let get = |key: &str| self.arena.get(call.body, key);
        let collection = get("collection").map(|node| self.arena.get(node, "of").unwrap_or(node));
        // Of a partition without `of` the indexes of the only partitioned collection count.
        let collection = collection.and_then(|node| self.text(node)).or(known.partitioned().next()).unwrap_or_default();
        let (filter, update, pipeline, sort) = (get("filter"), get("update"), get("pipeline"), get("sort"));
        if let Some(filter) = filter {
            self.filter(filter);
        }
        if let Some(update) = update {
            self.update(update);
        }
        if let Some(pipeline) = pipeline {
            return self.aggregate(pipeline, call.span, known, collection, ordered);
        }
        let mut stream = known.stream(collection);
        if let Some(filter) = filter {
            self.filtered(&mut stream, filter);
        }
        if let Some(sort) = sort {
            self.sorted(&mut stream, sort);
        }
        let what = format!("this `{}`", call.word);
        let is_cut = call.word == "find" && self.arena.get(call.body, "limit").is_some();
        let takes_first = call.word != "find" && sort.is_some();
        if is_cut || takes_first {
            let reason = if is_cut { Reason::Limit } else { Reason::First };
            self.needs_order(&mut stream, reason, call.span, &what);
        }
        if call.word == "find" {
            self.needs_order_of_answer(&mut stream, ordered, call.span, &what);
        }
    }
}

/// An absent part, or one without problems.
pub(super) fn all_or_none<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    match part {
        None => Some(None),
        Some(compiled) => compiled.map(Some),
    }
}

/// The names of all steps.
fn words() -> Vec<&'static str> {
    StepKind::<Compiled>::WORDS.iter().copied().chain(Block::ALL.iter().map(|block| block.word())).collect()
}

/// What stands inside a step's braces, for a person who needs to know it.
fn keys_of(word: &str) -> String {
    if word.parse::<Block>().is_ok() { "its steps: `steps: […]`".to_owned() } else { fields_of(word) }
}

/// Compiles a condition or another part that may be absent.
pub(super) fn part(checker: &mut Checker<'_>, node: Option<NodeRef>, scope: &Scope) -> Option<Option<Template>> {
    all_or_none(node.map(|node| checker.template(node.0, scope)))
}
