//! The rules: which operations of a model are engine-limited on the embedded server, and why.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document};

use super::filter::{is_points, unbounded};
use super::view::{Effect, View};
use crate::scenario::{Form, StepKind};
use crate::words::Product;

/// Beyond so many matched documents for each one wanted, reading them all shows.
const TOP_N_FACTOR: u64 = 10;
/// Arrays longer than this cost more than in proportion.
const LONG_ARRAY: u64 = 1_000;
/// Documents of this size and more are read from the file anew each time.
const LARGE_DOCUMENT: u64 = 16 * 1024;

/// So many tables hold all collections: further ones share them.
const TABLES: u64 = 16;

/// What is known of a collection of a model. What is not known limits nothing.
#[derive(Debug, Clone, Default)]
pub struct CollectionTraits {
    /// It is a time series collection.
    pub time_series: bool,
    /// It is capped.
    pub capped: bool,
    /// It has a collation of its own.
    pub collation: bool,
    /// How many collections it is, where it is partitioned.
    pub partitions: Option<u64>,
    /// The key documents of its indexes, that on `_id` aside.
    pub indexes: Vec<Document>,
    /// Documents in it.
    pub documents: Option<u64>,
    /// Length of the longest array at each path that holds one.
    pub arrays: BTreeMap<String, u64>,
    /// Bytes of its largest document.
    pub largest_document: Option<u64>,
}

/// A step as it is sent.
#[derive(Debug)]
pub struct SentStep<'a, F: Form> {
    /// The step, with the arguments of some operation.
    pub step: &'a StepKind<F>,
    /// The most documents that its filter matches for any argument, where that is known (see [`top_n`](super::top_n)).
    pub matched: Option<u64>,
}

/// Whether collections of different databases lie in the same tables, so that what is loaded second lies worse: of two
/// copies of one model, the one loaded second had a p95 a third higher.
pub(in crate::server) const fn shares_tables(product: Product) -> bool {
    matches!(product, Product::Secantusd)
}

/// Which operations of a model this product executes unlike mongod, each with the reasons. Only the embedded server
/// does. `collections` are the model's by name.
pub fn engine_limits<F: Form<Value = Bson>>(
    product: Product,
    operations: &BTreeMap<String, Vec<SentStep<'_, F>>>,
    collections: &BTreeMap<String, CollectionTraits>,
) -> BTreeMap<String, String> {
    if product != Product::Secantusd {
        return BTreeMap::new();
    }
    let views: BTreeMap<&String, Vec<(View<'_>, Option<u64>)>> =
        operations.iter().map(|(name, steps)| (name, steps.iter().flat_map(views).collect())).collect();
    let blocked = blocked_collections(views.values().flatten().map(|(view, _)| view));
    let unknown = CollectionTraits::default();
    views
        .iter()
        .filter_map(|(&name, views)| {
            let reasons: BTreeSet<String> = views
                .iter()
                .flat_map(|(view, matched)| {
                    let traits = collections.get(view.collection).unwrap_or(&unknown);
                    let mut reasons = of_step(view, traits, collections, *matched);
                    reasons.extend(beside_many_writes(view, &blocked));
                    reasons
                })
                .collect();
            let joined = reasons.into_iter().collect::<Vec<_>>().join("; ");
            (!joined.is_empty()).then(|| (name.clone(), joined))
        })
        .collect()
}

/// What the rules look at in a step.
fn views<'a, F: Form<Value = Bson>>(sent: &SentStep<'a, F>) -> Vec<(View<'a>, Option<u64>)> {
    View::all_of(sent.step).into_iter().map(|view| (view, sent.matched)).collect()
}

/// Collections that a step of the model updates or deletes many documents of, and that step's word.
fn blocked_collections<'a>(views: impl Iterator<Item = &'a View<'a>>) -> BTreeMap<&'a str, &'static str> {
    views.filter(|view| view.effect == Effect::WritesMany).map(|view| (view.collection, view.word)).collect()
}

fn of_step(
    view: &View<'_>,
    traits: &CollectionTraits,
    collections: &BTreeMap<String, CollectionTraits>,
    matched: Option<u64>,
) -> Vec<String> {
    let rules = [
        time_series(view, traits),
        partitioned(view, traits),
        capped(view, traits),
        many_writes(view),
        find_and_modify(view),
        hint(view),
        collation(view, traits),
        scan(view, traits),
        reads_all_for_few(view, traits, matched),
        multiplied_keys(view, traits),
        long_array(view, traits),
        large_document(view, traits),
    ];
    rules.into_iter().flatten().chain(view.stages.iter().filter_map(|stage| foreign_copy(stage, collections))).collect()
}

fn time_series(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    traits.time_series.then(|| format!("time series collection {} is stored as plain documents", view.collection))
}

/// What a mongod pays for each collection of its own does not show.
fn partitioned(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    let partitions = traits.partitions.filter(|partitions| *partitions > TABLES)?;
    Some(format!("the {partitions} collections of {} share {TABLES} tables", view.collection))
}

fn capped(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    (traits.capped && view.effect == Effect::Inserts)
        .then(|| format!("an insert into the capped collection {} reads all of it", view.collection))
}

