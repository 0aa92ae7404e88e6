//! Calls as the driver sends them, against a real server: what each answers, what it costs in requests, how it fails.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bson::{Bson, Document, RawDocumentBuf, bson, doc, rawdoc};
use mongodb::Client;
use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;
use mongodb::options::ClientOptions;
use patternbench::backend::{
    Backend, Call, CallError, CallErrorKind, Keep, MongoBackend, Rendered, Reply, WriteOutcome,
};
use patternbench::scenario::{CollectionRef, FieldSource, FieldSpec, StepKind};
use patternbench::words::ErrorName;

/// A step's fields as a test writes them.
struct Fields(Document);

impl FieldSource<Rendered> for Fields {
    fn collection(&mut self) -> Option<CollectionRef> {
        self.0.get_str("collection").ok().map(|name| CollectionRef::Named(name.to_owned()))
    }
    fn required(&mut self, spec: &'static FieldSpec) -> Option<Bson> {
        self.0.get(spec.key).cloned()
    }
    fn optional(&mut self, spec: &'static FieldSpec) -> Option<Option<Bson>> {
        Some(self.0.get(spec.key).cloned())
    }
    fn document(&mut self, spec: &'static FieldSpec) -> Option<RawDocumentBuf> {
        self.0.get_document(spec.key).ok().map(|document| RawDocumentBuf::try_from(document).expect("valid BSON"))
    }
    fn documents(&mut self, spec: &'static FieldSpec) -> Option<Vec<RawDocumentBuf>> {
        let elements = self.0.get_array(spec.key).ok()?.iter();
        Some(elements.map(|element| raw(element.as_document().expect("a document"))).collect())
    }
}

fn raw(document: &Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).expect("valid BSON")
}

/// The step `word` of collection `things`.
fn call(word: &str, mut fields: Document) -> Call {
    fields.insert("collection", "things");
    StepKind::read(word, &mut Fields(fields)).unwrap_or_else(|| panic!("{word} lacks a field"))
}

async fn run(backend: &MongoBackend, word: &str, fields: Document) -> Result<Reply, CallError> {
    backend.execute(backend.prepare(call(word, fields))?, Keep::Documents).await
}

async fn reply(backend: &MongoBackend, word: &str, fields: Document) -> Reply {
    run(backend, word, fields).await.unwrap_or_else(|error| panic!("{word}: {error}"))
}

fn documents(reply: &Reply) -> Vec<Document> {
    reply.documents.iter().map(|raw| Document::try_from(raw).expect("valid BSON")).collect()
}

/// A backend on a database of its own that holds `{_id: n, n: n, even: …}` for n from 0 up to `count`.
async fn things(count: i32) -> MongoBackend {
    let database = support::database("backend").await;
    let backend = MongoBackend::new(database.client(), database.name());
    let list: Vec<_> = (0..count).map(|n| bson!({ "_id": n, "n": n, "even": n % 2 == 0 })).collect();
    if !list.is_empty() {
        let inserted = reply(&backend, "insertMany", doc! { "documents": list }).await;
        assert_eq!(inserted.write.expect("a write").inserted, u64::try_from(count).expect("positive"));
    }
    backend
}

