//! What happens to a run's record on disk: it is whole or absent, it reads back, and no run overwrites another's.

use std::collections::BTreeMap;
use std::path::Path;

use patternbench::record::{
    Client, MIN_FREE_BYTES, RUN_FILE, RecordError, ResultsFolder, Retries, RunRecord, SCHEMA, Server, Stamp, Tool,
};
use patternbench::units::Bytes;
use patternbench::words::{Product, Profile, ServerSource, Topology};

fn a_record() -> RunRecord {
    RunRecord {
        schema: SCHEMA.to_owned(),
        tool: Tool { version: "0.1.0".to_owned() },
        complete: false,
        started_at: Stamp::now().rfc3339(),
        finished_at: None,
        label: Some("before the review".to_owned()),
        profile: Profile::Smoke,
        server: Server {
            source: ServerSource::Uri,
            product: Product::Mongod,
            version: "8.0.1".to_owned(),
            topology: Topology::ReplicaSet,
            storage_engine: Some("wiredTiger".to_owned()),
            host: "localhost:27017".to_owned(),
            parameters: Vec::new(),
            cache_bytes: None,
            read_concern: "local".to_owned(),
            write_concern: "majority".to_owned(),
            retries: Retries { reads: true, writes: true },
            rtt: None,
        },
        client: Client { os: "Linux".to_owned(), cpu: "any".to_owned(), cores: 2, memory_bytes: Bytes::new(1 << 34) },
        scenarios: Vec::new(),
    }
}

fn files_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("names are UTF-8"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_record_reads_back_from_its_file_and_from_its_folder() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let record = a_record();
    let file = record.write_atomically(out.path()).expect("the folder can be written to");
    assert_eq!(RunRecord::read(&file).expect("it was just written"), record);
    assert_eq!(RunRecord::read(out.path()).expect("it was just written"), record);
}

#[test]
fn writing_again_replaces_the_record_and_leaves_nothing_else_behind() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let mut record = a_record();
    record.write_atomically(out.path()).expect("the folder can be written to");
    record.complete = true;
    record.write_atomically(out.path()).expect("the folder can be written to");
    assert_eq!(files_in(out.path()), [RUN_FILE]);
    assert!(RunRecord::read(out.path()).expect("it was just written").complete);
}

#[test]
fn a_record_that_cannot_be_written_leaves_the_old_one_as_it_was() {
    let out = tempfile::tempdir().expect("a temporary folder");
    a_record().write_atomically(out.path()).expect("the folder can be written to");
    let gone = out.path().join("no such folder");
    let error = a_record().write_atomically(&gone).expect_err("there is no such folder");
    assert!(matches!(error, RecordError::Write { .. }), "{error}");
    assert_eq!(files_in(out.path()), [RUN_FILE]);
}

#[test]
fn a_record_of_another_major_version_is_refused_with_what_to_do() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let file = out.path().join(RUN_FILE);
    std::fs::write(&file, r#"{"schema": "patternbench.run/2", "tool": {"version": "3.1.4"}, "new": []}"#)
        .expect("written");
    let error = RunRecord::read(&file).expect_err("this version does not know it");
    let message = error.to_string();
    for part in ["run.json", "`patternbench.run/2`", "`patternbench.run/1`", "version 3.1.4"] {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[test]
fn a_file_that_is_no_record_is_an_error_that_names_it() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let file = out.path().join(RUN_FILE);
    let absent = RunRecord::read(&file).expect_err("there is none");
    assert!(matches!(absent, RecordError::Read { .. }), "{absent}");
    for text in [&b"{"[..], b"[]", b"{\"schema\": 1}", b"\xff\xfe", br#"{"schema": "patternbench.run/1"}"#] {
        std::fs::write(&file, text).expect("written");
        let error = RunRecord::read(&file).expect_err("it is no record");
        assert!(matches!(error, RecordError::Malformed { .. }), "{error}");
        assert!(error.to_string().contains("run.json"), "{error}");
    }
}

#[test]
fn a_field_that_a_later_minor_version_added_does_not_hinder_reading() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let record = a_record();
    let mut json = serde_json::to_value(&record).expect("a record is JSON");
    json["sampled_by"] = serde_json::json!({"some": "thing"});
    let file = out.path().join(RUN_FILE);
    std::fs::write(&file, json.to_string()).expect("written");
    assert_eq!(RunRecord::read(&file).expect("the new field is passed over"), record);
}

#[test]
fn the_header_stands_before_the_scenarios_so_that_a_folder_lists_without_reading_the_rest() {
    let json = serde_json::to_string(&a_record()).expect("a record is JSON");
    let place = |key: &str| json.find(&format!("\"{key}\"")).unwrap_or_else(|| panic!("`{key}` is missing"));
    let places: BTreeMap<_, _> =
        ["schema", "tool", "complete", "started_at", "label", "server"].map(|key| (place(key), key)).into();
    assert!(places.keys().all(|at| *at < place("scenarios")), "{places:?}");
}

#[test]
fn two_runs_in_the_same_second_get_a_folder_each() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let stamp = Stamp::now();
    let first = ResultsFolder::create(out.path(), stamp, "chat-conversations").expect("the folder can be made");
    a_record().write_atomically(first.path()).expect("the folder can be written to");
    let second = ResultsFolder::create(out.path(), stamp, "chat-conversations").expect("another one can be made");
    assert_ne!(first.path(), second.path());
    assert_eq!(files_in(second.path()), Vec::<String>::new());
    assert_eq!(files_in(first.path()), [RUN_FILE]);
}

#[test]
fn a_new_folder_is_named_by_time_and_content_and_is_empty() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let stamp = Stamp::now();
    let nested = out.path().join("a/b");
    let folder = ResultsFolder::create(&nested, stamp, "Before the review!").expect("the folder can be made");
    assert_eq!(folder.path(), nested.join(format!("{}-Before-the-review", stamp.compact())));
    assert_eq!(files_in(folder.path()), Vec::<String>::new());
}

#[test]
fn a_results_folder_that_cannot_be_made_is_found_at_once() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let file = out.path().join("a file");
    std::fs::write(&file, "in the way").expect("written");
    let error = ResultsFolder::create(&file, Stamp::now(), "x").expect_err("a file is no folder");
    assert!(matches!(error, RecordError::Folder { .. }), "{error}");
    assert!(error.to_string().contains("--out"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_takes_no_folder_is_found_before_anything_is_measured() {
    // Nobody can add a folder to /sys.
    let error = ResultsFolder::create(Path::new("/sys"), Stamp::now(), "x").expect_err("nothing can be added there");
    assert!(matches!(error, RecordError::Folder { .. }), "{error}");
}

#[test]
fn a_full_disk_is_told_with_what_is_free_and_what_to_do() {
    let error = RecordError::DiskFull { path: "/data".into(), free: 3 << 20, needed: MIN_FREE_BYTES };
    assert_eq!(
        error.to_string(),
        "failed to write results to /data: 3 MiB free, at least 64 MiB are needed; make room, or choose another folder \
         with --out"
    );
}
