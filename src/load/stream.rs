//! Reading a pipeline's answers and writing them on.
//!
//! One task reads, as many as there are connections write. Between them stand short queues: a slow writer holds the
//! reader up instead of letting documents pile up.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bson::{Document, RawBsonRef, RawDocument, RawDocumentBuf};
use futures_util::StreamExt;
use mongodb::Collection;
use mongodb::raw_batch_cursor::{RawBatch, RawBatchCursor};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::batch::{Batch, MOST_DOCUMENTS};
use super::cause::Cause;
use super::error::{LoadError, Oversize};
use super::identity::{ContentIds, id_of};
use super::options::LoadOptions;
use super::oversize;
use super::prepare::Arrival;
use super::progress::{ProgressListener, Tally, watch};
use super::timed::timed;
use super::write::{Fault, insert};

/// Full batches that wait for each connection.
const QUEUED_BATCHES: usize = 2;

/// Where documents come from and where they go.
pub(super) struct Stream {
    /// The set's collection in the source database.
    pub(super) source: Collection<RawDocumentBuf>,
    /// The stages of the scenario to run on it; none copies it.
    pub(super) pipeline: Vec<Document>,
    /// The stage after them that brings documents into the order of arrival, where one is needed.
    pub(super) sort: Option<Document>,
    /// The model's collection.
    pub(super) target: Collection<RawDocumentBuf>,
    /// In which order documents must arrive there.
    pub(super) arrival: Arrival,
}

/// Runs the stream to its end and answers its first document, if there is one.
///
/// # Errors
/// A refused document with its `_id`; a document over 16 MiB with stage and key; a lost or silent server.
pub(super) async fn run(
    stream: Stream,
    options: &LoadOptions,
    tally: &Tally,
    progress: &mut ProgressListener<'_>,
) -> Result<Option<RawDocumentBuf>, LoadError> {
    let writers = if stream.arrival == Arrival::AsRead { 1 } else { options.writers() };
    let first = Arc::new(OnceLock::new());
    let mut tasks = JoinSet::new();
    let mut queues = Vec::new();
    for _ in 0..writers {
        let (queue, batches) = mpsc::channel(QUEUED_BATCHES);
        queues.push(queue);
        tasks.spawn(write_on(stream.target.clone(), batches, options.write_wait, tally.clone()));
    }
    let router = Router::new(&stream.arrival, writers);
    tasks.spawn(read_on(stream, Dispatch::new(router, queues), options.pipeline_wait, Arc::clone(&first)));
    watch(tasks, tally, progress).await?;
    Ok(first.get().cloned())
}

async fn read_on(
    stream: Stream,
    mut dispatch: Dispatch,
    wait: Duration,
    first: Arc<OnceLock<RawDocumentBuf>>,
) -> Result<(), LoadError> {
    let doing = || format!("reading set `{}` for collection `{}`", stream.source.name(), stream.target.name());
    let mut cursor = match timed(wait, doing, open(&stream)).await {
        Ok(cursor) => cursor,
        Err(error) => return Err(explained(&stream, error, wait).await),
    };
    let mut ids = ContentIds::default();
    loop {
        let batch = match timed(wait, doing, next(&mut cursor)).await {
            Ok(Some(batch)) => batch,
            Ok(None) => break,
            Err(error) => return Err(explained(&stream, error, wait).await),
        };
        let documents = documents_of(&batch).map_err(|error| LoadError::request(doing(), Cause::from(error)))?;
        for document in documents {
            let document = ids.identified(document);
            first.get_or_init(|| document.clone());
            if dispatch.send(document).await.is_err() {
                // A writer ended early, and its own error says why.
                return Ok(());
            }
        }
    }
    // As above: a writer that is gone has its own error.
    let _ = dispatch.finish().await;
    Ok(())
}

async fn open(stream: &Stream) -> mongodb::error::Result<RawBatchCursor> {
    let rows = MOST_DOCUMENTS as u32;
    let stages: Vec<Document> = stream.pipeline.iter().chain(&stream.sort).cloned().collect();
    if stages.is_empty() {
        stream.source.find(Document::new()).batch_size(rows).batch().await
    } else {
        stream.source.aggregate(stages).allow_disk_use(true).batch_size(rows).batch().await
    }
}

async fn next(cursor: &mut RawBatchCursor) -> mongodb::error::Result<Option<RawBatch>> {
    cursor.next().await.transpose()
}

fn documents_of(batch: &RawBatch) -> mongodb::error::Result<Vec<&RawDocument>> {
    let mut documents = Vec::new();
    for value in batch.doc_slices()? {
        if let RawBsonRef::Document(document) = value? {
            documents.push(document);
        }
    }
    Ok(documents)
}

/// Turns "too large" into an error that says which stage and which documents.
async fn explained(stream: &Stream, error: LoadError, wait: Duration) -> LoadError {
    match error {
        LoadError::Refused { doing, cause } if cause.may_be_too_large() => {
            let place = oversize::locate(&stream.source, &stream.pipeline, wait).await;
            if place.stage.is_none() && !cause.is_too_large() {
                return LoadError::Refused { doing, cause };
            }
            let collection = stream.target.name().to_owned();
            LoadError::Oversize(Box::new(Oversize { collection, stage: place.stage, key: place.key, cause: *cause }))
        }
        other => other,
    }
}

