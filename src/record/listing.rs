//! The runs of a results folder, listed by the first lines of their records.
//!
//! The header of a record stands before its measurements, and reading stops where these begin: hundreds of runs list in
//! a moment, however long they are.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::RecordError;
use super::file::RUN_FILE;
use super::types::{Client, SCHEMA, Server, Tool};
use crate::words::{Profile, ServerSource};

/// Where the measurements of a record begin.
const MEASUREMENTS: &str = "scenarios";

/// What the record of a run says before its measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The layout's version.
    pub schema: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Whether everything that was planned was measured.
    pub complete: bool,
    /// When the run began, RFC 3339 in UTC.
    pub started_at: String,
    /// When it ended; absent while it runs, and where it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The user's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The profile.
    pub profile: Profile,
    /// The server measured.
    pub server: Server,
    /// The machine that generated the load.
    pub client: Client,
}

impl RunHeader {
    /// Reads the header of a record; `path` is the file or the run's folder.
    ///
    /// # Errors
    /// When the file cannot be read, is no record, or has a layout that this version does not know.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let path = if path.is_dir() { path.join(RUN_FILE) } else { path.to_owned() };
        let file = File::open(&path).map_err(|source| RecordError::Read { path: path.clone(), source })?;
        let mut fields = Fields::default();
        let read = serde_json::Deserializer::from_reader(BufReader::new(file)).deserialize_map(&mut fields);
        match read {
            Err(source) if !fields.ended => return Err(RecordError::Malformed { path, source }),
            _ => {}
        }
        let schema = fields.of.get("schema").and_then(Value::as_str);
        if let Some(found) = schema.filter(|schema| *schema != SCHEMA) {
            let tool = fields.of.get("tool").and_then(|tool| tool.get("version")).and_then(Value::as_str);
            return Err(RecordError::Schema { path, found: found.to_owned(), tool: tool.map(str::to_owned) });
        }
        serde_json::from_value(Value::Object(fields.of)).map_err(|source| RecordError::Malformed { path, source })
    }

    /// Whether a run was made as another one was, so that its figures belong beside the other's: on the same version of
    /// the same product, on the same group of hosts, under the same profile.
    pub fn is_like(&self, other: &Self) -> bool {
        let place = |header: &Self| (header.server.product, header.profile);
        place(self) == place(other)
            && self.server.version == other.server.version
            && host_group(&self.server) == host_group(&other.server)
    }
}

/// The hosts that count as one: all servers that patternbench starts on this machine, whatever their ports; else the
/// host as the connection string names it, without port.
pub fn host_group(server: &Server) -> String {
    match server.source {
        ServerSource::Mongod | ServerSource::Embedded => "this machine".to_owned(),
        ServerSource::Simulated => "none".to_owned(),
        ServerSource::Uri => match server.host.rsplit_once(':') {
            Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => host.to_owned(),
            _ => server.host.clone(),
        },
    }
}

/// The fields of a record up to its measurements. They are kept aside, since a reader that stops in the middle of a map
/// has no value to give.
#[derive(Default)]
struct Fields {
    of: Map<String, Value>,
    /// Whether the measurements were reached.
    ended: bool,
}

impl<'de> Visitor<'de> for &mut Fields {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the record of a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == MEASUREMENTS {
                self.ended = true;
                return Ok(());
            }
            let value = map.next_value()?;
            self.of.insert(key, value);
        }
        Ok(())
    }
}

/// A run in a results folder.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedRun {
    /// Its folder.
    pub folder: PathBuf,
    /// What its record says of it.
    pub header: RunHeader,
}

impl ListedRun {
    /// The folder's name.
    pub fn name(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The runs of a results folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// From the oldest to the newest.
    pub runs: Vec<ListedRun>,
    /// Why records in it could not be read.
    pub unreadable: Vec<RecordError>,
}

/// Lists a results folder. Links are not followed.
///
/// # Errors
/// When the folder cannot be read. A record in it that cannot be is told in the list.
pub fn list_runs(results: &Path) -> Result<Listing, RecordError> {
    let failed = |source| RecordError::Read { path: results.to_owned(), source };
    let mut listing = Listing::default();
    for entry in std::fs::read_dir(results).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if hidden || !entry.file_type().is_ok_and(|kind| kind.is_dir()) || !entry.path().join(RUN_FILE).is_file() {
            continue;
        }
        match RunHeader::read(&entry.path()) {
            Ok(header) => listing.runs.push(ListedRun { folder: entry.path(), header }),
            Err(error) => listing.unreadable.push(error),
        }
    }
    listing
        .runs
        .sort_by(|left, right| (&left.header.started_at, &left.folder).cmp(&(&right.header.started_at, &right.folder)));
    listing.unreadable.sort_by_key(ToString::to_string);
    Ok(listing)
}
