//! Times that a clock keeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Times that a clock keeps while this lives.
#[derive(Debug)]
#[must_use = "the times are kept no longer than this lives"]
pub struct Pacing(Keeper);

/// Who keeps them.
#[derive(Debug)]
enum Keeper {
    Task(JoinHandle<()>),
    Thread { stopped: Arc<AtomicBool>, cpu: oneshot::Receiver<Option<Duration>> },
}

impl Pacing {
    /// Kept by a task, which may be aborted at any time.
    pub(super) const fn by_task(task: JoinHandle<()>) -> Self {
        Self(Keeper::Task(task))
    }

    /// Kept by a thread, which ends soon after `stopped` has become true and then tells the processor time that it took.
    pub(super) const fn by_thread(stopped: Arc<AtomicBool>, cpu: oneshot::Receiver<Option<Duration>>) -> Self {
        Self(Keeper::Thread { stopped, cpu })
    }

    /// Ends it, and answers the processor time that it took; `None` where it had no thread of its own, or where the
    /// operating system does not tell.
    pub async fn end(mut self) -> Option<Duration> {
        self.stop();
        match &mut self.0 {
            Keeper::Task(_) => None,
            Keeper::Thread { cpu, .. } => cpu.await.ok().flatten(),
        }
    }

    fn stop(&self) {
        match &self.0 {
            Keeper::Task(task) => task.abort(),
            Keeper::Thread { stopped, .. } => stopped.store(true, Ordering::Relaxed),
        }
    }
}

impl Drop for Pacing {
    fn drop(&mut self) {
        self.stop();
    }
}
