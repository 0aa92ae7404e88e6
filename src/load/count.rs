//! Counting what arrived.

use bson::{RawDocumentBuf, doc};
use mongodb::Collection;

use super::error::LoadError;
use super::options::LoadOptions;
use super::timed::timed;

/// How many documents the collection holds, where `expected` were written to it.
///
/// The server's own count costs little but is an estimate by contract. Where it agrees with what was acknowledged one by
/// one, that settles it; where it does not, the documents themselves are counted.
pub(super) async fn documents(
    collection: &Collection<RawDocumentBuf>,
    expected: u64,
    options: &LoadOptions,
) -> Result<u64, LoadError> {
    let doing = || format!("counting collection `{}`", collection.name());
    let told = timed(options.pipeline_wait, doing, collection.estimated_document_count()).await?;
    if told == expected { Ok(told) } else { exactly(collection, options).await }
}

/// How many documents the collection holds, counted one by one.
pub(super) async fn exactly(collection: &Collection<RawDocumentBuf>, options: &LoadOptions) -> Result<u64, LoadError> {
    let doing = || format!("counting collection `{}`", collection.name());
    timed(options.pipeline_wait, doing, collection.count_documents(doc! {})).await
}

/// That the collection holds what was written to it.
///
/// # Errors
/// [`LoadError::Miscount`] where it does not.
pub(super) async fn verify(
    collection: &Collection<RawDocumentBuf>,
    expected: u64,
    options: &LoadOptions,
) -> Result<(), LoadError> {
    let found = documents(collection, expected, options).await?;
    if found == expected {
        Ok(())
    } else {
        Err(LoadError::Miscount { collection: collection.name().to_owned(), expected, found })
    }
}
