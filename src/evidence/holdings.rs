//! What a model's collections hold at a moment: how many documents, how many bytes, and how large the largest is.

use bson::{Document, doc};
use futures_util::TryStreamExt as _;
use mongodb::Database;

use super::sizes::{Bill, EvidenceError, number, stats, timed};
use crate::record::HoldingsRecord;
use crate::units::Bytes;

/// What these collections hold together. Every document is read for it.
///
/// # Errors
/// As [`storage`](super::storage).
pub async fn holdings(database: &Database, collections: &[String]) -> Result<HoldingsRecord, EvidenceError> {
    let (mut bill, mut largest) = (Bill::default(), 0);
    for name in collections {
        stats(database, name).await?.iter().for_each(|answer| bill.add(answer));
        largest = largest.max(largest_document(database, name).await?);
    }
    let (documents, data_bytes) = (bill.documents, Bytes::new(bill.data));
    Ok(HoldingsRecord { documents, data_bytes, largest_document_bytes: Bytes::new(largest) })
}

/// Bytes of the largest document of a collection, 0 of an empty one.
async fn largest_document(database: &Database, name: &str) -> Result<u64, EvidenceError> {
    let doing = || format!("looking for the largest document of collection `{name}` of database `{}`", database.name());
    let answer = async {
        let stages = [
            doc! { "$project": { "_id": 0, "bytes": { "$bsonSize": "$$ROOT" } } },
            doc! { "$group": { "_id": null, "largest": { "$max": "$bytes" } } },
        ];
        let mut cursor = database.collection::<Document>(name).aggregate(stages).await?;
        cursor.try_next().await
    };
    let answer = timed(doing, Box::pin(answer)).await?;
    Ok(answer.map_or(0, |answer| number(&answer, "largest")))
}
