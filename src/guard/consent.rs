//! May this server be loaded? Not against production by accident.

use std::net::IpAddr;

use super::error::GuardError;
use crate::server::{ServerFacts, Visible};

/// What the user has agreed to.
#[derive(Debug, Clone, Default)]
pub struct Consent {
    /// Hosts other than this machine that may be loaded (`--allow-load`), with or without port.
    pub allow_load: Vec<String>,
    /// Whether a server may be loaded that others use too (`--shared-server`).
    pub shared_server: bool,
}

/// Judges whether a server may be loaded. One that patternbench started may. Any other must be on this machine or
/// allowed by name, all of its hosts; and it must be patternbench's alone, or allowed to be shared. What cannot be seen is
/// taken to be there.
///
/// # Errors
/// The refusal, with the flags that would lift it and what was seen of the server.
pub fn judge(facts: &ServerFacts, consent: &Consent) -> Result<(), GuardError> {
    if facts.is_ours() {
        return Ok(());
    }
    let refused: Vec<&str> = hosts(facts).filter(|host| !is_loopback(host) && !is_allowed(host, consent)).collect();
    if !refused.is_empty() {
        return Err(GuardError::NotAllowed {
            hosts: refused.join(", "),
            flags: refused.iter().map(|host| format!("--allow-load {}", name_of(host))).collect::<Vec<_>>().join(" "),
            situation: situation(facts),
        });
    }
    match sharing(facts) {
        Some(reason) if !consent.shared_server => {
            Err(GuardError::Shared { host: facts.host.clone(), reason, situation: situation(facts) })
        }
        _ => Ok(()),
    }
}

/// Every host that load may go to, once: those of the connection string, and the set's members where the driver goes to
/// its primary. The name of a `mongodb+srv` string stands for all of its members.
fn hosts(facts: &ServerFacts) -> impl Iterator<Item = &str> {
    let members = facts.members.iter().filter(|member| !facts.named_hosts.iter().any(|named| same_host(named, member)));
    facts.named_hosts.iter().chain(members).map(String::as_str)
}

fn is_allowed(host: &str, consent: &Consent) -> bool {
    consent.allow_load.iter().any(|allowed| {
        let allowed = allowed.to_lowercase();
        allowed == host || (port_of(&allowed).is_none() && name_of(&allowed) == name_of(host))
    })
}

/// Whether two hosts as written are the same name and port, 27017 where none is written.
fn same_host(one: &str, other: &str) -> bool {
    name_of(one) == name_of(other) && port_of(one).unwrap_or("27017") == port_of(other).unwrap_or("27017")
}

/// Whether a host as written in a connection string is this machine by its very name: `localhost`, a loopback address,
/// or a socket's path. Names that merely resolve to this machine are not.
pub fn is_loopback(host: &str) -> bool {
    let name = name_of(host);
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    host.starts_with('/')
        || name.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// The host without its port.
fn name_of(host: &str) -> &str {
    split(host).0
}

fn port_of(host: &str) -> Option<&str> {
    split(host).1
}

fn split(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        // `::1` without brackets has no port.
        Some((name, port)) if !port.ends_with(']') && (name.starts_with('[') || !name.contains(':')) => {
            (name, Some(port))
        }
        _ => (host, None),
    }
}

/// Who else uses the server, or may.
fn sharing(facts: &ServerFacts) -> Option<String> {
    let databases = match &facts.foreign_databases {
        Visible::Seen(names) if names.is_empty() => None,
        Visible::Seen(names) => Some(format!("it holds {}", listed("foreign database", names))),
        Visible::NotPermitted => Some("this user may not list its databases".to_owned()),
        Visible::NotTold => Some("it does not list its databases".to_owned()),
    };
    let connections = match &facts.foreign_connections {
        Visible::Seen(0) => None,
        Visible::Seen(1) => Some("1 connection is another client's".to_owned()),
        Visible::Seen(count) => Some(format!("{count} connections are other clients'")),
        Visible::NotPermitted => Some("this user may not see its connections".to_owned()),
        Visible::NotTold => Some("it does not tell its connections".to_owned()),
    };
    let reasons: Vec<String> = databases.into_iter().chain(connections).collect();
    (!reasons.is_empty()).then(|| reasons.join(", and "))
}

fn listed(what: &str, names: &[String]) -> String {
    const SHOWN: usize = 8;
    let plural = if names.len() == 1 { "" } else { "s" };
    let more = names.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the {what}{plural} {}{rest}", names[..names.len().min(SHOWN)].join(", "))
}

