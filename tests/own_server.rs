//! patternbench against a server that its user started, as on the command line.

#[path = "support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use mongodb::bson::doc;
use support::manual::{ENCODED_PASSWORD, ManualServer, PASSWORD, Wants};

/// Runs product-list-page at smoke size with these further arguments, in that folder.
fn smoke_run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_patternbench"))
        .args(["run", "product-list-page", "--profile", "smoke"])
        .args(arguments)
        .current_dir(folder)
        .env_remove("PATTERNBENCH_URI")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn a_run_over_tls_with_a_password_writes_the_secret_nowhere() {
    let server = ManualServer::start(Wants::PasswordOverTls).await;
    let uri_file = server.file("uri");
    fs::write(&uri_file, server.uri()).unwrap();
    let folder = tempfile::tempdir().unwrap();

    let output = smoke_run(folder.path(), &["--uri-file", uri_file.to_str().unwrap()]);

    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let written = files(folder.path());
    assert!(written.iter().any(|file| file.ends_with("run.json")), "{written:?}");
    let texts =
        written.iter().map(|file| fs::read(file).unwrap()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    for text in texts.chain([said(&output)]) {
        for secret in [PASSWORD, ENCODED_PASSWORD] {
            assert!(!text.contains(secret), "the secret stands in:\n{text}");
        }
    }
}

#[tokio::test]
async fn a_wrong_password_ends_with_4_and_is_not_repeated() {
    let server = ManualServer::start(Wants::Password).await;
    let uri_file = server.file("uri");
    fs::write(&uri_file, server.uri_with("wr0ng-guess")).unwrap();
    let folder = tempfile::tempdir().unwrap();

    let output = smoke_run(folder.path(), &["--uri-file", uri_file.to_str().unwrap()]);

    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("authenticate"), "{}", said(&output));
    assert!(!said(&output).contains("wr0ng-guess"), "{}", said(&output));
    assert!(!folder.path().join("results").exists(), "nothing was measured, so nothing is written");
}

#[tokio::test]
async fn foreign_data_are_refused_and_stay_as_they_were() {
    let server = ManualServer::start(Wants::Nothing).await;
    let client = mongodb::Client::with_uri_str(server.uri()).await.unwrap();
    client.database("shop").collection("orders").insert_one(doc! {"_id": 1, "total": 5}).await.unwrap();
    client.shutdown().immediate(true).await;
    let folder = tempfile::tempdir().unwrap();

    let output = smoke_run(folder.path(), &["--uri", &server.uri()]);

    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("shop") && said(&output).contains("--shared-server"), "{}", said(&output));
    let client = mongodb::Client::with_uri_str(server.uri()).await.unwrap();
    let mut names = client.list_database_names().await.unwrap();
    names.retain(|name| !["admin", "local", "config"].contains(&name.as_str()));
    assert_eq!(names, ["shop"]);
    let kept = client.database("shop").collection("orders").find_one(doc! {}).await.unwrap();
    assert_eq!(kept, Some(doc! {"_id": 1, "total": 5}));
}

#[tokio::test]
async fn after_a_run_nothing_is_left_on_the_server() {
    let server = ManualServer::start(Wants::Nothing).await;
    let folder = tempfile::tempdir().unwrap();

    let output = smoke_run(folder.path(), &["--uri", &server.uri()]);

    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let client = mongodb::Client::with_uri_str(server.uri()).await.unwrap();
    let mut names = client.list_database_names().await.unwrap();
    names.retain(|name| name.starts_with("patternbench"));
    assert_eq!(names, Vec::<String>::new());
}
