//! Finding, starting and losing servers.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bson::doc;
use patternbench::server::{
    RunningServer, SecretUri, ServerChoice, ServerError, ServerOptions, Surroundings, Visible, open,
};
use patternbench::words::{Product, ServerSource, Topology};
use support::manual::{ENCODED_PASSWORD, ManualServer, PASSWORD, USER, Wants};

fn uri(text: &str) -> ServerOptions {
    ServerOptions::new(ServerChoice::Uri(SecretUri::parse(text).unwrap()))
}

async fn refusal(options: &ServerOptions) -> ServerError {
    match open(options).await {
        Ok(server) => panic!("{} was opened", server.shown_uri()),
        Err(error) => error,
    }
}

/// A port at which nothing listens.
fn closed_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[track_caller]
fn shows_no_secret(text: &str) {
    for secret in [PASSWORD, ENCODED_PASSWORD, "s3s", "ffne"] {
        assert!(!text.contains(secret), "{secret} shows in {text}");
    }
}

mod started {
    use super::*;

    #[tokio::test]
    async fn the_embedded_server_is_told_by_its_true_name_and_answers() {
        let server = support::own_server().await;
        let facts = server.facts();

        assert_eq!(facts.source, ServerSource::Embedded);
        assert_eq!(facts.product, Product::Secantusd, "it reports itself as mongod 8, which it is not");
        assert_eq!(facts.version, patternbench::server::EMBEDDED_VERSION);
        assert_eq!(facts.topology, Topology::ReplicaSet);
        assert_eq!(facts.storage_engine.as_deref(), Some("wiredTiger"));
        assert_eq!(facts.foreign_databases.seen(), Some(&Vec::new()));
        assert_eq!(facts.foreign_connections.seen(), Some(&0));
        assert_eq!(facts.cache_bytes.unwrap().get(), 256 << 20);

        let client = server.client(8).await.unwrap();
        let collection = client.database("patternbench_start_test").collection("facts");
        collection.insert_one(doc! {"_id": 1}).await.unwrap();
        assert_eq!(collection.count_documents(doc! {}).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_client_has_all_its_connections_open_before_it_is_used() {
        let server = support::own_server().await;
        let client = server.client(24).await.unwrap();
        let status = client.database("admin").run_command(doc! {"serverStatus": 1}).await.unwrap();
        let current = status.get_document("connections").unwrap().get("current").unwrap().as_i32().unwrap();
        // One or two more watch the server.
        assert!((25..=26).contains(&current), "{current}");
    }

    #[tokio::test]
    async fn the_round_trip_is_measured_and_recorded() {
        let server = support::own_server().await;
        let rtt = server.round_trip().await.unwrap().unwrap();
        assert!(rtt.p50.get() > 0.0 && rtt.p50.get() <= rtt.p95.get());

        let record = server.facts().record(Some(rtt));
        assert_eq!(record.product, Product::Secantusd);
        assert_eq!((record.read_concern.as_str(), record.write_concern.as_str()), ("local", "majority"));
        assert!(record.retries.reads && record.retries.writes);
        assert!(record.parameters.contains(&"--cache-size".to_owned()), "{:?}", record.parameters);
    }

    #[tokio::test]
    async fn a_server_that_is_killed_is_missed_and_its_log_is_kept() {
        let server = support::own_server().await;
        server.alive().unwrap();
        let client = server.client(1).await.unwrap();

        kill(server.process_id().unwrap());
        let error = tokio::time::timeout(Duration::from_secs(10), server.death()).await.unwrap();

        let ServerError::Died { status, log, .. } = &error else { panic!("{error}") };
        assert!(status.contains("SIGKILL"), "{status}");
        let log = log.clone().unwrap();
        assert!(std::fs::read_to_string(&log).unwrap().contains("listening on"));
        std::fs::remove_file(log).unwrap();
        assert!(server.alive().is_err());
        assert!(client.database("admin").run_command(doc! {"ping": 1}).await.is_err());
        assert!(matches!(server.client(1).await, Err(ServerError::Died { .. })), "the cause, not its consequence");
    }

    #[tokio::test]
    async fn stopping_leaves_neither_process_nor_folder() {
        let server = support::own_server().await;
        let (process, folder) = (server.process_id().unwrap(), server.folder().unwrap());
        assert!(is_running(process) && folder.exists());
        server.stop().await;
        assert!(!is_running(process) && !folder.exists());
    }

    #[tokio::test]
    async fn dropping_leaves_neither_process_nor_folder() {
        let server = support::own_server().await;
        let (process, folder) = (server.process_id().unwrap(), server.folder().unwrap());
        drop(server);
        assert!(!is_running(process) && !folder.exists());
    }

    #[tokio::test]
    async fn a_server_that_stands_still_answers_when_it_goes_on() {
        let server = support::own_server().await;
        let pool = server.pool(3).await.unwrap();
        for _ in 0..3 {
            server.pause().unwrap();
            // The signal takes a moment to reach every thread of a busy machine.
            tokio::time::sleep(Duration::from_millis(200)).await;
            let admin = pool.client().database("admin");
            let ping = admin.run_command(doc! {"ping": 1}).into_future();
            let answer = tokio::time::timeout(Duration::from_millis(300), ping).await;
            assert!(!matches!(answer, Ok(Ok(_))), "it stands still");
            server.alive().unwrap();
            server.resume().unwrap();
            // Some of its connections may be gone; all work again when they are filled up.
            pool.fill().await.unwrap();
            for _ in 0..10 {
                admin.run_command(doc! {"ping": 1}).await.unwrap();
            }
        }
        server.pause().unwrap();
        let (process, folder) = (server.process_id().unwrap(), server.folder().unwrap());
        drop(server);
        assert!(!is_running(process) && !folder.exists(), "standing still does not save it");
    }

    #[tokio::test]
    async fn another_server_of_its_kind_differs_in_process_and_folder_alone() {
        let one = support::own_server().await;
        let (process, folder) = (one.process_id().unwrap(), one.folder().unwrap());
        one.halt().await;
        assert!(!is_running(process) && !folder.exists());
        one.alive().expect("it did not end by itself");
        let other = one.another().await.unwrap();
        assert!(other.process_id() != Some(process) && other.folder() != Some(folder));
        let facts = |server: &RunningServer| {
            let facts = server.facts();
            (facts.product, facts.version.clone(), facts.parameters.clone(), facts.cache_bytes)
        };
        assert_eq!(facts(&one), facts(&other));
        other.client(1).await.unwrap();
    }
}

/// What becomes of a server when the process that started it ends in other ways than by dropping it. That process is
/// this test binary again, running [`child_process`] alone.
mod left_alone {
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};

    use super::*;

    const WAY: &str = "PATTERNBENCH_TEST_CHILD_ENDS_BY";

    /// Does nothing unless one of the tests below runs it.
    #[tokio::test]
    async fn child_process() {
        let Ok(way) = std::env::var(WAY) else { return };
        let server = support::own_server().await;
        println!("started {} {}", server.process_id().unwrap(), server.folder().unwrap().display());
        match way.as_str() {
            "panic" => panic!("as the test wants it"),
            "exit" => std::process::exit(0),
            "abort" => std::process::abort(),
            "abort while it stands still" => {
                server.pause().unwrap();
                std::process::abort()
            }
            _ => tokio::time::sleep(Duration::from_secs(60)).await,
        }
    }

    fn child(way: &str) -> (Child, u32, PathBuf) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "left_alone::child_process", "--nocapture"])
            .env(WAY, way)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        // The harness may have begun a line of its own.
        let line = lines.map(|line| line.split("started ").nth(1).map(str::to_owned)).find_map(|line| line).unwrap();
        let (process, folder) = line.split_once(' ').unwrap();
        (child, process.parse().unwrap(), folder.into())
    }

    /// The watchdog needs a moment.
    fn is_cleaned_up(process: u32, folder: &Path) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(15) {
            if !is_running(process) && !folder.exists() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    #[test]
    fn a_panic_an_exit_and_an_abort_leave_neither_process_nor_folder() {
        for way in ["panic", "exit", "abort", "abort while it stands still"] {
            let (mut child, process, folder) = child(way);
            child.wait().unwrap();
            assert!(is_cleaned_up(process, &folder), "after {way}");
        }
    }

    #[test]
    fn signals_that_nobody_handles_leave_neither_process_nor_folder() {
        for signal in ["INT", "TERM", "HUP", "KILL"] {
            let (mut child, process, folder) = child("wait");
            signal_to(child.id(), signal);
            child.wait().unwrap();
            assert!(is_cleaned_up(process, &folder), "after SIG{signal}");
        }
    }
}

