//! What a server is, told by what it cannot fake, and who else uses it.

use std::time::Duration;

use bson::{Bson, Document, doc};
use mongodb::Client;
use tokio::time::Instant;

use super::connect::{ADMIN_CONNECTIONS, APP_NAME, AskFailure, ask};
use super::secantusd;
use crate::record::RoundTrip;
use crate::units::{Bytes, Micros};
use crate::words::{Product, ServerSource, Topology};

/// The beginning of every database that is patternbench's.
pub const DATABASE_PREFIX: &str = "patternbench_";
/// Databases that a server keeps for itself.
const SYSTEM_DATABASES: [&str; 3] = ["admin", "local", "config"];
/// Pings in a measurement of the round trip.
const PINGS: usize = 200;
/// After so long the round trip is measured well enough.
const PING_LIMIT: Duration = Duration::from_secs(5);
/// Connections of a program that has just ended may linger; they are counted again for so long.
const LINGER: Duration = Duration::from_millis(1500);

/// What a server lets us see of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visible<T> {
    /// This.
    Seen(T),
    /// The user may not see it.
    NotPermitted,
    /// This product does not tell.
    NotTold,
}

impl<T> Visible<T> {
    /// What was seen.
    pub fn seen(&self) -> Option<&T> {
        match self {
            Self::Seen(seen) => Some(seen),
            Self::NotPermitted | Self::NotTold => None,
        }
    }

    /// The same with what was seen turned into something else.
    pub fn map<U>(&self, turn: impl FnOnce(&T) -> U) -> Visible<U> {
        match self {
            Self::Seen(seen) => Visible::Seen(turn(seen)),
            Self::NotPermitted => Visible::NotPermitted,
            Self::NotTold => Visible::NotTold,
        }
    }
}

impl<T: std::fmt::Display> std::fmt::Display for Visible<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Seen(seen) => seen.fmt(f),
            Self::NotPermitted => f.write_str("n/a (not permitted)"),
            Self::NotTold => f.write_str("n/a (not told by this server)"),
        }
    }
}

/// What a server is and who else uses it.
#[derive(Debug, Clone)]
pub struct ServerFacts {
    /// Where it comes from.
    pub source: ServerSource,
    /// The product, told by what it cannot fake.
    pub product: Product,
    /// The product's own version; of an unknown product also its name, where it tells one.
    pub version: String,
    /// The shape of the deployment.
    pub topology: Topology,
    /// The newest version of the wire protocol that it speaks, as it says: 25 is that of server 8.0.
    pub wire_version: i32,
    /// The storage engine, as it says.
    pub storage_engine: Option<String>,
    /// `host:port` of the server that answered.
    pub host: String,
    /// Hosts as the connection string names them, in lower case; for `mongodb+srv` its one name.
    pub named_hosts: Vec<String>,
    /// Whether the connection string is `mongodb+srv`.
    pub srv: bool,
    /// Members of the set that load may go to besides the named hosts (`host:port`, in lower case).
    pub members: Vec<String>,
    /// Databases that are neither the server's own nor patternbench's.
    pub foreign_databases: Visible<Vec<String>>,
    /// Connections of clients other than patternbench.
    pub foreign_connections: Visible<u64>,
    /// Flags that patternbench started it with.
    pub parameters: Vec<String>,
    /// Cache size: as the server tells it, else as it was started with.
    pub cache_bytes: Option<Bytes>,
    /// Cache size as the server itself tells it.
    pub told_cache: Option<Bytes>,
    /// Whether the driver retries reads.
    pub retry_reads: bool,
    /// Whether the driver retries writes.
    pub retry_writes: bool,
}

/// What is known of a server before it is asked.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) source: ServerSource,
    pub(super) host: String,
    pub(super) named_hosts: Vec<String>,
    pub(super) srv: bool,
    /// Whether the driver stays with the named host rather than with the set's primary.
    pub(super) direct: bool,
    pub(super) parameters: Vec<String>,
    pub(super) cache_bytes: Option<u64>,
    pub(super) retry_reads: bool,
    pub(super) retry_writes: bool,
}

impl ServerFacts {
    /// Whether models that share the server differ by the order in which they were loaded, so that each must have a server
    /// of its own where a verdict is to be given.
    pub fn models_disturb_each_other(&self) -> bool {
        secantusd::shares_tables(self.product)
    }

