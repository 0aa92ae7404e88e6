//! A rendered call, what it answers, and who can execute it.

use std::future::Future;
use std::time::Duration;

use bson::{Bson, RawDocumentBuf};

use super::{ChangePlace, Changes, Watched};
use crate::scenario::{Form, StepKind};
use crate::server::TrafficCount;
use crate::words::ErrorName;

/// Steps as rendered for one operation: values as the driver takes them, documents to be stored as raw bytes.
#[derive(Debug, Clone, Copy)]
pub enum Rendered {}

impl Form for Rendered {
    type Value = Bson;
    type Document = RawDocumentBuf;
    type Documents = Vec<RawDocumentBuf>;
}

/// One driver call, ready to send.
pub type Call = StepKind<Rendered>;

/// What becomes of the documents that a call returns. They are received in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// They are handed back.
    Documents,
    /// They are counted, and nothing is copied.
    Nothing,
}

/// What a call answered, drained to its end.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// Documents of a read, of all batches; the returned document of a find-and-modify. Empty under [`Keep::Nothing`].
    pub documents: Vec<RawDocumentBuf>,
    /// How many documents were returned, kept or not.
    pub returned: u64,
    /// The value of `countDocuments` (a number) or `distinct` (an array).
    pub value: Option<Bson>,
    /// What a write did.
    pub write: Option<WriteOutcome>,
    /// Requests sent to the server: one and one more for each further batch.
    pub round_trips: u32,
}

/// What a write did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteOutcome {
    /// Documents that matched the filter.
    pub matched: u64,
    /// Documents that changed.
    pub modified: u64,
    /// Documents inserted (upserts not counted).
    pub inserted: u64,
    /// Documents deleted.
    pub deleted: u64,
    /// The `_id` that an upsert inserted.
    pub upserted_id: Option<Bson>,
}

/// A call that did not do what it says.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct CallError {
    /// Its kind, under which it is counted.
    pub kind: CallErrorKind,
    /// What the server or the driver said, without secrets.
    pub message: String,
    /// What a list of writes wrote before the error (ordered) or beside it (unordered); of other calls nothing.
    pub written: Option<Box<WriteOutcome>>,
    /// What a transaction is to do about it.
    pub remedy: Option<Remedy>,
}

/// What a transaction is to do about a failure, as the server or the driver labels it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Begin anew, as a whole (`TransientTransactionError`).
    BeginAnew,
    /// Commit again: whether it was committed is not known (`UnknownTransactionCommitResult`).
    CommitAgain,
}

impl CallError {
    /// A failure of this kind.
    pub fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), written: None, remedy: None }
    }

    /// The same failure, said of a place: `step 2 (insertOne into likes)`.
    #[must_use]
    pub fn at(mut self, place: impl std::fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// The name under which a scenario can expect it, if it has one.
    pub fn name(&self) -> Option<ErrorName> {
        match self.kind {
            CallErrorKind::Named(name) => Some(name),
            _ => None,
        }
    }
}

/// The kinds under which failures are counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallErrorKind {
    /// A server error that a scenario can name as an answer.
    Named(ErrorName),
    /// Any other server error: its code and code name.
    Server {
        /// The code.
        code: i32,
        /// The code's name, or `Error<code>`.
        name: String,
    },
    /// The connection broke, or no server could be selected: the server may be gone.
    Connection,
    /// A limit of time passed.
    Timeout,
    /// The step could not be rendered from the results before it.
    Render,
    /// The step's `assert` did not hold, or its `repeat` came to its end without its condition.
    Assert,
    /// Anything else that the driver reports.
    Driver,
}

impl std::fmt::Display for CallErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name.word()),
            Self::Server { name, .. } => f.write_str(name),
            Self::Connection => f.write_str("Connection"),
            Self::Timeout => f.write_str("Timeout"),
            Self::Render => f.write_str("Render"),
            Self::Assert => f.write_str("Assert"),
            Self::Driver => f.write_str("Driver"),
        }
    }
}

/// Executes the calls of one model. Cheap to clone; clones share connections.
pub trait Backend: Clone + Send + Sync + 'static {
    /// A call turned into the driver's own types, so that nothing but sending and receiving is timed.
    type Prepared: std::fmt::Debug + Send + 'static;
    /// What the calls of a transaction share, over all of its attempts.
    type Session: Send;
    /// Changes that are followed.
    type Changes: Changes + std::fmt::Debug + 'static;

    /// Turns a call into what is sent.
    ///
    /// # Errors
    /// Where a value has the wrong type (`limit: "ten"`).
    fn prepare(&self, call: Call) -> Result<Self::Prepared, CallError>;

    /// Sends a prepared call and drains the reply, all batches of it.
    ///
    /// # Errors
    /// Where the call did not do what it says: a server error, a write error or a write concern error in the reply, a
    /// broken connection, a limit of time.
    fn execute(&self, prepared: Self::Prepared, keep: Keep) -> impl Future<Output = Result<Reply, CallError>> + Send;

    /// What was sent and received so far, where that is counted.
    fn traffic(&self) -> Option<TrafficCount> {
        None
    }

    /// Whether the server has transactions. Where it has none, nothing of what follows is called.
    fn has_transactions(&self) -> bool;

    /// How long a call may take; a transaction with all of its attempts has no more.
    fn time_limit(&self) -> Duration;

    /// Begins a session for a transaction. Nothing is sent.
    ///
    /// # Errors
    /// Where the driver gives none.
    fn session(&self) -> impl Future<Output = Result<Self::Session, CallError>> + Send;

    /// Begins an attempt; the server hears of it with the first call. Nothing is sent.
    ///
    /// # Errors
    /// Where the deployment has no transactions.
    fn begin(&self, session: &mut Self::Session) -> impl Future<Output = Result<(), CallError>> + Send;

    /// As [`execute`](Self::execute), as part of the session's transaction.
    ///
    /// # Errors
    /// As [`execute`](Self::execute); after any of them the server has aborted the transaction.
    fn execute_in(
        &self,
        session: &mut Self::Session,
        prepared: Self::Prepared,
        keep: Keep,
    ) -> impl Future<Output = Result<Reply, CallError>> + Send;

    /// Commits the session's transaction, or once more that which was just committed.
    ///
    /// # Errors
    /// Where it was not committed, or that is not known ([`CallError::remedy`]).
    fn commit(&self, session: &mut Self::Session) -> impl Future<Output = Result<(), CallError>> + Send;

    /// Aborts the session's transaction. That the server has done so already is no error.
    ///
    /// # Errors
    /// Where the server cannot be told; it forgets the transaction by itself then.
    fn abort(&self, session: &mut Self::Session) -> impl Future<Output = Result<(), CallError>> + Send;

    /// Follows changes from now, or on from a place; `patience` is how long the server waits for the next one.
    ///
    /// # Errors
    /// Where the server has no change streams, or knows the place no more.
    fn watch(
        &self,
        watched: &Watched,
        from: Option<ChangePlace>,
        patience: Duration,
    ) -> impl Future<Output = Result<Self::Changes, CallError>> + Send;
}
