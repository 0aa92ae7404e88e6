//! The storage bill: how many documents, and how many bytes of data, of storage and of indexes; and how large documents
//! are.

use std::time::{Duration, Instant};

use bson::{Bson, Document, doc};
use futures_util::TryStreamExt;
use mongodb::{Client, Database};

use super::number::number;
use super::request::{EvidenceError, timed, timed_within};
use crate::record::{CollectionSizesRecord, StorageRecord};
use crate::units::{Bytes, Ratio};
use crate::words::Product;

/// How long the largest documents of a model may be looked for; what is not told by then is left out.
pub(super) const LARGEST_WAIT: Duration = Duration::from_secs(10);

/// Asks the server to write what it holds in memory, without which the files of fresh collections look nearly empty.
/// To be called once, after loading and before [`storage`]. `false` says that the server does not permit or offer it:
/// then `storage_bytes` and `index_bytes` may be too small.
///
/// # Errors
/// A lost or silent server.
pub async fn flush(client: &Client) -> Result<bool, EvidenceError> {
    let doing = || "asking the server to write its data to disk".to_owned();
    match timed(doing, client.database("admin").run_command(doc! { "fsync": 1 })).await {
        Ok(_) => Ok(true),
        Err(error) if error.is_server_lost() => Err(error),
        Err(_refused) => Ok(false),
    }
}

/// The storage bill of these collections together. Bytes on disk are left out where the server does not tell them
/// truly (the embedded server answers the size of the data); for a time series collection, `documents` are its buckets.
///
/// # Errors
/// A collection that does not exist, a request that the server refuses, a lost or silent server.
pub async fn storage<'a>(
    database: &Database,
    collections: impl IntoIterator<Item = &'a str>,
    product: Product,
) -> Result<StorageRecord, EvidenceError> {
    let mut bill = Bill::default();
    for name in collections {
        bill.collections += 1;
        // One answer per shard.
        let answers = stats(database, name).await?;
        bill.indexes += answers.iter().map(|answer| count(answer, "nindexes")).max().unwrap_or(0);
        for answer in &answers {
            bill.add(answer);
        }
    }
    Ok(bill.record(product != Product::Secantusd))
}

/// Sums over collections and shards.
#[derive(Debug, Default)]
pub(super) struct Bill {
    pub(super) documents: u64,
    pub(super) data: u64,
    storage: u64,
    index: u64,
    collections: u64,
    indexes: u64,
}

impl Bill {
    pub(super) fn add(&mut self, stats: &Document) {
        let buckets = stats.get_document("timeseries").ok().map(|timeseries| count(timeseries, "bucketCount"));
        self.documents += buckets.unwrap_or_else(|| count(stats, "count"));
        self.data += count(stats, "size");
        self.storage += count(stats, "storageSize");
        self.index += count(stats, "totalIndexSize");
    }

    fn sizes(&self, name: &str, largest: Option<u64>, tells_storage: bool) -> CollectionSizesRecord {
        CollectionSizesRecord {
            name: name.to_owned(),
            average_document: self.data.checked_div(self.documents).map(Bytes::new),
            largest_document: largest.map(Bytes::new),
            data_bytes: Bytes::new(self.data),
            storage_bytes: tells_storage.then(|| Bytes::new(self.storage)),
            index_bytes: Bytes::new(self.index),
        }
    }

    fn record(&self, tells_storage: bool) -> StorageRecord {
        StorageRecord {
            documents: self.documents,
            data_bytes: Bytes::new(self.data),
            storage_bytes: tells_storage.then(|| Bytes::new(self.storage)),
            index_bytes: Bytes::new(self.index),
            collections: self.collections,
            indexes: self.indexes,
            index_to_cache: None,
            data_to_cache: None,
        }
    }
}

/// The bill beside the server's cache, where its size is known: what is larger than the cache is read from disk.
pub fn beside_cache(bill: StorageRecord, cache: Option<Bytes>) -> StorageRecord {
    let cache = cache.map(|cache| cache.get() as f64).filter(|cache| *cache > 0.0);
    let ratio = |bytes: Bytes| cache.map(|cache| Ratio::new(bytes.get() as f64 / cache));
    StorageRecord { index_to_cache: ratio(bill.index_bytes), data_to_cache: ratio(bill.data_bytes), ..bill }
}