    /// Asks the server. `client` is an `admin_client`, and patternbench's only one at this server.
    pub(super) async fn gather(client: &Client, known: Known) -> Result<Self, AskFailure> {
        let hello = ask(client, doc! {"hello": 1}).await?;
        let build = ask(client, doc! {"buildInfo": 1}).await?;
        let status = permitted(ask(client, doc! {"serverStatus": 1}).await)?;
        let empty = Document::new();
        let status_seen = status.seen().unwrap_or(&empty);
        let product = product(&hello, &build, status_seen);
        let foreign_databases = foreign_databases(client).await?;
        let told_cache = configured_cache(status_seen);
        let foreign_connections = settled_connections(client, product).await;
        Ok(Self {
            source: known.source,
            product,
            version: version(product, &build),
            topology: topology(&hello),
            wire_version: hello.get_i32("maxWireVersion").unwrap_or_default(),
            storage_engine: storage_engine(status_seen),
            host: hello.get_str("me").map_or(known.host, str::to_owned),
            members: if known.direct || known.srv { Vec::new() } else { members(&hello) },
            named_hosts: known.named_hosts,
            srv: known.srv,
            foreign_databases,
            foreign_connections,
            parameters: known.parameters,
            cache_bytes: told_cache.or(known.cache_bytes).map(Bytes::new),
            told_cache: told_cache.map(Bytes::new),
            retry_reads: known.retry_reads,
            retry_writes: known.retry_writes,
        })
    }

    /// Whether patternbench started it.
    pub fn is_ours(&self) -> bool {
        self.source != ServerSource::Uri
    }

    /// The facts as the record keeps them, with the round trip where it was measured.
    pub fn record(&self, rtt: Option<RoundTrip>) -> crate::record::Server {
        crate::record::Server {
            source: self.source,
            product: self.product,
            version: self.version.clone(),
            topology: self.topology,
            storage_engine: self.storage_engine.clone(),
            host: self.host.clone(),
            parameters: self.parameters.clone(),
            cache_bytes: self.cache_bytes,
            read_concern: "local".to_owned(),
            write_concern: "majority".to_owned(),
            retries: crate::record::Retries { reads: self.retry_reads, writes: self.retry_writes },
            rtt,
        }
    }
}

/// A refusal becomes [`Visible::NotPermitted`], an unknown command [`Visible::NotTold`]; a lost server stays an error.
fn permitted<T>(answer: Result<T, AskFailure>) -> Result<Visible<T>, AskFailure> {
    match answer {
        Ok(answer) => Ok(Visible::Seen(answer)),
        Err(failure) if failure.is_forbidden() => Ok(Visible::NotPermitted),
        Err(failure) if failure.is_of_the_command() => Ok(Visible::NotTold),
        Err(failure) => Err(failure),
    }
}

/// The product: other servers report mongod's version and process, but not its build, and they sign with a field of
/// their own.
fn product(hello: &Document, build: &Document, status: &Document) -> Product {
    if build.contains_key("secantusVersion") || status.contains_key("secantus") {
        return Product::Secantusd;
    }
    if signature(build).is_some() || !has_build_of_mongodb(build) {
        return Product::Other;
    }
    match hello.get_str("msg") {
        Ok("isdbgrid") => Product::Mongos,
        _ => Product::Mongod,
    }
}

/// A field of `buildInfo` by which another product signs.
fn signature(build: &Document) -> Option<(&str, &Bson)> {
    const MARKS: [&str; 6] = ["ferretdb", "documentdb", "cosmos", "psmdb", "datalake", "_t"];
    build
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .find(|(key, _)| MARKS.iter().any(|mark| key.to_lowercase().starts_with(mark)))
}

fn has_build_of_mongodb(build: &Document) -> bool {
    let git = build.get_str("gitVersion").unwrap_or_default();
    git.len() == 40
        && git.bytes().all(|byte| byte.is_ascii_hexdigit())
        && git.bytes().any(|byte| byte != b'0')
        && build.get_array("modules").is_ok()
        && build.get_array("storageEngines").is_ok()
}

fn version(product: Product, build: &Document) -> String {
    let reported = build.get_str("version").unwrap_or("unknown").to_owned();
    match (product, signature(build)) {
        (Product::Secantusd, _) => build.get_str("secantusVersion").unwrap_or("unknown").to_owned(),
        (Product::Other, Some((key, Bson::String(value)))) => format!("{reported} ({key} {value})"),
        (Product::Other, Some((key, _))) => format!("{reported} ({key})"),
        _ => reported,
    }
}

