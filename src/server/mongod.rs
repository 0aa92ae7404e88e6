//! A `mongod` that patternbench starts: a single-node replica set on a free loopback port.
//!
//! A standalone mongod has no oplog and no transactions, and its writes are too cheap to stand for a deployment's.

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};

use bson::{Document, doc};

use super::process::ServerFolder;

/// The name of the replica set.
const SET: &str = "patternbench";

/// A port of 127.0.0.1 that is free now.
pub(super) fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The arguments of a mongod over a fresh folder.
pub(super) fn arguments(folder: &ServerFolder, port: u16, cache_bytes: u64) -> std::io::Result<Vec<OsString>> {
    let data = folder.path().join("data");
    std::fs::create_dir(&data)?;
    let mut arguments: Vec<OsString> = vec![
        "--dbpath".into(),
        data.into(),
        "--port".into(),
        port.to_string().into(),
        "--bind_ip".into(),
        "127.0.0.1".into(),
        // The socket's file would outlive a server that is killed.
        "--nounixsocket".into(),
    ];
    arguments.extend(measured_flags(cache_bytes).into_iter().map(OsString::from));
    Ok(arguments)
}

/// The arguments that bear on what is measured, for the record.
pub(super) fn measured_flags(cache_bytes: u64) -> Vec<String> {
    // mongod takes no less than a quarter of a GiB, in decimals.
    let gibibytes = (cache_bytes as f64 / (1u64 << 30) as f64).max(0.25);
    vec!["--replSet".into(), SET.into(), "--wiredTigerCacheSizeGB".into(), format!("{gibibytes:.2}")]
}

/// The smallest cache that mongod takes.
pub const LEAST_CACHE_OF_MONGOD: u64 = 1 << 28;

/// Why mongod cannot be started with so small a cache; `None` where it can.
pub fn refuses_cache(cache_bytes: u64) -> Option<String> {
    (cache_bytes < LEAST_CACHE_OF_MONGOD).then(|| {
        format!(
            "a cache of {} MiB: mongod takes no less than {} MiB; grow the data instead, or try it on the embedded server",
            cache_bytes >> 20,
            LEAST_CACHE_OF_MONGOD >> 20
        )
    })
}

/// The cache that a mongod gets when asked for `cache_bytes`.
pub(super) fn granted_cache(cache_bytes: u64) -> u64 {
    cache_bytes.max(LEAST_CACHE_OF_MONGOD)
}

/// The command that makes it a replica set of one member.
pub(super) fn initiate(port: u16) -> Document {
    doc! {"replSetInitiate": {"_id": SET, "members": [{"_id": 0, "host": format!("127.0.0.1:{port}")}]}}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mongod_is_started_as_a_replica_set_on_loopback_alone() {
        let folder = ServerFolder::create().unwrap();
        let arguments = arguments(&folder, 27999, 512 << 20).unwrap();
        let data = folder.path().join("data");
        let wanted: Vec<OsString> = vec![
            "--dbpath".into(),
            data.clone().into(),
            "--port".into(),
            "27999".into(),
            "--bind_ip".into(),
            "127.0.0.1".into(),
            "--nounixsocket".into(),
            "--replSet".into(),
            "patternbench".into(),
            "--wiredTigerCacheSizeGB".into(),
            "0.50".into(),
        ];
        assert_eq!(arguments, wanted);
        assert!(data.is_dir(), "mongod does not make its folder itself");
    }

    #[test]
    fn the_set_has_one_member_at_the_servers_address() {
        let command = initiate(27999);
        let config = command.get_document("replSetInitiate").unwrap();
        let members = config.get_array("members").unwrap();
        assert_eq!(config.get_str("_id").unwrap(), "patternbench");
        assert_eq!(members.len(), 1);
        assert_eq!(members[0].as_document().unwrap().get_str("host").unwrap(), "127.0.0.1:27999");
    }

    #[test]
    fn a_cache_below_what_mongod_takes_is_raised() {
        assert_eq!(measured_flags(1 << 20).last().unwrap(), "0.25");
        assert_eq!(granted_cache(1 << 20), 256 << 20);
        assert_eq!(granted_cache(1 << 30), 1 << 30);
    }

    #[test]
    fn two_free_ports_differ_while_both_are_held() {
        let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert_ne!(free_port().unwrap(), held.local_addr().unwrap().port());
    }
}
