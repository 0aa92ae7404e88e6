//! What changed of the evidence: plans, work, traffic, indexes, sizes. These are facts, so no interval is needed.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::Fields;
use super::pair::Pair;
use crate::record::{
    COLLECTION_SCAN, CollectionRecord, CollectionSizesRecord, EvidenceChange, EvidenceRecord, IndexUseRecord,
    JoinedRecord, ModelOperationRecord, ModelRecord, StorageRecord,
};
use crate::words::{DataSize, EvidenceFlag, SortedInMemory};

/// Bytes on disk depend on when pages were written and how full they came out: a change up to this share is none.
const PAGES: f64 = 0.02;

/// What changed between the latest runs of both sides, model by model.
pub(super) fn evidence(pair: &Pair<'_>) -> Vec<EvidenceChange> {
    let (base, new) = (pair.latest_base(), pair.latest_new());
    let mut found = Vec::new();
    for model in new.cast.shown() {
        let Some(before) = base.scenario.models.iter().find(|known| known.name == model.name) else { continue };
        for operation in pair.operations() {
            if let Some((before, now)) = before.operations.get(operation).zip(model.operations.get(operation)) {
                found.extend(of_operation(&model.name, operation, before, now));
            }
        }
        found.extend(of_data(before, model));
    }
    found
}

fn of_operation(
    model: &str,
    operation: &str,
    base: &ModelOperationRecord,
    new: &ModelOperationRecord,
) -> Vec<EvidenceChange> {
    let mut fields = Fields::of(model, Some(operation));
    let (before, now) = (steps(&base.evidence), steps(&new.evidence));
    for (key, step) in &now {
        match before.get(key) {
            Some(known) => of_step(&mut fields, known, step),
            // Whether a step is explained on the measured data as well depends on how long that takes.
            None if key.1 == DataSize::Parity => fields.text(&place(step), "step", None, Some(&called(step))),
            None => {}
        }
    }
    for (key, step) in &before {
        if key.1 == DataSize::Parity && !now.contains_key(key) {
            fields.text(&place(step), "step", Some(&called(step)), None);
        }
    }
    let whole = "the operation";
    fields.mean(whole, "round_trips", base.round_trips, new.round_trips);
    fields.mean(whole, "bytes_sent", base.bytes_sent, new.bytes_sent);
    fields.mean(whole, "bytes_received", base.bytes_received, new.bytes_received);
    fields.text(whole, "engine_limited", base.engine_limited.as_deref(), new.engine_limited.as_deref());
    fields.found
}

type Key = (u32, DataSize, usize);

/// Steps by their number and data; of several explanations of one step each has its own place.
fn steps(evidence: &[EvidenceRecord]) -> BTreeMap<Key, &EvidenceRecord> {
    let mut steps = BTreeMap::new();
    for step in evidence {
        let again = (0..).find(|again| !steps.contains_key(&(step.step, step.data, *again))).unwrap_or(usize::MAX);
        steps.insert((step.step, step.data, again), step);
    }
    steps
}

fn called(step: &EvidenceRecord) -> String {
    format!("{} on {}", step.call, step.collection)
}

fn place(step: &EvidenceRecord) -> String {
    let data = match step.data {
        DataSize::Parity => "",
        DataSize::Measured => ", measured data",
    };
    format!("step {}{data}", u64::from(step.step) + 1)
}

