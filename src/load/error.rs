//! Why loading stopped.

use super::cause::Cause;
use crate::value::RenderError;

/// Why loading stopped. Nothing is measured after any of these.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The dataset has no set of that name.
    #[error("failed to load set `{set}`: the dataset has no such set")]
    UnknownSet {
        /// The set.
        set: String,
    },
    /// A row could not be made.
    #[error("failed to make row {row} of set `{set}`: {cause}")]
    Row {
        /// The set.
        set: String,
        /// The row, from 0.
        row: u64,
        /// Why.
        cause: RenderError,
    },
    /// The server refused a row.
    #[error("failed to load row {row} of set `{set}` (_id {id}): {cause}{}", and_others(*.others))]
    RejectedRow {
        /// The set.
        set: String,
        /// The row, from 0.
        row: u64,
        /// Its `_id`, as relaxed Extended JSON.
        id: String,
        /// How many more rows of the same batch were refused.
        others: usize,
        /// Why.
        cause: Box<Cause>,
    },
    /// The server refused a document of a model: a duplicate key, a validator.
    #[error(
        "failed to load the document with _id {id} into collection `{collection}`: {cause}{}", and_others(*.others)
    )]
    RejectedDocument {
        /// The collection.
        collection: String,
        /// The document's `_id`, as relaxed Extended JSON.
        id: String,
        /// How many more documents of the same batch were refused.
        others: usize,
        /// Why.
        cause: Box<Cause>,
    },
    /// A pipeline builds a document that the server cannot hold, in the end or between two stages.
    #[error(transparent)]
    Oversize(Box<Oversize>),
    /// A collection's `options` or `pipeline` do not have the form that the server needs.
    #[error("failed to prepare collection `{collection}`: {problem}")]
    Definition {
        /// The collection.
        collection: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The collection does not hold what was written to it.
    #[error("failed to load `{collection}`: {expected} documents were to be there, the server counts {found}")]
    Miscount {
        /// The collection, or the set.
        collection: String,
        /// Documents written, or rows of the set.
        expected: u64,
        /// Documents counted.
        found: u64,
    },
    /// The server refused a request as a whole.
    #[error("failed {doing}: {cause}")]
    Refused {
        /// What was going on (`creating collection x`).
        doing: String,
        /// Why.
        cause: Box<Cause>,
    },
    /// The server does not have what a collection or index of the model asks for: the model cannot be measured on it.
    #[error("this server does not support it: failed {doing}: {cause}")]
    Unsupported {
        /// What was going on.
        doing: String,
        /// Why.
        cause: Box<Cause>,
    },
    /// The server is gone.
    #[error("lost the server while {doing}: {cause}; nothing was measured: start the server again and repeat the run")]
    Lost {
        /// What was going on.
        doing: String,
        /// Why.
        cause: Box<Cause>,
    },
    /// The server did not answer.
    #[error("no answer within {seconds} s while {doing}; is the server overloaded, or is its disk full?")]
    NoAnswer {
        /// What was going on.
        doing: String,
        /// How long was waited.
        seconds: u64,
    },
}

impl LoadError {
    /// A request that failed as a whole.
    pub(super) fn request(doing: String, cause: Cause) -> Self {
        let (lost, cause) = (cause.lost, Box::new(cause));
        if lost { Self::Lost { doing, cause } } else { Self::Refused { doing, cause } }
    }

    /// The same where a collection or an index was being made: some refusals then say that this server does not have what
    /// was asked for.
    pub(super) fn while_making(self) -> Self {
        match self {
            Self::Refused { doing, cause } if cause.is_not_supported() => Self::Unsupported { doing, cause },
            other => other,
        }
    }

    /// Whether the server is gone or silent, so that nothing else can be tried on it.
    pub const fn is_server_lost(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::NoAnswer { .. })
    }

    /// The server's error code, if it gave one.
    pub const fn code(&self) -> Option<i32> {
        match self {
            Self::RejectedRow { cause, .. }
            | Self::RejectedDocument { cause, .. }
            | Self::Refused { cause, .. }
            | Self::Unsupported { cause, .. }
            | Self::Lost { cause, .. } => cause.code,
            Self::Oversize(oversize) => oversize.cause.code,
            _ => None,
        }
    }
}

/// A document over 16 MiB that a pipeline builds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "failed to build collection `{collection}`: {} a document over 16 MiB{}: {cause}; build smaller documents, or lower \
     the parameter that makes this one grow",
    stage.as_ref().map_or_else(|| "its pipeline builds".to_owned(), |stage| format!("{stage} builds")),
    key.as_ref().map_or_else(String::new, |key| format!(" from {key}"))
)]
pub struct Oversize {
    /// The collection.
    pub collection: String,
    /// The stage after which the document is too large, where it could be found.
    pub stage: Option<StagePlace>,
    /// Which documents it is built from (`_id 33 of set "products"`), where that could be found.
    pub key: Option<String>,
    /// What the server said.
    pub cause: Cause,
}

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagePlace {
    /// Its place in the pipeline, from 0.
    pub index: usize,
    /// How many stages there are.
    pub of: usize,
    /// Its operator (`$lookup`).
    pub operator: String,
}

impl std::fmt::Display for StagePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stage {} of {} (`{}`)", self.index + 1, self.of, self.operator)
    }
}

fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " (and 1 more of the same batch)".to_owned(),
        others => format!(" (and {others} more of the same batch)"),
    }
}
