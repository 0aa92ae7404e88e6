//! A model's collections and all indexes.

use bson::{Bson, Document};

use super::checker::{Checker, given, suggestion};
use super::dataset::Dataset;
use super::parameters::Parameters;
use super::pipeline::Known;
use crate::scenario::file::{CollectionFile, IndexFile};
use crate::scenario::types::{Collection, Index};
use crate::source::{At, Dict, List, NodeId, Problem, Soft, Span};
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
        for (key, node) in [("partitionBy", file.partition_by), ("forEach", file.for_each)] {
            if let Some(node) = node {
                self.not_yet(self.arena.span(node.0), key, "declare the collections one by one");
            }
        }
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
        let shard_key = file.shard_key.and_then(|node| self.document(node.0, "a shard key"));
        let indexes = given(&file.indexes).map(|indexes| self.indexes(indexes)).unwrap_or_default();
        Collection {
            name: name.to_owned(),
            from: from.map(|at| at.value.clone()),
            pipeline,
            indexes,
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

    /// Checks indexes.
    pub(super) fn indexes(&mut self, file: &List<At<IndexFile>>) -> Vec<Index> {
        file.0.iter().filter_map(|index| self.index(index)).collect()
    }

    fn index(&mut self, file: &At<IndexFile>) -> Option<Index> {
        let mut options = Document::new();
        for (name, node) in index_options(&file.value) {
            if let Some(value) = self.constant(node, &format!("`{name}`")) {
                self.index_option(name, node, &value);
                options.insert(name, value);
            }
        }
        let Some(key) = file.value.key else {
            self.missing(file.span, "key", "an index", "such as `{key: {productId: 1}}`");
            return None;
        };
        let fields = self.document(key.0, "an index key")?;
        if fields.is_empty() {
            self.report_node(key.0, "an index key names at least one field", "such as `{productId: 1}`");
        }
        for entry in self.arena.entries(key.0).to_vec() {
            let legal = match fields.get(&entry.key) {
                Some(Bson::Int32(direction)) => matches!(direction, 1 | -1),
                Some(Bson::Int64(direction)) => matches!(direction, 1 | -1),
                Some(Bson::Double(direction)) => direction.abs() == 1.0,
                Some(Bson::String(kind)) => ["text", "hashed", "2d", "2dsphere"].contains(&kind.as_str()),
                _ => false,
            };
            if !legal {
                self.report_node(
                    entry.value,
                    format!("the index on `{}` has no direction that MongoDB knows", entry.key),
                    "1 ascending, -1 descending, or `text`, `hashed`, `2d`, `2dsphere`",
                );
            }
        }
        Some(Index { key: fields, options })
    }

    fn index_option(&mut self, name: &str, node: NodeId, value: &Bson) {
        let (fits, wanted) = match name {
            "unique" | "sparse" | "hidden" => (matches!(value, Bson::Boolean(_)), "`true` or `false`"),
            "name" => (matches!(value, Bson::String(_)), "a string"),
            "expireAfterSeconds" => (matches!(value, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_)), "a number"),
            _ => (matches!(value, Bson::Document(_)), "a map"),
        };
        if !fits {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("`{name}` takes {wanted}, found {found}"),
                "as in the `createIndexes` command",
            );
        }
    }
}

fn index_options(file: &IndexFile) -> impl Iterator<Item = (&'static str, NodeId)> {
    [
        ("name", file.name),
        ("unique", file.unique),
        ("sparse", file.sparse),
        ("hidden", file.hidden),
        ("partialFilterExpression", file.partial_filter_expression),
        ("expireAfterSeconds", file.expire_after_seconds),
        ("collation", file.collation),
        ("wildcardProjection", file.wildcard_projection),
        ("weights", file.weights),
    ]
    .into_iter()
    .filter_map(|(name, node)| node.map(|node| (name, node.0)))
}