/// What each of these collections takes, and how large its documents are. The largest document is left out where the
/// server does not tell it in time, and of time series, whose documents are buckets.
///
/// # Errors
/// A collection that does not exist, a request that the server refuses, a lost or silent server.
pub async fn sizes<'a>(
    database: &Database,
    collections: impl IntoIterator<Item = &'a str>,
    product: Product,
) -> Result<Vec<CollectionSizesRecord>, EvidenceError> {
    let began = Instant::now();
    let mut found = Vec::new();
    for name in collections {
        let answers = stats(database, name).await?;
        let mut bill = Bill::default();
        answers.iter().for_each(|answer| bill.add(answer));
        let buckets = answers.iter().any(|answer| answer.contains_key("timeseries"));
        let left = LARGEST_WAIT.saturating_sub(began.elapsed());
        let largest = if buckets || left.is_zero() { None } else { largest_document(database, name, left).await? };
        found.push(bill.sizes(name, largest, product != Product::Secantusd));
    }
    Ok(found)
}

/// The size of the largest document; `None` where the server refuses to tell, or not in time.
pub(super) async fn largest_document(
    database: &Database,
    name: &str,
    limit: Duration,
) -> Result<Option<u64>, EvidenceError> {
    let doing = || format!("looking for the largest document of collection `{name}`");
    let answers = async {
        let group = doc! { "$group": { "_id": Bson::Null, "largest": { "$max": { "$bsonSize": "$$ROOT" } } } };
        let cursor = database.collection::<Document>(name).aggregate([group]).max_time(limit).await?;
        cursor.try_collect::<Vec<_>>().await
    };
    match timed_within(limit, doing, Box::pin(answers)).await {
        Ok(answers) => Ok(answers.first().map(|answer| count(answer, "largest"))),
        Err(error @ EvidenceError::Request { .. }) if error.is_server_lost() => Err(error),
        Err(_refused_or_late) => Ok(None),
    }
}

/// `storageStats` of a collection, once per shard that holds some of it.
pub(super) async fn stats(database: &Database, name: &str) -> Result<Vec<Document>, EvidenceError> {
    let doing = || format!("reading the sizes of collection `{name}` of database `{}`", database.name());
    let answers = async {
        let stage = doc! { "$collStats": { "storageStats": {} } };
        let cursor = database.collection::<Document>(name).aggregate([stage]).await?;
        cursor.try_collect::<Vec<_>>().await
    };
    let answers = timed(doing, Box::pin(answers)).await?;
    Ok(answers
        .into_iter()
        .filter_map(|mut answer| match answer.remove("storageStats") {
            Some(Bson::Document(stats)) => Some(stats),
            _ => None,
        })
        .collect())
}

/// A count or a number of bytes, 0 where it is absent.
fn count(stats: &Document, field: &str) -> u64 {
    number(stats, field).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_and_collections_add_up_and_buckets_count_as_documents() {
        let mut bill = Bill::default();
        bill.add(&doc! { "count": 10, "size": 1_000_i64, "storageSize": 400.0, "totalIndexSize": 50 });
        bill.add(&doc! { "timeseries": { "bucketCount": 3 }, "size": 70, "storageSize": 30, "totalIndexSize": 20 });
        let record = bill.record(true);
        assert_eq!(record.documents, 13);
        assert_eq!(record.data_bytes, Bytes::new(1_070));
        assert_eq!(record.storage_bytes, Some(Bytes::new(430)));
        assert_eq!(record.index_bytes, Bytes::new(70));
        assert_eq!(bill.record(false).storage_bytes, None);
        let sizes = bill.sizes("readings", Some(99), true);
        assert_eq!(sizes.average_document, Some(Bytes::new(1_070 / 13)));
        assert_eq!((sizes.largest_document, sizes.storage_bytes), (Some(Bytes::new(99)), Some(Bytes::new(430))));
        assert_eq!(Bill::default().sizes("empty", None, true).average_document, None, "no document has no size");
    }

    #[test]
    fn a_bill_stands_beside_the_cache_where_its_size_is_known() {
        let bill = Bill { data: 3_000, index: 500, ..Bill::default() }.record(true);
        let beside = beside_cache(bill, Some(Bytes::new(2_000)));
        assert_eq!((beside.data_to_cache, beside.index_to_cache), (Some(Ratio::new(1.5)), Some(Ratio::new(0.25))));
        assert_eq!(beside_cache(bill, None), bill);
        assert_eq!(beside_cache(bill, Some(Bytes::new(0))), bill);
    }
}
