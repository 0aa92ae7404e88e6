//! Reading a pipeline's answers and writing them on.
//!
//! One task reads, as many as there are connections write. Between them stand short queues: a slow writer holds the
//! reader up instead of letting documents pile up.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bson::{Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf};
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
use crate::scenario::Partitions;

/// Full batches that wait for each connection.
const QUEUED_BATCHES: usize = 2;
/// Bytes of documents that may wait for their batches to become full: there may be thousands of partitions.
const MOST_WAITING: usize = 64 << 20;

/// Where documents come from and where they go.
pub(super) struct Stream {
    /// The set's collection in the source database.
    pub(super) source: Collection<RawDocumentBuf>,
    /// The stages of the scenario to run on it; none copies it.
    pub(super) pipeline: Vec<Document>,
    /// The stage after them that brings documents into the order of arrival, where one is needed.
    pub(super) sort: Option<Document>,
    /// What the scenario calls the model's collection.
    pub(super) name: String,
    /// The model's collection, or its partitions.
    pub(super) targets: Vec<Collection<RawDocumentBuf>>,
    /// Which document goes to which partition, where there are several.
    pub(super) partitions: Option<Partitions>,
    /// In which order documents must arrive there.
    pub(super) arrival: Arrival,
}

/// What a stream brought.
pub(super) struct Arrived {
    /// Documents sent to each target.
    pub(super) written: Vec<u64>,
    /// The first document, if there is one.
    pub(super) first: Option<RawDocumentBuf>,
}

/// Runs the stream to its end.
///
/// # Errors
/// A refused document with its `_id`; one that belongs to no partition; a document over 16 MiB with stage and key; a lost
/// or silent server.
pub(super) async fn run(
    stream: Stream,
    options: &LoadOptions,
    tally: &Tally,
    progress: &mut ProgressListener<'_>,
) -> Result<Arrived, LoadError> {
    let writers = if stream.arrival == Arrival::AsRead { 1 } else { options.writers() };
    let arrived = Arc::new(OnceLock::new());
    let targets: Arc<[_]> = stream.targets.as_slice().into();
    let mut tasks = JoinSet::new();
    let mut queues = Vec::new();
    for _ in 0..writers {
        let (queue, batches) = mpsc::channel(QUEUED_BATCHES);
        queues.push(queue);
        tasks.spawn(write_on(Arc::clone(&targets), batches, options.write_wait, tally.clone()));
    }
    let router = Router::new(&stream, writers);
    let dispatch = Dispatch::new(router, queues, targets.len());
    tasks.spawn(read_on(stream, dispatch, options.pipeline_wait, Arc::clone(&arrived)));
    watch(tasks, tally, progress).await?;
    let nothing = || Arrived { written: vec![0; targets.len()], first: None };
    Ok(Arc::into_inner(arrived).and_then(OnceLock::into_inner).unwrap_or_else(nothing))
}

async fn read_on(
    stream: Stream,
    mut dispatch: Dispatch,
    wait: Duration,
    arrived: Arc<OnceLock<Arrived>>,
) -> Result<(), LoadError> {
    let doing = || format!("reading set `{}` for collection `{}`", stream.source.name(), stream.name);
    let mut first = None;
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
            first.get_or_insert_with(|| document.clone());
            match dispatch.send(document).await {
                Ok(()) => {}
                // A writer ended early, and its own error says why.
                Err(Undelivered::WriterGone) => return Ok(()),
                Err(Undelivered::NoPartition(document)) => return Err(astray(&stream, &document)),
            }
        }
    }
    // As above: a writer that is gone has its own error.
    if let Ok(written) = dispatch.finish().await {
        // Nobody else sets it.
        let _ = arrived.set(Arrived { written, first });
    }
    Ok(())
}

/// A document whose field names none of the partitions.
fn astray(stream: &Stream, document: &RawDocument) -> LoadError {
    let field = stream.partitions.as_ref().and_then(|partitions| partitions.field.as_deref()).unwrap_or_default();
    let value = value_at(document, field).map_or_else(|| "no value".to_owned(), |value| value.to_string());
    LoadError::Definition {
        collection: stream.name.clone(),
        problem: format!(
            "the document with _id {} has {value} in `{field}`, for which there is no partition; name it in `values` of \
             `partitionBy`",
            id_of(document)
        ),
    }
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
            let collection = stream.name.clone();
            LoadError::Oversize(Box::new(Oversize { collection, stage: place.stage, key: place.key, cause: *cause }))
        }
        other => other,
    }
}

