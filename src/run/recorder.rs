//! Where latencies and counts go while a window is under way, and what they add up to when it has ended.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::intervals::{self, Intervals, Span};
use super::slices::{self, Slices};
use super::tally::Tally;
use super::writer::{Note, Writer};
use crate::backend::CallError;
use crate::record::IntervalRecord;

/// The most shards: each holds three histograms of 144 KiB per operation.
const MOST_SHARDS: usize = 8;

/// Records the operations of a window, from any number of tasks.
///
/// It has a shard for each thread that executes tasks, however many tasks there are. A task notes what it did in a
/// [`Writer`] of its own, which enters its notes a page at a time: into the shard of the thread that it runs on, or into
/// another where that one is taken, so no lock is waited for. Recording formats nothing, and allocates nothing but the
/// name of a kind of error seen for the first time.
#[derive(Debug)]
pub struct Recorder {
    shards: Box<[Aligned]>,
}

/// Shards that lie apart in the processor's caches.
#[derive(Debug)]
#[repr(align(128))]
struct Aligned(Mutex<Shard>);

#[derive(Debug)]
struct Shard {
    tally: Tally,
    intervals: Intervals,
    /// Only where models have events.
    slices: Option<Slices>,
}

impl Shard {
    fn enter(&mut self, note: &Note) {
        let latencies = note.times.latencies();
        self.tally.finished(note.operation, &latencies, &note.finished);
        let counts = latencies.paced.map_or(latencies.service, |paced| paced.response);
        self.intervals.record(note.operation, note.times.complete, counts);
        if let Some(slice) = note.slice
            && let Some(slices) = &mut self.slices
        {
            slices.record(note.operation, slice, counts);
        }
    }
}

impl Recorder {
    /// A recorder for so many operations, on which so many threads record.
    pub fn new(operations: usize, threads: usize) -> Self {
        let span = Span::new(Instant::now(), Duration::ZERO);
        let shard =
            || Shard { tally: Tally::new(operations), intervals: Intervals::new(operations, span), slices: None };
        let shards = (0..threads.clamp(1, MOST_SHARDS)).map(|_| Aligned(Mutex::new(shard())));
        Self { shards: shards.collect() }
    }

    /// Forgets everything and makes ready for a window from `start`, whose last operation ends within `longest`; `paced`
    /// says whether it is one of open load.
    pub fn begin(&self, start: Instant, longest: Duration, paced: bool) {
        for shard in self.all() {
            let Shard { tally, intervals, slices } = &mut *lock(shard);
            tally.reset(paced);
            intervals.reset(Span::new(start, longest));
            slices.iter_mut().for_each(Slices::reset);
        }
    }

    /// Makes room for latencies by slice.
    pub(super) fn keep_slices(&self) {
        for shard in self.all() {
            let Shard { tally, slices, .. } = &mut *lock(shard);
            slices.get_or_insert_with(|| Slices::new(tally.operations().len()));
        }
    }

    /// A task's own end of the recorder.
    pub fn writer(self: &Arc<Self>) -> Writer {
        Writer::new(Arc::clone(self))
    }

    /// Enters operations that did what they say.
    pub(super) fn enter(&self, notes: &[Note]) {
        let mut shard = self.shard();
        for note in notes {
            shard.enter(note);
        }
    }

    /// Counts an operation that failed.
    pub fn failed(&self, operation: usize, error: CallError) {
        self.shard().tally.failed(operation, error);
    }

    /// What all shards hold together.
    pub fn tally(&self) -> Tally {
        let mut shards = self.all().map(lock);
        let mut whole = shards.next().expect("there is at least one").tally.clone();
        shards.for_each(|shard| whole.merge(&shard.tally));
        whole
    }

    /// The window second by second, in the order of time; `operations` are the names of those that are wanted.
    pub fn intervals(&self, operations: &[Option<&str>]) -> Vec<IntervalRecord> {
        let shards: Vec<_> = self.all().map(lock).collect();
        let parts: Vec<&Intervals> = shards.iter().map(|shard| &shard.intervals).collect();
        intervals::records(&parts, operations)
    }

    /// Latencies by operation and slice; empty where none are kept.
    pub(super) fn slices(&self) -> Vec<Vec<String>> {
        let shards: Vec<_> = self.all().map(lock).collect();
        slices::encoded(&shards.iter().filter_map(|shard| shard.slices.as_ref()).collect::<Vec<_>>())
    }

    fn all(&self) -> impl Iterator<Item = &Mutex<Shard>> {
        self.shards.iter().map(|Aligned(shard)| shard)
    }

    /// This thread's shard, or the next that is free.
    fn shard(&self) -> MutexGuard<'_, Shard> {
        // In 32 bits, since a division in 64 takes longer than all the rest.
        let shards = u32::try_from(self.shards.len()).expect("there are few");
        let own = HOME.with(|home| *home % shards) as usize;
        match try_lock(&self.shards[own].0) {
            Some(free) => free,
            None => self.other_shard(own),
        }
    }

    #[cold]
    fn other_shard(&self, own: usize) -> MutexGuard<'_, Shard> {
        let mut from_own = self.shards[own..].iter().chain(&self.shards[..own]);
        from_own.find_map(|Aligned(shard)| try_lock(shard)).unwrap_or_else(|| lock(&self.shards[own].0))
    }
}

/// Counts stand even where a task panicked between two of them, which ends the run anyway.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same, where it is free.
fn try_lock(shard: &Mutex<Shard>) -> Option<MutexGuard<'_, Shard>> {
    match shard.try_lock() {
        Ok(free) => Some(free),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

thread_local! {
    /// Tells the threads that record apart.
    static HOME: u32 = {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::gate::Slot;
    use crate::run::tally::Times;
    use crate::run::work::Finished;

    #[test]
    fn threads_that_record_at_the_same_time_lose_nothing() {
        const THREADS: u64 = 4;
        const EACH: u64 = 5_000;
        let start = Instant::now();
        // Fewer shards than threads, so that they meet.
        let recorder = Arc::new(Recorder::new(2, 2));
        recorder.begin(start, Duration::from_secs(5), true);
        let due = Some(Slot { intended: start, awaited: true });
        let micros = |place: u64| start + Duration::from_micros(1 + place % 100);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let mut writer = recorder.writer();
                    for place in 0..EACH {
                        let times = Times { due, sent: start, complete: micros(place) };
                        writer.finished(usize::from(place % 4 == 0), times, Finished::default());
                    }
                });
            }
        });
        let counts: Vec<u64> = recorder.tally().operations().iter().map(|operation| operation.count()).collect();
        assert_eq!(counts, [THREADS * EACH * 3 / 4, THREADS * EACH / 4]);
        let intervals = recorder.intervals(&[Some("read"), Some("write")]);
        let counts: Vec<_> = intervals.iter().map(|one| (one.operation.as_str(), one.count)).collect();
        assert_eq!(counts, [("read", THREADS * EACH * 3 / 4), ("write", THREADS * EACH / 4)]);
    }

    #[test]
    fn a_recorder_is_bounded_however_many_threads_there_are() {
        assert_eq!(Recorder::new(1, 256).shards.len(), MOST_SHARDS);
        assert_eq!(Recorder::new(1, 0).shards.len(), 1);
    }
}