#[tokio::test]
async fn reads_answer_what_they_ask_for() {
    let backend = things(10).await;

    let found = reply(
        &backend,
        "find",
        doc! { "filter": { "even": true }, "projection": { "n": 1 }, "sort": { "n": -1 }, "skip": 1, "limit": 2 },
    )
    .await;
    assert_eq!(documents(&found), [doc! { "_id": 6, "n": 6 }, doc! { "_id": 4, "n": 4 }]);
    assert_eq!((found.returned, found.round_trips), (2, 1));

    let first =
        reply(&backend, "findOne", doc! { "filter": {}, "sort": { "n": -1 }, "projection": { "_id": 0, "n": 1 } })
            .await;
    assert_eq!(documents(&first), [doc! { "n": 9 }]);
    let none = reply(&backend, "findOne", doc! { "filter": { "n": 10 } }).await;
    assert_eq!((none.returned, none.round_trips), (0, 1));

    let pipeline = bson!([{ "$match": { "even": false } }, { "$group": { "_id": null, "sum": { "$sum": "$n" } } }]);
    let sum = reply(&backend, "aggregate", doc! { "pipeline": pipeline }).await;
    // 1 + 3 + 5 + 7 + 9
    assert_eq!(documents(&sum)[0].get("sum"), Some(&bson!(25)));

    let count = reply(&backend, "countDocuments", doc! { "filter": { "n": { "$gte": 4 } }, "limit": 5 }).await;
    assert_eq!(count.value, Some(bson!(5_i64)));
    let distinct = reply(&backend, "distinct", doc! { "key": "even", "filter": { "n": { "$lt": 3 } } }).await;
    let mut values = distinct.value.expect("a value").as_array().expect("a list").clone();
    values.sort_by_key(|value| value.as_bool());
    assert_eq!(values, [bson!(false), bson!(true)]);
}

#[tokio::test]
async fn every_batch_is_received_and_counted() {
    let backend = things(10).await;
    for (word, fields) in [
        ("find", doc! { "filter": {}, "batchSize": 4 }),
        ("aggregate", doc! { "pipeline": [{ "$match": {} }], "batchSize": 4 }),
    ] {
        let kept = reply(&backend, word, fields.clone()).await;
        // 4 + 4 + 2
        assert_eq!((kept.documents.len(), kept.returned, kept.round_trips), (10, 10, 3), "{word}");

        let prepared = backend.prepare(call(word, fields)).expect("well typed");
        let counted = backend.execute(prepared, Keep::Nothing).await.expect("succeeds");
        assert_eq!((counted.documents.len(), counted.returned, counted.round_trips), (0, 10, 3), "{word}");
    }
}

#[tokio::test]
async fn writes_say_what_they_did() {
    let backend = things(10).await;
    let outcome = async |word, fields| reply(&backend, word, fields).await.write.expect("a write");
    let matched = |matched, modified| WriteOutcome { matched, modified, ..WriteOutcome::default() };

    assert_eq!(
        outcome("updateOne", doc! { "filter": { "n": 3 }, "update": { "$inc": { "n": 100 } } }).await,
        matched(1, 1)
    );
    assert_eq!(
        outcome("updateMany", doc! { "filter": { "even": true }, "update": { "$set": { "even": true } } }).await,
        matched(5, 0)
    );
    assert_eq!(
        outcome("updateMany", doc! { "filter": {}, "update": [{ "$set": { "twice": { "$add": ["$n", "$n"] } } }] })
            .await,
        matched(10, 10)
    );
    assert_eq!(outcome("replaceOne", doc! { "filter": { "_id": 5 }, "replacement": { "n": 5 } }).await, matched(1, 1));
    assert_eq!(outcome("replaceOne", doc! { "filter": { "_id": 77 }, "replacement": {} }).await, matched(0, 0));

    let upserted =
        outcome("updateOne", doc! { "filter": { "_id": 50 }, "update": { "$set": { "n": 1 } }, "upsert": true }).await;
    assert_eq!(upserted, WriteOutcome { upserted_id: Some(bson!(50)), ..WriteOutcome::default() });

    assert_eq!(outcome("insertOne", doc! { "document": { "_id": 51 } }).await.inserted, 1);
    assert_eq!(outcome("deleteOne", doc! { "filter": { "even": true } }).await.deleted, 1);
    assert_eq!(outcome("deleteMany", doc! { "filter": { "even": true } }).await.deleted, 4);

    let pushed = doc! {
        "filter": { "_id": 1 },
        "update": { "$set": { "list.$[large]": 0 } },
        "arrayFilters": [{ "large": { "$gt": 5 } }],
    };
    outcome("updateOne", doc! { "filter": { "_id": 1 }, "update": { "$set": { "list": [1, 9, 2] } } }).await;
    assert_eq!(outcome("updateOne", pushed).await, matched(1, 1));
    let stored = reply(&backend, "findOne", doc! { "filter": { "_id": 1 }, "projection": { "list": 1 } }).await;
    assert_eq!(documents(&stored), [doc! { "_id": 1, "list": [1, 0, 2] }]);
}

