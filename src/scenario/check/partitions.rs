//! Partitioned collections, and steps that address their partitions.

use super::checker::{Checker, given, list};
use super::pipeline::Known;
use crate::scenario::file::{CollectionFile, PartitionFile};
use crate::scenario::partition::Partitioning;
use crate::scenario::step::CollectionRef;
use crate::source::{At, NodeId, NodeKind, Problem};
use crate::value::Scope;

/// The word that means every partition.
const ALL: &str = "all";
/// What stands in the place of a collection's name where a partition is meant.
const PARTITION_KEYS: [&str; 2] = ["partition", "of"];

impl Checker<'_> {
    /// Checks by what a collection is partitioned.
    pub(super) fn partitioning(&mut self, file: &CollectionFile, scope: &Scope) -> Option<Partitioning> {
        if let Some(node) = file.for_each {
            self.report_node(
                node.0,
                "a collection has no `forEach`",
                "write `partitionBy: {values: …}`: one collection for each value, even if it stays empty",
            );
        }
        let node = file.partition_by?.0;
        if let Some(shard_key) = file.shard_key {
            self.report_node(
                shard_key.0,
                "a partitioned collection has no `shardKey`",
                "leave one of the two out: partitions are placed as wholes",
            );
        }
        let (field, values) = match self.text(node).filter(|_| !self.is_filled_in(node)) {
            Some(field) => (Some(At { value: field.to_owned(), span: self.arena.span(node) }), None),
            None if self.plain_map(node).is_some() => {
                let written = self.decode::<PartitionFile>(node)?;
                (given(&written.field).cloned(), written.values)
            }
            None => {
                let found = self.arena.kind(node).describe();
                self.report_node(
                    node,
                    format!("`partitionBy` takes the path of a field, or a map, found {found}"),
                    "such as `tenantId`, or `{field: tenantId, values: {^range: ^tenants}}`",
                );
                return None;
            }
        };
        if let Some(field) = &field {
            self.partition_field(field);
        }
        if file.from.is_some() && field.is_none() {
            self.missing(
                self.arena.span(node),
                "field",
                "`partitionBy` of a collection that is loaded",
                "say which field of its documents decides, such as `{field: tenantId, values: …}`",
            );
        }
        if file.from.is_none() && values.is_none() {
            self.missing(
                self.arena.span(node),
                "values",
                "`partitionBy` of a collection that starts empty",
                "nothing says which values there are: add `values: {^range: ^tenants}`, or `from`",
            );
        }
        let values = values.map(|values| self.list_over_parameters("values", values.0, scope));
        let values = values.map_or(Some(None), |values| values.map(Some))?;
        Some(Partitioning { field: field.map(|field| field.value), values })
    }

    fn partition_field(&mut self, field: &At<String>) {
        if field.value.is_empty() || field.value.starts_with(['$', '^']) || field.value.split('.').any(str::is_empty) {
            self.report(
                Problem::new(field.span, format!("`{}` is no path of a field", field.value))
                    .help("such as `tenantId`, or `tenant._id`"),
            );
        }
    }

    /// The partition that a step addresses. `iterates` says that the step has a `forEach` of its own.
    pub(super) fn partition_ref(
        &mut self,
        node: NodeId,
        known: &Known,
        scope: &Scope,
        iterates: bool,
    ) -> Option<CollectionRef> {
        let entries = self.plain_map(node).unwrap_or_default();
        let unknown = entries.iter().find(|entry| !PARTITION_KEYS.contains(&entry.key.as_str()));
        if let Some(entry) = unknown {
            self.unknown(entry.key_span, "key of a partition", &entry.key, PARTITION_KEYS);
        }
        let of = self.partition_of(node, known);
        let Some(partition) = self.arena.get(node, "partition") else {
            if unknown.is_some() {
                return None; // It was meant to be this one, perhaps.
            }
            self.missing(
                self.arena.span(node),
                "partition",
                "`collection`",
                "such as `collection: {partition: ^tenant}`, or the name of a collection",
            );
            return None;
        };
        if self.addresses_all(node) {
            if iterates {
                self.report_node(
                    partition,
                    "this step runs for each partition, and for each element of `forEach`",
                    "keep one of the two: of `{partition: all}` `^each` is the partition's value",
                );
            }
            return Some(CollectionRef::EachPartition { of: of? });
        }
        let value = self.template(partition, scope);
        Some(CollectionRef::Partition { of: of?, value: Box::new(value?) })
    }

    /// Whether a step's `collection` means every partition.
    pub(super) fn addresses_all(&self, collection: NodeId) -> bool {
        let partition = self.arena.get(collection, "partition");
        partition.is_some_and(|partition| self.arena.kind(partition) == &NodeKind::Str(ALL.to_owned()))
    }

    /// Of which partitioned collection a step addresses a partition.
    fn partition_of(&mut self, node: NodeId, known: &Known) -> Option<String> {
        let partitioned: Vec<&str> = known.partitioned().collect();
        let place = self.arena.span(node);
        let Some(of) = self.arena.get(node, "of") else {
            return match partitioned[..] {
                [only] => Some(only.to_owned()),
                [] => {
                    self.report(
                        Problem::new(place, "no collection of this model is partitioned")
                            .help("name the collection, or give it `partitionBy`"),
                    );
                    None
                }
                _ => {
                    let help = format!("add `of`: {}", list(&partitioned));
                    self.report(
                        Problem::new(place, "this model has several partitioned collections: which one is meant?")
                            .help(help),
                    );
                    None
                }
            };
        };
        match self.text(of).filter(|_| !self.is_filled_in(of)) {
            Some(name) if partitioned.contains(&name) => Some(name.to_owned()),
            Some(name) if known.has(name) => {
                self.report_node(
                    of,
                    format!("`{name}` is not partitioned"),
                    format!("write `collection: {name}`, or give it `partitionBy`"),
                );
                None
            }
            Some(name) => {
                self.unknown(self.arena.span(of), "partitioned collection", name, partitioned);
                None
            }
            None => {
                let found = self.arena.kind(of).describe();
                self.report_node(
                    of,
                    format!("`of` takes the name of a partitioned collection, found {found}"),
                    "write the name itself, so that the file can be checked",
                );
                None
            }
        }
    }

    /// Records that a step names a partitioned collection as if it were one.
    pub(super) fn names_partitioned(&mut self, node: NodeId, name: &str) {
        self.report_node(
            node,
            format!("`{name}` is partitioned: no collection is called so"),
            "address one partition by its value, `collection: {partition: ^value}`, or all of them, `{partition: all}`",
        );
    }
}
