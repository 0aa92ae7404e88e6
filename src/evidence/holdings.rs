//! What a model's collections hold at a moment: how many documents, how many bytes, and how large the largest is.

use mongodb::Database;

use super::request::EvidenceError;
use super::sizes::{Bill, LARGEST_WAIT, largest_document, stats};
use crate::record::HoldingsRecord;
use crate::units::Bytes;

/// What these collections hold together. Every document is read for it; `None` where the server does not tell in time how
/// large the largest is.
///
/// # Errors
/// As [`storage`](super::storage).
pub async fn holdings(database: &Database, collections: &[String]) -> Result<Option<HoldingsRecord>, EvidenceError> {
    let (mut together, mut largest) = (Bill::default(), 0);
    for name in collections {
        let before = together.documents;
        stats(database, name).await?.iter().for_each(|answer| together.add(answer));
        if together.documents == before {
            continue;
        }
        match largest_document(database, name, LARGEST_WAIT).await? {
            Some(bytes) => largest = largest.max(bytes),
            None => return Ok(None),
        }
    }
    let (documents, data_bytes) = (together.documents, Bytes::new(together.data));
    Ok(Some(HoldingsRecord { documents, data_bytes, largest_document_bytes: Bytes::new(largest) }))
}
