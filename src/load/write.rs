//! One bulk insert.

use std::time::Duration;

use bson::RawDocumentBuf;
use mongodb::Collection;
use mongodb::error::ErrorKind;

use super::batch::LARGEST_DOCUMENT;
use super::cause::Cause;

/// Why a bulk insert did not do what it says.
#[derive(Debug)]
pub(super) enum Fault {
    /// Documents were refused.
    Rejected {
        /// The first of them, by its place in the batch.
        index: usize,
        /// How many more.
        others: usize,
        /// Why the first.
        cause: Cause,
    },
    /// The request failed as a whole.
    Failed(Cause),
    /// No answer came in time.
    NoAnswer,
}

/// Inserts the documents in one request, unordered, and takes nothing but full success for success.
///
/// # Errors
/// The first refused document, or why the request failed.
pub(super) async fn insert(
    collection: &Collection<RawDocumentBuf>,
    documents: &[RawDocumentBuf],
    wait: Duration,
) -> Result<(), Fault> {
    if let Some(index) = documents.iter().position(|document| document.as_bytes().len() > LARGEST_DOCUMENT) {
        let bytes = documents[index].as_bytes().len();
        let cause = Cause::own(format!("it has {bytes} bytes, more than the {LARGEST_DOCUMENT} that MongoDB stores"));
        return Err(Fault::Rejected { index, others: 0, cause });
    }
    match tokio::time::timeout(wait, collection.insert_many(documents).ordered(false).into_future()).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(fault(&error)),
        Err(_elapsed) => Err(Fault::NoAnswer),
    }
}

fn fault(error: &mongodb::error::Error) -> Fault {
    let ErrorKind::InsertMany(insert) = error.kind.as_ref() else { return Fault::Failed(Cause::from(error)) };
    let refused = insert.write_errors.as_deref().unwrap_or_default();
    let Some(first) = refused.iter().min_by_key(|refusal| refusal.index) else {
        return Fault::Failed(Cause::from(error));
    };
    let details = first.details.as_ref().and_then(|details| details.get_document("details").ok());
    let details = details.map_or_else(String::new, |details| {
        format!(": {}", bson::Bson::Document(details.clone()).into_relaxed_extjson())
    });
    let cause = Cause::of_document(&format!("{} (code {}){details}", first.message, first.code), first.code);
    Fault::Rejected { index: first.index, others: refused.len() - 1, cause }
}
