//! Client options: what every client of patternbench has in common.

use std::time::Duration;

use bson::Document;
use mongodb::Client;
use mongodb::error::{Error, ErrorKind};
use mongodb::options::{
    Acknowledgment, ClientOptions, ReadConcern, ReadPreference, SelectionCriteria, ServerAddress, ServerMonitoringMode,
    WriteConcern,
};
use tokio::time::timeout;

use super::error::ServerError;
use super::secret::SecretUri;

/// How long finding a suitable server may take.
const SELECTION_LIMIT: Duration = Duration::from_secs(5);
/// How long opening a connection may take; together with the selection it stays below ten seconds.
const CONNECT_LIMIT: Duration = Duration::from_secs(4);
/// How long one administrative command may take.
pub(super) const COMMAND_LIMIT: Duration = Duration::from_secs(9);
/// The name under which patternbench's connections show on a server.
pub const APP_NAME: &str = "patternbench";

/// Client options from a connection string, and what of it is not followed.
pub(super) async fn options_of(uri: &SecretUri) -> Result<(ClientOptions, Vec<String>), ServerError> {
    // Resolving `mongodb+srv` asks the name server.
    let parsed = timeout(COMMAND_LIMIT, ClientOptions::parse(uri.reveal())).await;
    let mut options = match parsed {
        Ok(Ok(options)) => options,
        Ok(Err(error)) => return Err(refused(uri, &error)),
        Err(_) => return Err(unreachable(uri, "its name was not resolved in time")),
    };
    refuse_unfit(uri, &options)?;
    let ignored = ignored(&options);
    make_fit(&mut options);
    Ok((options, ignored))
}

/// Client options for a server that patternbench started.
pub(super) fn options_of_ours(address: &str) -> Result<ClientOptions, ServerError> {
    let host = ServerAddress::parse(address).map_err(|error| ServerError::Command {
        what: "find the address of the server".into(),
        host: address.into(),
        message: error.to_string(),
    })?;
    let mut options = ClientOptions::builder().hosts(vec![host]).direct_connection(true).build();
    make_fit(&mut options);
    Ok(options)
}

fn make_fit(options: &mut ClientOptions) {
    options.app_name = Some(APP_NAME.to_owned());
    options.server_selection_timeout = Some(SELECTION_LIMIT);
    options.connect_timeout = Some(options.connect_timeout.map_or(CONNECT_LIMIT, |given| given.min(CONNECT_LIMIT)));
    options.read_concern = Some(ReadConcern::local());
    options.write_concern = Some(WriteConcern::majority());
    options.selection_criteria = Some(SelectionCriteria::ReadPreference(ReadPreference::Primary));
    options.retry_reads.get_or_insert(true);
    options.retry_writes.get_or_insert(true);
}

/// Refuses what would make a measurement say something else than it seems to.
fn refuse_unfit(uri: &SecretUri, options: &ClientOptions) -> Result<(), ServerError> {
    let unfit = |what: &str, remedy: &str| {
        Err(ServerError::UnfitUri { uri: uri.to_string(), what: what.into(), remedy: remedy.into() })
    };
    if let Some(concern) = &options.write_concern
        && concern.w == Some(Acknowledgment::Nodes(0))
    {
        return unfit("w=0 leaves writes unacknowledged, so none could be timed", "leave w out");
    }
    match &options.selection_criteria {
        None | Some(SelectionCriteria::ReadPreference(ReadPreference::Primary)) => Ok(()),
        Some(_) => {
            unfit("a read preference other than primary reads data that may be stale", "leave readPreference out")
        }
    }
}

/// What the connection string asks for and does not get.
fn ignored(options: &ClientOptions) -> Vec<String> {
    let mut ignored = Vec::new();
    if options.write_concern.as_ref().is_some_and(|concern| *concern != WriteConcern::majority()) {
        ignored
            .push("the connection string's write concern is not used: writes are measured with w=majority".to_owned());
    }
    if options.read_concern.as_ref().is_some_and(|concern| *concern != ReadConcern::local()) {
        ignored.push("the connection string's read concern is not used: reads are measured with local".to_owned());
    }
    if options.max_pool_size.is_some() || options.min_pool_size.is_some() {
        ignored
            .push("the connection string's pool sizes are not used: the pool has one connection per worker".to_owned());
    }
    ignored
}