async fn write_on(
    targets: Arc<[Collection<RawDocumentBuf>]>,
    mut parcels: mpsc::Receiver<Parcel>,
    wait: Duration,
    tally: Tally,
) -> Result<(), LoadError> {
    while let Some(Parcel { target, batch }) = parcels.recv().await {
        let target = &targets[target];
        let name = || target.name().to_owned();
        let doing = || {
            let id = batch.documents().first().map_or_else(String::new, |document| id_of(document));
            format!("loading collection `{}`, {} documents from _id {id} on", target.name(), batch.len())
        };
        match insert(target, batch.documents(), wait).await {
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

/// Documents for one of the targets.
struct Parcel {
    target: usize,
    batch: Batch,
}

/// Collects documents into batches and hands full ones to the writers.
struct Dispatch {
    router: Router,
    lanes: Vec<Lane>,
    queues: Vec<mpsc::Sender<Parcel>>,
    /// Documents taken for each target.
    taken: Vec<u64>,
    /// Bytes that wait in the lanes.
    waiting: usize,
}

/// Documents that go the same way: by one writer to one target.
#[derive(Default)]
struct Lane {
    writer: usize,
    target: usize,
    pending: Batch,
}

/// Why a document did not go on.
enum Undelivered {
    /// A writer ended before its queue did.
    WriterGone,
    /// It belongs to no partition.
    NoPartition(Box<RawDocumentBuf>),
}

impl Dispatch {
    fn new(router: Router, queues: Vec<mpsc::Sender<Parcel>>, targets: usize) -> Self {
        let lane = |lane: usize| match &router {
            // One writer for each partition keeps its documents in their order.
            Router::ByPartition(_) => Lane { writer: lane % queues.len(), target: lane, ..Lane::default() },
            Router::InTurn { .. } | Router::ByMeta { .. } => Lane { writer: lane, ..Lane::default() },
        };
        let count = if matches!(router, Router::ByPartition(_)) { targets } else { queues.len() };
        let lanes = (0..count).map(lane).collect();
        Self { router, lanes, queues, taken: vec![0; targets], waiting: 0 }
    }

    async fn send(&mut self, document: RawDocumentBuf) -> Result<(), Undelivered> {
        let Some(lane) = self.router.lane_for(&document) else {
            return Err(Undelivered::NoPartition(Box::new(document)));
        };
        self.waiting += document.as_bytes().len();
        self.taken[self.lanes[lane].target] += 1;
        self.lanes[lane].pending.push(document);
        if self.lanes[lane].pending.is_full() {
            self.router.sent();
            return self.flush(lane).await;
        }
        if self.waiting > MOST_WAITING {
            return self.flush(self.fullest()).await;
        }
        Ok(())
    }

    /// Sends what is left, and answers how many documents went to each target.
    async fn finish(mut self) -> Result<Vec<u64>, Undelivered> {
        for lane in 0..self.lanes.len() {
            if !self.lanes[lane].pending.is_empty() {
                self.flush(lane).await?;
            }
        }
        Ok(self.taken)
    }

    fn fullest(&self) -> usize {
        (0..self.lanes.len()).max_by_key(|lane| self.lanes[*lane].pending.bytes()).unwrap_or_default()
    }

    async fn flush(&mut self, lane: usize) -> Result<(), Undelivered> {
        let Lane { writer, target, pending } = &mut self.lanes[lane];
        let parcel = Parcel { target: *target, batch: std::mem::take(pending) };
        self.waiting = self.waiting.saturating_sub(parcel.batch.bytes());
        self.queues[*writer].send(parcel).await.map_err(|_| Undelivered::WriterGone)
    }
}

/// Decides which lane a document goes to.
#[derive(Debug)]
enum Router {
    /// Batch by batch in turn.
    InTurn { current: usize, writers: usize },
    /// All documents of a meta value to the same one; new values in turn.
    ByMeta { field: Option<String>, known: HashMap<Vec<u8>, usize>, writers: usize },
    /// To that of its partition.
    ByPartition(Partitions),
}

impl Router {
    fn new(stream: &Stream, writers: usize) -> Self {
        match (&stream.partitions, &stream.arrival) {
            (Some(partitions), _) => Self::ByPartition(partitions.clone()),
            (None, arrival) => Self::to_one(arrival, writers),
        }
    }

    /// Where all documents go to one collection.
    fn to_one(arrival: &Arrival, writers: usize) -> Self {
        match arrival {
            Arrival::Any | Arrival::AsRead => Self::InTurn { current: 0, writers },
            Arrival::ByTime { meta, .. } => Self::ByMeta { field: meta.clone(), known: HashMap::new(), writers },
        }
    }

    /// The lane; `None` where there is no partition for the document.
    fn lane_for(&mut self, document: &RawDocument) -> Option<usize> {
        match self {
            Self::InTurn { current, .. } => Some(*current),
            Self::ByMeta { field, known, writers } => {
                let next = known.len() % *writers;
                Some(*known.entry(meta_value(document, field.as_deref())).or_insert(next))
            }
            Self::ByPartition(partitions) => {
                let field = partitions.field.as_deref()?;
                partitions.place(&value_at(document, field)?)
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

/// The value at a path of fields.
fn value_at(document: &RawDocument, path: &str) -> Option<Bson> {
    let (above, last) = path.rsplit_once('.').map_or((None, path), |(above, last)| (Some(above), last));
    let holder = above
        .into_iter()
        .flat_map(|above| above.split('.'))
        .try_fold(document, |holder, key| holder.get_document(key).ok());
    Bson::try_from(holder?.get(last).ok()??).ok()
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
        let mut router = Router::to_one(&arrival, 2);
        let writers: Vec<Option<usize>> =
            [7, 7, 8, 9, 8, 7].map(|sensor| router.lane_for(&rawdoc! { "sensor": sensor })).to_vec();
        assert_eq!(writers, [0, 0, 1, 0, 1, 0].map(Some));
        let without = router.lane_for(&rawdoc! { "t": 1 });
        assert_eq!(router.lane_for(&rawdoc! { "t": 2 }), without, "measurements without meta value belong together");
    }

    #[test]
    fn elsewhere_full_batches_take_turns() {
        let mut router = Router::to_one(&Arrival::Any, 3);
        let document = rawdoc! { "_id": 1 };
        let mut writers = Vec::new();
        for _ in 0..4 {
            writers.push(router.lane_for(&document));
            router.sent();
        }
        assert_eq!(writers, [0, 1, 2, 0].map(Some));
    }
}
