//! A clock that moves on when everybody waits for it.

use std::collections::BTreeMap;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::{Clock, Pacing};

/// A clock whose time stands still while anybody has something to do, and then jumps to the next moment that somebody
/// waits for. It drives everything on the one thread of [`VirtualClock::runtime`].
///
/// Who waits is woken in the order of deadlines, and of two with the same deadline the older first; so what happens is
/// the same every time. A wait that was given up moves nothing.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    time: Arc<Mutex<Time>>,
}

#[derive(Debug)]
struct Time {
    now: Instant,
    /// By deadline and age: the first is the next to be woken.
    waits: BTreeMap<Wait, Waker>,
    next_wait: u64,
}

/// A wait: until when, and which one it is.
type Wait = (Instant, u64);

impl VirtualClock {
    /// A clock, and the only runtime on which it moves: one thread, on which time goes on as soon as no task can.
    ///
    /// # Errors
    /// Where the runtime cannot be made.
    pub fn runtime() -> std::io::Result<(Self, tokio::runtime::Runtime)> {
        let time = Time { now: Instant::now(), waits: BTreeMap::new(), next_wait: 0 };
        let clock = Self { time: Arc::new(Mutex::new(time)) };
        let idle = clock.clone();
        // A task that is woken here runs before the thread would sleep.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || idle.wake_next())
            .build()?;
        Ok((clock, runtime))
    }

    /// Lets this much time pass while the caller is busy: nobody else can do anything meanwhile.
    pub fn spend(&self, duration: Duration) {
        self.time().now += duration;
    }

    /// Jumps to the next moment that somebody waits for, and wakes all whose moment has come.
    fn wake_next(&self) {
        let mut time = self.time();
        if let Some(((deadline, _), _)) = time.waits.first_key_value() {
            time.now = time.now.max(*deadline);
        }
        let now = time.now;
        drop(time);
        while let Some(waker) = self.take_due(now) {
            waker.wake();
        }
    }

    fn take_due(&self, now: Instant) -> Option<Waker> {
        let mut time = self.time();
        let next = time.waits.first_entry()?;
        (next.key().0 <= now).then(|| next.remove())
    }

    fn time(&self) -> MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Instant {
        self.time().now
    }

    fn sleep_until(&self, deadline: Instant) -> impl Future<Output = ()> + Send {
        Sleep { clock: self.clone(), deadline, wait: None }
    }

    fn pace(
        &self,
        times: impl Iterator<Item = Instant> + Send + 'static,
        mut due: impl FnMut() -> ControlFlow<()> + Send + 'static,
    ) -> Pacing {
        let clock = self.clone();
        Pacing::by_task(tokio::spawn(async move {
            for time in times {
                clock.sleep_until(time).await;
                if due().is_break() {
                    break;
                }
            }
        }))
    }
}

