//! The machine's clock.

use std::future::Future;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use spin_sleep::SpinSleeper;
use tokio::sync::oneshot;

use super::{Clock, Pacing};

/// How long before a time the pacer stops sleeping and spins, in ns: about what a sleep is late by, so that spinning takes
/// next to no processor time from the server.
const SPIN_NANOS: u32 = 25_000;
/// The longest that the pacer sleeps without looking whether it is still wanted.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// The machine's monotonic clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep_until(&self, deadline: Instant) -> impl Future<Output = ()> + Send {
        tokio::time::sleep_until(deadline.into())
    }

    fn pace(
        &self,
        times: impl Iterator<Item = Instant> + Send + 'static,
        due: impl FnMut() -> ControlFlow<()> + Send + 'static,
    ) -> Pacing {
        let stopped = Arc::new(AtomicBool::new(false));
        let (tell, cpu) = oneshot::channel();
        let (hand_over, handed_over) = mpsc::channel();
        let still_wanted = Arc::clone(&stopped);
        let thread = std::thread::Builder::new().name("pacer".to_owned()).spawn(move || {
            if let Ok((times, due)) = handed_over.recv() {
                be_punctual();
                keep(times, due, &still_wanted);
                // Whoever does not wait for it does not want to know.
                let _ = tell.send(processor_time());
            }
        });
        match thread {
            Ok(_) => {
                let _ = hand_over.send((times, due));
                Pacing::by_thread(stopped, cpu)
            }
            // A process that may have no more threads is paced late, which shows as lag.
            Err(_) => Pacing::by_task(tokio::spawn(keep_by_timer(times, due))),
        }
    }
}

/// Calls `due` at each of these times, on a thread that does nothing else.
fn keep(times: impl Iterator<Item = Instant>, mut due: impl FnMut() -> ControlFlow<()>, stopped: &AtomicBool) {
    let sleeper = SpinSleeper::new(SPIN_NANOS);
    for time in times {
        loop {
            let left = time.saturating_duration_since(Instant::now());
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            if left <= LONGEST_SLEEP {
                break;
            }
            std::thread::sleep(LONGEST_SLEEP / 2);
        }
        sleeper.sleep_until(time);
        if due().is_break() {
            return;
        }
    }
}

/// The same by timers of the runtime, which are late by about a millisecond.
async fn keep_by_timer(times: impl Iterator<Item = Instant>, mut due: impl FnMut() -> ControlFlow<()>) {
    for time in times {
        tokio::time::sleep_until(time.into()).await;
        if due().is_break() {
            return;
        }
    }
}

/// Has this thread woken when it asks to be: Linux adds up to 50 µs to every sleep otherwise, to save power.
#[cfg(target_os = "linux")]
fn be_punctual() {
    // Where it may not, it sleeps as others do, and spins no longer for that.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
const fn be_punctual() {}

/// Processor time that this thread has taken.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn processor_time() -> Option<Duration> {
    nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID.now().ok().map(Duration::from)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const fn processor_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test]
    async fn every_time_comes_once_in_order_and_never_early() {
        let start = Instant::now() + Duration::from_millis(2);
        let times: Vec<Instant> = (0..200).map(|place| start + Duration::from_micros(place * 130)).collect();
        let called = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&called);
        let (finish, finished) = oneshot::channel::<()>();
        let mut finish = Some(finish);
        let pacing = WallClock.pace(times.clone().into_iter(), move || {
            let mut called = keep.lock().expect("nobody panics while holding it");
            called.push(Instant::now());
            if called.len() == 200 {
                drop(finish.take());
            }
            ControlFlow::Continue(())
        });
        let _ = finished.await;
        let cpu = pacing.end().await;
        let called = called.lock().expect("nobody panics while holding it");
        assert_eq!(called.len(), times.len());
        assert!(called.is_sorted() && called.iter().zip(&times).all(|(called, time)| called >= time));
        assert_eq!(cpu.is_some(), cfg!(any(target_os = "linux", target_os = "macos")));
    }

    #[tokio::test]
    async fn a_schedule_that_is_no_longer_wanted_does_not_wait_for_its_next_time() {
        let started = Instant::now();
        let far = started + Duration::from_secs(3_600);
        let pacing = WallClock.pace(std::iter::once(far), || ControlFlow::Continue(()));
        pacing.end().await;
        assert!(started.elapsed() < Duration::from_secs(60), "it would have been an hour");
    }

    #[tokio::test]
    async fn whoever_is_called_can_end_it() {
        let now = Instant::now();
        let calls = Arc::new(Mutex::new(0));
        let count = Arc::clone(&calls);
        let (finish, finished) = oneshot::channel::<()>();
        let mut finish = Some(finish);
        let _pacing = WallClock.pace(std::iter::repeat(now), move || {
            *count.lock().expect("nobody panics while holding it") += 1;
            drop(finish.take());
            ControlFlow::Break(())
        });
        let _ = finished.await;
        assert_eq!(*calls.lock().expect("nobody panics while holding it"), 1);
    }
}
