//! The changes of a collection, one after another, as a change stream tells them.

use std::future::Future;
use std::time::Duration;

use bson::Document;
use mongodb::Database;
use mongodb::change_stream::ChangeStream;
use mongodb::change_stream::event::ResumeToken;
use mongodb::options::{FullDocumentType, ReadConcern};

use super::{CallError, CallErrorKind};

/// How long opening a change stream, or asking it for a change, may take before the server counts as hanging.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Which changes are followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Watched {
    /// The collection.
    pub collection: String,
    /// Stages that the changes go through.
    pub pipeline: Vec<Document>,
}

/// A place among the changes of a collection, from which they can be followed on.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangePlace(ResumeToken);

/// Changes that are followed. A change of a document brings the whole document along, looked up when it is told.
pub trait Changes: Send {
    /// The next change; `None` where there is none, after the server has waited for one a little.
    ///
    /// # Errors
    /// Where the server does not tell.
    fn next(&mut self) -> impl Future<Output = Result<Option<Document>, CallError>> + Send;

    /// Where they can be followed on from; `None` where the server has not told yet.
    fn place(&self) -> Option<ChangePlace>;
}

/// A change stream of the driver's.
#[derive(Debug)]
pub struct MongoChanges(ChangeStream<Document>);

impl MongoChanges {
    /// Follows changes from now, or on from a place; `patience` is how long the server waits for the next one.
    ///
    /// # Errors
    /// Where the server has no change streams, or knows the place no more.
    pub(super) async fn open(
        database: &Database,
        watched: &Watched,
        from: Option<ChangePlace>,
        patience: Duration,
    ) -> Result<Self, CallError> {
        let collection = database.collection::<Document>(&watched.collection);
        let opening = collection
            .watch()
            .pipeline(watched.pipeline.iter().cloned())
            .full_document(FullDocumentType::UpdateLookup)
            // Change streams know no other than this.
            .read_concern(ReadConcern::majority())
            .max_await_time(patience)
            .resume_after(from.map(|place| place.0));
        Ok(Self(in_time(opening.into_future()).await?.with_type()))
    }
}

impl Changes for MongoChanges {
    async fn next(&mut self) -> Result<Option<Document>, CallError> {
        in_time(self.0.next_if_any()).await
    }

    fn place(&self) -> Option<ChangePlace> {
        self.0.resume_token().map(ChangePlace)
    }
}

async fn in_time<T>(asking: impl Future<Output = mongodb::error::Result<T>>) -> Result<T, CallError> {
    match tokio::time::timeout(TIME_LIMIT, asking).await {
        Ok(answer) => Ok(answer?),
        Err(_elapsed) => {
            let message = format!("the change stream did not answer within {} s", TIME_LIMIT.as_secs());
            Err(CallError::new(CallErrorKind::Timeout, message))
        }
    }
}
