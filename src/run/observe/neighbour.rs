//! Whether a server certainly runs on another machine: only then is its processor time not among other processes'.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::Path;
use std::time::Duration;

use crate::guard::is_loopback;
use crate::server::ServerFacts;

/// How long resolving a name may take; it was resolved when the server was opened.
const PATIENCE: Duration = Duration::from_secs(2);
/// Where Linux lists network interfaces.
const INTERFACES: &str = "/sys/class/net";

/// Whether all hosts of a server are certainly other machines.
pub(super) async fn is_elsewhere(facts: &ServerFacts) -> bool {
    let told = std::slice::from_ref(&facts.host);
    // The name in `mongodb+srv` has no address of its own.
    let named = if facts.srv { &[][..] } else { &facts.named_hosts[..] };
    for host in told.iter().chain(named).chain(&facts.members) {
        if !is_other_machine(host).await {
            return false;
        }
    }
    true
}

async fn is_other_machine(host: &str) -> bool {
    if is_loopback(host) {
        return false;
    }
    let host = if has_port(host) { host.to_owned() } else { format!("{host}:27017") };
    let Ok(Ok(addresses)) = tokio::time::timeout(PATIENCE, tokio::net::lookup_host(host)).await else { return false };
    let mut addresses = addresses.peekable();
    addresses.peek().is_some() && addresses.all(leads_away)
}

fn has_port(host: &str) -> bool {
    let split = host.rsplit_once(':');
    split.is_some_and(|(name, port)| !port.ends_with(']') && (name.starts_with('[') || !name.contains(':')))
}

/// Whether an address is reached through a network device. Bridges, tunnels and the interfaces of containers are none:
/// what lies behind them may be this machine.
fn leads_away(address: SocketAddr) -> bool {
    let any: IpAddr = if address.is_ipv4() { [0; 4].into() } else { [0; 16].into() };
    let local = UdpSocket::bind((any, 0)).and_then(|socket| {
        // Nothing is sent: this only chooses a route.
        socket.connect(address)?;
        socket.local_addr()
    });
    let Ok(local) = local.map(|local| local.ip()) else { return false };
    local != address.ip()
        && interface_of(local).is_some_and(|name| Path::new(INTERFACES).join(name).join("device").exists())
}

#[cfg(unix)]
fn interface_of(address: IpAddr) -> Option<String> {
    use nix::sys::socket::SockaddrStorage;
    let ip = |storage: &SockaddrStorage| {
        let v4 = storage.as_sockaddr_in().map(|address| IpAddr::V4(address.ip()));
        v4.or_else(|| storage.as_sockaddr_in6().map(|address| IpAddr::V6(address.ip())))
    };
    let mut interfaces = nix::ifaddrs::getifaddrs().ok()?;
    let found = interfaces.find(|interface| interface.address.as_ref().and_then(ip) == Some(address))?;
    Some(found.interface_name)
}

#[cfg(not(unix))]
fn interface_of(_: IpAddr) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_here_or_unknown_is_not_elsewhere() {
        let here =
            ["localhost:27017", "127.0.0.1", "[::1]:27017", "/tmp/mongodb.sock", "0.0.0.0:1", "no-such-host.invalid"];
        for host in here {
            assert!(!is_other_machine(host).await, "{host}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn loopback_is_an_interface_without_a_device() {
        let name = interface_of([127, 0, 0, 1].into()).expect("there is a loopback interface");
        assert!(!Path::new(INTERFACES).join(name).join("device").exists());
    }

    #[test]
    fn a_port_is_told_from_the_groups_of_an_address() {
        assert!(has_port("h:1") && has_port("[::1]:27017"));
        assert!(!has_port("h") && !has_port("[::1]") && !has_port("fe80::1"));
    }
}
