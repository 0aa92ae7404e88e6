//! A call in the driver's own types, and how it is sent.

use bson::{Bson, RawDocumentBuf};
use futures_util::future::BoxFuture;
use futures_util::{Stream, StreamExt};
use mongodb::error::{Error, ErrorKind, PartialBulkWriteResult};
use mongodb::options::{FindOptions, InsertManyOptions, WriteModel};
use mongodb::raw_batch_cursor::RawBatch;
use mongodb::results::{DeleteResult, SummaryBulkWriteResult, UpdateResult};
use mongodb::{Client, ClientSession, Collection, Database};

use super::action::{Action, Options};
use super::{Call, CallError, Keep, Reply, WriteOutcome};

/// Documents that a server takes in one insert command, and bytes; the driver splits longer lists.
const INSERT_DOCUMENTS: usize = 100_000;
const INSERT_BYTES: usize = 48_000_000 - 16 * 1024;

/// A call in the driver's own types: what remains to be done is to send it.
#[derive(Debug)]
pub struct PreparedCall {
    collection: Collection<RawDocumentBuf>,
    action: Action,
}

/// What comes of a call once it is sent.
type Sent<'s> = BoxFuture<'s, Result<Reply, CallError>>;

/// An action of the driver, inside a session where there is one.
macro_rules! within {
    ($session:expr, $action:expr) => {
        match $session {
            Some(session) => $action.session(session).await,
            None => $action.await,
        }
    };
}

/// An action that opens a cursor, whose batches are all received, inside a session where there is one.
macro_rules! drained {
    ($session:expr, $keep:expr, $action:expr) => {
        match $session {
            Some(session) => {
                let mut cursor = $action.session(&mut *session).batch().await?;
                drain(cursor.stream(session), $keep).await
            }
            None => drain($action.batch().await?, $keep).await,
        }
    };
}

impl PreparedCall {
    /// Turns a call's values into the driver's types.
    ///
    /// # Errors
    /// Where a value has the wrong type: which field of which step, and what would be right.
    pub(super) fn new(
        database: &Database,
        collection: Collection<RawDocumentBuf>,
        call: Call,
    ) -> Result<Self, CallError> {
        Ok(Self { collection, action: Action::new(database, call)? })
    }

    /// Sends the call, as part of a session's transaction where one is given, and drains the reply. A future for each
    /// kind of call: one for all of them would be as large as the largest, and is moved about with every operation.
    pub(super) fn send(self, session: Option<&mut ClientSession>, keep: Keep) -> Sent<'_> {
        let Self { collection, action } = self;
        match action {
            Action::Find(filter, options) => {
                Box::pin(async move { drained!(session, keep, collection.find(filter).with_options(unboxed(options))) })
            }
            Action::FindOne(filter, options) => Box::pin(async move {
                // As the driver's `find_one`, but for the document, which is not copied out of its reply.
                let options = FindOptions::from(unboxed(options).unwrap_or_default());
                drained!(session, keep, collection.find(filter).with_options(options))
            }),
            Action::Aggregate(pipeline, options) => Box::pin(async move {
                drained!(session, keep, collection.aggregate(pipeline).with_options(unboxed(options)))
            }),
            Action::InsertOne(document) => Box::pin(async move {
                within!(session, collection.insert_one(document))?;
                Ok(written(WriteOutcome { inserted: 1, ..WriteOutcome::default() }))
            }),
            Action::InsertMany(documents, options) => {
                Box::pin(async move { insert_many(&collection, session, documents, options).await })
            }
            Action::UpdateOne(filter, update, options) => Box::pin(async move {
                let result = within!(session, collection.update_one(filter, update).with_options(unboxed(options)));
                Ok(updated(result?))
            }),
            Action::UpdateMany(filter, update, options) => Box::pin(async move {
                let result = within!(session, collection.update_many(filter, update).with_options(unboxed(options)));
                Ok(updated(result?))
            }),
            Action::ReplaceOne(filter, replacement, options) => Box::pin(async move {
                let result =
                    within!(session, collection.replace_one(filter, replacement).with_options(unboxed(options)));
                Ok(updated(result?))
            }),
            Action::DeleteOne(filter, options) => Box::pin(async move {
                let result = within!(session, collection.delete_one(filter).with_options(unboxed(options)));
                Ok(deleted(result?))
            }),
            Action::DeleteMany(filter, options) => Box::pin(async move {
                let result = within!(session, collection.delete_many(filter).with_options(unboxed(options)));
                Ok(deleted(result?))
            }),
            Action::FindOneAndUpdate(filter, update, options) => Box::pin(async move {
                let found =
                    within!(session, collection.find_one_and_update(filter, update).with_options(unboxed(options)));
                Ok(one(found?, keep))
            }),
            Action::FindOneAndReplace(filter, replacement, options) => Box::pin(async move {
                let found = within!(
                    session,
                    collection.find_one_and_replace(filter, replacement).with_options(unboxed(options))
                );
                Ok(one(found?, keep))
            }),
            Action::CountDocuments(filter, options) => Box::pin(async move {
                let count = within!(session, collection.count_documents(filter).with_options(unboxed(options)))?;
                Ok(value(Bson::Int64(i64::try_from(count).unwrap_or(i64::MAX))))
            }),
            Action::Distinct(field, filter, options) => Box::pin(async move {
                let values = within!(session, collection.distinct(field, filter).with_options(unboxed(options)))?;
                Ok(value(Bson::Array(values)))
            }),
            Action::BulkWrite(client, models, ordered) => {
                Box::pin(async move { bulk_write(&client, session, models, ordered).await })
            }
            Action::RunCommand(database, command) => Box::pin(async move {
                let reply = within!(session, database.run_raw_command(command))?;
                Ok(one(Some(RawDocumentBuf::try_from(&reply).map_err(Error::from)?), keep))
            }),
            Action::RunCursorCommand(database, command) => {
                Box::pin(async move { drained!(session, keep, database.run_raw_cursor_command(command)) })
            }
        }
    }
}

