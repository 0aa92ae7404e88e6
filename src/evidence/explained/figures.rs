//! Stage, index and figures of a reply.

use bson::{Bson, Document};

use super::joined::{distinct, is_join, of_stages, pushed_down};
use super::part::{Part, of_pipeline, parts};
use super::tree::Node;
use crate::evidence::number::number;
use crate::record::JoinedRecord;
use crate::words::SortedInMemory;

/// Stages that find documents or filter them: what the topmost of them returns has passed the filter.
const FINDING: [&str; 15] = [
    "COLLSCAN",
    "IXSCAN",
    "FETCH",
    "IDHACK",
    "CLUSTERED_IXSCAN",
    "EXPRESS_IXSCAN",
    "EXPRESS_CLUSTERED_IXSCAN",
    "OR",
    "AND_SORTED",
    "AND_HASH",
    "SORT_MERGE",
    "TEXT_MATCH",
    "GEO_NEAR_2D",
    "GEO_NEAR_2DSPHERE",
    "RETURN_KEY",
];
/// Stages that count without looking at each document, or that take documents out of buckets.
const NOTHING_MATCHES: [&str; 6] =
    ["COUNT", "COUNT_SCAN", "RECORD_STORE_FAST_COUNT", "DISTINCT_SCAN", "UNPACK_TS_BUCKET", "TS_MODIFY"];
/// Stages of a plan that make other documents of those below them.
const MAKING: [&str; 4] = ["GROUP", "UNWIND", "WINDOW", "REPLACE_ROOT"];
/// Stages of a pipeline that make other documents of those before them.
const MAKING_STAGES: [&str; 12] = [
    "$group",
    "$bucket",
    "$bucketAuto",
    "$sortByCount",
    "$unwind",
    "$unionWith",
    "$replaceRoot",
    "$replaceWith",
    "$facet",
    "$graphLookup",
    "$densify",
    "$_internalUnpackBucket",
];

/// What a reply of `explain` says. What it does not say is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Explained {
    /// How documents are found; of several ways the costliest.
    pub stage: Option<String>,
    /// The stages above that one, from the lowest up.
    pub above: Vec<String>,
    /// The indexes used.
    pub indexes: Vec<String>,
    /// What is sorted in memory, if anything is.
    pub in_memory_sort: Option<SortedInMemory>,
    /// Index keys examined.
    pub keys_examined: Option<u64>,
    /// Documents examined, those of joined collections aside.
    pub docs_examined: Option<u64>,
    /// Documents that pass the filter; `None` for counts and time series.
    pub matched: Option<u64>,
    /// Documents returned.
    pub returned: Option<u64>,
    /// Collections read besides.
    pub joined: Vec<JoinedRecord>,
    /// Shards that took part; `None` where none are named.
    pub shards: Option<u32>,
}

impl Explained {
    /// Reads a reply.
    pub fn read(reply: &Document) -> Self {
        let (parts, sharded) = parts(reply);
        let mut read = Self::of_parts(&parts);
        if sharded {
            read.shards = u32::try_from(parts.len()).ok();
        }
        if reply.get_document("splitPipeline").is_ok() {
            // What the shards return is merged afterwards, and the merging part is not counted.
            read.returned = None;
        }
        read
    }

    /// Reads the stages of a pipeline.
    pub(super) fn of_pipeline(stages: &[Bson]) -> Self {
        Self::of_parts(&[of_pipeline(stages)])
    }

    /// The names of the indexes, with commas.
    pub fn index(&self) -> Option<String> {
        distinct(self.indexes.iter().map(String::as_str))
    }