/// A client for administrative commands: one connection, and one more that watches the server. Polled, so that the
/// number of its connections is known.
pub(super) fn admin_client(options: &ClientOptions, uri: Option<&SecretUri>) -> Result<Client, ServerError> {
    let mut options = options.clone();
    options.max_pool_size = Some(1);
    options.min_pool_size = None;
    options.server_monitoring_mode = Some(ServerMonitoringMode::Poll);
    client_of(options, uri)
}

/// Connections per server that an [`admin_client`] holds once it was used.
pub(super) const ADMIN_CONNECTIONS: u64 = 2;

/// A client with these options.
pub(super) fn client_of(options: ClientOptions, uri: Option<&SecretUri>) -> Result<Client, ServerError> {
    Client::with_options(options).map_err(|error| match uri {
        Some(uri) => refused(uri, &error),
        None => {
            ServerError::Command { what: "make a client".into(), host: "127.0.0.1".into(), message: in_brief(&error) }
        }
    })
}

/// `host:port` of the first host.
pub(super) fn host_of(options: &ClientOptions) -> String {
    options.hosts.first().map(ToString::to_string).unwrap_or_default()
}

/// Why an administrative command gave no answer.
#[derive(Debug, Clone)]
pub(super) enum AskFailure {
    /// The driver's or the server's error.
    Error(Error),
    /// No answer in time.
    Late,
}

/// Runs a command on the `admin` database, within bounded time.
pub(super) async fn ask(client: &Client, command: Document) -> Result<Document, AskFailure> {
    match timeout(COMMAND_LIMIT, client.database("admin").run_command(command)).await {
        Ok(answer) => answer.map_err(AskFailure::Error),
        Err(_) => Err(AskFailure::Late),
    }
}

impl AskFailure {
    /// Whether the user may not do that.
    pub(super) fn is_forbidden(&self) -> bool {
        matches!(self, Self::Error(error) if command_code(error) == Some(13))
    }

    /// Whether the server answered with an error, rather than not at all.
    pub(super) fn is_of_the_command(&self) -> bool {
        matches!(self, Self::Error(error) if command_code(error).is_some())
    }

    /// The failure as an error of this room; `what` completes "failed to …".
    pub(super) fn into_error(self, what: &str, host: &str, uri: Option<&SecretUri>) -> ServerError {
        let redact = |text: String| uri.map_or(text.clone(), |uri| uri.redact(&text));
        let shown = uri.map_or_else(|| host.to_owned(), ToString::to_string);
        let error = match self {
            Self::Late => {
                let message = format!("no answer within {} s", COMMAND_LIMIT.as_secs());
                return ServerError::Unreachable { uri: shown, message };
            }
            Self::Error(error) => error,
        };
        let message = redact(in_brief(&error));
        match error.kind.as_ref() {
            ErrorKind::ServerSelection { .. }
            | ErrorKind::Io(_)
            | ErrorKind::ConnectionPoolCleared { .. }
            | ErrorKind::DnsResolve { .. }
            | ErrorKind::InvalidTlsConfig { .. } => ServerError::Unreachable { uri: shown, message },
            ErrorKind::Authentication { .. } => ServerError::Authentication { uri: shown, message },
            _ if command_code(&error) == Some(18) => ServerError::Authentication { uri: shown, message },
            _ => ServerError::Command { what: what.into(), host: host.into(), message },
        }
    }
}

fn command_code(error: &Error) -> Option<i32> {
    match error.kind.as_ref() {
        ErrorKind::Command(command) => Some(command.code),
        _ => None,
    }
}

fn unreachable(uri: &SecretUri, message: &str) -> ServerError {
    ServerError::Unreachable { uri: uri.to_string(), message: message.to_owned() }
}

fn refused(uri: &SecretUri, error: &Error) -> ServerError {
    let message = uri.redact(&in_brief(error));
    match error.kind.as_ref() {
        ErrorKind::DnsResolve { .. } => unreachable(uri, &message),
        _ => ServerError::UriRefusedByDriver { uri: uri.to_string(), message },
    }
}

