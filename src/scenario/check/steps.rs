//! Steps: the one call in each, its fields, its extras, and what they refer to.

use super::checker::{Checker, list, suggestion};
use super::order::{Ordered, Reason};
use super::pipeline::Known;
use crate::scenario::step::{CollectionRef, Compiled, FieldSource, FieldSpec, StepKind};
use crate::scenario::types::{Binding, Step};
use crate::source::{At, Entry, List, NodeId, NodeKind, NodeRef, Problem, Span};
use crate::value::{Scope, Template};
use crate::words::ErrorName;

/// What stands inside a step's braces besides the call's own fields.
pub(in crate::scenario) const EXTRAS: &[&str] = &["as", "when", "expect", "select", "forEach", "assert"];
/// Extras that this version does not support yet.
const LATER_EXTRAS: &[&str] = &["repeat", "retry"];
/// Steps that this version does not support yet.
const LATER_STEPS: &[&str] = &["bulkWrite", "runCommand", "transaction"];

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

impl<'a> Checker<'a> {
    /// Checks the steps of an operation.
    pub(super) fn steps(&mut self, nodes: &[NodeRef], setting: Setting<'_>) -> Steps {
        let calls: Vec<Option<Call>> = nodes.iter().map(|node| self.call(node.0)).collect();
        let answer = calls.iter().rposition(|call| call.is_some_and(|call| call.reads()));
        let names = setting.args.to_vec();
        let mut scope = Scope { parameters: setting.parameters.to_vec(), names, ..Scope::default() };
        let mut steps = Some(Vec::new());
        for (number, (node, call)) in nodes.iter().zip(&calls).enumerate() {
            let ordered = match setting {
                Setting { ordered: false, .. } => Ordered::No,
                Setting { has_result: true, .. } => Ordered::WhereSorted,
                _ if answer == Some(number) => Ordered::Yes,
                _ => Ordered::No,
            };
            let span = self.arena.span(node.0);
            let step = call.and_then(|call| self.step(call, span, setting.known, ordered, &mut scope));
            match (step, &mut steps) {
                (Some(step), Some(steps)) => steps.push(step),
                _ => steps = None,
            }
        }
        Steps { steps, scope, calls: calls.into_iter().flatten().collect() }
    }

