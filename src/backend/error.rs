//! The driver's errors as the kinds under which failures are counted.

use mongodb::error::{
    BulkWriteError, Error, ErrorKind, InsertManyError, TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT,
    WriteConcernError, WriteFailure,
};

use super::{CallError, CallErrorKind, Remedy};
use crate::words::ErrorName;

/// Codes of a limit of time that the server kept: MaxTimeMSExpired, ExceededTimeLimit.
const TIME_LIMIT_CODES: [i32; 2] = [50, 262];
/// Codes of a server that is going away: ShutdownInProgress, InterruptedAtShutdown.
const SHUTDOWN_CODES: [i32; 2] = [91, 11600];
/// How the driver begins when it refuses to send a document that the server would refuse for its size.
const TOO_LARGE_TO_SEND: &str = "insert document must be within";
/// Characters of a message that are kept.
const MESSAGE_LENGTH: usize = 600;

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        let (kind, message) = read(&error);
        Self { remedy: remedy(&error), ..Self::new(kind, presentable(&message)) }
    }
}

fn remedy(error: &Error) -> Option<Remedy> {
    // Of a commit whose outcome is unknown both may be said: it is to be committed again first.
    if error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT) {
        return Some(Remedy::CommitAgain);
    }
    error.contains_label(TRANSIENT_TRANSACTION_ERROR).then_some(Remedy::BeginAnew)
}

/// The kind of an error, and what it says.
fn read(error: &Error) -> (CallErrorKind, String) {
    match &*error.kind {
        ErrorKind::Command(error) => (of_code(error.code, &error.code_name), error.message.clone()),
        ErrorKind::Write(WriteFailure::WriteError(error)) => {
            (of_code(error.code, error.code_name.as_deref().unwrap_or_default()), error.message.clone())
        }
        ErrorKind::Write(WriteFailure::WriteConcernError(error)) => {
            (of_code(error.code, &error.code_name), format!("write concern: {}", error.message))
        }
        ErrorKind::InsertMany(errors) => of_inserts(errors),
        ErrorKind::BulkWrite(errors) => of_bulk_write(errors, cause(error)),
        ErrorKind::InvalidArgument { message, .. } if message.starts_with(TOO_LARGE_TO_SEND) => {
            (CallErrorKind::Named(ErrorName::DocumentTooLarge), message.clone())
        }
        ErrorKind::Authentication { message, .. } => {
            (CallErrorKind::Server { code: 18, name: "AuthenticationFailed".to_owned() }, message.clone())
        }
        ErrorKind::Io(_)
        | ErrorKind::ConnectionPoolCleared { .. }
        | ErrorKind::ServerSelection { .. }
        | ErrorKind::DnsResolve { .. }
        | ErrorKind::Shutdown => (CallErrorKind::Connection, error.kind.to_string()),
        other => (CallErrorKind::Driver, other.to_string()),
    }
}

/// The error behind another.
fn cause(error: &Error) -> Option<&Error> {
    let source = std::error::Error::source(error)?;
    source.downcast_ref::<Error>().or_else(|| source.downcast_ref::<Box<Error>>().map(Box::as_ref))
}

/// The kind of a list of inserts.
fn of_inserts(errors: &InsertManyError) -> (CallErrorKind, String) {
    let write_errors = errors.write_errors.as_deref().unwrap_or_default();
    let write_errors = write_errors.iter().map(|error| (error.code, error.code_name.as_deref(), &*error.message));
    of_several(errors.write_concern_error.as_ref(), write_errors.collect())
}

/// The kind of a bulk write, in which more than single writes may have failed.
fn of_bulk_write(errors: &BulkWriteError, source: Option<&Error>) -> (CallErrorKind, String) {
    if let Some(source) = source {
        return read(source);
    }
    let mut write_errors: Vec<_> = errors.write_errors.iter().collect();
    write_errors.sort_by_key(|(place, _)| **place);
    let write_errors =
        write_errors.into_iter().map(|(_, error)| (error.code, error.code_name.as_deref(), &*error.message));
    of_several(errors.write_concern_errors.first(), write_errors.collect())
}

/// The kind of several errors: a write concern error outweighs write errors, and one that no scenario can expect
/// outweighs one that it can.
fn of_several(
    write_concern: Option<&WriteConcernError>,
    write_errors: Vec<(i32, Option<&str>, &str)>,
) -> (CallErrorKind, String) {
    if let Some(error) = write_concern {
        return (of_code(error.code, &error.code_name), format!("write concern: {}", error.message));
    }
    let kinds = write_errors.iter().map(|(code, name, message)| (of_code(*code, name.unwrap_or_default()), message));
    let Some((kind, message)) = kinds.min_by_key(|(kind, _)| matches!(kind, CallErrorKind::Named(_))) else {
        return (CallErrorKind::Driver, "a write failed without saying why".to_owned());
    };
    let message = match write_errors.len() {
        1 => (*message).to_owned(),
        several => format!("{message} (and {} more)", several - 1),
    };
    (kind, message)
}

/// The kind of a server error.
fn of_code(code: i32, name: &str) -> CallErrorKind {
    match ErrorName::from_code(code) {
        Some(name) => CallErrorKind::Named(name),
        None if TIME_LIMIT_CODES.contains(&code) => CallErrorKind::Timeout,
        None if SHUTDOWN_CODES.contains(&code) => CallErrorKind::Connection,
        None if name.is_empty() => CallErrorKind::Server { code, name: format!("Error{code}") },
        None => CallErrorKind::Server { code, name: name.to_owned() },
    }
}

/// A message that may be shown: on one line, of bounded length, without any connection string.
fn presentable(message: &str) -> String {
    let mut line = String::new();
    for (index, word) in message.split_whitespace().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        match word.find("mongodb://").or_else(|| word.find("mongodb+srv://")) {
            Some(start) => {
                line.push_str(&word[..start]);
                line.push_str("<connection string>");
            }
            None => line.push_str(word),
        }
    }
    match line.char_indices().nth(MESSAGE_LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_names_where_a_scenario_can_expect_them() {
        assert_eq!(of_code(11000, "DuplicateKey"), CallErrorKind::Named(ErrorName::DuplicateKey));
        assert_eq!(of_code(17419, ""), CallErrorKind::Named(ErrorName::DocumentTooLarge));
        assert_eq!(of_code(50, "MaxTimeMSExpired"), CallErrorKind::Timeout);
        assert_eq!(of_code(91, "ShutdownInProgress"), CallErrorKind::Connection);
        assert_eq!(of_code(2, "BadValue"), CallErrorKind::Server { code: 2, name: "BadValue".to_owned() });
        assert_eq!(of_code(40324, ""), CallErrorKind::Server { code: 40324, name: "Error40324".to_owned() });
    }

    #[test]
    fn no_message_shows_a_connection_string() {
        let shown =
            presentable("cannot use\n \"mongodb://user:pa%40ss@host:1/db?tls=true\" or mongodb+srv://u:p@h now");
        assert_eq!(shown, "cannot use \"<connection string> or <connection string> now");
        assert_eq!(presentable(&"é".repeat(700)).chars().count(), MESSAGE_LENGTH + 1);
    }

    #[test]
    fn a_broken_connection_is_told_from_other_failures() {
        let broken = CallError::from(Error::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset)));
        assert_eq!(broken.kind, CallErrorKind::Connection);
        let other = CallError::from(Error::custom("anything"));
        assert_eq!(other.kind, CallErrorKind::Driver);
    }
}