/// What the driver says, without its bookkeeping. A failed server
/// selection names the cause at each server, once.
pub fn in_brief(error: &Error) -> String {
    match error.kind.as_ref() {
        ErrorKind::ServerSelection { message, .. } => selection_in_brief(message),
        ErrorKind::Command(command) => format!("{} ({})", command.message, command.code_name),
        ErrorKind::Io(error) => plain_io(&error.to_string()),
        kind => kind.to_string(),
    }
}

fn selection_in_brief(message: &str) -> String {
    let mut causes: Vec<String> = message
        .split("Error: Kind: ")
        .skip(1)
        .filter_map(|rest| rest.split(", labels").next())
        .map(|cause| plain_io(cause.strip_prefix("I/O error: ").unwrap_or(cause)))
        .collect();
    causes.dedup();
    if causes.is_empty() { message.to_owned() } else { causes.join("; ") }
}

/// `Connection refused (os error 111)` → `connection refused`.
fn plain_io(text: &str) -> String {
    let text = text.split(" (os error").next().unwrap_or(text);
    let mut characters = text.chars();
    match (characters.next(), characters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(characters).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn options(uri: &str) -> Result<(ClientOptions, Vec<String>), ServerError> {
        options_of(&SecretUri::parse(uri).unwrap()).await
    }

    #[tokio::test]
    async fn concerns_limits_and_name_are_set_whatever_the_connection_string_says() {
        let (options, ignored) =
            options("mongodb://h/?w=1&readConcernLevel=majority&appName=x&maxPoolSize=7").await.unwrap();
        assert_eq!(options.write_concern, Some(WriteConcern::majority()));
        assert_eq!(options.read_concern, Some(ReadConcern::local()));
        assert_eq!(options.app_name.as_deref(), Some("patternbench"));
        assert_eq!(options.server_selection_timeout, Some(Duration::from_secs(5)));
        assert!(options.connect_timeout.unwrap() + options.server_selection_timeout.unwrap() < Duration::from_secs(10));
        assert_eq!(ignored.len(), 3, "what is not followed is told: {ignored:?}");
    }

    #[tokio::test]
    async fn retries_are_on_unless_the_connection_string_turns_them_off() {
        let (default, ignored) = options("mongodb://h").await.unwrap();
        assert_eq!((default.retry_reads, default.retry_writes), (Some(true), Some(true)));
        assert!(ignored.is_empty());
        let (off, _) = options("mongodb://h/?retryReads=false&retryWrites=false").await.unwrap();
        assert_eq!((off.retry_reads, off.retry_writes), (Some(false), Some(false)));
    }

    #[tokio::test]
    async fn unacknowledged_writes_and_stale_reads_are_refused() {
        for (uri, word) in [
            ("mongodb://u:sesame@h/?w=0", "w=0"),
            ("mongodb://u:sesame@h/?readPreference=secondary", "read preference"),
            ("mongodb://u:sesame@h/?readPreference=primaryPreferred", "read preference"),
        ] {
            let error = options(uri).await.unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(matches!(error, ServerError::UnfitUri { .. }), "{text}");
            assert!(text.contains(word) && !text.contains("sesame"), "{text}");
        }
    }

    #[tokio::test]
    async fn what_the_driver_refuses_is_told_without_the_secret() {
        let error = options("mongodb://u:sesame@h/?tlsCertificateKeyFile=/nowhere&tls=maybe").await.unwrap_err();
        assert!(error.is_usage(), "{error}");
        assert!(!format!("{error} {error:?}").contains("sesame"), "{error:?}");
    }

    #[test]
    fn a_failed_selection_is_told_by_its_cause() {
        let message = "Server selection timeout: No available servers. Topology: { Type: Unknown, Servers: [ { Address: \
                       localhost:1, Type: Unknown, Error: Kind: I/O error: Connection refused (os error 111), labels: {} }, \
                       { Address: localhost:2, Type: Unknown, Error: Kind: I/O error: Connection refused (os error 111), \
                       labels: {} } ] }";
        assert_eq!(selection_in_brief(message), "connection refused");
        assert_eq!(selection_in_brief("no servers"), "no servers");
    }
}