    /// The call that a step makes: the one key that names one.
    fn call(&mut self, node: NodeId) -> Option<Call> {
        let NodeKind::Map(entries) = self.arena.kind(node) else {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("a step is a map with one key, found {found}"),
                "such as `find: {collection: …, filter: {…}}`",
            );
            return None;
        };
        let word = |entry: &Entry| StepKind::<Compiled>::WORDS.iter().find(|word| **word == entry.key).copied();
        let Some((entry, word)) = entries.iter().find_map(|entry| word(entry).map(|word| (entry, word))) else {
            self.no_call(node, entries);
            return None;
        };
        let beside: Vec<&Entry> = entries.iter().filter(|other| other.key != entry.key).collect();
        if matches!(self.arena.kind(entry.value), NodeKind::Null) {
            self.empty_call(entry, &beside);
            return None;
        }
        beside.iter().for_each(|other| self.beside_call(other, entry));
        if self.plain_map(entry.value).is_none() {
            let found = self.arena.kind(entry.value).describe();
            self.report_node(
                entry.value,
                format!("`{word}` takes a map of its fields, found {found}"),
                fields_of(word),
            );
            return None;
        }
        Some(Call { word, span: entry.key_span, body: entry.value })
    }

    fn no_call(&mut self, node: NodeId, entries: &[Entry]) {
        let is_call =
            |entry: &&Entry| !EXTRAS.contains(&entry.key.as_str()) && !LATER_EXTRAS.contains(&entry.key.as_str());
        let known = StepKind::<Compiled>::WORDS;
        match entries.iter().find(is_call).or(entries.first()) {
            Some(entry) if LATER_STEPS.contains(&entry.key.as_str()) => {
                self.not_yet(entry.key_span, &entry.key, &format!("steps that there are: {}", list(known)));
            }
            Some(entry) => self.report(
                Problem::new(entry.key_span, format!("unknown step `{}`", entry.key))
                    .help(suggestion(&entry.key, known)),
            ),
            None => self.report_node(node, "a step is a map with one key, found none", list(known)),
        }
    }

    fn empty_call(&mut self, entry: &Entry, beside: &[&Entry]) {
        let problem = Problem::new(entry.key_span, format!("`{}` has no fields", entry.key));
        self.report(match beside {
            [] => problem.help(fields_of(&entry.key)),
            [first, ..] => problem
                .help(format!("indent what follows by two more spaces, or write `{}: {{{}: …}}`", entry.key, first.key))
                .note(first.key_span, "this stands beside it, not inside it"),
        });
    }

    fn beside_call(&mut self, other: &Entry, call: &Entry) {
        let (key, word) = (&other.key, &call.key);
        let inside = [EXTRAS, LATER_EXTRAS].concat().contains(&key.as_str())
            || key == "collection"
            || StepKind::<Compiled>::fields(word)
                .is_some_and(|fields| fields.iter().any(|spec| spec.key == key.as_str()));
        let problem = if inside {
            Problem::new(other.key_span, format!("`{key}` stands outside the braces of `{word}`"))
                .help(format!("move it inside: `{word}: {{…, {key}: …}}`"))
        } else {
            Problem::new(other.key_span, format!("`{key}` stands beside `{word}`: a step makes one call"))
                .help("begin another step with `-`")
        };
        self.report(problem.note(call.key_span, format!("`{word}` stands here")));
    }

    fn step(&mut self, call: Call, span: Span, known: &Known, ordered: Ordered, scope: &mut Scope) -> Option<Step> {
        self.unknown_fields(call);
        let get = |key: &str| self.arena.get(call.body, key);
        let (when, select, for_each, assert) = (get("when"), get("select"), get("forEach"), get("assert"));
        let inner = Scope { each: for_each.is_some(), ..scope.clone() };
        let when = when.map(|node| self.template(node, scope));
        let for_each = for_each.map(|node| self.template(node, scope));
        let select = select.map(|node| self.template(node, &Scope { it: true, ..scope.clone() }));
        let expect = self.arena.get(call.body, "expect").map(|node| self.decode::<List<ErrorName>>(node));
        let mut fields = Fields { checker: self, call, scope: &inner, known };
        let kind = StepKind::read(call.word, &mut fields);
        self.meaning(call, known, ordered);
        let binding = self.binding(call.body, scope);
        let assert = assert.map(|node| self.template(node, &Scope { it: true, ..scope.clone() }));
        Some(Step {
            kind: kind?,
            binding,
            when: when.map_or(Some(None), |template| template.map(Some))?,
            expect: expect.map_or(Some(Vec::new()), |names| names.map(|names| names.0))?,
            select: select.map_or(Some(None), |template| template.map(Some))?,
            for_each: for_each.map_or(Some(None), |template| template.map(Some))?,
            assert: assert.map_or(Some(None), |template| template.map(Some))?,
            span,
        })
    }

    fn unknown_fields(&mut self, call: Call) {
        let fields = StepKind::<Compiled>::fields(call.word).unwrap_or_default();
        let known: Vec<&str> = std::iter::once("collection")
            .chain(fields.iter().map(|spec| spec.key))
            .chain(EXTRAS.iter().copied())
            .collect();
        for entry in self.arena.entries(call.body) {
            if LATER_EXTRAS.contains(&entry.key.as_str()) {
                self.not_yet(entry.key_span, &entry.key, "leave it out");
            } else if !known.contains(&entry.key.as_str()) {
                self.report(
                    Problem::new(entry.key_span, format!("`{}` has no field `{}`", call.word, entry.key))
                        .help(suggestion(&entry.key, &known)),
                );
            }
        }
    }

    /// The name that a step's result gets; it is known to what follows even where the name is not legal.
    fn binding(&mut self, body: NodeId, scope: &mut Scope) -> Option<Binding> {
        let name = self.decode::<At<String>>(self.arena.get(body, "as")?)?;
        let taken: Vec<String> = scope.parameters.iter().chain(&scope.names).cloned().collect();
        self.reference_name(name.span, "a step's result", &name.value, taken.iter().map(String::as_str));
        let slot = scope.names.len();
        if !taken.contains(&name.value) {
            scope.names.push(name.value.clone());
        }
        Some(Binding { name: name.value, slot })
    }

    /// Checks what the fields of a call mean: operators, stages, order.
    fn meaning(&mut self, call: Call, known: &Known, ordered: Ordered) {
        self.repeatable(call.body);
        let get = |key: &str| self.arena.get(call.body, key);
        let collection = get("collection").and_then(|node| self.text(node)).unwrap_or_default();
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

/// Reads the fields of a call from its node.
struct Fields<'c, 'a, 's> {
    checker: &'c mut Checker<'a>,
    call: Call,
    scope: &'s Scope,
    known: &'s Known,
}

