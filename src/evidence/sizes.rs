//! The storage bill: how many documents, and how many bytes of data, of storage and of indexes.

use std::future::{Future, IntoFuture};
use std::time::Duration;

use bson::{Bson, Document, doc};
use futures_util::TryStreamExt;
use mongodb::{Client, Database};

use crate::load::Cause;
use crate::record::StorageRecord;
use crate::units::Bytes;
use crate::words::Product;

/// How long a server may take to tell one collection's sizes, or to write what it holds in memory.
const WAIT: Duration = Duration::from_secs(120);

/// Why a figure could not be obtained.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// The server refused, or is gone.
    #[error("failed {doing}: {cause}")]
    Request {
        /// What was going on.
        doing: String,
        /// Why.
        cause: Cause,
    },
    /// The server did not answer.
    #[error("no answer within {} s while {doing}", WAIT.as_secs())]
    NoAnswer {
        /// What was going on.
        doing: String,
    },
}

impl EvidenceError {
    /// Whether the server is gone or silent, so that nothing else can be tried on it.
    pub const fn is_server_lost(&self) -> bool {
        match self {
            Self::Request { cause, .. } => cause.lost,
            Self::NoAnswer { .. } => true,
        }
    }
}

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
        bill.indexes += answers.iter().map(|answer| number(answer, "nindexes")).max().unwrap_or(0);
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
        let buckets = stats.get_document("timeseries").ok().map(|timeseries| number(timeseries, "bucketCount"));
        self.documents += buckets.unwrap_or_else(|| number(stats, "count"));
        self.data += number(stats, "size");
        self.storage += number(stats, "storageSize");
        self.index += number(stats, "totalIndexSize");
    }

    fn record(&self, tells_storage: bool) -> StorageRecord {
        StorageRecord {
            documents: self.documents,
            data_bytes: Bytes::new(self.data),
            storage_bytes: tells_storage.then(|| Bytes::new(self.storage)),
            index_bytes: Bytes::new(self.index),
            collections: self.collections,
            indexes: self.indexes,
        }
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
pub(super) fn number(stats: &Document, field: &str) -> u64 {
    match stats.get(field) {
        Some(Bson::Int32(number)) => u64::try_from(*number).unwrap_or(0),
        Some(Bson::Int64(number)) => u64::try_from(*number).unwrap_or(0),
        // Large sizes come as doubles from some servers.
        Some(Bson::Double(number)) => *number as u64,
        _ => 0,
    }
}

/// Answers within [`WAIT`], or an error that says what was going on.
pub(super) async fn timed<T>(
    doing: impl FnOnce() -> String,
    request: impl IntoFuture<Output = mongodb::error::Result<T>, IntoFuture: Future + Send>,
) -> Result<T, EvidenceError> {
    match tokio::time::timeout(WAIT, request.into_future()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(EvidenceError::Request { doing: doing(), cause: Cause::from(error) }),
        Err(_elapsed) => Err(EvidenceError::NoAnswer { doing: doing() }),
    }
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
    }
}
