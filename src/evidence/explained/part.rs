//! The parts of a reply: one for each place where a plan ran.

use bson::{Bson, Document};

use super::tree::Node;

/// Keys of the first stage of a pipeline under which its query stands.
const CURSORS: [&str; 2] = ["$cursor", "$geoNearCursor"];

/// What ran in one place: a server, or a shard.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// The winning plan.
    pub(super) plan: Option<Node<'a>>,
    /// The plan as executed.
    pub(super) execution: Option<Node<'a>>,
    /// The document that holds the totals of the query.
    pub(super) totals: Option<&'a Document>,
    /// Whether the slot-based engine ran it.
    pub(super) slot_based: bool,
    /// The stages of a pipeline after its query.
    pub(super) stages: Vec<&'a Document>,
}

/// The parts of a reply, and whether they are shards'.
pub(super) fn parts(reply: &Document) -> (Vec<Part<'_>>, bool) {
    if let Ok(shards) = reply.get_document("shards") {
        let shards = shards.values().filter_map(Bson::as_document);
        return (shards.flat_map(|shard| parts(shard).0).collect(), true);
    }
    if let Ok(stages) = reply.get_array("stages") {
        return (vec![of_pipeline(stages)], false);
    }
    of_query(reply)
}

/// The part of a list of stages, as a pipeline's explanation has it.
pub(super) fn of_pipeline(stages: &[Bson]) -> Part<'_> {
    let mut stages: Vec<&Document> = stages.iter().filter_map(Bson::as_document).collect();
    let first = stages.first().copied();
    let cursor = first.and_then(|first| CURSORS.iter().find_map(|key| first.get_document(key).ok()));
    match cursor {
        Some(cursor) => {
            stages.remove(0);
            let query = of_query(cursor).0.into_iter().next();
            query.map_or_else(|| bare(Vec::new()), |query| Part { stages, ..query })
        }
        None => bare(stages),
    }
}

fn bare(stages: Vec<&Document>) -> Part<'_> {
    Part { plan: None, execution: None, totals: None, slot_based: false, stages }
}

fn of_query(document: &Document) -> (Vec<Part<'_>>, bool) {
    let planner = document.get_document("queryPlanner").ok();
    let plan = planner.and_then(|planner| planner.get_document("winningPlan").ok());
    let totals = document.get_document("executionStats").ok();
    let execution = totals.and_then(|totals| totals.get_document("executionStages").ok());
    match plan.and_then(|plan| plan.get_array("shards").ok()) {
        Some(shards) => {
            let executed = execution.and_then(|execution| execution.get_array("shards").ok());
            let executed: Vec<&Document> = executed.into_iter().flatten().filter_map(Bson::as_document).collect();
            let named = |shard: &Document| {
                let name = shard.get_str("shardName").ok();
                executed.iter().copied().find(|executed| executed.get_str("shardName").ok() == name)
            };
            let shards = shards.iter().filter_map(Bson::as_document);
            (shards.map(|shard| part_of(shard.get_document("winningPlan").ok(), named(shard))).collect(), true)
        }
        None => (vec![part_of(plan, totals)], false),
    }
}

fn part_of<'a>(plan: Option<&'a Document>, totals: Option<&'a Document>) -> Part<'a> {
    Part {
        slot_based: plan.is_some_and(|plan| plan.contains_key("slotBasedPlan") || plan.contains_key("queryPlan")),
        plan: plan.and_then(Node::of),
        execution: totals.and_then(|totals| Node::of(totals.get_document("executionStages").ok()?)),
        totals,
        stages: Vec::new(),
    }
}
