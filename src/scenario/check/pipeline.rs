//! Aggregation pipelines: stages by name, the collections that they name, databases that they must not name.

use super::checker::{Checker, suggestion};
use super::order::{Ordered, Stream};
use crate::scenario::index::IndexDefinition;
use crate::scenario::types::Index;
use crate::source::{Entry, NodeId, NodeKind, Problem, Span};

/// The collections that a pipeline or step can name.
#[derive(Debug, Default)]
pub(super) struct Known {
    collections: Vec<(String, Vec<Vec<String>>)>,
    /// Names among them that stand for partitions.
    partitioned: Vec<String>,
}

impl Known {
    /// Adds a collection; its unique indexes tell its documents apart.
    /// An index that is known only once parameters are tells nothing.
    pub(super) fn add(&mut self, name: &str, indexes: &[IndexDefinition]) {
        let indexes = indexes.iter().filter_map(|index| match index {
            IndexDefinition::Written(index) => Some(index),
            IndexDefinition::Computed(_) => None,
        });
        let is_true = |index: &Index, option: &str| index.options.get_bool(option).unwrap_or(false);
        // A sparse or partial index says nothing about the documents that it leaves out.
        let unique = indexes.filter(|index| {
            is_true(index, "unique")
                && !is_true(index, "sparse")
                && !index.options.contains_key("partialFilterExpression")
        });
        let fields = unique.map(|index| index.key.keys().cloned().collect());
        let unique = std::iter::once(vec!["_id".to_owned()]).chain(fields).collect();
        self.collections.push((name.to_owned(), unique));
    }

    /// Notes that a collection is partitioned: its name stands for the partitions, and is no collection's.
    pub(super) fn partition(&mut self, name: &str) {
        self.partitioned.push(name.to_owned());
    }

    /// The names of partitioned collections.
    pub(super) fn partitioned(&self) -> impl Iterator<Item = &str> {
        self.partitioned.iter().map(String::as_str)
    }

    /// Whether there is a collection of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// The names of all.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.collections.iter().map(|(name, _)| name.as_str())
    }

    /// The documents of a collection.
    pub(super) fn stream(&self, name: &str) -> Stream {
        let known = self.collections.iter().find(|(known, _)| known == name);
        Stream::of(known.map_or(&[vec!["_id".to_owned()]][..], |(_, unique)| unique))
    }
}

/// What a pipeline is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Builds a model's collection from a set.
    Migration,
    /// A model's read, which may end in `$out` or `$merge`.
    Read,
    /// Part of another pipeline.
    Nested,
}

/// Where a pipeline runs.
#[derive(Clone, Copy)]
struct Setting<'k> {
    known: &'k Known,
    /// What is to be called unknown.
    what: &'static str,
    purpose: Purpose,
}

impl<'a> Checker<'a> {
    /// Checks the pipeline that builds a collection from the sets of the dataset.
    pub(super) fn migration(&mut self, pipeline: NodeId, sets: &[String]) {
        let mut known = Known::default();
        sets.iter().for_each(|set| known.add(set, &[]));
        let setting = Setting { known: &known, what: "set", purpose: Purpose::Migration };
        self.stages(pipeline, setting, &mut known.stream(""));
    }

    /// Checks the pipeline of an `aggregate` step over a collection.
    pub(super) fn aggregate(
        &mut self,
        pipeline: NodeId,
        place: Span,
        known: &Known,
        collection: &str,
        ordered: Ordered,
    ) {
        let setting = Setting { known, what: "collection", purpose: Purpose::Read };
        let mut stream = known.stream(collection);
        self.stages(pipeline, setting, &mut stream);
        self.needs_order_of_answer(&mut stream, ordered, place, "this `aggregate`");
    }

    /// Checks a pipeline that stands as an update.
    pub(super) fn update_pipeline(&mut self, stages: &'a [NodeId]) {
        for stage in stages {
            let Some(stage) = self.stage(*stage) else { continue };
            if !UPDATE_STAGES.contains(&stage.key.as_str()) {
                self.report(
                    Problem::new(stage.key_span, format!("an update pipeline has no stage `{}`", stage.key))
                        .help(suggestion(&stage.key, UPDATE_STAGES)),
                );
            }
        }
    }

    fn stages(&mut self, pipeline: NodeId, setting: Setting<'_>, stream: &mut Stream) {
        let Some(stages) = self.items(pipeline) else {
            if self.is_filled_in(pipeline) {
                stream.trust();
            } else {
                let found = self.arena.kind(pipeline).describe();
                self.report_node(
                    pipeline,
                    format!("a pipeline is a list of stages, found {found}"),
                    "such as `[{$match: {…}}]`",
                );
            }
            return;
        };
        for stage in stages {
            let Some(stage) = self.stage(*stage) else {
                stream.trust();
                continue;
            };
            if STAGES.contains(&stage.key.as_str()) {
                self.stage_body(stage, setting, stream);
                self.flow(stream, stage);
            } else {
                self.report(
                    Problem::new(stage.key_span, format!("unknown stage `{}`", stage.key))
                        .help(suggestion(&stage.key, STAGES)),
                );
            }
        }
    }