fn topology(hello: &Document) -> Topology {
    if hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid") {
        Topology::Sharded
    } else if hello.contains_key("setName") {
        Topology::ReplicaSet
    } else {
        Topology::Standalone
    }
}

fn storage_engine(status: &Document) -> Option<String> {
    status.get_document("storageEngine").ok()?.get_str("name").ok().map(str::to_owned)
}

pub(super) fn configured_cache(status: &Document) -> Option<u64> {
    let cache = status.get_document("wiredTiger").ok()?.get_document("cache").ok()?;
    whole(cache.get("maximum bytes configured")?)
}

fn members(hello: &Document) -> Vec<String> {
    ["hosts", "passives"]
        .iter()
        .filter_map(|key| hello.get_array(key).ok())
        .flatten()
        .filter_map(Bson::as_str)
        .map(str::to_lowercase)
        .collect()
}

async fn foreign_databases(client: &Client) -> Result<Visible<Vec<String>>, AskFailure> {
    // Without `authorizedDatabases: false` a user of few rights would be told of few databases, as if there were no more.
    let command = doc! {"listDatabases": 1, "nameOnly": true, "authorizedDatabases": false};
    let answer = match permitted(ask(client, command).await)? {
        Visible::Seen(answer) => answer,
        Visible::NotPermitted => return Ok(Visible::NotPermitted),
        Visible::NotTold => return Ok(Visible::NotTold),
    };
    let names = answer.get_array("databases").map(Vec::as_slice).unwrap_or_default();
    let foreign = names
        .iter()
        .filter_map(|entry| entry.as_document()?.get_str("name").ok())
        .filter(|name| !SYSTEM_DATABASES.contains(name) && !name.starts_with(DATABASE_PREFIX))
        .map(str::to_owned)
        .collect();
    Ok(Visible::Seen(foreign))
}