/// Waits for a moment; dropped before it, it is as if nobody had waited.
struct Sleep {
    clock: VirtualClock,
    deadline: Instant,
    /// Its place among the waits, once it was polled.
    wait: Option<Wait>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let mut time = this.clock.time();
        if time.now >= this.deadline {
            return Poll::Ready(());
        }
        let wait = *this.wait.get_or_insert_with(|| {
            time.next_wait += 1;
            (this.deadline, time.next_wait)
        });
        match time.waits.get_mut(&wait) {
            Some(waker) => waker.clone_from(context.waker()),
            None => drop(time.waits.insert(wait, context.waker().clone())),
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(wait) = self.wait {
            // The waker is dropped after the lock: it may be the last of a task that holds other waits.
            let waker = self.clock.time().waits.remove(&wait);
            drop(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, oneshot};
    use tokio::task::JoinSet;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Runs a story on a virtual clock, and answers how much virtual time it took.
    fn timed<F: Future<Output = ()>>(story: impl FnOnce(VirtualClock) -> F) -> Duration {
        let (clock, runtime) = VirtualClock::runtime().expect("a runtime can be made");
        let start = clock.now();
        runtime.block_on(story(clock.clone()));
        clock.now() - start
    }

    async fn sleep(clock: &VirtualClock, duration: Duration) {
        clock.sleep_until(clock.now() + duration).await;
    }

    #[test]
    fn a_year_passes_at_once_and_exactly() {
        let year = 365 * 24 * 3_600 * SECOND;
        assert_eq!(timed(|clock| async move { sleep(&clock, year).await }), year);
    }

    #[test]
    fn waits_beside_each_other_take_as_long_as_the_longest() {
        let story = |clock: VirtualClock| async move {
            let mut tasks = JoinSet::new();
            for seconds in 1..=100 {
                let clock = clock.clone();
                tasks.spawn(async move { sleep(&clock, SECOND * seconds).await });
            }
            tasks.join_all().await;
        };
        assert_eq!(timed(story), 100 * SECOND);
    }

    #[test]
    fn who_waits_is_woken_by_deadline_and_then_by_age() {
        let (sender, mut woken) = mpsc::unbounded_channel();
        timed(|clock| async move {
            let mut tasks = JoinSet::new();
            for (name, seconds) in [("late", 3), ("first", 1), ("second", 1), ("third", 1), ("middle", 2)] {
                let (clock, sender) = (clock.clone(), sender.clone());
                tasks.spawn(async move {
                    sleep(&clock, SECOND * seconds).await;
                    sender.send(name).expect("the receiver lives");
                });
            }
            tasks.join_all().await;
        });
        let order: Vec<_> = std::iter::from_fn(|| woken.try_recv().ok()).collect();
        assert_eq!(order, ["first", "second", "third", "middle", "late"]);
    }

    #[test]
    fn a_wait_that_was_given_up_moves_no_time() {
        let story = |clock: VirtualClock| async move {
            for _ in 0..10 {
                tokio::select! {
                    () = sleep(&clock, 1_000 * SECOND) => panic!("the shorter wait ends first"),
                    () = sleep(&clock, SECOND) => {}
                }
            }
            assert_eq!(clock.time().waits.len(), 0, "nothing is left behind");
            tokio::task::yield_now().await;
        };
        assert_eq!(timed(story), 10 * SECOND);
    }

    #[test]
    fn a_wait_that_is_looked_at_again_and_again_is_one_wait() {
        timed(|clock| async move {
            let (sender, mut ticks) = mpsc::channel(1);
            let ticking = clock.clone();
            tokio::spawn(async move {
                for _ in 0..100 {
                    sleep(&ticking, SECOND).await;
                    sender.send(()).await.expect("the receiver lives");
                }
            });
            let mut limit = Box::pin(clock.sleep_until(clock.now() + 1_000 * SECOND));
            for _ in 0..100 {
                tokio::select! {
                    () = &mut limit => panic!("the ticks come first"),
                    tick = ticks.recv() => tick.expect("the sender lives"),
                }
                assert!(clock.time().waits.len() <= 2, "the limit and the next tick");
            }
        });
    }

    #[test]
    fn time_stands_still_while_the_one_who_drives_the_runtime_has_something_to_do() {
        // The last of the workers to end wakes the caller of `block_on`, which is no task: no limit may pass before it runs.
        let story = |clock: VirtualClock| async move {
            let mut limit = Box::pin(clock.sleep_until(clock.now() + 60 * SECOND));
            let mut workers = JoinSet::new();
            for _ in 0..3 {
                let clock = clock.clone();
                workers.spawn(async move { sleep(&clock, SECOND).await });
            }
            loop {
                tokio::select! {
                    biased;
                    () = &mut limit => panic!("everybody is done long before"),
                    joined = workers.join_next() => match joined {
                        Some(done) => done.expect("it does not panic"),
                        None => break,
                    },
                }
            }
        };
        assert_eq!(timed(story), SECOND);
    }

    #[test]
    fn time_spent_is_time_that_nobody_else_has() {
        let story = |clock: VirtualClock| async move {
            let (sender, late) = oneshot::channel();
            let waiting = clock.clone();
            let start = clock.now();
            tokio::spawn(async move {
                sleep(&waiting, SECOND).await;
                sender.send(waiting.now() - start).expect("the receiver lives");
            });
            tokio::task::yield_now().await;
            clock.spend(5 * SECOND);
            assert_eq!(late.await.expect("it was sent"), 5 * SECOND, "woken four seconds late");
        };
        assert_eq!(timed(story), 5 * SECOND);
    }

    #[test]
    fn paced_times_come_at_their_moments_and_passed_ones_at_once() {
        let (sender, mut paced) = mpsc::unbounded_channel();
        timed(|clock| async move {
            let start = clock.now();
            clock.spend(SECOND);
            let times = (0..1_000).map(move |step| start + SECOND.mul_f64(0.5) * step);
            let (seen, end) = (clock.clone(), 4);
            let mut count = 0;
            let _pacing = clock.pace(times, move || {
                count += 1;
                sender.send(seen.now() - start).expect("the receiver lives");
                if count == end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            sleep(&clock, 10 * SECOND).await;
        });
        let seen: Vec<_> = std::iter::from_fn(|| paced.try_recv().ok()).collect();
        assert_eq!(seen, [1_000, 1_000, 1_000, 1_500].map(Duration::from_millis));
    }
}
