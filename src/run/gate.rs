//! Where workers wait until their next operation is due.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use super::arrivals::Schedule;

/// Hands out the slots of a schedule, each once and in order: the slot that a worker gets is settled when it asks, so
/// whoever asks first goes first. A slot that came due while nobody asked is kept; nothing is skipped.
///
/// Handing out allocates nothing, and takes a lock that only the pacer takes besides, for the same slot.
#[derive(Debug)]
pub struct Gate {
    schedule: Schedule,
    /// Slots asked for.
    asked: AtomicU64,
    /// Slots that have come due.
    released: AtomicU64,
    halted: AtomicBool,
    /// Who waits for slot k, at k modulo the number of workers: no more slots in a row can be waited for.
    waiting: Box<[Mutex<Option<Waker>>]>,
}

/// A moment at which an operation is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The moment.
    pub intended: Instant,
    /// Whether a worker stood ready for it. Where not, it had come due before any worker asked.
    pub awaited: bool,
}

impl Gate {
    /// A gate for at most so many workers, who wait at the same time.
    pub fn new(schedule: Schedule, workers: usize) -> Self {
        Self {
            schedule,
            asked: AtomicU64::new(0),
            released: AtomicU64::new(0),
            halted: AtomicBool::new(false),
            waiting: (0..workers.max(1)).map(|_| Mutex::new(None)).collect(),
        }
    }

    /// The times of its slots.
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Slots that have come due.
    pub fn released(&self) -> u64 {
        self.released.load(Ordering::Relaxed)
    }

    /// Waits for the next slot; `None` when the gate was halted.
    pub async fn slot(&self) -> Option<Slot> {
        let slot = self.asked.fetch_add(1, Ordering::Relaxed);
        let awaited = !self.is_released(slot);
        if awaited {
            poll_fn(|context| self.poll(slot, context)).await;
        }
        let goes_on = !self.halted.load(Ordering::Relaxed);
        goes_on.then(|| Slot { intended: self.schedule.time(slot), awaited })
    }

    /// Lets the next slot go; breaks when the gate was halted.
    pub fn release(&self) -> ControlFlow<()> {
        if self.halted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let slot = self.released.fetch_add(1, Ordering::Release);
        wake(self.waiter(slot));
        ControlFlow::Continue(())
    }

    /// Hands out nothing more, and sends away who waits.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::Release);
        self.waiting.iter().map(unpoisoned).for_each(wake);
    }

    fn poll(&self, slot: u64, context: &Context<'_>) -> Poll<()> {
        // Looked at under the lock: whoever releases the slot from now on finds the waker, and as long as it is not
        // released, no other slot that shares the place can be waited for.
        let mut waiter = self.waiter(slot);
        if self.is_released(slot) || self.halted.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        *waiter = Some(context.waker().clone());
        Poll::Pending
    }

    fn is_released(&self, slot: u64) -> bool {
        self.released.load(Ordering::Acquire) > slot
    }

    fn waiter(&self, slot: u64) -> MutexGuard<'_, Option<Waker>> {
        let workers = self.waiting.len() as u64;
        unpoisoned(&self.waiting[usize::try_from(slot % workers).expect("a remainder of a usize")])
    }
}

/// Wakes whoever waits there, after letting go of the lock.
fn wake(mut waiter: MutexGuard<'_, Option<Waker>>) {
    let waker = waiter.take();
    drop(waiter);
    waker.into_iter().for_each(Waker::wake);
}

fn unpoisoned(waiter: &Mutex<Option<Waker>>) -> MutexGuard<'_, Option<Waker>> {
    waiter.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::time::Duration;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::clock::{Clock as _, WallClock};
    use crate::units::Rate;
    use crate::words::ArrivalProcess;

    const GAP: Duration = Duration::from_micros(50);

    fn gate(workers: usize) -> Gate {
        let start = Instant::now() + Duration::from_millis(2);
        Gate::new(Schedule::new(start, Rate::new(20_000.0), ArrivalProcess::Constant, 1, 0), workers)
    }

    #[test]
    fn who_asks_first_gets_the_earlier_slot_and_who_comes_late_its_own() {
        let gate = gate(2);
        let (mut first, mut second) = (Box::pin(gate.slot()), Box::pin(gate.slot()));
        // Looked after in the wrong order, they still have their slots.
        assert_eq!((second.as_mut().now_or_never(), first.as_mut().now_or_never()), (None, None));
        assert!(gate.release().is_continue() && gate.release().is_continue() && gate.release().is_continue());
        let start = gate.schedule().start();
        let slot = |place: u32, awaited| Some(Some(Slot { intended: start + GAP * place, awaited }));
        assert_eq!(second.now_or_never(), slot(0, true), "it was polled, and so asked, first");
        assert_eq!(first.now_or_never(), slot(1, true));
        assert_eq!(gate.slot().now_or_never(), slot(2, false), "nobody stood ready for the third");
    }

    #[test]
    fn a_halted_gate_sends_everybody_away() {
        let gate = gate(1);
        let mut waiting = Box::pin(gate.slot());
        assert_eq!(waiting.as_mut().now_or_never(), None);
        gate.halt();
        assert_eq!(waiting.now_or_never(), Some(None));
        assert_eq!(gate.slot().now_or_never(), Some(None));
        assert!(gate.release().is_break());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn on_the_wall_clock_every_slot_is_handed_out_once_and_never_before_its_time() {
        const SLOTS: u64 = 4_000;
        const WORKERS: usize = 16;
        let gate = Arc::new(gate(WORKERS));
        let taken = |gate: Arc<Gate>| async move {
            let mut slots = Vec::new();
            while let Some(slot) = gate.slot().await {
                assert!(Instant::now() >= slot.intended, "handed out before its time");
                slots.push(slot.intended);
            }
            slots
        };
        let workers: Vec<_> = (0..WORKERS).map(|_| tokio::spawn(taken(Arc::clone(&gate)))).collect();
        let (times, door) = (gate.schedule().clone(), Arc::clone(&gate));
        let pacing = WallClock.pace((0..SLOTS).map(move |slot| times.time(slot)), move || door.release());
        while gate.asked.load(Ordering::Relaxed) < SLOTS + WORKERS as u64 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        gate.halt();
        pacing.end().await;
        let mut all = BTreeSet::new();
        for worker in workers {
            let slots = worker.await.expect("it does not panic");
            assert!(slots.is_sorted(), "each worker's slots are in order");
            for slot in slots {
                assert!(all.insert(slot), "a slot is handed out once");
            }
        }
        let expected: BTreeSet<Instant> = (0..SLOTS).map(|slot| gate.schedule().time(slot)).collect();
        assert!(all == expected, "every slot is handed out");
    }
}