mod by_connection_string {
    use super::*;

    #[tokio::test]
    async fn a_closed_port_is_told_in_time_with_what_to_do() {
        let port = closed_port();
        let begin = Instant::now();
        let error = refusal(&uri(&format!("mongodb://{USER}:{ENCODED_PASSWORD}@localhost:{port}"))).await;

        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        assert!(!error.is_usage());
        let expected = format!(
            "failed to connect to mongodb://{USER}:***@localhost:{port}: connection refused; start mongod there, or pass \
             --server embedded"
        );
        assert_eq!(error.to_string(), expected);
    }

    #[tokio::test]
    async fn a_host_that_accepts_and_says_nothing_is_told_in_time() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let begin = Instant::now();
        let error = refusal(&uri(&format!("mongodb://{}", silent.local_addr().unwrap()))).await;
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        assert!(matches!(error, ServerError::Unreachable { .. }), "{error}");
    }

    #[tokio::test]
    async fn user_and_password_are_used_and_never_shown() {
        let manual = ManualServer::start(Wants::Password).await;
        let server = open(&uri(&manual.uri())).await.unwrap();

        assert_eq!(server.facts().source, ServerSource::Uri);
        assert_eq!(server.facts().product, Product::Secantusd);
        let client = server.client(2).await.unwrap();
        client.database("patternbench_auth_test").collection("a").insert_one(doc! {"_id": 1}).await.unwrap();

        shows_no_secret(&format!("{server:?} {} {:?}", server.shown_uri(), server.facts()));
        assert_eq!(server.redact(&format!("as {USER} with {PASSWORD}")), format!("as {USER} with ***"));
        let record = serde_json::to_string(&server.facts().record(None)).unwrap();
        shows_no_secret(&record);
    }

    #[tokio::test]
    async fn a_wrong_password_and_a_missing_user_are_told_apart_from_a_missing_server() {
        let manual = ManualServer::start(Wants::Password).await;
        let wrong = refusal(&uri(&manual.uri_with("s3s%40me-not"))).await;
        assert!(matches!(wrong, ServerError::Authentication { .. }), "{wrong}");
        shows_no_secret(&format!("{wrong} {wrong:?}"));

        let nobody = refusal(&uri(&manual.uri_without_user())).await;
        assert!(matches!(nobody, ServerError::Authentication { .. }), "{nobody}");
        assert!(nobody.to_string().contains("names none"), "{nobody}");
    }

    #[tokio::test]
    async fn tls_and_a_password_work_together() {
        let manual = ManualServer::start(Wants::PasswordOverTls).await;
        let server = open(&uri(&manual.uri())).await.unwrap();
        assert_eq!(server.facts().product, Product::Secantusd);
        server.client(4).await.unwrap();
        assert!(server.round_trip().await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_server_that_another_authority_vouches_for_is_refused() {
        let manual = ManualServer::start(Wants::Tls).await;
        let other = manual.uri().replace("ca.pem", "other-ca.pem");
        let error = refusal(&uri(&other)).await;
        assert!(matches!(error, ServerError::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains("certificate"), "the cause is told: {error}");
        let plain = refusal(&uri(&format!("mongodb://{}/?directConnection=true", manual.address()))).await;
        assert!(matches!(plain, ServerError::Unreachable { .. }), "{plain}");
    }

    #[tokio::test]
    async fn a_connection_string_in_a_file_is_read_and_hidden() {
        let manual = ManualServer::start(Wants::Password).await;
        let file = manual.file("uri");
        std::fs::write(&file, format!("{}\n", manual.uri())).unwrap();
        let choice = ServerChoice::from_arguments(None, None, Some(&file)).unwrap();
        shows_no_secret(&format!("{choice:?}"));
        let server = open(&ServerOptions::new(choice)).await.unwrap();
        assert_eq!(server.facts().host, manual.address());
    }

    #[test]
    fn a_file_that_never_ends_is_no_connection_string_and_fills_no_memory() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("uri");
        std::fs::write(&large, format!("mongodb://h/{}", " ".repeat(1 << 20))).unwrap();
        for file in [large.as_path(), Path::new("/dev/zero")] {
            let error = ServerChoice::from_arguments(None, None, Some(file)).unwrap_err();
            assert!(error.is_usage() && error.to_string().contains("larger than 64 KiB"), "{error}");
        }
    }

    #[tokio::test]
    async fn foreign_databases_and_connections_are_seen_ours_are_not() {
        let manual = ManualServer::start(Wants::Nothing).await;
        let facts = open(&uri(&manual.uri())).await.unwrap().facts().clone();
        assert_eq!(facts.foreign_databases, Visible::Seen(Vec::new()));
        assert_eq!(facts.foreign_connections, Visible::Seen(0));

        let other = mongodb::Client::with_uri_str(manual.uri()).await.unwrap();
        other.database("shop").collection("orders").insert_one(doc! {"_id": 1}).await.unwrap();
        other.database("patternbench_x_naive").collection("orders").insert_one(doc! {"_id": 1}).await.unwrap();
        let facts = open(&uri(&manual.uri())).await.unwrap().facts().clone();
        assert_eq!(facts.foreign_databases, Visible::Seen(vec!["shop".to_owned()]));
        assert!(facts.foreign_connections.seen().is_some_and(|&count| count > 0), "{}", facts.foreign_connections);
    }

    #[tokio::test]
    async fn a_user_who_may_see_little_is_told_so() {
        let manual = ManualServer::start(Wants::Password).await;
        let admin = mongodb::Client::with_uri_str(manual.uri()).await.unwrap();
        let roles = [doc! {"role": "readWrite", "db": "patternbench_x_naive"}];
        let command = doc! {"createUser": "few", "pwd": "pw", "roles": roles.to_vec()};
        admin.database("admin").run_command(command).await.unwrap();
        admin.shutdown().immediate(true).await;

        let server = open(&uri(&manual.uri().replace(&format!("{USER}:{ENCODED_PASSWORD}"), "few:pw"))).await.unwrap();
        assert_eq!(server.facts().foreign_databases, Visible::NotPermitted);
        assert_eq!(server.facts().foreign_connections.to_string(), "n/a (not permitted)");
        assert_eq!(server.facts().product, Product::Secantusd, "what it is needs no rights");
    }

    #[test]
    fn two_servers_at_once_are_a_contradiction() {
        let named = || SecretUri::parse("mongodb://h").unwrap();
        let secret = || SecretUri::parse("mongodb://u:s3same@h").unwrap();
        let file = Path::new("/nowhere");
        for contradiction in [
            ServerChoice::from_arguments(Some(ServerChoice::Embedded), Some(named()), None),
            ServerChoice::from_arguments(Some(ServerChoice::Mongod(None)), Some(secret()), None),
            ServerChoice::from_arguments(None, Some(secret()), Some(file)),
            ServerChoice::from_arguments(None, None, Some(file)),
        ] {
            let error = contradiction.unwrap_err();
            assert!(error.is_usage(), "{error}");
            shows_no_secret(&format!("{error} {error:?}"));
        }
    }
}

mod programs {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder with a program of that name in it.
    fn program(name: &str, script: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        (folder, file)
    }

    fn options(choice: ServerChoice, surroundings: Surroundings) -> ServerOptions {
        ServerOptions { start_limit: Duration::from_secs(2), surroundings, ..ServerOptions::new(choice) }
    }

    fn remove_log(error: &ServerError) {
        if let ServerError::Died { log: Some(log), .. } = error {
            std::fs::remove_file(log).unwrap();
        }
    }

    #[tokio::test]
    async fn a_mongod_on_path_is_taken_before_the_embedded_server_and_its_failure_is_not_passed_over() {
        let (folder, file) = program("mongod", "echo 'illegal instruction: no AVX' >&2; exit 14");
        let path = std::env::join_paths([folder.path(), Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let surroundings = Surroundings { path: Some(path), ..Surroundings::of_this_process() };
        let error = refusal(&options(ServerChoice::Auto, Surroundings { uri: None, ..surroundings })).await;
        remove_log(&error);

        let ServerError::Died { program, status, log_tail, .. } = &error else { panic!("{error}") };
        assert_eq!((program, status.as_str()), (&file, "exit code 14"));
        assert!(log_tail.contains("no AVX") && error.to_string().contains("no AVX"), "{error}");
    }

    #[tokio::test]
    async fn a_mongod_gets_its_own_folder_and_a_replica_set_and_nothing_of_our_environment() {
        let (_folder, file) = program("mongod", "echo \"$@\"; env; exit 1");
        let error = refusal(&options(ServerChoice::Mongod(Some(file)), Surroundings::of_this_process())).await;
        remove_log(&error);

        let text = error.to_string();
        for part in [
            "--dbpath ",
            "/data --port ",
            "--bind_ip 127.0.0.1",
            "--replSet patternbench",
            "--wiredTigerCacheSizeGB 1.00",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !text.contains("CARGO"), "{text}");
    }

    #[tokio::test]
    async fn a_mongod_that_never_answers_is_given_up_and_stopped() {
        let (_folder, file) = program("mongod", "echo $$; exec sleep 600");
        let error = refusal(&options(ServerChoice::Mongod(Some(file)), Surroundings::of_this_process())).await;
        let ServerError::NotReady { log_tail, .. } = &error else { panic!("{error}") };
        assert!(!is_running(log_tail.trim().parse().unwrap()), "{error}");
    }

    #[tokio::test]
    async fn an_embedded_server_that_never_answers_is_given_up_and_stopped() {
        let (_folder, file) = program("secantusd-rs", "echo $$; exec sleep 600");
        let surroundings = Surroundings { embedded: Some(file), ..Surroundings::of_this_process() };
        let error = refusal(&options(ServerChoice::Embedded, surroundings)).await;
        let ServerError::NotReady { log_tail, seconds: 2, .. } = &error else { panic!("{error}") };
        assert!(!is_running(log_tail.trim().parse().unwrap()), "{error}");
    }

    #[tokio::test]
    async fn what_is_missing_is_named_with_the_way_to_get_it() {
        let empty = tempfile::tempdir().unwrap();
        let nothing = Surroundings {
            uri: None,
            embedded: None,
            path: Some(empty.path().into()),
            cache: Some(empty.path().to_owned()),
        };
        let auto = refusal(&options(ServerChoice::Auto, nothing.clone())).await.to_string();
        assert!(auto.contains("scripts/server") && auto.contains("cargo install secantus-mdb"), "{auto}");
        let mongod = refusal(&options(ServerChoice::Mongod(None), nothing.clone())).await.to_string();
        assert!(mongod.contains("mongod") && mongod.contains("patternbench doctor"), "{mongod}");
        let named = refusal(&options(ServerChoice::Mongod(Some("/nowhere/mongod".into())), nothing)).await;
        assert!(named.to_string().contains("/nowhere/mongod"), "{named}");
    }

    #[tokio::test]
    async fn the_environments_connection_string_comes_first_and_is_hidden_where_it_is_none() {
        let (folder, _) = program("mongod", "exit 1");
        let path = Some(folder.path().into());
        let port = closed_port();
        let with = |uri: String| Surroundings { uri: Some(uri), path: path.clone(), ..Surroundings::default() };
        let error = refusal(&options(ServerChoice::Auto, with(format!("mongodb://localhost:{port}")))).await;
        assert!(matches!(error, ServerError::Unreachable { .. }), "{error}");

        let broken = refusal(&options(ServerChoice::Auto, with("mongodb://ann:s3s@me@host".to_owned()))).await;
        assert!(broken.to_string().contains("PATTERNBENCH_URI"), "{broken}");
        shows_no_secret(&format!("{broken} {broken:?}"));
    }
}

fn signal_to(process: u32, signal: &str) {
    let done = std::process::Command::new("kill").arg(format!("-{signal}")).arg(process.to_string()).status().unwrap();
    assert!(done.success());
}

fn kill(process: u32) {
    signal_to(process, "KILL");
}

/// Whether a process of that number exists and is no zombie (where nobody reaps orphans, they stay as such).
fn is_running(process: u32) -> bool {
    let shown = std::process::Command::new("ps").args(["-o", "stat=", "-p", &process.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&shown.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// A server can be handed to another thread and used from several at once.
#[test]
fn a_server_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<RunningServer>();
}
