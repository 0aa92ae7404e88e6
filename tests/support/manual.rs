//! Servers as a user starts them by hand: with authentication, with TLS, reached by a connection string.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use mongodb::Client;
use mongodb::bson::doc;
use patternbench::server::{DecidedServer, ServerChoice, ServerOptions, decide};
use tempfile::TempDir;

/// A user that may do everything; the password has characters that a connection string must encode.
pub(crate) const USER: &str = "ann";
/// Her password.
pub(crate) const PASSWORD: &str = "s3s@me/öffne:dich";
/// Her password in a connection string.
pub(crate) const ENCODED_PASSWORD: &str = "s3s%40me%2F%C3%B6ffne%3Adich";

/// What a server by hand wants of its clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Nothing.
    Nothing,
    /// The user and password.
    Password,
    /// TLS.
    Tls,
    /// Both.
    PasswordOverTls,
}

impl Wants {
    fn password(self) -> bool {
        matches!(self, Self::Password | Self::PasswordOverTls)
    }

    fn tls(self) -> bool {
        matches!(self, Self::Tls | Self::PasswordOverTls)
    }
}

/// An embedded server that patternbench did not start. Killed when dropped.
#[derive(Debug)]
pub(crate) struct ManualServer {
    process: Child,
    folder: TempDir,
    port: u16,
    wants: Wants,
}

impl ManualServer {
    /// Starts it and makes the user where it wants one.
    pub(crate) async fn start(wants: Wants) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(embedded_program());
        std::fs::write(folder.path().join("empty.toml"), "").expect("a file in it");
        command
            .env_clear()
            .current_dir(folder.path())
            .args(["--config", "empty.toml", "--host", "127.0.0.1", "--port", "0", "--storage-path", "data"])
            .args(["--cache-size", "256M", "--log-file-max", "16MB", "--log-level", "ERROR"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if wants.password() {
            command.arg("--auth");
        }
        if wants.tls() {
            make_certificates(folder.path());
            command.args(["--tls-cert-file", "server.pem", "--tls-key-file", "server.key"]);
        }
        let mut process = command.spawn().expect("the embedded server starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut line).expect("it says where it listens");
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        let server = Self { process, folder, port, wants };
        if wants.password() {
            server.make_user().await;
        }
        server
    }

    /// `host:port`.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A connection string with everything that the server wants.
    pub(crate) fn uri(&self) -> String {
        self.uri_with(ENCODED_PASSWORD)
    }

    /// The same with another password, percent-encoded.
    pub(crate) fn uri_with(&self, password: &str) -> String {
        let user = if self.wants.password() { format!("{USER}:{password}@") } else { String::new() };
        format!("mongodb://{user}{}/?directConnection=true{}", self.address(), self.tls_options())
    }

    /// A connection string that names no user.
    pub(crate) fn uri_without_user(&self) -> String {
        format!("mongodb://{}/?directConnection=true{}", self.address(), self.tls_options())
    }

    /// A file of the server's folder, for tests that write one (a connection string, say).
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tls_options(&self) -> String {
        if self.wants.tls() { format!("&tls=true&tlsCAFile={}", self.file("ca.pem").display()) } else { String::new() }
    }

    /// As long as there is no user, one may be made from this machine without being one.
    async fn make_user(&self) {
        let client = Client::with_uri_str(self.uri_without_user()).await.expect("a client");
        let command = doc! {"createUser": USER, "pwd": PASSWORD, "roles": ["root"]};
        client.database("admin").run_command(command).await.expect("the first user is made");
        client.shutdown().immediate(true).await;
    }
}

impl Drop for ManualServer {
    fn drop(&mut self) {
        // An error says that it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn embedded_program() -> PathBuf {
    match decide(&ServerOptions::new(ServerChoice::Embedded)).map(|decision| decision.server) {
        Ok(DecidedServer::Embedded(program)) => program,
        other => panic!("tests need the embedded server (scripts/server builds it): {other:?}"),
    }
}

/// `ca.pem`, `server.pem` and `server.key` for 127.0.0.1, and `other-ca.pem`, which signed nothing.
fn make_certificates(folder: &Path) {
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let authority = ["-x509", "-days", "2", "-addext", "basicConstraints=critical,CA:TRUE"];
    for name in ["ca", "other-ca"] {
        let (key_file, file) = (format!("{name}.key"), format!("{name}.pem"));
        let names = ["-keyout", &key_file, "-out", &file, "-subj", "/CN=patternbench test authority"];
        openssl(folder, &[&["req"], &authority[..], &key[..], &names[..]].concat());
    }
    let request = ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=127.0.0.1"];
    openssl(folder, &[&["req"], &key[..], &request[..]].concat());
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n").expect("a file");
    let sign =
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem";
    openssl(folder, &sign.split(' ').collect::<Vec<_>>());
}

fn openssl(folder: &Path, arguments: &[&str]) {
    let done = Command::new("openssl").args(arguments).current_dir(folder).output();
    let done = done.unwrap_or_else(|error| panic!("tests of TLS need the openssl program: {error}"));
    assert!(done.status.success(), "openssl {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}
