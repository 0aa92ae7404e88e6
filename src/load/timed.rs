//! Requests with a limit of time.

use std::future::{Future, IntoFuture};
use std::time::Duration;

use super::cause::Cause;
use super::error::LoadError;

/// Awaits a request for at most `wait`; `doing` completes "failed …" in the error.
///
/// # Errors
/// [`LoadError::NoAnswer`] after `wait`, [`LoadError::Lost`] without a server, else [`LoadError::Refused`].
pub(super) async fn timed<T>(
    wait: Duration,
    doing: impl FnOnce() -> String,
    request: impl IntoFuture<Output = mongodb::error::Result<T>, IntoFuture: Future + Send>,
) -> Result<T, LoadError> {
    match tokio::time::timeout(wait, request.into_future()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(LoadError::request(doing(), Cause::from(error))),
        Err(_elapsed) => Err(LoadError::NoAnswer { doing: doing(), seconds: wait.as_secs() }),
    }
}