/// The number of foreign connections, once those of programs that have just ended are gone.
async fn settled_connections(client: &Client, product: Product) -> Visible<u64> {
    let begin = Instant::now();
    loop {
        let count = foreign_connections(client, product).await;
        if count.seen().is_none_or(|&count| count == 0) || begin.elapsed() > LINGER {
            return count;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn foreign_connections(client: &Client, product: Product) -> Visible<u64> {
    let counted = match product {
        Product::Mongod | Product::Mongos => connections_by_name(client, product).await,
        // Their `$currentOp` lists no idle connections: all connections, less those that we know to be ours.
        Product::Secantusd | Product::Other | Product::Simulated => connections_in_all(client).await,
    };
    match permitted(counted) {
        Ok(Visible::Seen(Some(count))) => Visible::Seen(count),
        Ok(Visible::NotPermitted) => Visible::NotPermitted,
        Ok(Visible::Seen(None) | Visible::NotTold) | Err(_) => Visible::NotTold,
    }
}

async fn connections_in_all(client: &Client) -> Result<Option<u64>, AskFailure> {
    let status = ask(client, doc! {"serverStatus": 1}).await?;
    let current = status.get_document("connections").ok().and_then(|all| whole(all.get("current")?));
    Ok(current.map(|current| current.saturating_sub(ADMIN_CONNECTIONS)))
}

async fn connections_by_name(client: &Client, product: Product) -> Result<Option<u64>, AskFailure> {
    let stage = doc! {"$currentOp": {
        "allUsers": true, "idleConnections": true, "idleSessions": false, "localOps": product == Product::Mongos,
    }};
    let command = doc! {
        "aggregate": 1,
        "pipeline": [stage, {"$match": foreign_client()}, {"$group": {"_id": "$connectionId"}}, {"$count": "foreign"}],
        "cursor": {},
    };
    let answer = ask(client, command).await?;
    let batch = answer.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let count = batch.ok().map(|batch| batch.first().and_then(|first| whole(first.as_document()?.get("foreign")?)));
    Ok(count.map(Option::unwrap_or_default))
}

/// Which entries of `$currentOp` are connections of other programs: neither ours nor those of the deployment's own
/// servers.
fn foreign_client() -> Document {
    doc! {
        "connectionId": {"$exists": true},
        "client": {"$exists": true},
        "appName": {"$ne": APP_NAME},
        "clientMetadata.application.name": {"$ne": APP_NAME},
        "clientMetadata.driver.name": {"$nin": ["NetworkInterfaceTL", "MongoDB Internal Client"]},
        "effectiveUsers.user": {"$ne": "__system"},
    }
}

fn whole(value: &Bson) -> Option<u64> {
    match value {
        Bson::Int32(number) => u64::try_from(*number).ok(),
        Bson::Int64(number) => u64::try_from(*number).ok(),
        Bson::Double(number) if *number >= 0.0 => Some(*number as u64),
        _ => None,
    }
}

/// Measures the round trip of an empty command: median and 95th percentile of 200 pings, one after another, or of as
/// many as five seconds allow.
pub(super) async fn round_trip(client: &Client) -> Result<Option<RoundTrip>, AskFailure> {
    let begin = Instant::now();
    let mut times = Vec::with_capacity(PINGS);
    while times.len() < PINGS && begin.elapsed() < PING_LIMIT {
        let sent = Instant::now();
        ask(client, doc! {"ping": 1}).await?;
        times.push(sent.elapsed());
    }
    times.sort_unstable();
    Ok(quantile(&times, 0.5).zip(quantile(&times, 0.95)).map(|(p50, p95)| RoundTrip { p50, p95 }))
}

/// The smallest of the sorted times that at least the share `q` of them does not exceed.
fn quantile(sorted: &[Duration], q: f64) -> Option<Micros> {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).map(|&time| Micros::from(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What MongoDB's own build says of itself.
    fn build() -> Document {
        doc! {
            "version": "8.0.4",
            "gitVersion": "bc35ab4305d9920d9d0491c1c9ef9b72383d31f9",
            "modules": [],
            "storageEngines": ["devnull", "wiredTiger"],
        }
    }

    fn with(key: &str, value: &str) -> Document {
        let mut build = build();
        build.insert(key, value);
        build
    }

    #[test]
    fn products_are_told_by_their_builds_not_by_the_version_they_report() {
        let (hello, none) = (doc! {"isWritablePrimary": true, "setName": "rs"}, doc! {});
        assert_eq!(product(&hello, &build(), &none), Product::Mongod);
        assert_eq!(product(&doc! {"msg": "isdbgrid"}, &build(), &none), Product::Mongos);
        assert_eq!(product(&hello, &with("secantusVersion", "0.5"), &none), Product::Secantusd);
        assert_eq!(product(&hello, &build(), &doc! {"secantus": {"server": "rust"}}), Product::Secantusd);
        assert_eq!(product(&hello, &with("ferretdbVersion", "2.1.0"), &none), Product::Other);
        assert_eq!(product(&hello, &with("psmdbVersion", "8.0.4-1"), &none), Product::Other);
        assert_eq!(product(&hello, &with("gitVersion", &"0".repeat(40)), &none), Product::Other);
        assert_eq!(product(&hello, &doc! {"version": "8.0.4"}, &none), Product::Other);
    }

    #[test]
    fn the_version_is_the_products_own() {
        let version = |build: &Document| version(product(&doc! {}, build, &doc! {}), build);
        assert_eq!(version(&build()), "8.0.4");
        assert_eq!(version(&with("secantusVersion", "0.5.3")), "0.5.3");
        assert_eq!(version(&with("ferretdbVersion", "2.1.0")), "8.0.4 (ferretdbVersion 2.1.0)");
    }

    #[test]
    fn the_topology_is_read_from_hello() {
        assert_eq!(topology(&doc! {"msg": "isdbgrid"}), Topology::Sharded);
        assert_eq!(topology(&doc! {"setName": "rs", "hosts": ["A:1", "b:2"]}), Topology::ReplicaSet);
        assert_eq!(topology(&doc! {}), Topology::Standalone);
        assert_eq!(members(&doc! {"hosts": ["A:1"], "passives": ["b:2"], "arbiters": ["c:3"]}), ["a:1", "b:2"]);
    }

    #[test]
    fn the_cache_is_told_where_the_server_tells_it() {
        let status = doc! {"wiredTiger": {"cache": {"maximum bytes configured": 1_073_741_824_i64}}};
        assert_eq!(configured_cache(&status), Some(1 << 30));
        assert_eq!(configured_cache(&doc! {}), None);
    }

    #[test]
    fn quantiles_are_those_of_the_ranks() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_micros).collect();
        assert_eq!(quantile(&times, 0.5).map(Micros::get), Some(100.0));
        assert_eq!(quantile(&times, 0.95).map(Micros::get), Some(190.0));
        assert_eq!(quantile(&times[..1], 0.95).map(Micros::get), Some(1.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