#[tokio::test]
async fn find_and_modify_returns_the_version_asked_for() {
    let backend = things(2).await;
    let add = |returned: &str| {
        doc! {
            "filter": { "_id": 1 }, "update": { "$inc": { "n": 10 } },
            "projection": { "_id": 0, "n": 1 }, "returnDocument": returned,
        }
    };
    assert_eq!(documents(&reply(&backend, "findOneAndUpdate", add("before")).await), [doc! { "n": 1 }]);
    assert_eq!(documents(&reply(&backend, "findOneAndUpdate", add("after")).await), [doc! { "n": 21 }]);

    let replace = doc! { "filter": { "_id": 9 }, "replacement": { "n": 9 }, "upsert": true };
    assert_eq!(reply(&backend, "findOneAndReplace", replace.clone()).await.returned, 0);
    assert_eq!(documents(&reply(&backend, "findOneAndReplace", replace).await), [doc! { "_id": 9, "n": 9 }]);
}

#[tokio::test]
async fn a_refused_write_is_a_failure_by_its_name() {
    let backend = things(3).await;
    let failure = async |word, fields| run(&backend, word, fields).await.expect_err("refused");

    let twice = failure("insertOne", doc! { "document": { "_id": 2 } }).await;
    assert_eq!(twice.kind, CallErrorKind::Named(ErrorName::DuplicateKey));
    assert_eq!(twice.kind.to_string(), "DuplicateKey");

    let list = bson!([{ "_id": 10 }, { "_id": 0 }, { "_id": 11 }, { "_id": 1 }, { "_id": 12 }]);
    let ordered = failure("insertMany", doc! { "documents": list.clone() }).await;
    assert_eq!(ordered.name(), Some(ErrorName::DuplicateKey));
    assert_eq!(ordered.written.map(|written| written.inserted), Some(1), "10 came before the first that was refused");

    let list = bson!([{ "_id": 20 }, { "_id": 0 }, { "_id": 21 }, { "_id": 1 }, { "_id": 22 }]);
    let unordered = failure("insertMany", doc! { "documents": list, "ordered": false }).await;
    assert_eq!(unordered.written.map(|written| written.inserted), Some(3));
    assert_eq!(reply(&backend, "countDocuments", doc! { "filter": {} }).await.value, Some(bson!(3_i64 + 1 + 3)));

    let unknown = failure("find", doc! { "filter": { "$noSuchOperator": 1 } }).await;
    assert!(matches!(unknown.kind, CallErrorKind::Server { .. }), "{unknown}");
}

#[tokio::test]
async fn a_document_too_large_has_one_name_however_it_is_found() {
    let backend = things(0).await;
    let half = "x".repeat(9 * 1024 * 1024);
    // The driver finds it on insert, before sending; the server on update.
    let inserted = run(&backend, "insertOne", doc! { "document": { "_id": 1, "a": &half, "b": &half } }).await;
    assert_eq!(inserted.expect_err("18 MiB").name(), Some(ErrorName::DocumentTooLarge));
    reply(&backend, "insertOne", doc! { "document": { "_id": 1, "a": &half } }).await;
    let updated =
        run(&backend, "updateOne", doc! { "filter": { "_id": 1 }, "update": { "$set": { "b": &half } } }).await;
    assert_eq!(updated.expect_err("18 MiB").name(), Some(ErrorName::DocumentTooLarge));
}