    /// The only entry of a stage; `None` where it is filled in later, or broken, which is recorded.
    fn stage(&mut self, stage: NodeId) -> Option<&'a Entry> {
        if self.is_filled_in(stage) {
            return None;
        }
        match self.arena.kind(stage) {
            NodeKind::Map(entries) => match &entries[..] {
                [only] => Some(only),
                [] => {
                    self.report_node(stage, "a stage is a map with one key, found none", "such as `{$match: {…}}`");
                    None
                }
                [first, second, ..] => {
                    self.report(
                        Problem::new(second.key_span, format!("`{}` stands in the stage `{}`", second.key, first.key))
                            .help("a stage has one key: put this one into braces of its own"),
                    );
                    Some(first)
                }
            },
            other => {
                let found = other.describe();
                self.report_node(
                    stage,
                    format!("a stage is a map with one key, found {found}"),
                    "such as `{$match: {…}}`",
                );
                None
            }
        }
    }

    fn stage_body(&mut self, stage: &Entry, setting: Setting<'_>, stream: &Stream) {
        let body = stage.value;
        match stage.key.as_str() {
            "$match" => self.filter(body),
            "$lookup" => {
                let from = self.arena.get(body, "from");
                self.named(from, "$lookup", setting);
                if let Some(pipeline) = self.arena.get(body, "pipeline") {
                    let from = from.and_then(|from| self.text(from)).unwrap_or_default();
                    self.nested(pipeline, setting, &mut setting.known.stream(from));
                }
            }
            "$graphLookup" => self.named(self.arena.get(body, "from"), "$graphLookup", setting),
            "$unionWith" => {
                let database = self.arena.entry(body, "db");
                self.foreign_database(database, "$unionWith");
                let collection = if self.text(body).is_some() { Some(body) } else { self.arena.get(body, "coll") };
                self.named(collection, "$unionWith", setting);
                if let Some(pipeline) = self.arena.get(body, "pipeline") {
                    let from = collection.and_then(|from| self.text(from)).unwrap_or_default();
                    self.nested(pipeline, setting, &mut setting.known.stream(from));
                }
            }
            "$facet" => {
                for facet in self.plain_map(body).unwrap_or_default() {
                    self.nested(facet.value, setting, &mut stream.clone());
                }
            }
            "$out" | "$merge" => self.output(stage, setting),
            "$sample" => self.report(
                Problem::new(stage.key_span, "`$sample` draws at random: models could not give the same answer")
                    .help("draw with an argument such as `{^key: products}`"),
            ),
            _ => {}
        }
    }

    fn nested(&mut self, pipeline: NodeId, setting: Setting<'_>, stream: &mut Stream) {
        self.stages(pipeline, Setting { purpose: Purpose::Nested, ..setting }, stream);
    }

    fn output(&mut self, stage: &Entry, setting: Setting<'_>) {
        let word = &stage.key;
        match setting.purpose {
            Purpose::Migration => self.report(
                Problem::new(stage.key_span, format!("`{word}` stands in the pipeline that builds a collection"))
                    .help("leave it out: what the pipeline yields becomes the collection"),
            ),
            Purpose::Nested => self.report(
                Problem::new(stage.key_span, format!("`{word}` stands inside another stage"))
                    .help("it can only be the last stage of a pipeline"),
            ),
            Purpose::Read => {
                let target = match word.as_str() {
                    "$merge" => self.arena.get(stage.value, "into").unwrap_or(stage.value),
                    _ => stage.value,
                };
                let collection = self.arena.get(target, "coll").unwrap_or(target);
                self.foreign_database(self.arena.entry(target, "db"), word);
                self.named(Some(collection), word, setting);
            }
        }
    }

    /// Checks the collection that a stage names.
    fn named(&mut self, node: Option<NodeId>, stage: &str, setting: Setting<'_>) {
        let Some(node) = node else { return };
        match self.arena.kind(node) {
            NodeKind::Str(name) if self.is_filled_in(node) => {
                self.report_node(
                    node,
                    format!("`{stage}` names its {} by the reference `{name}`", setting.what),
                    "write the name itself, so that the file can be checked",
                );
            }
            NodeKind::Str(name) if setting.known.partitioned().any(|partitioned| partitioned == name) => {
                self.report_node(
                    node,
                    format!("`{stage}` names `{name}`, which is partitioned: no collection is called so"),
                    "name a collection that is not partitioned, or give the partitions a step of their own: `collection: {partition: all}`",
                );
            }
            NodeKind::Str(name) if !setting.known.has(name) => {
                let place = self.arena.span(node);
                self.unknown(place, setting.what, name, setting.known.names());
            }
            NodeKind::Map(_) => self.foreign_database(self.arena.entry(node, "db"), stage),
            _ => {}
        }
    }

    fn foreign_database(&mut self, entry: Option<&Entry>, stage: &str) {
        if let Some(entry) = entry {
            self.report(
                Problem::new(entry.key_span, format!("`{stage}` names a database"))
                    .help("name a collection alone: a model touches its own database only"),
            );
        }
    }
}

/// Stages of MongoDB 8.
const STAGES: &[&str] = &[
    "$addFields",
    "$bucket",
    "$bucketAuto",
    "$collStats",
    "$count",
    "$densify",
    "$documents",
    "$facet",
    "$fill",
    "$geoNear",
    "$graphLookup",
    "$group",
    "$indexStats",
    "$limit",
    "$lookup",
    "$match",
    "$merge",
    "$out",
    "$project",
    "$redact",
    "$replaceRoot",
    "$replaceWith",
    "$sample",
    "$search",
    "$searchMeta",
    "$set",
    "$setWindowFields",
    "$skip",
    "$sort",
    "$sortByCount",
    "$unionWith",
    "$unset",
    "$unwind",
    "$vectorSearch",
];

/// Stages that an update can have.
const UPDATE_STAGES: &[&str] = &["$addFields", "$project", "$replaceRoot", "$replaceWith", "$set", "$unset"];
