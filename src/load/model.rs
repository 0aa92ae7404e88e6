//! Source database → a model's database.

use std::sync::Arc;

use bson::{Bson, Document, RawDocumentBuf, doc};
use futures_util::TryStreamExt;
use mongodb::Database;
use serde_json::Value;

use super::error::LoadError;
use super::options::LoadOptions;
use super::prepare::{Arrival, Prepared, prepare};
use super::progress::{ProgressListener, Tally};
use super::sample::shortened;
use super::stream::{self, Arrived, Stream};
use super::timed::timed;
use super::{count, create};
use crate::record::{CollectionRecord, LoadRecord};
use crate::scenario::{Index, Model};
use crate::value::World;

/// A model as loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedModel {
    /// Documents written and the time that took, indexes included.
    pub load: LoadRecord,
    /// Its collections, in the order of the file.
    pub collections: Vec<CollectionRecord>,
    /// What the reader of a report should know of the figures.
    pub notes: Vec<String>,
}

/// Makes the model's collections from the source database: each is created with its options (and sharded, on a mongos),
/// filled through its pipeline, indexed and counted. The target must not hold those collections yet, and the client's
/// pool must have one connection more than `options.connections`.
///
/// # Errors
/// Before anything is written: options or a pipeline that have the wrong form. Then the first document that is refused,
/// with its collection and `_id`; a pipeline that builds a document over 16 MiB, with stage and key; a refused request;
/// a lost or silent server; a collection that does not hold what was written.
pub async fn load_model(
    source: &Database,
    target: &Database,
    model: &Model,
    world: &Arc<World>,
    options: &LoadOptions,
    progress: &mut ProgressListener<'_>,
) -> Result<LoadedModel, LoadError> {
    let prepared =
        model.collections.iter().map(|collection| prepare(collection, world)).collect::<Result<Vec<_>, _>>()?;
    let tally = Tally::start(expected(&prepared));
    let mut samples = Vec::new();
    for collection in &prepared {
        samples.push(load_collection(source, target, collection, options, &tally, progress).await?);
    }
    let load = LoadRecord { documents: tally.written(), seconds: tally.elapsed().into() };
    let mut loaded = LoadedModel { load, collections: Vec::new(), notes: Vec::new() };
    for (collection, sample) in prepared.iter().zip(samples) {
        loaded.collections.push(record(target, collection, &sample, options, &mut loaded.notes).await?);
    }
    Ok(loaded)
}

/// What was seen of a collection while it was filled.
struct Filled {
    /// Documents written to each of its collections: one, or as many as there are partitions.
    written: Vec<u64>,
    sample: Option<RawDocumentBuf>,
}

/// Documents of all collections, if every pipeline lets that be told.
fn expected(collections: &[Prepared<'_>]) -> Option<u64> {
    collections.iter().filter_map(|collection| collection.feed.as_ref()).map(|feed| feed.expected).sum()
}

async fn load_collection(
    source: &Database,
    target: &Database,
    collection: &Prepared<'_>,
    options: &LoadOptions,
    tally: &Tally,
    progress: &mut ProgressListener<'_>,
) -> Result<Filled, LoadError> {
    let name = &collection.definition.name;
    create::all(target, collection.names(), &collection.options, options).await?;
    if let Some(key) = &collection.definition.shard_key {
        create::shard(target, name, key, options).await?;
    }
    let filled = match &collection.feed {
        None => Filled { written: vec![0; collection.names().len()], sample: None },
        Some(feed) => {
            let stream = Stream {
                source: source.collection(&feed.from),
                pipeline: feed.pipeline.clone(),
                sort: collection.sort(),
                name: name.clone(),
                targets: collection.names().iter().map(|name| target.collection(name)).collect(),
                partitions: collection.partitions.clone(),
                arrival: collection.arrival.clone(),
            };
            let Arrived { written, first } = stream::run(stream, options, tally, progress).await?;
            Filled { written, sample: first }
        }
    };
    create::indexes_of_all(target, collection.names(), &collection.indexes, options).await?;
    Ok(filled)
}

/// Counts and describes a collection. Partitions are one collection to a reader: their documents are summed.
async fn record(
    target: &Database,
    collection: &Prepared<'_>,
    filled: &Filled,
    options: &LoadOptions,
    notes: &mut Vec<String>,
) -> Result<CollectionRecord, LoadError> {
    let (mut stored_documents, mut logical_documents) = (0, 0);
    for (name, written) in collection.names().iter().zip(&filled.written) {
        let logical = count::documents(&target.collection(name), *written, options).await?;
        if logical != *written && !collection.forgets() {
            return Err(LoadError::Miscount { collection: name.clone(), expected: *written, found: logical });
        }
        logical_documents += logical;
        stored_documents += match collection.arrival {
            Arrival::ByTime { .. } => count_buckets(target, collection, name, logical, options, notes).await?,
            Arrival::Any | Arrival::AsRead => logical,
        };
    }
    let indexes = match collection.names().first() {
        Some(first) => list_indexes(target, first, &collection.indexes, options).await?,
        None => Vec::new(),
    };
    Ok(CollectionRecord {
        name: collection.definition.name.clone(),
        partitions: collection.partitions.as_ref().map(|partitions| partitions.names().len() as u64),
        options: described(&collection.options),
        indexes,
        sample: filled.sample.as_deref().map_or(Value::Null, shortened),
        stored_documents,
        logical_documents,
    })
}

/// How many buckets a time series collection has; where the server does not tell, as many as it has measurements.
async fn count_buckets(
    target: &Database,
    collection: &Prepared<'_>,
    name: &str,
    logical: u64,
    options: &LoadOptions,
    notes: &mut Vec<String>,
) -> Result<u64, LoadError> {
    let buckets = target.collection(&format!("system.buckets.{name}"));
    match count::exactly(&buckets, options).await {
        // An unknown collection counts 0.
        Ok(0) | Err(LoadError::Refused { .. }) if logical > 0 => {
            let note = format!(
                "`{}`: this server does not tell how many buckets a time series collection has; the number of \
                 measurements stands in their place",
                collection.definition.name
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
            Ok(logical)
        }
        counted => counted,
    }
}

/// A collection's indexes: those that the server makes by itself, then the scenario's in the order of the file.
async fn list_indexes(
    target: &Database,
    name: &str,
    built: &[Index],
    options: &LoadOptions,
) -> Result<Vec<Value>, LoadError> {
    let doing = || format!("listing the indexes of collection `{name}`");
    let list = async {
        let command = doc! { "listIndexes": name };
        let cursor = target.run_cursor_command(command).await?;
        cursor.try_collect::<Vec<Document>>().await
    };
    let mut indexes = timed(options.pipeline_wait, doing, Box::pin(list)).await?;
    indexes.sort_by_key(|listed| {
        let key = listed.get_document("key").ok();
        built.iter().position(|index| key == Some(&index.key)).map_or(0, |position| position + 1)
    });
    Ok(indexes.into_iter().map(|index| described(&without_version(index))).collect())
}

/// `v` and `ns` say nothing of the model.
fn without_version(mut index: Document) -> Document {
    index.remove("v");
    index.remove("ns");
    index
}

/// As relaxed Extended JSON; null where there is nothing.
fn described(document: &Document) -> Value {
    if document.is_empty() { Value::Null } else { Bson::Document(document.clone()).into_relaxed_extjson() }
}