fn many_writes(view: &View<'_>) -> Option<String> {
    (view.effect == Effect::WritesMany)
        .then(|| format!("{} on {} blocks its other writes until it is done", view.word, view.collection))
}

fn beside_many_writes(view: &View<'_>, blocked: &BTreeMap<&str, &'static str>) -> Option<String> {
    let word = blocked.get(view.collection)?;
    (view.effect.writes() && view.effect != Effect::WritesMany)
        .then(|| format!("writes to {} wait while {word} runs", view.collection))
}

fn find_and_modify(view: &View<'_>) -> Option<String> {
    (view.effect == Effect::FindsAndModifies)
        .then(|| format!("{} takes time in proportion to {}, even by _id", view.word, view.collection))
}

fn hint(view: &View<'_>) -> Option<String> {
    view.hinted.then(|| format!("{} with a hint scans {}", view.word, view.collection))
}

fn collation(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    let collated = view.collated || (traits.collation && !view.filters.is_empty());
    collated.then(|| format!("indexes of {} do not serve under a collation", view.collection))
}

fn scan(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    let what = view.filters.iter().find_map(|filter| unbounded(filter, &traits.indexes))?;
    Some(format!("{what} scans {}", view.collection))
}

/// A limit stops nothing: all that matches is read first. That differs from mongod where the documents come in the
/// wanted order from an index, or in any order.
fn reads_all_for_few(view: &View<'_>, traits: &CollectionTraits, matched: Option<u64>) -> Option<String> {
    let limit = view.limit?;
    let everything = view.filters.iter().all(|filter| filter.is_empty());
    let matched = matched.or(if everything { traits.documents } else { None })?;
    let stops_on_mongod = view.sort.is_none_or(|sort| {
        let by_id = bson::doc! {"_id": 1};
        traits.indexes.iter().chain([&by_id]).any(|index| gives_order(index, sort, &view.filters))
    });
    (view.effect == Effect::Reads && stops_on_mongod && matched > limit.saturating_mul(TOP_N_FACTOR))
        .then(|| format!("all {matched} matching documents of {} are read for the first {limit}", view.collection))
}

/// Whether an index gives documents in this order once the fields that the filter pins are passed over.
fn gives_order(index: &Document, sort: &Document, filters: &[&Document]) -> bool {
    let is_pinned = |key: &String| filters.iter().any(|filter| filter.get(key).is_some_and(is_points));
    let mut keys = index.iter().filter(|(key, _)| sort.contains_key(key) || !is_pinned(key));
    let mut turned: Option<bool> = None;
    sort.iter().all(|(field, direction)| {
        let Some((key, index_direction)) = keys.next() else { return false };
        let opposite = is_descending(direction) != is_descending(index_direction);
        key == field && *turned.get_or_insert(opposite) == opposite
    })
}

fn is_descending(direction: &Bson) -> bool {
    match direction {
        Bson::Int32(number) => *number < 0,
        Bson::Int64(number) => *number < 0,
        Bson::Double(number) => *number < 0.0,
        _ => false,
    }
}

/// An index over two fields of the same array's elements stores every combination of their values.
fn multiplied_keys(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    let path = traits.arrays.keys().find(|path| traits.indexes.iter().any(|index| keys_under(index, path) > 1))?;
    Some(format!("the index over several fields of {} in {} stores every combination of them", path, view.collection))
}

fn keys_under(index: &Document, path: &str) -> usize {
    index.keys().filter(|key| key.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))).count()
}

fn long_array(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    let (path, _) = traits.arrays.iter().find(|&(_, &length)| length > LONG_ARRAY)?;
    Some(format!("arrays as long as {}'s {path} cost more than in proportion", view.collection))
}

fn large_document(view: &View<'_>, traits: &CollectionTraits) -> Option<String> {
    (traits.largest_document? >= LARGE_DOCUMENT)
        .then(|| format!("documents of {} of 16 KiB and more are read from the file each time", view.collection))
}

/// Stages that copy another collection whole for each document, or once, where mongod asks its index.
fn foreign_copy(stage: &Document, collections: &BTreeMap<String, CollectionTraits>) -> Option<String> {
    let (name, value) = stage.iter().next()?;
    let inner = value.as_document();
    let foreign = || inner.and_then(|inner| inner.get_str("from").or_else(|_| inner.get_str("coll")).ok());
    let copies = match name.as_str() {
        "$lookup" => inner?.contains_key("pipeline"),
        "$graphLookup" => true,
        // Without a filter of its own both servers read all of it.
        "$unionWith" => {
            let first = inner?.get_array("pipeline").ok()?.first()?;
            first.as_document().is_some_and(|stage| stage.contains_key("$match"))
        }
        "$facet" => {
            let pipelines = inner?.values().filter_map(Bson::as_array).flatten().filter_map(Bson::as_document);
            return pipelines.into_iter().find_map(|stage| foreign_copy(stage, collections));
        }
        _ => return None,
    };
    let foreign = foreign().unwrap_or("another collection");
    if copies {
        let form = if name == "$lookup" { "$lookup with a pipeline" } else { name };
        return Some(format!("{form} copies {foreign} whole instead of using its indexes"));
    }
    let traits = collections.get(foreign)?;
    traits.time_series.then(|| format!("time series collection {foreign} is stored as plain documents"))
}
