//! The run as a whole: program, server, machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scenario::ScenarioRecord;
use crate::units::{Bytes, Micros};
use crate::words::{Product, Profile, ServerSource, Topology};

/// The version of the layout that this program writes.
pub const SCHEMA: &str = "patternbench.run/1";

/// One run: everything that is shown is made from this alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// The layout's version: [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Whether everything that was planned was measured.
    pub complete: bool,
    /// When the run began, RFC 3339 in UTC.
    pub started_at: String,
    /// When it ended; absent while it runs.
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
    /// One entry per scenario and workload, in the order measured.
    pub scenarios: Vec<ScenarioRecord>,
}

/// The program that wrote a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its version.
    pub version: String,
}

/// The server measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Server {
    /// Where it came from.
    pub source: ServerSource,
    /// What it is, told by what it cannot fake.
    pub product: Product,
    /// The product's own version.
    pub version: String,
    /// The shape of the deployment.
    pub topology: Topology,
    /// The storage engine, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_engine: Option<String>,
    /// `host:port`, without credentials.
    pub host: String,
    /// Flags that patternbench started it with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// Cache size, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<Bytes>,
    /// Read concern set.
    pub read_concern: String,
    /// Write concern set.
    pub write_concern: String,
    /// Whether the driver retries reads and writes.
    pub retries: Retries,
    /// Round trip of an empty command before the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt: Option<RoundTrip>,
}

/// Whether the driver retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retries {
    /// Reads.
    pub reads: bool,
    /// Writes.
    pub writes: bool,
}

/// Round trip to the server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundTrip {
    /// Median.
    pub p50: Micros,
    /// 95th percentile.
    pub p95: Micros,
}

/// The machine that generated the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Client {
    /// Operating system and version.
    pub os: String,
    /// Processor model.
    pub cpu: String,
    /// Cores that may be used.
    pub cores: u32,
    /// Memory.
    pub memory_bytes: Bytes,
}
