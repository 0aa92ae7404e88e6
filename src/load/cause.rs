//! What server or driver said, in its own words and without the driver's wrapping.

use mongodb::error::{Error, ErrorKind, WriteFailure};

/// Codes by which a server says that it is going away or is no longer the primary.
const GOING_AWAY: [i32; 9] = [91, 189, 11600, 11602, 10107, 13435, 13436, 10058, 89];

/// Codes by which servers say that a document, perhaps one between two stages, is too large.
///
/// 10334 and 17419: a BSON document over 16 MiB; 4568: what one `$lookup` found; 4031700: what `$facet` built; 13548: a
/// buffer.
const TOO_LARGE: [i32; 5] = [10334, 17419, 4568, 4031700, 13548];
/// The code by which servers say that a stage needs more memory than it may have: an array that grows without end, or a
/// stage that cannot spill.
const MEMORY_LIMIT: i32 = 146;
/// Codes by which servers say, while a collection or an index is made, that they do not have what is asked for: the one
/// list of them. Anything else is an error.
///
/// 59 CommandNotFound; 67 CannotCreateIndex (an unknown kind of index, or one more than a collection may have); 72
/// InvalidOptions; 85 IndexOptionsConflict (an index that differs from another by an option that this server does not tell
/// apart); 115 CommandNotSupported; 197 InvalidIndexSpecificationOption; 238 NotImplemented; 20 IllegalOperation (what a
/// standalone server cannot do); 40415 and 40414 (a field of the command that it does not know, or misses).
const NOT_SUPPORTED: [i32; 10] = [20, 59, 67, 72, 85, 115, 197, 238, 40414, 40415];
/// Longest message that is passed on, in characters: servers quote whole documents.
const LONGEST_MESSAGE: usize = 1_000;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Cause {
    /// What was said. It holds no credentials: the driver keeps them out of its messages.
    pub message: String,
    /// The server's error code, if the server answered.
    pub code: Option<i32>,
    /// Whether the connection broke or no server could be found.
    pub lost: bool,
}

impl Cause {
    /// Something that neither server nor driver said.
    pub(super) fn own(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: None, lost: false }
    }

    /// What the server said of one document.
    pub(super) fn of_document(message: &str, code: i32) -> Self {
        Self { message: shortened(message), code: Some(code), lost: false }
    }

    /// Whether it says that the server does not have what was asked for.
    pub(super) fn is_not_supported(&self) -> bool {
        self.code.is_some_and(|code| NOT_SUPPORTED.contains(&code))
    }

    /// Whether it says that a document is too large.
    pub(super) fn is_too_large(&self) -> bool {
        self.code.is_some_and(|code| TOO_LARGE.contains(&code))
    }

    /// Whether a document that is too large may be behind it.
    pub(super) fn may_be_too_large(&self) -> bool {
        self.is_too_large() || self.code == Some(MEMORY_LIMIT)
    }
}

impl From<&Error> for Cause {
    fn from(error: &Error) -> Self {
        let (message, code) = match error.kind.as_ref() {
            ErrorKind::Command(command) => {
                let name = if command.code_name.is_empty() { "error" } else { command.code_name.as_str() };
                (format!("{} ({name}, code {})", command.message, command.code), Some(command.code))
            }
            ErrorKind::Write(WriteFailure::WriteError(write)) => (write.message.clone(), Some(write.code)),
            ErrorKind::Write(WriteFailure::WriteConcernError(concern)) => (concern.message.clone(), Some(concern.code)),
            ErrorKind::InsertMany(insert) => match &insert.write_concern_error {
                Some(concern) => {
                    (format!("write concern not satisfied: {} (code {})", concern.message, concern.code), None)
                }
                None => ("the server refused documents without saying which".to_owned(), None),
            },
            kind => (kind.to_string(), None),
        };
        let lost = match error.kind.as_ref() {
            ErrorKind::Io(_)
            | ErrorKind::ConnectionPoolCleared { .. }
            | ErrorKind::ServerSelection { .. }
            | ErrorKind::DnsResolve { .. }
            | ErrorKind::Shutdown => true,
            _ => code.is_some_and(|code| GOING_AWAY.contains(&code)),
        };
        Self { message: shortened(&message), code, lost }
    }
}

impl From<Error> for Cause {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

fn shortened(message: &str) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_quotes_a_whole_document_is_cut() {
        let long = Cause::of_document(&"é".repeat(5_000), 121);
        assert_eq!(long.message.chars().count(), LONGEST_MESSAGE + 1);
        assert_eq!(Cause::of_document("short", 121).message, "short");
    }

    #[test]
    fn a_broken_connection_is_a_loss_and_a_refused_document_is_none() {
        let broken = Error::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
        assert!(Cause::from(broken).lost);
        let refused = Error::from(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
        assert!(Cause::from(refused).lost);
        assert!(!Cause::own("too long").lost);
        assert!(!Cause::of_document("duplicate key", 11000).lost);
    }
}
