//! Models: roles, and how each does every operation of the workloads.

use super::actors::Around;
use super::checker::{Checker, given, suggestion};
use super::dataset::Dataset;
use super::parameters::Parameters;
use super::pipeline::Known;
use super::steps::{Call, Setting};
use super::workloads::{Declared, Returned, entries, operation_names};
use crate::scenario::file::{ModelFile, OperationFile};
use crate::scenario::types::{Growth, Model, ModelOperation};
use crate::source::{At, Dict, DictEntry, NodeId, NodeKind, NodeRef, Problem, Soft, Span};
use crate::words::Role;

/// What the models are checked against.
pub(super) struct Facts<'f> {
    /// The scenario's name.
    pub(super) scenario: &'f str,
    pub(super) parameters: &'f Parameters,
    pub(super) dataset: &'f Dataset,
    /// The operations of the workloads.
    pub(super) operations: &'f [Declared],
}

impl Checker<'_> {
    /// Checks the models.
    pub(super) fn models(&mut self, file: &Dict<Soft<ModelFile>>, place: Span, facts: &Facts<'_>) -> Vec<Model> {
        self.roles(file, place);
        let mut models = Vec::new();
        for entry in &file.0 {
            self.model_name(entry.key_span, &entry.key, facts.scenario);
            if let Some(written) = &entry.value.0 {
                let model = self.model(entry, written, facts);
                models.extend(model);
            }
        }
        models
    }

    /// One model is naive, one at least is a pattern.
    fn roles(&mut self, file: &Dict<Soft<ModelFile>>, place: Span) {
        let known: Vec<(&DictEntry<Soft<ModelFile>>, At<Role>)> =
            file.0.iter().filter_map(|entry| Some((entry, *given(&entry.value.0.as_ref()?.role)?))).collect();
        if known.len() < file.0.len() {
            return; // What is missing or broken is told where it stands.
        }
        let naive: Vec<_> = known.iter().filter(|(_, role)| role.value == Role::Naive).collect();
        match &naive[..] {
            [] => self.report(
                Problem::new(place, "no model is `role: naive`")
                    .help("give it to the layout that the patterns are compared with"),
            ),
            [first, rest @ ..] => {
                for (entry, role) in rest {
                    self.report(
                        Problem::new(role.span, format!("`{}` is a second model in the role naive", entry.key))
                            .help("make it `pattern` or `alternative`")
                            .note(first.1.span, format!("`{}` is naive", first.0.key)),
                    );
                }
            }
        }
        // Of two naive models one was meant to be the pattern: that is told already.
        if naive.len() < 2 && !known.iter().any(|(_, role)| role.value == Role::Pattern) {
            self.report(
                Problem::new(place, "no model is `role: pattern`")
                    .help("give it to the layout that the scenario is about"),
            );
        }
    }

    fn model(&mut self, entry: &DictEntry<Soft<ModelFile>>, file: &ModelFile, facts: &Facts<'_>) -> Option<Model> {
        let of = format!("model `{}`", entry.key);
        if file.role.is_none() {
            self.missing(entry.key_span, "role", &of, "`role: naive`, `pattern` or `alternative`");
        }
        if file.collections.is_none() {
            self.missing(entry.key_span, "collections", &of, "such as `collections: {products: {from: products}}`");
        }
        let none = Dict::default();
        let collections = given(&file.collections).unwrap_or(&none);
        let (collections, known) = self.collections(collections, facts.dataset, facts.parameters);
        self.operations_of(entry, file, facts.operations);
        let mut operations = std::collections::BTreeMap::new();
        let mut upserts = Vec::new();
        let mut reads = Vec::new();
        for written in entries(&file.operations) {
            let Some(declared) = facts.operations.iter().find(|operation| operation.name == written.key) else {
                continue;
            };
            let place = Place { facts, known: &known, declared, model: &entry.key, written };
            let calls = self.operation(&place, &mut operations);
            upserts.extend(calls.iter().copied().filter(|call| self.makes_an_id(call.body)));
            if declared.returns.as_ref().is_some_and(|returned| returned.with_id) {
                reads.extend(calls.into_iter().rfind(Call::reads).map(|call| (call, declared)));
            }
        }
        self.ids_made_by_the_server(&upserts, &reads, &known);
        let (background, events) = self.beside(file, Around { known: &known, parameters: facts.parameters });
        Some(Model {
            name: entry.key.clone(),
            role: given(&file.role)?.value,
            title: given(&file.title).map(|title| title.value.clone()),
            collections,
            operations,
            ends_when: given(&file.ends_when).copied(),
            background,
            events,
        })
    }

    /// Every operation of the workloads, and no other, must have its steps.
    fn operations_of(&mut self, entry: &DictEntry<Soft<ModelFile>>, file: &ModelFile, declared: &[Declared]) {
        let written = entries(&file.operations);
        for other in written.iter().filter(|written| !operation_names(declared).any(|name| name == written.key)) {
            let known: Vec<&str> = operation_names(declared).collect();
            self.report(
                Problem::new(other.key_span, format!("no workload has an operation `{}`", other.key))
                    .help(suggestion(&other.key, &known)),
            );
        }
        if file.operations.as_ref().is_some_and(|soft| soft.0.is_none()) {
            return; // Broken, and told so.
        }
        for operation in declared.iter().filter(|operation| !written.iter().any(|entry| entry.key == operation.name)) {
            self.report(
                Problem::new(
                    entry.key_span,
                    format!("model `{}` does not say how it does `{}`", entry.key, operation.name),
                )
                .help("every model does every operation of the workloads: add its steps under `operations`")
                .note(operation.span, "the operation is declared here"),
            );
        }
    }

    fn operation(
        &mut self,
        place: &Place<'_>,
        operations: &mut std::collections::BTreeMap<String, ModelOperation>,
    ) -> Vec<Call> {
        let Some(form) = self.form(place) else { return Vec::new() };
        let setting = Setting {
            known: place.known,
            parameters: &place.facts.parameters.names,
            args: &place.declared.args,
            ordered: place.declared.returns.as_ref().is_some_and(|returned| returned.order),
            has_result: form.result.is_some(),
        };
        let checked = self.steps(&form.steps, setting);
        self.answers(place, &form, &checked.calls);
        let growth = self.growth(place, form.growth.as_ref());
        let result = form.result.map(|node| self.template(node, &checked.scope));
        if let (Some(steps), true) = (checked.steps, result.as_ref().is_none_or(Option::is_some)) {
            let scan_is_the_subject = form.scan;
            operations.insert(
                place.declared.name.clone(),
                ModelOperation { steps, result: result.flatten(), growth, scan_is_the_subject },
            );
        }
        checked.calls
    }

    /// A plain list of steps is the short form of an operation.
    fn form(&mut self, place: &Place<'_>) -> Option<Form> {
        let node = place.written.value.0;
        if let NodeKind::Seq(steps) = self.arena.kind(node) {
            let steps: Vec<NodeRef> = steps.iter().copied().map(NodeRef).collect();
            self.no_steps(node, &steps);
            return Some(Form { steps, result: None, growth: None, scan: None });
        }
        if self.plain_map(node).is_none() {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("an operation of a model is a list of steps or a map, found {found}"),
                "such as `[{find: {…}}]`, or `{growth: constant, steps: […]}`",
            );
            return None;
        }
        let file = self.decode::<OperationFile>(node)?;
        if file.steps.is_none() {
            let of = format!("operation `{}` of model `{}`", place.declared.name, place.model);
            self.missing(place.written.key_span, "steps", &of, "such as `steps: [{find: {…}}]`");
        }
        let steps = given(&file.steps)?.value.0.clone();
        self.no_steps(node, &steps);
        Some(Form {
            steps,
            result: file.result.map(|node| node.0),
            growth: given(&file.growth).cloned(),
            scan: given(&file.scan_is_the_subject).map(|why| why.value.clone()),
        })
    }

    fn no_steps(&mut self, node: NodeId, steps: &[NodeRef]) {
        if steps.is_empty() {
            self.report_node(
                node,
                "an operation has at least one step",
                "such as `- find: {collection: …, filter: {…}}`",
            );
        }
    }

    /// What an operation returns must come from a reading step or a `result`, and what is read must be compared.
    fn answers(&mut self, place: &Place<'_>, form: &Form, calls: &[Call]) {
        let name = &place.declared.name;
        let reads = calls.iter().any(Call::reads);
        match &place.declared.returns {
            Some(Returned { span, .. }) if !reads && form.result.is_none() && !calls.is_empty() => self.report(
                Problem::new(place.written.key_span, format!("`{name}` returns something, but no step of it reads"))
                    .help("add a reading step, or a `result`")
                    .note(*span, "what it returns is declared here"),
            ),
            // Told where `returns` is missing, once for all models.
            None if form.result.is_some() || (reads && calls.iter().all(Call::reads)) => self.report(
                Problem::new(place.declared.span, format!("`{name}` reads, but does not say what it returns"))
                    .help("add `returns: {fields: […]}`, so that the models' answers are compared"),
            ),
            _ => {}
        }
    }

    fn growth(&mut self, place: &Place<'_>, written: Option<&At<String>>) -> Option<Growth> {
        let Some(written) = written else {
            if place.declared.returns.is_some() {
                let of = format!("operation `{}` of model `{}`", place.declared.name, place.model);
                let help =
                    "a reading operation says how its cost grows: `growth: constant`, `log` or `linear in PARAMETER`";
                if self.arena.get(place.written.value.0, "growth").is_none() {
                    self.missing(place.written.key_span, "growth", &of, help);
                }
            }
            return None;
        };
        match written.value.as_str() {
            "constant" => Some(Growth::Constant),
            "log" => Some(Growth::Log),
            other => match other.strip_prefix("linear in ").map(str::trim) {
                Some(parameter) => {
                    self.parameter_named(parameter, last(written, parameter), place.facts.parameters);
                    Some(Growth::Linear { parameter: parameter.to_owned() })
                }
                None => {
                    self.report(
                        Problem::new(written.span, format!("`{other}` says no growth"))
                            .help("write `constant`, `log` or `linear in PARAMETER`"),
                    );
                    None
                }
            },
        }
    }

    /// Whether a call may insert a document whose `_id` the server makes.
    fn makes_an_id(&self, body: NodeId) -> bool {
        let upserts =
            self.arena.get(body, "upsert").is_some_and(|node| *self.arena.kind(node) != NodeKind::Bool(false));
        let has_id = |node: Option<NodeId>| node.is_some_and(|node| self.arena.get(node, "_id").is_some());
        let update = self.arena.get(body, "update");
        let sets_id = ["$setOnInsert", "$set"]
            .into_iter()
            .any(|operator| has_id(update.and_then(|update| self.arena.get(update, operator))));
        // What is filled in later cannot be judged here.
        let unknown =
            |node: Option<NodeId>| node.is_some_and(|node| self.is_filled_in(node) || self.items(node).is_some());
        let fields = |operator| update.and_then(|update| self.arena.get(update, operator));
        let sets_unknown = ["$setOnInsert", "$set"].into_iter().any(|operator| unknown(fields(operator)));
        let filter = self.arena.get(body, "filter");
        let replacement = self.arena.get(body, "replacement");
        upserts
            && !has_id(filter)
            && !sets_id
            && !has_id(replacement)
            && !unknown(filter)
            && !unknown(update)
            && !sets_unknown
            && !unknown(replacement)
    }

    fn ids_made_by_the_server(&mut self, upserts: &[Call], reads: &[(Call, &Declared)], known: &Known) {
        let arena = self.arena;
        let collection = |call: &Call| {
            let node = arena.get(call.body, "collection")?;
            let named = match arena.kind(arena.get(node, "of").unwrap_or(node)) {
                NodeKind::Str(name) => Some(name.as_str()),
                _ => None,
            };
            named.or(known.partitioned().next())
        };
        for upsert in upserts {
            let read = reads.iter().find(|(read, _)| collection(read) == collection(upsert));
            let Some((_, reader)) = read else { continue };
            let place: Span = self.arena.entry(upsert.body, "upsert").map_or(upsert.span, |entry| entry.key_span);
            self.report(
                Problem::new(place, format!("this upsert lets the server make an `_id`, which `{}` returns", reader.name))
                    .help("name it, such as `$setOnInsert: {_id: ^id}` with an argument `id: ^objectId`, or leave `_id` out of `returns.fields`")
                    .note(reader.returns.as_ref().map_or(reader.span, |returned| returned.span), "what is compared is declared here"),
            );
        }
    }
}

/// The place of the last word of a text, or of the whole text where that cannot be told (in quotes).
fn last(text: &At<String>, word: &str) -> Span {
    let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
    let is_plain = text.span.end - text.span.start == length(&text.value);
    let start = text.span.end.saturating_sub(length(word));
    if is_plain { Span::new(start, text.span.end) } else { text.span }
}

/// An operation of a model that is being checked.
struct Place<'p> {
    facts: &'p Facts<'p>,
    known: &'p Known,
    declared: &'p Declared,
    model: &'p str,
    written: &'p DictEntry<NodeRef>,
}

/// An operation of a model, whichever form it was written in.
struct Form {
    steps: Vec<NodeRef>,
    result: Option<NodeId>,
    growth: Option<At<String>>,
    scan: Option<String>,
}