async fn write_on(
    target: Collection<RawDocumentBuf>,
    mut batches: mpsc::Receiver<Batch>,
    wait: Duration,
    tally: Tally,
) -> Result<(), LoadError> {
    while let Some(batch) = batches.recv().await {
        let name = || target.name().to_owned();
        let doing = || {
            let id = batch.documents().first().map_or_else(String::new, |document| id_of(document));
            format!("loading collection `{}`, {} documents from _id {id} on", target.name(), batch.len())
        };
        match insert(&target, batch.documents(), wait).await {
            Ok(()) => tally.add(batch.len()),
            Err(Fault::Rejected { index, others, cause }) => {
                let id = id_of(&batch.documents()[index]);
                return Err(LoadError::RejectedDocument { collection: name(), id, others, cause: Box::new(cause) });
            }
            Err(Fault::Failed(cause)) => return Err(LoadError::request(doing(), cause)),
            Err(Fault::NoAnswer) => return Err(LoadError::NoAnswer { doing: doing(), seconds: wait.as_secs() }),
        }
    }
    Ok(())
}

/// Collects documents into batches and hands full ones to the writers.
struct Dispatch {
    router: Router,
    pending: Vec<Batch>,
    queues: Vec<mpsc::Sender<Batch>>,
}

/// A writer ended before its queue did.
struct WriterGone;

impl Dispatch {
    fn new(router: Router, queues: Vec<mpsc::Sender<Batch>>) -> Self {
        let pending = queues.iter().map(|_| Batch::default()).collect();
        Self { router, pending, queues }
    }

    async fn send(&mut self, document: RawDocumentBuf) -> Result<(), WriterGone> {
        let writer = self.router.writer_for(&document);
        self.pending[writer].push(document);
        if self.pending[writer].is_full() {
            self.router.sent();
            return self.flush(writer).await;
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<(), WriterGone> {
        for writer in 0..self.queues.len() {
            if !self.pending[writer].is_empty() {
                self.flush(writer).await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self, writer: usize) -> Result<(), WriterGone> {
        let batch = std::mem::take(&mut self.pending[writer]);
        self.queues[writer].send(batch).await.map_err(|_| WriterGone)
    }
}

/// Decides which writer a document goes to.
#[derive(Debug)]
enum Router {
    /// Batch by batch in turn.
    InTurn { current: usize, writers: usize },
    /// All documents of a meta value to the same one; new values in turn.
    ByMeta { field: Option<String>, known: HashMap<Vec<u8>, usize>, writers: usize },
}

impl Router {
    fn new(arrival: &Arrival, writers: usize) -> Self {
        match arrival {
            Arrival::Any | Arrival::AsRead => Self::InTurn { current: 0, writers },
            Arrival::ByTime { meta, .. } => Self::ByMeta { field: meta.clone(), known: HashMap::new(), writers },
        }
    }

    fn writer_for(&mut self, document: &RawDocument) -> usize {
        match self {
            Self::InTurn { current, .. } => *current,
            Self::ByMeta { field, known, writers } => {
                let next = known.len() % *writers;
                *known.entry(meta_value(document, field.as_deref())).or_insert(next)
            }
        }
    }

    /// A full batch went out.
    fn sent(&mut self) {
        if let Self::InTurn { current, writers } = self {
            *current = (*current + 1) % *writers;
        }
    }
}

/// The bytes of a document's meta value; none where it has no such field.
fn meta_value(document: &RawDocument, field: Option<&str>) -> Vec<u8> {
    let value = field.and_then(|field| document.get(field).ok().flatten());
    value.map_or_else(Vec::new, |value| {
        let mut alone = RawDocumentBuf::new();
        alone.append(bson::raw::cstr!(""), value);
        alone.into_bytes()
    })
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    #[test]
    fn a_meta_value_keeps_its_writer_and_new_ones_take_turns() {
        let arrival = Arrival::ByTime { time: "t".to_owned(), meta: Some("sensor".to_owned()) };
        let mut router = Router::new(&arrival, 2);
        let writers: Vec<usize> =
            [7, 7, 8, 9, 8, 7].map(|sensor| router.writer_for(&rawdoc! { "sensor": sensor })).to_vec();
        assert_eq!(writers, [0, 0, 1, 0, 1, 0]);
        let without = router.writer_for(&rawdoc! { "t": 1 });
        assert_eq!(router.writer_for(&rawdoc! { "t": 2 }), without, "measurements without meta value belong together");
    }

    #[test]
    fn elsewhere_full_batches_take_turns() {
        let mut router = Router::new(&Arrival::Any, 3);
        let document = rawdoc! { "_id": 1 };
        let mut writers = Vec::new();
        for _ in 0..4 {
            writers.push(router.writer_for(&document));
            router.sent();
        }
        assert_eq!(writers, [0, 1, 2, 0]);
    }
}