#[tokio::test]
async fn a_wrong_type_is_found_before_anything_is_sent() {
    // No server: preparing never needs one.
    let client = Client::with_uri_str("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100").await.expect("parses");
    let backend = MongoBackend::new(&client, "backend_test");
    for (word, fields, field) in [
        ("find", doc! { "filter": {}, "limit": "ten" }, "limit"),
        ("find", doc! { "filter": [] }, "filter"),
        ("find", doc! { "filter": {}, "batchSize": 0 }, "batchSize"),
        ("findOne", doc! { "filter": {}, "skip": -1 }, "skip"),
        ("aggregate", doc! { "pipeline": {} }, "pipeline"),
        ("aggregate", doc! { "pipeline": [], "allowDiskUse": 1 }, "allowDiskUse"),
        ("insertMany", doc! { "documents": [] }, "documents"),
        ("insertMany", doc! { "documents": [{}], "ordered": "no" }, "ordered"),
        ("updateOne", doc! { "filter": {}, "update": { "a": 1 } }, "update"),
        ("updateMany", doc! { "filter": {}, "update": { "$set": {} }, "arrayFilters": {} }, "arrayFilters"),
        ("replaceOne", doc! { "filter": {}, "replacement": { "$set": {} } }, "replacement"),
        ("deleteOne", doc! { "filter": {}, "hint": 1 }, "hint"),
        ("deleteMany", doc! { "filter": {}, "collation": "en" }, "collation"),
        ("findOneAndUpdate", doc! { "filter": {}, "update": [], "returnDocument": "new" }, "returnDocument"),
        ("findOneAndReplace", doc! { "filter": {}, "replacement": {}, "upsert": 1 }, "upsert"),
        ("countDocuments", doc! { "filter": {}, "limit": 0 }, "limit"),
        ("distinct", doc! { "key": 1 }, "key"),
        ("bulkWrite", doc! { "models": [] }, "models"),
        ("bulkWrite", doc! { "models": [{ "insertMany": {} }] }, "models"),
        (
            "bulkWrite",
            doc! { "models": [{ "deleteOne": { "collection": "things", "filter": {} } }], "ordered": 1 },
            "ordered",
        ),
        ("runCommand", doc! { "command": "ping" }, "command"),
    ] {
        let error = backend.prepare(call(word, fields)).expect_err(word);
        assert_eq!(error.kind, CallErrorKind::Render, "{word}");
        assert!(error.message.starts_with(&format!("`{field}` of {word} must be ")), "{}", error.message);
    }
}

#[tokio::test]
async fn a_server_that_is_gone_is_a_connection_failure_without_secrets() {
    let uri = "mongodb://someone:pa55word@127.0.0.1:1/?serverSelectionTimeoutMS=200&directConnection=true";
    let client = Client::with_uri_str(uri).await.expect("parses");
    let backend = MongoBackend::new(&client, "backend_test");
    let error = run(&backend, "findOne", doc! { "filter": {} }).await.expect_err("nobody listens");
    assert_eq!(error.kind, CallErrorKind::Connection);
    assert!(!format!("{error} {error:?}").contains("pa55word"));
}

#[tokio::test]
async fn no_call_waits_for_ever() {
    // A socket that accepts and never answers.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let uri = format!("mongodb://{}/?directConnection=true", listener.local_addr().expect("bound"));
    let client = Client::with_uri_str(&uri).await.expect("parses");
    let backend = MongoBackend::new(&client, "backend_test").with_time_limit(Duration::from_millis(200));
    let error = run(&backend, "findOne", doc! { "filter": {} }).await.expect_err("nobody answers");
    assert_eq!(error.kind, CallErrorKind::Timeout);
}

/// What the driver adds to a command of its own.
const ADDED_BY_THE_DRIVER: [&str; 8] =
    ["$db", "lsid", "$clusterTime", "txnNumber", "$readPreference", "readConcern", "writeConcern", "apiVersion"];

/// Int32 and Int64 of the same number are one: the server treats them alike.
fn widened(value: Bson) -> Bson {
    match value {
        Bson::Int32(number) => Bson::Int64(i64::from(number)),
        Bson::Array(elements) => Bson::Array(elements.into_iter().map(widened).collect()),
        Bson::Document(document) => {
            Bson::Document(document.into_iter().map(|(key, value)| (key, widened(value))).collect())
        }
        other => other,
    }
}