impl Fields<'_, '_, '_> {
    fn node(&mut self, key: &str) -> Option<NodeId> {
        self.checker.arena.get(self.call.body, key)
    }

    fn present(&mut self, spec: &FieldSpec) -> Option<NodeId> {
        let node = self.node(spec.key);
        if node.is_none() {
            let of = format!("`{}`", self.call.word);
            self.checker.missing(self.call.span, spec.key, &of, &format!("`{}` says {}", spec.key, spec.about));
        }
        node
    }

    fn compiled(&mut self, spec: &FieldSpec, node: NodeId) -> Option<Template> {
        let fits = self.checker.shape(spec.key, node);
        let template = self.checker.template(node, self.scope);
        template.filter(|_| fits)
    }
}

impl FieldSource<Compiled> for Fields<'_, '_, '_> {
    fn collection(&mut self) -> Option<CollectionRef> {
        let Some(node) = self.node("collection") else {
            let of = format!("`{}`", self.call.word);
            self.checker.missing(self.call.span, "collection", &of, "name a collection of the model");
            return None;
        };
        if self.checker.arena.get(node, "partition").is_some() {
            let place = self.checker.arena.span(node);
            self.checker.not_yet(place, "partition", "name a collection of the model");
            return None;
        }
        match self.checker.text(node) {
            Some(name) if !self.checker.is_filled_in(node) => {
                if !self.known.has(name) {
                    let place = self.checker.arena.span(node);
                    self.checker.unknown(place, "collection", name, self.known.names());
                    return None;
                }
                Some(CollectionRef::Named(name.to_owned()))
            }
            _ => {
                let found = self.checker.arena.kind(node).describe();
                let message = format!("`collection` takes the name of a collection, found {found}");
                self.checker.report_node(node, message, "write the name itself, so that the file can be checked");
                None
            }
        }
    }

    fn required(&mut self, spec: &'static FieldSpec) -> Option<Template> {
        let node = self.present(spec)?;
        self.compiled(spec, node)
    }

    fn optional(&mut self, spec: &'static FieldSpec) -> Option<Option<Template>> {
        match self.node(spec.key) {
            Some(node) => self.compiled(spec, node).map(Some),
            None => Some(None),
        }
    }

    fn document(&mut self, spec: &'static FieldSpec) -> Option<Template> {
        self.required(spec)
    }

    fn documents(&mut self, spec: &'static FieldSpec) -> Option<Template> {
        self.required(spec)
    }
}

/// The fields of a call, for a person who needs to know them.
fn fields_of(word: &str) -> String {
    let fields: Vec<&str> =
        StepKind::<Compiled>::fields(word).unwrap_or_default().iter().map(|spec| spec.key).collect();
    format!("its fields: `collection`, {}", list(&fields))
}