/// As the driver takes them.
fn unboxed<T>(options: Options<T>) -> Option<T> {
    options.map(|options| *options)
}

/// Receives all batches of a cursor; each is one request.
async fn drain(
    mut cursor: impl Stream<Item = Result<RawBatch, Error>> + Unpin,
    keep: Keep,
) -> Result<Reply, CallError> {
    let mut reply = Reply::default();
    while let Some(batch) = cursor.next().await {
        let batch = batch?;
        reply.round_trips += 1;
        for element in batch.doc_slices()? {
            reply.returned += 1;
            if keep == Keep::Documents {
                let document = element.map_err(Error::from)?.as_document().map(ToOwned::to_owned);
                reply.documents.extend(document);
            }
        }
    }
    Ok(reply)
}

/// The reply of a call that returns a document or nothing.
fn one(document: Option<RawDocumentBuf>, keep: Keep) -> Reply {
    let returned = u64::from(document.is_some());
    let documents = if keep == Keep::Documents { document.into_iter().collect() } else { Vec::new() };
    Reply { documents, returned, round_trips: 1, ..Reply::default() }
}

/// The reply of a call that returns a value.
fn value(value: Bson) -> Reply {
    Reply { value: Some(value), round_trips: 1, ..Reply::default() }
}

/// The reply of a write.
fn written(outcome: WriteOutcome) -> Reply {
    Reply { write: Some(outcome), round_trips: 1, ..Reply::default() }
}

fn updated(result: UpdateResult) -> Reply {
    written(WriteOutcome {
        matched: result.matched_count,
        modified: result.modified_count,
        upserted_id: result.upserted_id,
        ..WriteOutcome::default()
    })
}

fn deleted(result: DeleteResult) -> Reply {
    written(WriteOutcome { deleted: result.deleted_count, ..WriteOutcome::default() })
}

async fn insert_many(
    collection: &Collection<RawDocumentBuf>,
    session: Option<&mut ClientSession>,
    documents: Vec<RawDocumentBuf>,
    options: Options<InsertManyOptions>,
) -> Result<Reply, CallError> {
    let ordered = options.as_ref().and_then(|options| options.ordered).unwrap_or(true);
    match within!(session, collection.insert_many(&documents).with_options(unboxed(options))) {
        Ok(result) => {
            let inserted = result.inserted_ids.len() as u64;
            let mut reply = written(WriteOutcome { inserted, ..WriteOutcome::default() });
            reply.round_trips = insert_commands(documents.iter().map(|document| document.as_bytes().len()));
            Ok(reply)
        }
        Err(error) => {
            let inserted = inserted_despite(&error, documents.len(), ordered);
            let mut error = CallError::from(error);
            error.written = inserted.map(|inserted| Box::new(WriteOutcome { inserted, ..WriteOutcome::default() }));
            Err(error)
        }
    }
}

async fn bulk_write(
    client: &Client,
    session: Option<&mut ClientSession>,
    models: Vec<WriteModel>,
    ordered: Option<bool>,
) -> Result<Reply, CallError> {
    let action = client.bulk_write(models);
    let action = match ordered {
        Some(ordered) => action.ordered(ordered),
        None => action,
    };
    match within!(session, action) {
        Ok(result) => Ok(written(bulk_outcome(&result))),
        Err(error) => {
            let partial = match &*error.kind {
                ErrorKind::BulkWrite(errors) => match &errors.partial_result {
                    Some(PartialBulkWriteResult::Summary(result)) => Some(Box::new(bulk_outcome(result))),
                    _ => None,
                },
                _ => None,
            };
            Err(CallError { written: partial, ..CallError::from(error) })
        }
    }
}

fn bulk_outcome(result: &SummaryBulkWriteResult) -> WriteOutcome {
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    WriteOutcome {
        matched: count(result.matched_count),
        modified: count(result.modified_count),
        inserted: count(result.inserted_count),
        deleted: count(result.deleted_count),
        upserted_id: None,
    }
}

/// How many of a list were inserted although some were refused.
fn inserted_despite(error: &Error, documents: usize, ordered: bool) -> Option<u64> {
    let ErrorKind::InsertMany(errors) = &*error.kind else { return None };
    let refused = errors.write_errors.as_deref().unwrap_or_default();
    let inserted = match refused.first() {
        Some(first) if ordered => first.index,
        _ => documents.saturating_sub(refused.len()),
    };
    Some(inserted as u64)
}

/// The commands into which the driver splits a list of documents of these sizes.
fn insert_commands(sizes: impl IntoIterator<Item = usize>) -> u32 {
    let (mut commands, mut documents, mut bytes) = (1, 0, 0);
    for size in sizes {
        if documents == INSERT_DOCUMENTS || (documents > 0 && bytes + size > INSERT_BYTES) {
            (commands, documents, bytes) = (commands + 1, 0, 0);
        }
        documents += 1;
        bytes += size;
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_inserts_is_as_many_requests_as_the_server_s_limits_make_of_it() {
        assert_eq!(insert_commands([10]), 1);
        assert_eq!(insert_commands(std::iter::repeat_n(10, INSERT_DOCUMENTS)), 1);
        assert_eq!(insert_commands(std::iter::repeat_n(10, INSERT_DOCUMENTS + 1)), 2);
        // Four documents of 15 MB fill three of 48 MB into one command and leave one for the next.
        assert_eq!(insert_commands([15_000_000; 4]), 2);
    }
}
