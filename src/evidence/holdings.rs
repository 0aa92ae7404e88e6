//! What a model's collections hold at a moment: how many documents, how many bytes, and how large the largest is.

use mongodb::Database;

use super::request::EvidenceError;
use super::sizes::{Bill, LARGEST_WAIT, largest_document, stats};
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
        largest = largest.max(largest_document(database, name, LARGEST_WAIT).await?.unwrap_or(0));
    }
    let (documents, data_bytes) = (bill.documents, Bytes::new(bill.data));
    Ok(HoldingsRecord { documents, data_bytes, largest_document_bytes: Bytes::new(largest) })
}
