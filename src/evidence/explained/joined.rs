//! Collections that a pipeline reads besides its own.

use bson::{Bson, Document};

use super::figures::Explained;
use super::part::Part;
use super::tree::Node;
use crate::evidence::number::number;
use crate::record::JoinedRecord;

/// Stages of the slot-based engine that join another collection.
const JOINS: [&str; 2] = ["EQ_LOOKUP", "EQ_LOOKUP_UNWIND"];
/// Strategies of such a stage that read the whole other collection.
const SCANNING: [&str; 2] = ["NestedLoopJoin", "HashJoin"];

/// Whether a stage of a plan joins another collection.
pub(super) fn is_join(stage: &str) -> bool {
    JOINS.contains(&stage)
}

/// What the joins that a part's plan holds read, in the order of the pipeline.
pub(super) fn pushed_down(part: &Part<'_>) -> Vec<JoinedRecord> {
    let nodes = part.plan.iter().flat_map(Node::all).filter(|node| is_join(node.stage));
    let mut joined: Vec<JoinedRecord> = nodes.map(|node| of_plan(node, part.execution.as_ref())).collect();
    // The plan's root is the pipeline's end.
    joined.reverse();
    joined
}

/// What the joins among the stages after a part's query read.
pub(super) fn of_stages(part: &Part<'_>) -> impl Iterator<Item = JoinedRecord> {
    part.stages.iter().filter_map(|stage| of_stage(stage))
}

/// A join that the query plan holds; what it examined is found in the execution by the stage's number.
fn of_plan(node: &Node<'_>, execution: Option<&Node<'_>>) -> JoinedRecord {
    let foreign = node.fields.get_str("foreignCollection").unwrap_or_default();
    let strategy = node.fields.get_str("strategy").ok();
    let index = node.index().map(str::to_owned);
    let stage = match strategy {
        _ if index.is_some() => Some("IXSCAN".to_owned()),
        Some(strategy) if SCANNING.contains(&strategy) => Some("COLLSCAN".to_owned()),
        _ => None,
    };
    let own = |key: &str, stages: &[&str]| -> Option<u64> {
        let place = node.number("planNodeId")?;
        let nodes = execution?.all();
        let figures = nodes
            .iter()
            .filter(|node| node.number("planNodeId") == Some(place) && stages.contains(&node.stage))
            .filter_map(|node| node.number(key));
        figures.fold(None, |sum: Option<u64>, figure| Some(sum.unwrap_or(0).saturating_add(figure)))
    };
    JoinedRecord {
        by: "$lookup".to_owned(),
        // The namespace begins with the database, whose name holds no dot.
        collection: foreign.split_once('.').map_or(foreign, |(_, name)| name).to_owned(),
        strategy: strategy.map(str::to_owned),
        stage,
        index,
        keys_examined: own("keysExamined", &["ixscan", "ixseek", "ixscan_generic"]),
        docs_examined: own("numReads", &["scan", "seek", "fetch"]),
    }
}

fn of_stage(stage: &Document) -> Option<JoinedRecord> {
    let (by, spec) = stage.iter().next()?;
    let spec = spec.as_document()?;
    match by.as_str() {
        "$lookup" | "$graphLookup" => Some(of_lookup(by, spec, stage)),
        "$unionWith" => Some(of_union(by, spec)),
        _ => None,
    }
}

fn of_lookup(by: &str, spec: &Document, stage: &Document) -> JoinedRecord {
    let indexes = stage.get_array("indexesUsed").ok();
    let index = indexes.and_then(|names| distinct(names.iter().filter_map(Bson::as_str)));
    let scans = number(stage, "collectionScans");
    JoinedRecord {
        by: by.to_owned(),
        collection: name(spec.get("from")),
        strategy: None,
        stage: match scans {
            Some(scans) if scans > 0 => Some("COLLSCAN".to_owned()),
            _ => index.as_ref().map(|_| "IXSCAN".to_owned()),
        },
        index,
        keys_examined: number(stage, "totalKeysExamined"),
        docs_examined: number(stage, "totalDocsExamined"),
    }
}

/// A union's own pipeline is explained inside it, where the server does so.
fn of_union(by: &str, spec: &Document) -> JoinedRecord {
    let inner = match spec.get("pipeline") {
        Some(Bson::Array(stages)) if !stages.is_empty() => Explained::of_pipeline(stages),
        Some(Bson::Document(reply)) => Explained::read(reply),
        _ => Explained::default(),
    };
    JoinedRecord {
        by: by.to_owned(),
        collection: name(spec.get("coll")),
        strategy: None,
        index: inner.index(),
        stage: inner.stage,
        keys_examined: inner.keys_examined,
        docs_examined: inner.docs_examined,
    }
}

/// A collection's name, given alone or with its database.
fn name(value: Option<&Bson>) -> String {
    match value {
        Some(Bson::String(name)) => name.clone(),
        Some(Bson::Document(place)) => place.get_str("coll").unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// The different names in their order, with commas.
pub(super) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut different: Vec<&str> = Vec::new();
    for name in names {
        if !different.contains(&name) {
            different.push(name);
        }
    }
    (!different.is_empty()).then(|| different.join(", "))
}