/// A client, and the commands that it sent.
async fn overheard_client() -> (Client, Arc<Mutex<Vec<Document>>>) {
    let sent: Arc<Mutex<Vec<Document>>> = Arc::default();
    let uri = format!("mongodb://{}/?directConnection=true", support::shared_server().facts().host);
    let mut options = ClientOptions::parse(uri).await.expect("parses");
    let commands = Arc::clone(&sent);
    options.command_event_handler = Some(EventHandler::callback(move |event| {
        if let CommandEvent::Started(event) = event {
            commands.lock().expect("not poisoned").push(event.command);
        }
    }));
    (Client::with_options(options).expect("valid options"), sent)
}

/// The first command sent since the last one was taken, as the caller wrote it.
fn take_command(sent: &Mutex<Vec<Document>>) -> Document {
    let mut command = std::mem::take(&mut *sent.lock().expect("not poisoned")).swap_remove(0);
    for key in ADDED_BY_THE_DRIVER {
        command.remove(key);
    }
    command
}

#[tokio::test]
async fn find_one_sends_what_the_driver_s_own_find_one_sends() {
    let quiet = things(3).await;
    let (client, sent) = overheard_client().await;
    let backend = MongoBackend::new(&client, quiet.database().name());
    let collection = backend.database().collection::<Document>("things");

    let bare = collection.find_one(doc! { "even": true }).await.expect("answers");
    let by_driver = take_command(&sent);
    let found = reply(&backend, "findOne", doc! { "filter": { "even": true } }).await;
    assert_eq!(take_command(&sent), by_driver);
    assert_eq!((documents(&found), found.round_trips), (bare.into_iter().collect(), 1));

    let sorted = collection.find_one(doc! {}).sort(doc! { "n": -1 }).skip(1).projection(doc! { "n": 1 }).await;
    let by_driver = take_command(&sent);
    let found =
        reply(&backend, "findOne", doc! { "filter": {}, "sort": { "n": -1 }, "skip": 1, "projection": { "n": 1 } })
            .await;
    assert_eq!(take_command(&sent), by_driver);
    assert_eq!(documents(&found), [sorted.expect("answers").expect("three documents, less one")]);
}

