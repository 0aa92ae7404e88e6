//! What a model's collections hold at a moment: how many documents, how many bytes, and how large the largest is.

use bson::{Document, doc};
use futures_util::TryStreamExt as _;
use mongodb::Database;

use super::sizes::{EvidenceError, number, storage, timed};
use crate::record::HoldingsRecord;
use crate::units::Bytes;
use crate::words::Product;

/// What these collections hold together. Every document is read for it.
///
/// # Errors
/// As [`storage`].
pub async fn holdings<'a>(
    database: &Database,
    collections: impl IntoIterator<Item = &'a str> + Clone,
    product: Product,
) -> Result<HoldingsRecord, EvidenceError> {
    let bill = storage(database, collections.clone(), product).await?;
    let mut largest = 0;
    for name in collections {
        largest = largest.max(largest_document(database, name).await?);
    }
    Ok(HoldingsRecord {
        documents: bill.documents,
        data_bytes: bill.data_bytes,
        largest_document_bytes: Bytes::new(largest),
    })
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
