//! A model's collections.

use super::checker::{Checker, given, suggestion};
use super::dataset::Dataset;
use super::parameters::Parameters;
use super::pipeline::Known;
use crate::scenario::file::CollectionFile;
use crate::scenario::types::Collection;
use crate::source::{Dict, NodeId, Problem, Soft, Span};
use crate::value::{Scope, Template};

/// Options of the `create` command that a collection of a scenario can have: those that say how documents are stored.
pub const CREATE_OPTIONS: &[&str] = &[
    "validator",
    "validationLevel",
    "validationAction",
    "timeseries",
    "expireAfterSeconds",
    "collation",
    "capped",
    "size",
    "max",
    "clusteredIndex",
    "storageEngine",
    "changeStreamPreAndPostImages",
];

impl Checker<'_> {
    /// Checks the collections of a model. Broken ones are left out; their names are known all the same.
    pub(super) fn collections(
        &mut self,
        file: &Dict<Soft<CollectionFile>>,
        dataset: &Dataset,
        parameters: &Parameters,
    ) -> (Vec<Collection>, Known) {
        let (mut collections, mut known) = (Vec::new(), Known::default());
        for entry in &file.0 {
            self.collection_name(entry.key_span, &entry.key);
            let Some(written) = &entry.value.0 else {
                known.add(&entry.key, &[]);
                continue;
            };
            let collection = self.collection(&entry.key, entry.key_span, written, dataset, parameters);
            known.add(&entry.key, &collection.indexes);
            if written.partition_by.is_some() {
                known.partition(&entry.key);
            }
            collections.push(collection);
        }
        (collections, known)
    }

    fn collection(
        &mut self,
        name: &str,
        place: Span,
        file: &CollectionFile,
        dataset: &Dataset,
        parameters: &Parameters,
    ) -> Collection {
        let from = given(&file.from);
        if let Some(from) = from
            && !dataset.names.contains(&from.value)
        {
            self.unknown(from.span, "set", &from.value, dataset.names.iter().map(String::as_str));
        }
        let scope = Scope { parameters: parameters.names.clone(), ..Scope::default() };
        let pipeline = file.pipeline.and_then(|node| {
            if file.from.is_none() {
                self.missing(place, "from", &format!("collection `{name}`"), "say which set its pipeline starts from");
            }
            self.migration(node.0, &dataset.names);
            self.template(node.0, &scope)
        });
        let options = file.options.and_then(|node| self.create_options(node.0, &scope));
        let partitioning = self.partitioning(file, &scope);
        let shard_key = file.shard_key.and_then(|node| self.document(node.0, "a shard key"));
        let indexes = given(&file.indexes).map(|indexes| self.indexes(indexes, parameters)).unwrap_or_default();
        Collection {
            name: name.to_owned(),
            from: from.map(|at| at.value.clone()),
            pipeline,
            indexes,
            partitioning,
            options,
            shard_key,
        }
    }

    fn create_options(&mut self, node: NodeId, scope: &Scope) -> Option<Template> {
        let Some(entries) = self.plain_map(node) else {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("options of a collection are a map, found {found}"),
                "such as `{capped: true, size: 1000000}`",
            );
            return None;
        };
        for entry in entries.iter().filter(|entry| !CREATE_OPTIONS.contains(&entry.key.as_str())) {
            self.report(
                Problem::new(entry.key_span, format!("unknown collection option `{}`", entry.key))
                    .help(suggestion(&entry.key, CREATE_OPTIONS)),
            );
        }
        self.template(node, scope)
    }
}