#[tokio::test]
async fn the_command_for_explain_is_the_command_that_the_driver_sends() {
    let quiet = things(3).await;
    let (client, sent) = overheard_client().await;
    let backend = MongoBackend::new(&client, quiet.database().name());

    let collation = doc! { "locale": "en", "strength": 2 };
    for (word, fields) in [
        ("find", doc! { "filter": { "n": 1 } }),
        (
            "find",
            doc! {
                "filter": {}, "projection": { "n": 1 }, "sort": { "n": 1 }, "skip": 1, "limit": 2, "batchSize": 2,
                "hint": { "_id": 1 }, "collation": collation.clone(),
            },
        ),
        (
            "findOne",
            doc! { "filter": {}, "projection": { "n": 1 }, "sort": { "n": 1 }, "skip": 1, "hint": "_id_", "collation": collation.clone() },
        ),
        ("aggregate", doc! { "pipeline": [{ "$match": { "n": 1 } }] }),
        (
            "aggregate",
            doc! {
                "pipeline": [{ "$match": { "$expr": { "$eq": ["$n", "$$one"] } } }], "batchSize": 5,
                "allowDiskUse": true, "hint": "_id_", "collation": collation.clone(), "let": { "one": 1 },
            },
        ),
        ("aggregate", doc! { "pipeline": [{ "$match": {} }, { "$merge": "copies" }], "batchSize": 5 }),
        ("insertOne", doc! { "document": { "_id": 100 } }),
        ("insertMany", doc! { "documents": [{ "_id": 101 }, { "_id": 102 }], "ordered": false }),
        ("updateOne", doc! { "filter": { "n": 1 }, "update": { "$set": { "a": [1] } } }),
        (
            "updateMany",
            doc! {
                "filter": { "n": 1 }, "update": { "$set": { "a.$[e]": 2 } }, "upsert": false, "arrayFilters": [{ "e": 1 }],
                "hint": "_id_", "collation": collation.clone(),
            },
        ),
        ("updateMany", doc! { "filter": {}, "update": [{ "$set": { "b": "$n" } }] }),
        (
            "replaceOne",
            doc! { "filter": { "_id": 1 }, "replacement": { "n": 1 }, "upsert": true, "hint": "_id_", "collation": collation.clone() },
        ),
        ("deleteOne", doc! { "filter": { "n": 99 }, "hint": "_id_" }),
        ("deleteMany", doc! { "filter": { "n": 99 }, "collation": collation.clone() }),
        (
            "findOneAndUpdate",
            doc! {
                "filter": { "_id": 1 }, "update": { "$set": { "a": 1 } }, "projection": { "a": 1 }, "sort": { "n": 1 },
                "upsert": true, "returnDocument": "after", "hint": "_id_", "collation": collation.clone(),
            },
        ),
        ("findOneAndUpdate", doc! { "filter": { "_id": 2 }, "update": [{ "$set": { "a": [1] } }] }),
        (
            "findOneAndUpdate",
            doc! { "filter": { "_id": 2 }, "update": { "$set": { "a.$[e]": 2 } }, "arrayFilters": [{ "e": 1 }], "returnDocument": "before" },
        ),
        (
            "findOneAndReplace",
            doc! { "filter": { "_id": 1 }, "replacement": { "n": 1 }, "projection": { "n": 1 }, "sort": { "n": 1 }, "upsert": false, "returnDocument": "before" },
        ),
        ("countDocuments", doc! { "filter": { "n": 1 } }),
        (
            "countDocuments",
            doc! { "filter": {}, "skip": 1, "limit": 2, "hint": "_id_", "collation": collation.clone() },
        ),
        ("distinct", doc! { "key": "n" }),
        ("distinct", doc! { "key": "n", "filter": { "n": 1 }, "collation": collation.clone() }),
        (
            "bulkWrite",
            doc! {
                "models": [
                    { "insertOne": { "collection": "things", "document": { "_id": 200 } } },
                    { "updateOne": { "collection": "others", "filter": { "n": 1 }, "update": { "$set": { "a": 1 } }, "upsert": true } },
                    { "updateMany": {
                        "collection": "things", "filter": { "n": 99 }, "update": { "$set": { "a.$[e]": 2 } },
                        "arrayFilters": [{ "e": 1 }], "collation": collation, "hint": "_id_",
                    } },
                    { "updateOne": { "collection": "things", "filter": { "n": 1 }, "update": [{ "$set": { "b": "$n" } }] } },
                    { "replaceOne": { "collection": "things", "filter": { "_id": 2 }, "replacement": { "n": 3 } } },
                    { "deleteOne": { "collection": "others", "filter": { "n": 7 }, "hint": { "_id": 1 } } },
                    { "deleteMany": { "collection": "things", "filter": { "n": 7 } } },
                ],
                "ordered": false,
            },
        ),
        ("runCommand", doc! { "command": { "count": "things", "query": { "n": 1 } } }),
        ("runCommand", doc! { "command": { "find": "things", "filter": { "n": 1 } } }),
    ] {
        let call = call(word, fields);
        let expected = call.to_command().expect("well typed");
        let outcome = backend.execute(backend.prepare(call).expect("well typed"), Keep::Nothing).await;
        let mut command = take_command(&sent);
        // The driver writes the database before the collections of a bulk write.
        let database = format!("{}.", quiet.database().name());
        for namespace in command.get_array_mut("nsInfo").into_iter().flatten().filter_map(Bson::as_document_mut) {
            let collection = namespace.get_str("ns").expect("a namespace").trim_start_matches(&database).to_owned();
            namespace.insert("ns", collection);
        }
        assert_eq!(widened(command.into()), widened(expected.into()), "{word}");
        outcome.unwrap_or_else(|error| panic!("{word}: {error}"));
    }
}

#[test]
fn a_document_to_be_stored_stays_raw() {
    let document = rawdoc! { "_id": 1, "name": "x" };
    let StepKind::InsertOne(step) = call("insertOne", doc! { "document": { "_id": 1, "name": "x" } }) else {
        panic!("insertOne reads as itself");
    };
    assert_eq!(step.document, document);
}
