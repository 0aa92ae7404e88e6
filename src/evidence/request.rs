//! Questions to a server with a bounded wait.

use std::future::{Future, IntoFuture};
use std::time::Duration;

use crate::load::Cause;

/// How long a server may take to tell one collection's sizes, or to write what it holds in memory.
pub(super) const WAIT: Duration = Duration::from_secs(120);

/// Why a figure could not be obtained.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// The server refused, or is gone.
    #[error("failed {doing}: {cause}")]
    Request {
        /// What was going on.
        doing: String,
        /// Why.
        cause: Cause,
    },
    /// The server did not answer.
    #[error("no answer within {} s while {doing}", limit.as_secs_f64())]
    NoAnswer {
        /// What was going on.
        doing: String,
        /// How long it was waited.
        limit: Duration,
    },
}

impl EvidenceError {
    /// Whether the server is gone or silent, so that nothing else can be tried on it.
    pub const fn is_server_lost(&self) -> bool {
        match self {
            Self::Request { cause, .. } => cause.lost,
            Self::NoAnswer { .. } => true,
        }
    }
}

/// Waits for an answer, for as long as a server may take.
pub(super) async fn timed<T>(
    doing: impl FnOnce() -> String,
    request: impl IntoFuture<Output = mongodb::error::Result<T>, IntoFuture: Future + Send>,
) -> Result<T, EvidenceError> {
    timed_within(WAIT, doing, request).await
}

/// Waits for an answer, but not longer than that.
pub(super) async fn timed_within<T>(
    limit: Duration,
    doing: impl FnOnce() -> String,
    request: impl IntoFuture<Output = mongodb::error::Result<T>, IntoFuture: Future + Send>,
) -> Result<T, EvidenceError> {
    match tokio::time::timeout(limit, request.into_future()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(EvidenceError::Request { doing: doing(), cause: Cause::from(error) }),
        Err(_elapsed) => Err(EvidenceError::NoAnswer { doing: doing(), limit }),
    }
}