fn of_step(fields: &mut Fields<'_>, base: &EvidenceRecord, new: &EvidenceRecord) {
    let place = place(new);
    fields.text(&place, "step", Some(&called(base)), Some(&called(new)));
    if base.not_explained.is_some() || new.not_explained.is_some() {
        let why = |step: &EvidenceRecord| step.not_explained.clone();
        fields.field(&place, "not_explained", why(base).into(), why(new).into(), None);
        return;
    }
    path(fields, &place, (&base.stage, &base.index), (&new.stage, &new.index));
    fields.text(&place, "stages_above", joined_words(&base.above).as_deref(), joined_words(&new.above).as_deref());
    let sort = |step: &EvidenceRecord| step.in_memory_sort.map(SortedInMemory::word);
    let sorts = |step: &EvidenceRecord| step.in_memory_sort == Some(SortedInMemory::Documents);
    let worse = (sorts(base) != sorts(new)).then(|| sorts(new));
    fields.field(&place, "in_memory_sort", sort(base).into(), sort(new).into(), worse);
    fields.effort(&place, "keys_examined", base.keys_examined, new.keys_examined);
    fields.cost(&place, "docs_examined", base.docs_examined, new.docs_examined);
    fields.number(&place, "matched", base.matched, new.matched);
    fields.number(&place, "returned", base.returned, new.returned);
    fields.cost(&place, "shards", base.shards.map(u64::from), new.shards.map(u64::from));
    for flag in EvidenceFlag::ALL {
        let flagged = |step: &EvidenceRecord| step.flags.contains(flag).then(|| flag.word());
        fields.field(&place, "flag", flagged(base).into(), flagged(new).into(), Some(flagged(new).is_some()));
    }
    joined(fields, &place, &base.joined, &new.joined);
}

/// How documents are found.
fn path(
    fields: &mut Fields<'_>,
    place: &str,
    base: (&Option<String>, &Option<String>),
    new: (&Option<String>, &Option<String>),
) {
    let scans = |stage: &Option<String>| stage.as_deref() == Some(COLLECTION_SCAN);
    let worse = (scans(base.0) != scans(new.0)).then(|| scans(new.0));
    fields.field(place, "stage", base.0.clone().into(), new.0.clone().into(), worse);
    let worse = (base.1.is_some() != new.1.is_some()).then(|| new.1.is_none());
    fields.field(place, "index", base.1.clone().into(), new.1.clone().into(), worse);
}

fn joined(fields: &mut Fields<'_>, place: &str, base: &[JoinedRecord], new: &[JoinedRecord]) {
    for number in 0..base.len().max(new.len()) {
        let (before, now) = (base.get(number), new.get(number));
        let Some(named) = now.or(before) else { continue };
        let place = format!("{place}, {} {}", named.by, named.collection);
        let called = |joined: &JoinedRecord| format!("{} {}", joined.by, joined.collection);
        fields.text(&place, "join", before.map(called).as_deref(), now.map(called).as_deref());
        let Some((before, now)) = before.zip(now) else { continue };
        path(fields, &place, (&before.stage, &before.index), (&now.stage, &now.index));
        fields.text(&place, "strategy", before.strategy.as_deref(), now.strategy.as_deref());
        fields.effort(&place, "keys_examined", before.keys_examined, now.keys_examined);
        fields.cost(&place, "docs_examined", before.docs_examined, now.docs_examined);
    }
}

fn joined_words(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| words.join(" → "))
}

/// A model's collections, indexes and sizes.
fn of_data(base: &ModelRecord, new: &ModelRecord) -> Vec<EvidenceChange> {
    let mut fields = Fields::of(&new.name, None);
    for (name, before, now) in both(&base.collections, &new.collections, |collection| &collection.name) {
        let place = format!("collection {name}");
        match (before, now) {
            (Some(before), Some(now)) => of_collection(&mut fields, &place, before, now),
            (before, now) => fields.text(&place, "collection", before.map(|_| name), now.map(|_| name)),
        }
    }
    for (name, before, now) in both(&base.sizes, &new.sizes, |sizes| &sizes.name) {
        let bytes = |of: fn(&CollectionSizesRecord) -> Option<u64>| (before.and_then(of), now.and_then(of));
        let place = format!("collection {name}");
        let (average, largest) = (
            bytes(|sizes| sizes.average_document.map(|bytes| bytes.get())),
            bytes(|sizes| sizes.largest_document.map(|bytes| bytes.get())),
        );
        fields.cost(&place, "average_document_bytes", average.0, average.1);
        fields.cost(&place, "largest_document_bytes", largest.0, largest.1);
    }
    if let Some((before, now)) = base.storage.as_ref().zip(new.storage.as_ref()) {
        bill(&mut fields, before, now);
    }
    if let Some((before, now)) = base.index_use.as_ref().zip(new.index_use.as_ref()) {
        unused(&mut fields, before, now);
    }
    let end = |model: &ModelRecord| model.ended.as_ref().map(|end| format!("{} in {}", end.error, end.operation));
    let worse = (base.ended.is_some() != new.ended.is_some()).then(|| new.ended.is_some());
    fields.field("the model", "declared_end", end(base).into(), end(new).into(), worse);
    fields.found
}

