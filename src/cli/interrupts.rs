//! Ctrl-C and its like: the first asks the command to end well, a second ends it at once.

use std::time::Duration;

use tokio::task::JoinHandle;

use super::exit::{Exit, Failure};
use super::output;
use crate::run::Interrupt;

/// A command that a signal ends may be amid work that cannot be dropped, such as rendering a huge value. After so long
/// the process ends all the same.
const GRACE: Duration = Duration::from_secs(3);

/// Drives a command that looks at `interrupt` by itself. A second signal drops the command, which stops what it started.
///
/// # Errors
/// The command's own; interrupted, where a second signal came.
pub(super) async fn attended(
    interrupt: Interrupt,
    command: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    let _last_resort = LastResort::after(2);
    tokio::select! {
        done = command => done,
        () = twice(&interrupt) => Err(Failure::new(Exit::Interrupted, "interrupted twice: ended at once")),
    }
}

/// Drives a command that a signal may end anywhere: dropping it stops what it started.
///
/// # Errors
/// The command's own; interrupted, where a signal came.
pub(super) async fn abandoned(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let _last_resort = LastResort::after(1);
    tokio::select! {
        done = command => done,
        () = signal() => Err(Failure::new(Exit::Interrupted, "interrupted")),
    }
}

async fn twice(interrupt: &Interrupt) {
    signal().await;
    interrupt.trigger();
    output::tell("interrupted: ending the round and keeping what was measured (once more ends at once)");
    signal().await;
}

/// Ends the process some time after a number of signals, from another thread than the command's: a command that is
/// busy hears no signal. A server that was started ends with the process that started it.
struct LastResort(JoinHandle<()>);

impl LastResort {
    fn after(signals: u32) -> Self {
        Self(tokio::spawn(async move {
            for _ in 0..signals {
                signal().await;
            }
            tokio::time::sleep(GRACE).await;
            output::tell("error: interrupted amid work that could not be stopped: ended at once");
            std::process::exit(Exit::Interrupted.code().into());
        }))
    }
}

impl Drop for LastResort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Waits for SIGINT, SIGTERM or SIGHUP.
#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};

    let streams = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = streams else {
        // Without handlers the system's own take effect.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
