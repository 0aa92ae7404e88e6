//! Servers for tests. Each test binary that includes this module has one embedded server of its own, started when the
//! first test asks for it and gone with the process, however that ends.
//!
//! A client belongs to the runtime that makes it, and each `#[tokio::test]` has a runtime of its own: so a test asks
//! for a client of its own, never for a shared one.
#![expect(dead_code, reason = "each test binary uses another part of it")]

pub(crate) mod manual;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use mongodb::{Client, Database};
use patternbench::server::{RunningServer, ServerChoice, ServerOptions, open};

/// Options for an embedded server that starts fast and takes little room.
pub(crate) fn small_embedded() -> ServerOptions {
    ServerOptions {
        cache_bytes: Some(256 << 20),
        // The last of two equal flags counts.
        embedded_flags: vec!["--log-file-max".into(), "16MB".into()],
        ..ServerOptions::new(ServerChoice::Embedded)
    }
}

/// The server that all tests of this binary share. Never stop or kill it: start an own one with [`own_server`].
pub(crate) fn shared_server() -> &'static RunningServer {
    static SERVER: OnceLock<RunningServer> = OnceLock::new();
    SERVER.get_or_init(|| {
        // A thread of its own, since a runtime cannot be waited for inside another.
        let opening = std::thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(open(&small_embedded()))
        });
        let opened = opening.join().expect("opening does not panic");
        opened.unwrap_or_else(|error| panic!("tests need the embedded server (scripts/server builds it): {error}"))
    })
}

/// A server of the test's own, stopped when dropped.
pub(crate) async fn own_server() -> RunningServer {
    open(&small_embedded()).await.unwrap_or_else(|error| panic!("the embedded server (scripts/server): {error}"))
}

/// A client of the shared server for this test's runtime.
pub(crate) async fn client() -> Client {
    shared_server().client(4).await.expect("the shared server answers")
}

/// A name that no other test of this process uses.
pub(crate) fn unique_name(stem: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{stem}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// An empty database of the shared server, under a name that is patternbench's and no other test's. It is never
/// dropped: it goes with the server.
pub(crate) async fn database(stem: &str) -> Database {
    client().await.database(&format!("patternbench_{}_test", unique_name(stem)))
}