    /// Figures add up over parts; where a part does not report one, the sum is not known.
    fn of_parts(parts: &[Part<'_>]) -> Self {
        let mut all = parts.iter().map(of_part);
        let Some(first) = all.next() else { return Self::default() };
        all.fold(first, |so_far, more| Self {
            stage: costlier(so_far.stage, more.stage),
            above: if so_far.above.len() >= more.above.len() { so_far.above } else { more.above },
            indexes: so_far.indexes.into_iter().chain(more.indexes).collect(),
            in_memory_sort: so_far.in_memory_sort.min_some(more.in_memory_sort),
            keys_examined: sum(so_far.keys_examined, more.keys_examined),
            docs_examined: sum(so_far.docs_examined, more.docs_examined),
            matched: sum(so_far.matched, more.matched),
            returned: sum(so_far.returned, more.returned),
            joined: added(so_far.joined, more.joined),
            shards: None,
        })
    }
}

/// The lesser of two values of which either may be absent.
trait MinSome {
    fn min_some(self, other: Self) -> Self;
}

impl MinSome for Option<SortedInMemory> {
    fn min_some(self, other: Self) -> Self {
        [self, other].into_iter().flatten().min()
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    Some(one?.saturating_add(other?))
}

/// A scan on one shard is a scan.
fn costlier(one: Option<String>, other: Option<String>) -> Option<String> {
    let scans = |stage: &Option<String>| stage.as_deref() == Some("COLLSCAN");
    if scans(&other) { other } else { one.or(other) }
}

/// The joins of several shards: each of them runs the same ones.
fn added(so_far: Vec<JoinedRecord>, more: Vec<JoinedRecord>) -> Vec<JoinedRecord> {
    if so_far.len() != more.len() {
        return so_far.into_iter().chain(more).collect();
    }
    let both = so_far.into_iter().zip(more);
    both.map(|(one, other)| JoinedRecord {
        stage: costlier(one.stage, other.stage),
        keys_examined: sum(one.keys_examined, other.keys_examined),
        docs_examined: sum(one.docs_examined, other.docs_examined),
        ..one
    })
    .collect()
}

fn of_part(part: &Part<'_>) -> Explained {
    let mut joined = pushed_down(part);
    let tree = part.plan.as_ref().or(part.execution.as_ref());
    let leaves = tree.map(Node::leaves).unwrap_or_default();
    let total = |key: &str| part.totals.and_then(|totals| number(totals, key));
    // The slot-based engine counts what its joins read among the rest.
    let own = |total: Option<u64>, of: fn(&JoinedRecord) -> Option<u64>| match total? {
        0 => Some(0),
        total => joined.iter().map(of).try_fold(total, |left, join| left.checked_sub(join?)),
    };
    let keys_examined = own(total("totalKeysExamined"), |join| join.keys_examined);
    let docs_examined = own(total("totalDocsExamined"), |join| join.docs_examined);
    joined.extend(of_stages(part));
    Explained {
        stage: stage(&leaves),
        above: tree.map(above).unwrap_or_default(),
        indexes: leaves.iter().filter_map(|leaf| leaf.index()).map(str::to_owned).collect(),
        in_memory_sort: tree.and_then(sorted_in_plan).min_some(sorted_in_stages(&part.stages)),
        keys_examined,
        docs_examined,
        matched: matched(part),
        returned: match part.stages.last() {
            Some(last) => number(last, "nReturned"),
            None => total("nReturned"),
        },
        joined,
        shards: None,
    }
}

/// The way in which documents are found, the costliest of several.
fn stage(leaves: &[&Node<'_>]) -> Option<String> {
    let scan = leaves.iter().find(|leaf| leaf.stage == "COLLSCAN");
    scan.or(leaves.first()).map(|leaf| leaf.stage.to_owned())
}

/// The stages above the first leaf, from the lowest up.
fn above(tree: &Node<'_>) -> Vec<String> {
    let mut path = Vec::new();
    let mut node = tree;
    while let Some(input) = node.inputs.first() {
        path.push(node.stage.to_owned());
        node = input;
    }
    path.reverse();
    path
}

/// What a plan sorts. Sorting what an index scan gives already merged is no sort.
fn sorted_in_plan(tree: &Node<'_>) -> Option<SortedInMemory> {
    let nodes = tree.all();
    let sorts = nodes.iter().filter(|node| node.stage == "SORT");
    sorts
        .map(|sort| {
            let made = sort.has(&MAKING) || sort.all().iter().any(|node| is_join(node.stage));
            if made || names_each(sort) { SortedInMemory::Results } else { SortedInMemory::Documents }
        })
        .min()
}

/// Whether the documents below a stage are those that the query names by their `_id`, one by one: no index gives a chosen
/// few in the order of another field.
fn names_each(sort: &Node<'_>) -> bool {
    sort.leaves().iter().all(|leaf| {
        let bounds = leaf.fields.get_document("indexBounds").ok().and_then(|bounds| bounds.get_array("_id").ok());
        match leaf.stage {
            "IDHACK" | "EXPRESS_IXSCAN" => true,
            _ => {
                leaf.index() == Some("_id_")
                    && bounds.is_some_and(|bounds| bounds.iter().all(|bound| bound.as_str().is_some_and(is_point)))
            }
        }
    })
}

/// Whether bounds as printed, `[5, 5]`, hold a single value.
fn is_point(bounds: &str) -> bool {
    let inner = bounds.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| {
        let half = inner.len().saturating_sub(2) / 2;
        inner.is_char_boundary(half)
            && inner.get(half..half + 2) == Some(", ")
            && inner.get(..half) == inner.get(half + 2..)
    })
}

/// What a pipeline sorts after its query: documents as stored only while nothing has made others of them, and by fields that
/// were not computed on the way.
fn sorted_in_stages(stages: &[&Document]) -> Option<SortedInMemory> {
    let mut made = false;
    let mut computed: Vec<&str> = Vec::new();
    let mut found = None;
    for stage in stages {
        let Some((name, value)) = stage.iter().next() else { continue };
        match (name.as_str(), value) {
            ("$sort", Bson::Document(sort)) => {
                let keys = sort.get_document("sortKey").unwrap_or(sort);
                let by_computed = keys.keys().any(|key| computed.iter().any(|known| reaches(known, key)));
                let sorted = if made || by_computed { SortedInMemory::Results } else { SortedInMemory::Documents };
                found = found.min_some(Some(sorted));
            }
            ("$addFields" | "$set" | "$project", Bson::Document(fields)) => {
                // A field that is kept or left out is still the stored one.
                let set = fields.iter().filter(|(_, value)| !keeps_or_drops(value));
                computed.extend(set.map(|(field, _)| field.as_str()));
            }
            ("$lookup", Bson::Document(join)) => {
                computed.extend(join.get_str("as").ok());
                made |= join.contains_key("unwinding");
            }
            (name, _) => made |= MAKING_STAGES.contains(&name),
        }
    }
    found
}

/// Whether a value in a projection says nothing but whether the field stays.
fn keeps_or_drops(value: &Bson) -> bool {
    matches!(value, Bson::Boolean(_) | Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_))
}

/// Whether one dotted path leads to, or through, the other.
fn reaches(known: &str, key: &str) -> bool {
    let inside = |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
    known == key || inside(known, key) || inside(key, known)
}

/// Documents that pass the filter.
fn matched(part: &Part<'_>) -> Option<u64> {
    let unpacks = part.stages.iter().any(|stage| stage.contains_key("$_internalUnpackBucket"));
    let plan = part.plan.as_ref().or(part.execution.as_ref())?;
    if unpacks || plan.has(&NOTHING_MATCHES) {
        return None;
    }
    let execution = part.execution.as_ref()?;
    if let Some(written) = written(execution) {
        return Some(written);
    }
    if !part.slot_based {
        return finding(execution)?.number("nReturned");
    }
    let place = finding(plan)?.number("planNodeId")?;
    let executed = execution.all();
    executed.iter().find(|node| node.number("planNodeId") == Some(place))?.number("nReturned")
}

/// Documents that a write matches.
fn written(execution: &Node<'_>) -> Option<u64> {
    execution.all().iter().find_map(|node| match node.stage {
        "UPDATE" => node.number("nMatched"),
        "DELETE" | "BATCHED_DELETE" => node.number("nWouldDelete"),
        // A point lookup: what is read has matched.
        "EXPRESS_UPDATE" | "EXPRESS_DELETE" => node.number("docsExamined"),
        _ => None,
    })
}

/// The topmost stage that finds documents, below any sort: what it returns has passed the filter. Where documents are
/// fetched after their keys were sorted, the fetch filters nothing.
fn finding<'n, 'a>(tree: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let mut node = tree;
    loop {
        if FINDING.contains(&node.stage) && !node.has(&["SORT"]) {
            return Some(node);
        }
        node = node.inputs.first()?;
    }
}
