//! The writes of a `bulkWrite`, each to a collection of its own.

use super::checker::{Checker, list, suggestion};
use super::fields::field_names;
use super::pipeline::Known;
use super::steps::Call;
use crate::scenario::step::{CollectionRef, Compiled, FieldKind, StepKind};
use crate::source::{NodeId, NodeKind, Problem};

/// The writes that a `bulkWrite` can make.
pub(in crate::scenario) const BULK_WRITES: &[&str] =
    &["insertOne", "updateOne", "updateMany", "replaceOne", "deleteOne", "deleteMany"];

impl<'a> Checker<'a> {
    /// The collection of the first write. What is missing is recorded by [`bulk`](Self::bulk).
    pub(super) fn bulk_collection(&mut self, body: NodeId) -> Option<CollectionRef> {
        let first = self.bulk_writes(body).into_iter().next()?;
        let name = self.arena.get(first.body, "collection").and_then(|node| self.text(node))?;
        Some(CollectionRef::Named(name.to_owned()))
    }

    /// The writes that could be told, as calls.
    pub(super) fn bulk_writes(&self, body: NodeId) -> Vec<Call> {
        let models = self.arena.get(body, "models").map(|models| self.models_in(models)).unwrap_or_default();
        let call = |model: &NodeId| {
            let [entry] = self.plain_map(*model)? else { return None };
            let word = BULK_WRITES.iter().find(|word| **word == entry.key)?;
            Some(Call { word, span: entry.key_span, body: entry.value })
        };
        models.iter().filter_map(call).collect()
    }

    /// Checks the writes of a `bulkWrite`.
    pub(super) fn bulk(&mut self, body: NodeId, known: &Known) {
        let Some(models) = self.arena.get(body, "models") else { return };
        let written = self.models_in(models);
        if written.is_empty() {
            self.report_node(
                models,
                "`models` names no write, as far as can be told",
                "write them out, or make them with `^map`: `{^map: {in: ^lines, to: {updateOne: {…}}}}`",
            );
        }
        written.into_iter().for_each(|model| self.bulk_write(model, known));
    }

    /// The writes in a list, and in what `^map` and `^concat` make lists of.
    fn models_in(&self, node: NodeId) -> Vec<NodeId> {
        match self.arena.kind(node) {
            NodeKind::Seq(items) => items.clone(),
            NodeKind::Map(entries) => match &entries[..] {
                [only] if only.key == "^map" => self.arena.get(only.value, "to").into_iter().collect(),
                [only] if only.key == "^concat" => {
                    let parts = self.items(only.value).unwrap_or_default();
                    parts.iter().flat_map(|part| self.models_in(*part)).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn bulk_write(&mut self, model: NodeId, known: &Known) {
        let entry = match self.plain_map(model) {
            Some([entry]) => entry,
            _ => {
                self.report_node(
                    model,
                    "a write of `bulkWrite` is a map with one key",
                    "such as `updateOne: {collection: …, filter: {…}, update: {…}}`",
                );
                return;
            }
        };
        let Some(word) = BULK_WRITES.iter().copied().find(|word| *word == entry.key) else {
            self.report(
                Problem::new(entry.key_span, format!("`bulkWrite` has no write `{}`", entry.key))
                    .help(suggestion(&entry.key, BULK_WRITES)),
            );
            return;
        };
        if self.plain_map(entry.value).is_none() {
            let found = self.arena.kind(entry.value).describe();
            let help = format!("its fields: {}", list(&field_names(word)));
            self.report_node(entry.value, format!("`{word}` takes a map of its fields, found {found}"), help);
            return;
        }
        self.fields_of_bulk_write(Call { word, span: entry.key_span, body: entry.value }, known);
    }

    fn fields_of_bulk_write(&mut self, call: Call, known: &Known) {
        let names = field_names(call.word);
        for entry in self.arena.entries(call.body) {
            if !names.contains(&entry.key.as_str()) {
                self.report(
                    Problem::new(
                        entry.key_span,
                        format!("`{}` of `bulkWrite` has no field `{}`", call.word, entry.key),
                    )
                    .help(suggestion(&entry.key, &names)),
                );
            }
        }
        let of = format!("`{}` of `bulkWrite`", call.word);
        match self.arena.get(call.body, "collection") {
            Some(node) => drop(self.collection_named(node, known)),
            None => self.missing(call.span, "collection", &of, "name a collection of the model"),
        }
        for spec in StepKind::<Compiled>::fields(call.word).unwrap_or_default() {
            match self.arena.get(call.body, spec.key) {
                Some(node) => {
                    self.shape(spec.key, node);
                }
                None if spec.kind == FieldKind::Optional => {}
                None => self.missing(call.span, spec.key, &of, &format!("`{}` says {}", spec.key, spec.about)),
            }
        }
        if let Some(filter) = self.arena.get(call.body, "filter") {
            self.filter(filter);
        }
        if let Some(update) = self.arena.get(call.body, "update") {
            self.update(update);
        }
    }
}
