//! How far loading has come.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::error::LoadError;
use crate::units::Rate;

/// How often the listener hears of progress.
const TICK: Duration = Duration::from_millis(100);

/// How far loading of a database has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadProgress {
    /// Documents written so far.
    pub documents: u64,
    /// Documents that there will be; `None` where a pipeline decides it.
    pub expected: Option<u64>,
    /// Time since loading of the database began.
    pub elapsed: Duration,
}

impl LoadProgress {
    /// Documents per second so far; `None` before the first document.
    pub fn rate(&self) -> Option<Rate> {
        let seconds = self.elapsed.as_secs_f64();
        (self.documents > 0 && seconds > 0.0).then(|| Rate::new(self.documents as f64 / seconds))
    }

    /// Time until the last document at the rate so far; `None` where that cannot be told.
    pub fn remaining(&self) -> Option<Duration> {
        let left = self.expected?.saturating_sub(self.documents);
        Duration::try_from_secs_f64(left as f64 / self.rate()?.get()).ok()
    }
}

/// Hears of progress about ten times a second, on the task that awaits the loading: it must return quickly.
pub type ProgressListener<'a> = dyn FnMut(LoadProgress) + Send + 'a;

/// Counts what the tasks of a load have written.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    written: Arc<AtomicU64>,
    expected: Option<u64>,
    started: Instant,
}

impl Tally {
    /// Starts counting.
    pub(super) fn start(expected: Option<u64>) -> Self {
        Self { written: Arc::default(), expected, started: Instant::now() }
    }

    /// Counts documents that the server acknowledged.
    pub(super) fn add(&self, documents: usize) {
        self.written.fetch_add(documents as u64, Ordering::Relaxed);
    }

    /// Documents acknowledged so far.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Time since counting began.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn now(&self) -> LoadProgress {
        LoadProgress { documents: self.written(), expected: self.expected, elapsed: self.elapsed() }
    }
}

/// Awaits all tasks and tells of progress meanwhile. The first error ends the other tasks.
///
/// # Errors
/// The first error of a task.
///
/// # Panics
/// As a task did.
pub(super) async fn watch(
    mut tasks: JoinSet<Result<(), LoadError>>,
    tally: &Tally,
    progress: &mut ProgressListener<'_>,
) -> Result<(), LoadError> {
    let mut ticks = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            ended = tasks.join_next() => match ended {
                None => break,
                Some(Ok(Ok(()))) => {}
                Some(Ok(Err(error))) => {
                    tasks.shutdown().await;
                    return Err(error);
                }
                Some(Err(failure)) => std::panic::resume_unwind(failure.into_panic()),
            },
            _ = ticks.tick() => progress(tally.now()),
        }
    }
    progress(tally.now());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_time_left_follow_from_documents_and_time() {
        let half = LoadProgress { documents: 500, expected: Some(1_500), elapsed: Duration::from_secs(2) };
        assert_eq!(half.rate(), Some(Rate::new(250.0)));
        assert_eq!(half.remaining(), Some(Duration::from_secs(4)), "1,000 documents at 250 a second");

        let unknown = LoadProgress { expected: None, ..half };
        assert_eq!(unknown.remaining(), None);
        let nothing_yet = LoadProgress { documents: 0, ..half };
        assert_eq!((nothing_yet.rate(), nothing_yet.remaining()), (None, None));
    }
}