/// What a refusal shows of the server.
fn situation(facts: &ServerFacts) -> String {
    let members = if facts.members.is_empty() { "none told".to_owned() } else { facts.members.join(", ") };
    let databases =
        facts.foreign_databases.map(|names| if names.is_empty() { "none".to_owned() } else { names.join(", ") });
    format!(
        "\n  host                 {} ({} {}, {})\n  set members          {members}\n  foreign databases    {databases}\n  \
         foreign connections  {}",
        facts.host, facts.product, facts.version, facts.topology, facts.foreign_connections
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Product, ServerSource, Topology};

    /// A server of the user's that nobody else uses.
    fn facts(named: &[&str]) -> ServerFacts {
        ServerFacts {
            source: ServerSource::Uri,
            product: Product::Mongod,
            version: "8.0.4".to_owned(),
            topology: Topology::ReplicaSet,
            wire_version: 25,
            storage_engine: Some("wiredTiger".to_owned()),
            host: named[0].to_owned(),
            named_hosts: named.iter().map(|&host| host.to_owned()).collect(),
            srv: false,
            members: Vec::new(),
            foreign_databases: Visible::Seen(Vec::new()),
            foreign_connections: Visible::Seen(0),
            parameters: Vec::new(),
            cache_bytes: None,
            told_cache: None,
            retry_reads: true,
            retry_writes: true,
        }
    }

    fn allowing(hosts: &[&str]) -> Consent {
        Consent { allow_load: hosts.iter().map(|&host| host.to_owned()).collect(), shared_server: false }
    }

    fn refusal(facts: &ServerFacts, consent: &Consent) -> String {
        judge(facts, consent).unwrap_err().to_string()
    }

    #[test]
    fn this_machine_may_be_loaded_under_every_name_that_is_loopback_by_itself() {
        for host in [
            "localhost",
            "LOCALHOST:27018",
            "127.0.0.1:27017",
            "127.9.9.9",
            "[::1]:27017",
            "[::1]",
            "/tmp/mongodb-27017.sock",
        ] {
            assert!(judge(&facts(&[host]), &Consent::default()).is_ok(), "{host}");
        }
        for host in ["localhost.example.com", "10.0.0.1:27017", "128.0.0.1", "[2001:db8::1]:27017", "db1", "0.0.0.0"] {
            assert!(judge(&facts(&[host]), &Consent::default()).is_err(), "{host}");
        }
    }

    #[test]
    fn another_machine_needs_its_name_spelled_out() {
        let facts = facts(&["db1.example.com:27018"]);
        assert!(refusal(&facts, &Consent::default()).contains("--allow-load db1.example.com"));
        for allowed in ["db1.example.com", "DB1.example.com", "db1.example.com:27018"] {
            assert!(judge(&facts, &allowing(&[allowed])).is_ok(), "{allowed}");
        }
        for allowed in ["db2.example.com", "example.com", "db1", "db1.example.com:27017", "*"] {
            assert!(judge(&facts, &allowing(&[allowed])).is_err(), "{allowed}");
        }
    }

    #[test]
    fn of_several_hosts_all_must_be_allowed() {
        let facts = facts(&["a:27017", "b:27017", "localhost:27017"]);
        assert!(judge(&facts, &allowing(&["a", "b"])).is_ok());
        let text = refusal(&facts, &allowing(&["a"]));
        assert!(text.contains("--allow-load b") && !text.contains("--allow-load a"), "{text}");
    }

    #[test]
    fn a_tunnel_to_a_set_whose_members_are_elsewhere_is_not_this_machine() {
        let mut facts = facts(&["localhost:27017"]);
        facts.members = vec!["prod-1.example.com:27017".to_owned(), "prod-2.example.com:27017".to_owned()];
        let text = refusal(&facts, &Consent::default());
        assert!(text.contains("--allow-load prod-1.example.com --allow-load prod-2.example.com"), "{text}");
    }

    #[test]
    fn a_member_that_the_connection_string_names_counts_once() {
        let mut facts = facts(&["db1"]);
        facts.members = vec!["db1:27017".to_owned()];
        assert_eq!(refusal(&facts, &Consent::default()).matches("--allow-load").count(), 1);
    }

    #[test]
    fn the_one_name_of_an_srv_string_stands_for_its_members() {
        let mut facts = facts(&["cluster0.example.net"]);
        facts.srv = true;
        assert!(judge(&facts, &allowing(&["cluster0.example.net"])).is_ok());
        assert!(judge(&facts, &Consent::default()).is_err());
    }

    #[test]
    fn other_users_need_consent_on_any_host() {
        let alone = facts(&["localhost"]);
        let with_data = ServerFacts { foreign_databases: Visible::Seen(vec!["shop".to_owned()]), ..alone.clone() };
        let with_clients = ServerFacts { foreign_connections: Visible::Seen(3), ..alone.clone() };
        let hidden = ServerFacts { foreign_databases: Visible::NotPermitted, ..alone.clone() };
        let silent = ServerFacts { foreign_connections: Visible::NotTold, ..alone };
        for (facts, told) in [
            (with_data, "shop"),
            (with_clients, "3 connections"),
            (hidden, "may not list its databases"),
            (silent, "does not tell"),
        ] {
            let text = refusal(&facts, &Consent::default());
            assert!(text.contains(told) && text.contains("--shared-server"), "{text}");
            assert!(judge(&facts, &Consent { shared_server: true, ..Consent::default() }).is_ok());
        }
    }

    #[test]
    fn consent_to_sharing_is_no_consent_to_another_machine() {
        let consent = Consent { shared_server: true, ..Consent::default() };
        assert!(matches!(judge(&facts(&["db1"]), &consent), Err(GuardError::NotAllowed { .. })));
    }

    #[test]
    fn a_server_of_ours_needs_no_consent() {
        let mut facts = facts(&["127.0.0.1:4"]);
        facts.source = ServerSource::Embedded;
        facts.foreign_databases = Visible::Seen(vec!["left by a test".to_owned()]);
        assert!(judge(&facts, &Consent::default()).is_ok());
    }

    #[test]
    fn a_refusal_shows_what_was_seen() {
        let mut facts = facts(&["db1:27017"]);
        facts.members = vec!["db2:27017".to_owned()];
        facts.foreign_databases = Visible::Seen(vec!["shop".to_owned(), "users".to_owned()]);
        facts.foreign_connections = Visible::NotPermitted;
        let text = refusal(&facts, &Consent::default());
        for part in ["db1:27017", "db2:27017", "shop, users", "n/a (not permitted)"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