/// What two lists have by a name, in the order of the second, what is left of the first behind.
fn both<'a, T>(base: &'a [T], new: &'a [T], name: fn(&T) -> &String) -> Vec<(&'a str, Option<&'a T>, Option<&'a T>)> {
    let find = |list: &'a [T], wanted: &str| list.iter().find(|item| name(item) == wanted);
    let of_new = new.iter().map(|item| (name(item).as_str(), find(base, name(item)), Some(item)));
    let gone = base.iter().filter(|item| find(new, name(item)).is_none());
    of_new.chain(gone.map(|item| (name(item).as_str(), Some(item), None))).collect()
}

fn of_collection(fields: &mut Fields<'_>, place: &str, base: &CollectionRecord, new: &CollectionRecord) {
    let (before, now) = (indexes(base), indexes(new));
    for lost in before.iter().filter(|index| !now.contains(index)) {
        fields.field(place, "index", Value::from(lost.as_str()), Value::Null, Some(true));
    }
    for added in now.iter().filter(|index| !before.contains(index)) {
        fields.field(place, "index", Value::Null, Value::from(added.as_str()), None);
    }
    let options = |collection: &CollectionRecord| match &collection.options {
        Value::Null => Value::Null,
        options => Value::from(options.to_string()),
    };
    fields.field(place, "options", options(base), options(new), None);
    fields.number(place, "partitions", base.partitions, new.partitions);
    fields.number(place, "documents", Some(base.logical_documents), Some(new.logical_documents));
}

/// Indexes by their key and options; their names say nothing more.
fn indexes(collection: &CollectionRecord) -> Vec<String> {
    let described = |index: &Value| match index.as_object() {
        Some(fields) => {
            let said = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "v" | "name" | "ns"));
            let said: Vec<String> =
                said.map(|(name, value)| if name == "key" { key(value) } else { format!("{name}: {value}") }).collect();
            said.join(", ")
        }
        None => index.to_string(),
    };
    collection.indexes.iter().map(described).collect()
}

/// A key as people write it: `{topic: 1, _id: 1}`.
fn key(key: &Value) -> String {
    let Some(fields) = key.as_object() else { return key.to_string() };
    let fields: Vec<String> = fields.iter().map(|(name, direction)| format!("{name}: {direction}")).collect();
    format!("{{{}}}", fields.join(", "))
}

fn bill(fields: &mut Fields<'_>, base: &StorageRecord, new: &StorageRecord) {
    let place = "storage";
    fields.cost(place, "documents", Some(base.documents), Some(new.documents));
    fields.cost(place, "data_bytes", Some(base.data_bytes.get()), Some(new.data_bytes.get()));
    let indexes = (Some(base.index_bytes.get()), Some(new.index_bytes.get()));
    fields.about(place, "index_bytes", indexes, PAGES);
    let disk = |bill: &StorageRecord| bill.storage_bytes.map(|bytes| bytes.get());
    fields.about(place, "storage_bytes", (disk(base), disk(new)), PAGES);
    fields.number(place, "collections", Some(base.collections), Some(new.collections));
    fields.number(place, "indexes", Some(base.indexes), Some(new.indexes));
}

/// Indexes that nothing used on one side, and something on the other.
fn unused(fields: &mut Fields<'_>, base: &IndexUseRecord, new: &IndexUseRecord) {
    let is_unused = |used: &IndexUseRecord, collection: &str, name: &str| {
        let mut indexes = used.indexes.iter();
        let index = indexes.find(|index| index.collection == collection && index.name == name)?;
        Some(index.flags.contains(&EvidenceFlag::UnusedIndex))
    };
    for index in &new.indexes {
        let (collection, name) = (&index.collection, &index.name);
        let Some((before, now)) = is_unused(base, collection, name).zip(is_unused(new, collection, name)) else {
            continue;
        };
        let said = |unused: bool| if unused { "unused" } else { "used" };
        let place = format!("collection {collection}");
        fields.field(&place, &format!("use of {name}"), said(before).into(), said(now).into(), Some(now));
    }
}
