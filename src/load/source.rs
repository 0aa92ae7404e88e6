//! Dataset → source database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bson::{Document, RawDocumentBuf};
use mongodb::{Collection, Database};
use tokio::task::JoinSet;

use super::batch::{Batch, MOST_DOCUMENTS};
use super::error::LoadError;
use super::identity::id_of;
use super::options::LoadOptions;
use super::progress::{ProgressListener, Tally, watch};
use super::write::{Fault, insert};
use super::{count, create};
use crate::record::LoadRecord;
use crate::scenario::{DataSet, resolved_indexes};
use crate::value::World;

/// Fewest rows that a task takes at a time: below it, requests would cost more than documents.
const FEWEST_ROWS: u64 = 100;

/// Writes every set of the dataset to the collection of its name, then builds its indexes. The database must not hold
/// those collections yet, and the client's pool must have `options.connections` connections.
///
/// # Errors
/// The first row that cannot be made or is refused, with its set and number; a lost or silent server, with set and row;
/// a collection that in the end does not hold as many documents as its set has rows.
pub async fn load_source(
    database: &Database,
    sets: &[DataSet],
    world: &Arc<World>,
    options: &LoadOptions,
    progress: &mut ProgressListener<'_>,
) -> Result<LoadRecord, LoadError> {
    let rows = sets.iter().map(|set| rows_of(world, &set.name)).collect::<Result<Vec<_>, _>>()?;
    let tally = Tally::start(Some(rows.iter().sum()));
    for (set, rows) in sets.iter().zip(rows) {
        load_set(database, set, rows, world, options, &tally, progress).await?;
    }
    Ok(LoadRecord { documents: tally.written(), seconds: tally.elapsed().into() })
}

/// Rows of a set.
pub(super) fn rows_of(world: &World, set: &str) -> Result<u64, LoadError> {
    world.count(set).ok_or_else(|| LoadError::UnknownSet { set: set.to_owned() })
}

async fn load_set(
    database: &Database,
    set: &DataSet,
    rows: u64,
    world: &Arc<World>,
    options: &LoadOptions,
    tally: &Tally,
    progress: &mut ProgressListener<'_>,
) -> Result<(), LoadError> {
    create::collection(database, &set.name, &Document::new(), options).await?;
    let job = Arc::new(SetJob {
        world: Arc::clone(world),
        set: set.name.clone(),
        collection: database.collection(&set.name),
        wait: options.write_wait,
        tally: tally.clone(),
        rows,
        at_a_time: rows_at_a_time(rows, options.writers()),
        next: AtomicU64::new(0),
    });
    let mut tasks = JoinSet::new();
    for _ in 0..options.writers() {
        tasks.spawn(Arc::clone(&job).write_rows());
    }
    watch(tasks, tally, progress).await?;
    count::verify(&job.collection, rows, options).await?;
    let indexes = resolved_indexes(&set.indexes, world)
        .map_err(|error| LoadError::Definition { collection: set.name.clone(), problem: error.to_string() })?;
    create::indexes(database, &set.name, &indexes, options).await
}

/// Small sets are spread over all connections, large ones sent in full batches.
fn rows_at_a_time(rows: u64, writers: usize) -> u64 {
    rows.div_ceil(4 * writers as u64).clamp(FEWEST_ROWS, MOST_DOCUMENTS as u64)
}

/// What the tasks that load a set share.
struct SetJob {
    world: Arc<World>,
    set: String,
    collection: Collection<RawDocumentBuf>,
    wait: Duration,
    tally: Tally,
    rows: u64,
    at_a_time: u64,
    next: AtomicU64,
}

impl SetJob {
    /// Takes rows nobody has taken yet, makes them, and sends them, until none are left.
    async fn write_rows(self: Arc<Self>) -> Result<(), LoadError> {
        let mut batch = Batch::default();
        loop {
            let first = self.next.fetch_add(self.at_a_time, Ordering::Relaxed);
            if first >= self.rows {
                return Ok(());
            }
            let end = self.rows.min(first + self.at_a_time);
            let mut batch_start = first;
            for row in first..end {
                batch.push(self.make(row)?);
                if batch.is_full() || row + 1 == end {
                    self.send(&batch, batch_start).await?;
                    batch.clear();
                    batch_start = row + 1;
                }
            }
        }
    }

    fn make(&self, row: u64) -> Result<RawDocumentBuf, LoadError> {
        self.world.row(&self.set, row).map_err(|cause| LoadError::Row { set: self.set.clone(), row, cause })
    }

    async fn send(&self, batch: &Batch, first: u64) -> Result<(), LoadError> {
        let sent = insert(&self.collection, batch.documents(), self.wait).await;
        let doing = || format!("loading set `{}`, rows {first} to {}", self.set, first + batch.len() as u64 - 1);
        match sent {
            Ok(()) => {
                self.tally.add(batch.len());
                Ok(())
            }
            Err(Fault::Rejected { index, others, cause }) => Err(LoadError::RejectedRow {
                set: self.set.clone(),
                row: first + index as u64,
                id: id_of(&batch.documents()[index]),
                others,
                cause: Box::new(cause),
            }),
            Err(Fault::Failed(cause)) => Err(LoadError::request(doing(), cause)),
            Err(Fault::NoAnswer) => Err(LoadError::NoAnswer { doing: doing(), seconds: self.wait.as_secs() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_gets_work_where_there_is_enough_and_batches_stay_bounded() {
        assert_eq!(rows_at_a_time(50, 4), 100, "a small set is one batch");
        assert_eq!(rows_at_a_time(3_200, 4), 200, "3,200 rows: four batches for each of four connections");
        assert_eq!(rows_at_a_time(1_000_000, 4), 1_000);
    }
}
