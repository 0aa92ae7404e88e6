//! Transactions, loops, second tries, writes in one request and commands, as scenarios write them, run on a real server.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bson::{Bson, Document, bson, doc};
use mongodb::Client;
use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;
use mongodb::options::ClientOptions;
use patternbench::backend::{CallError, CallErrorKind, MongoBackend};
use patternbench::operation::{Answer, Done, ModelProgram};
use patternbench::scenario::load_scenario;
use patternbench::source::{SourceText, show};
use patternbench::value::Parameters;
use patternbench::words::ErrorName;

/// A bank whose model does each operation in the way that a test looks at; account n holds 100 · n.
const BANK: &str = r#"
format: 1
title: Bank
summary: A bank for tests.
parameters:
  tries: {default: 3}
dataset:
  accounts: {count: 4, document: {_id: ^index, balance: {^mul: [^index, 100]}}}
models:
  naive:
    role: naive
    collections: {accounts: {}, log: {}}
    operations: &operations
      transfer:
        - transaction:
            as: made
            steps:
              - updateOne: {collection: accounts, filter: {_id: ^from}, update: {$inc: {balance: {^sub: [0, ^amount]}}}}
              - findOne: {collection: accounts, filter: {_id: ^from}, as: left}
              - updateOne: {collection: accounts, filter: {_id: ^to}, update: {$inc: {balance: ^amount}}, as: reached}
            assert: {^not: {^lt: [^left.balance, 0]}}
        - insertOne: {collection: log, document: {attempts: ^made.attempts, reached: ^reached.modified}}
      note_once:
        growth: constant
        steps:
          - transaction:
              as: noted
              expect: [DuplicateKey]
              when: ^wanted
              steps:
                - updateOne: {collection: accounts, filter: {_id: 1}, update: {$inc: {notes: 1}}, as: changed}
                - insertOne: {collection: log, document: {_id: ^entry}}
        result: {noted: ^noted, changed: ^changed.modified}
      drain:
        growth: constant
        steps:
          - do:
              repeat: {until: {^eq: [^taken.modified, 0]}, max: ^tries}
              steps:
                - find: {collection: accounts, filter: {balance: {$gt: 0}}, sort: {_id: 1}, limit: 1, as: rich}
                - updateMany:
                    collection: accounts
                    filter: {_id: {$in: ^rich._id}}
                    update: {$set: {balance: 0}}
                    as: taken
                - insertOne: {collection: log, document: {emptied: ^rich._id}, when: ^taken.modified, as: written}
        result: {last: ^rich, written: ^written}
      halve:
        - updateOne:
            collection: accounts
            filter: {_id: 3}
            update: [{$set: {balance: {$floor: {$divide: [$balance, 2]}}}}]
            repeat: {until: {^eq: [^it.modified, 0]}, max: ^tries}
      insist:
        growth: constant
        steps:
          - insertOne:
              collection: accounts
              document: {_id: 1}
              retry: {on: [DuplicateKey], max: 2}
              expect: [DuplicateKey]
              as: made
        result: {error: ^made.error}
      insist_in_vain:
        - insertOne: {collection: accounts, document: {_id: 1}, retry: {on: [DuplicateKey], max: 1}}
      log_pairs:
        - do:
            forEach: [a, b]
            steps:
              - insertOne: {collection: log, document: {letter: ^each}}
              - do:
                  forEach: [1, 2]
                  steps: [{insertMany: {collection: log, documents: [{digit: ^each}, {digit: ^each}]}}]
      settle:
        growth: constant
        steps:
          - bulkWrite:
              models:
                ^concat:
                  - - insertOne: {collection: log, document: {what: settled}}
                    - deleteOne: {collection: accounts, filter: {_id: 0}}
                  - ^map: {in: [1, 2], to: {updateOne: {collection: accounts, filter: {_id: ^it}, update: {$inc: {balance: 1}}}}}
                  - - updateOne: {collection: log, filter: {_id: seen}, update: {$inc: {times: 1}}, upsert: true}
              as: written
        result: ^written
      count_rich:
        growth: constant
        steps:
          - runCommand: {command: {createIndexes: accounts, indexes: [{key: {balance: 1}, name: by_balance}]}}
          - runCommand: {command: {count: accounts, query: {balance: {$gte: ^least}}}, as: counted}
          - runCommand: {command: {find: accounts, filter: {balance: {$gte: ^least}}, sort: {_id: 1}, batchSize: 1}, as: found}
          - runCommand: {command: {collMod: accounts, validator: {balance: {$gte: 0}}}}
          - insertOne: {collection: accounts, document: {_id: 9, balance: -1}, expect: [DocumentValidationFailure], as: bad}
        result: {count: ^counted.n, ids: ^found._id, bad: ^bad.error}
  pattern:
    role: pattern
    collections: {accounts: {}, log: {}}
    operations: *operations
workload:
  transfer: {weight: 1, args: {from: {^mod: [^index, 4]}, to: {^mod: [{^add: [^index, 1]}, 4]}, amount: 150}}
  note_once: {weight: 1, args: {entry: {^mod: [^index, 2]}, wanted: {^lt: [^index, 10]}}, returns: {}}
  drain: {weight: 1, returns: {}}
  halve: {weight: 1}
  insist: {weight: 1, returns: {}}
  insist_in_vain: {weight: 1}
  log_pairs: {weight: 1}
  settle: {weight: 1, returns: {}}
  count_rich: {weight: 1, args: {least: 200}, returns: {}}
"#;

/// The model's operations and a database of its own.
struct Bank {
    program: Arc<ModelProgram>,
    backend: MongoBackend,
}

impl Bank {
    async fn open() -> Self {
        let database = support::database("blocks").await;
        let backend = MongoBackend::new(database.client(), database.name());
        Self::over(backend, 3).await
    }

    /// A bank that repeats at most so many times, over this backend.
    async fn over(backend: MongoBackend, tries: i32) -> Self {
        let scenario = load_scenario(SourceText::new("bank.yaml", BANK)).unwrap_or_else(|(text, problems)| {
            panic!("{}", show(&text, &problems, false));
        });
        let parameters = Parameters::from([("tries".to_owned(), bson!(tries))]);
        let world = Arc::new(scenario.world(1, parameters).expect("the dataset resolves"));
        let program = Arc::new(ModelProgram::new(&scenario, 0, 0, world).expect("parameters fit"));
        let accounts = (0..4).map(|n| doc! { "_id": n, "balance": 100 * n });
        backend.database().collection("accounts").insert_many(accounts).await.expect("inserts");
        backend.database().create_collection("log").await.expect("a collection");
        Self { program, backend }
    }

    fn operation(&self, name: &str) -> usize {
        self.program.operations().position(|operation| operation == name).expect("an operation of the bank")
    }

    async fn run(&self, name: &str, number: u64) -> Done {
        self.try_run(name, number).await.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    async fn try_run(&self, name: &str, number: u64) -> Result<Done, CallError> {
        let prepared = self.program.prepare(&self.backend, self.operation(name), number)?;
        self.program.execute(&self.backend, prepared, true).await
    }

    async fn stored(&self, collection: &str) -> Vec<Document> {
        let collection = self.backend.database().collection(collection);
        let mut cursor = collection.find(doc! {}).sort(doc! { "_id": 1 }).await.expect("finds");
        let mut documents = Vec::new();
        while cursor.advance().await.expect("reads") {
            documents.push(cursor.deserialize_current().expect("a document"));
        }
        documents
    }

    async fn balances(&self) -> Vec<i64> {
        let number = |account: &Document| match account.get("balance") {
            Some(Bson::Int32(number)) => i64::from(*number),
            Some(Bson::Int64(number)) => *number,
            Some(Bson::Double(number)) => *number as i64,
            other => panic!("a balance was expected, {other:?} found"),
        };
        self.stored("accounts").await.iter().map(number).collect()
    }
}

fn value(done: &Done) -> &Bson {
    match done.answer.as_ref().expect("an answer was to be kept") {
        Answer::Value(value) => value,
        Answer::Documents(documents) => panic!("a value was expected, {documents:?} found"),
    }
}

#[tokio::test]
async fn a_transfer_is_made_in_full_and_its_bindings_are_known_after_it() {
    let bank = Bank::open().await;
    let done = bank.run("transfer", 2).await;
    // Account 2 held 200 and gives 150 to account 3.
    assert_eq!(bank.balances().await, [0, 100, 50, 450]);
    // Three calls, the commit, and the entry in the log.
    assert_eq!((done.round_trips, done.retries), (3 + 1 + 1, 0));
    let log = bank.stored("log").await;
    assert_eq!((log[0].get("attempts"), log[0].get("reached")), (Some(&bson!(1)), Some(&bson!(1))));
}

#[tokio::test]
async fn what_a_transaction_asserts_undoes_all_of_it() {
    let bank = Bank::open().await;
    let error = bank.try_run("transfer", 1).await.expect_err("account 1 holds only 100");
    assert_eq!(error.kind, CallErrorKind::Assert);
    assert_eq!(error.message, "the transaction from step 1 on: what it asserts does not hold");
    assert_eq!(bank.balances().await, [0, 100, 200, 300]);
    assert!(bank.stored("log").await.is_empty(), "what follows is not done");
}

#[tokio::test]
async fn a_transaction_that_meets_another_is_begun_anew() {
    let bank = Bank::open().await;
    let accounts = bank.backend.database().collection::<Document>("accounts");
    let mut other = bank.backend.database().client().start_session().await.expect("a session");
    other.start_transaction().await.expect("transactions are there");
    accounts
        .update_one(doc! { "_id": 2 }, doc! { "$inc": { "balance": 1000 } })
        .session(&mut other)
        .await
        .expect("first");

    let (done, ()) = tokio::join!(bank.run("transfer", 2), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        other.commit_transaction().await.expect("commits");
    });
    assert!(done.retries > 0, "{done:?}");
    assert_eq!(bank.balances().await, [0, 100, 200 + 1000 - 150, 300 + 150]);
    let log = bank.stored("log").await;
    let attempts = i32::try_from(1 + done.retries).expect("a few");
    assert_eq!(
        log[0].get("attempts"),
        Some(&bson!(attempts)),
        "what was bound is of the last attempt, the count of all"
    );
}

#[tokio::test]
async fn a_transaction_gives_up_when_its_time_is_over() {
    let bank = Bank::open().await;
    let accounts = bank.backend.database().collection::<Document>("accounts");
    let mut other = bank.backend.database().client().start_session().await.expect("a session");
    other.start_transaction().await.expect("transactions are there");
    accounts
        .update_one(doc! { "_id": 2 }, doc! { "$inc": { "balance": 1000 } })
        .session(&mut other)
        .await
        .expect("first");

    let hurried = Bank {
        program: Arc::clone(&bank.program),
        backend: bank.backend.clone().with_time_limit(Duration::from_millis(300)),
    };
    let error = hurried.try_run("transfer", 2).await.expect_err("the other never ends");
    assert_eq!(error.name(), Some(ErrorName::WriteConflict), "{error}");
    assert!(error.message.starts_with("the transaction from step 1 on: not committed after "), "{}", error.message);
    other.abort_transaction().await.expect("aborts");
    assert_eq!(bank.balances().await, [0, 100, 200, 300]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transfers_beside_each_other_lose_nothing() {
    let bank = Arc::new(Bank::open().await);
    let accounts = bank.backend.database().collection::<Document>("accounts");
    accounts.update_many(doc! {}, doc! { "$set": { "balance": 10_000 } }).await.expect("enough for all");
    let tasks: Vec<_> = (0..4_u64)
        .map(|task| {
            let bank = Arc::clone(&bank);
            tokio::spawn(async move {
                for round in 0..10 {
                    bank.run("transfer", 4 * round + task).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("does not panic");
    }
    // Each account gives as often as it gets.
    assert_eq!(bank.balances().await, [10_000; 4]);
    assert_eq!(bank.stored("log").await.len(), 40);
}

#[tokio::test]
async fn an_error_that_a_transaction_expects_aborts_it_and_is_an_answer() {
    let bank = Bank::open().await;
    let first = bank.run("note_once", 1).await;
    assert_eq!(value(&first), &bson!({ "noted": { "attempts": 1, "error": null }, "changed": 1 }));
    let second = bank.run("note_once", 3).await;
    assert_eq!(value(&second), &bson!({ "noted": { "attempts": 1, "error": "DuplicateKey" }, "changed": null }));
    assert_eq!((second.expected, second.retries), (vec![ErrorName::DuplicateKey], 0));
    assert_eq!(bank.stored("accounts").await[1].get("notes"), Some(&bson!(1)), "noted once only");

    let skipped = bank.run("note_once", 10).await;
    assert_eq!(value(&skipped), &bson!({ "noted": null, "changed": null }));
    assert_eq!(skipped.round_trips, 0);
}

#[tokio::test]
async fn where_there_are_no_transactions_the_steps_are_made_one_after_the_other() {
    let mut bank = Bank::open().await;
    bank.backend = bank.backend.clone().with_transactions(false);
    let done = bank.run("transfer", 2).await;
    assert_eq!((done.round_trips, bank.balances().await), (3 + 1, vec![0, 100, 50, 450]), "there is no commit");

    bank.try_run("transfer", 1).await.expect_err("account 1 holds only 100");
    assert_eq!(bank.balances().await, [0, -50, 200, 450], "nothing is undone");
    let once = bank.run("note_once", 1).await;
    let twice = bank.run("note_once", 3).await;
    assert_eq!((once.expected, twice.expected), (vec![], vec![ErrorName::DuplicateKey]));
    // Account 2 gives once more, and no call says that it was part of a transaction.
    let traced = bank.program.trace(&bank.backend, bank.operation("transfer"), 6).await.expect("200 are enough");
    assert!(traced.calls.iter().all(|call| call.transaction.is_none()), "{:?}", traced.calls);
}

#[tokio::test]
async fn a_block_is_repeated_until_its_condition_holds_and_no_further() {
    let database = support::database("blocks").await;
    let bank = Bank::over(MongoBackend::new(database.client(), database.name()), 5).await;
    let done = bank.run("drain", 0).await;
    // Accounts 1, 2 and 3 hold something; the fourth time there is nothing left, and what was skipped is null.
    assert_eq!(value(&done), &bson!({ "last": [], "written": null }));
    assert_eq!(bank.balances().await, [0, 0, 0, 0]);
    let mut emptied: Vec<_> = bank.stored("log").await.iter().map(|entry| entry.get("emptied").cloned()).collect();
    emptied.sort_by_key(|ids| format!("{ids:?}"));
    assert_eq!(emptied, [1, 2, 3].map(|id| Some(bson!([id]))));
}

#[tokio::test]
async fn a_repetition_that_does_not_come_to_its_end_is_a_failure() {
    let bank = Bank::open().await;
    let error = bank.try_run("drain", 0).await.expect_err("three accounts and a last look are four times");
    assert_eq!(error.kind, CallErrorKind::Assert);
    let expected = "the block from step 1 on: it ran 3 times, which is all that `repeat` allows, and its condition still \
                    does not hold";
    assert_eq!(error.message, expected);
    let bank = Bank::open().await;
    let error = bank.try_run("halve", 0).await.expect_err("300, 150, 75, 37: it goes on");
    assert!(error.message.starts_with("step 1 (updateOne on accounts): it ran 3 times"), "{}", error.message);
}

#[tokio::test]
async fn a_call_is_repeated_until_its_condition_holds() {
    let database = support::database("blocks").await;
    let bank = Bank::over(MongoBackend::new(database.client(), database.name()), 20).await;
    let done = bank.run("halve", 0).await;
    assert_eq!(bank.balances().await[3], 0);
    // 300, 150, 75, 37, 18, 9, 4, 2, 1, 0: nine changes, and one that changes nothing.
    assert_eq!(done.round_trips, 10);
}

#[tokio::test]
async fn a_call_is_sent_again_after_the_errors_named_and_no_more_often() {
    let bank = Bank::open().await;
    let done = bank.run("insist", 0).await;
    assert_eq!(value(&done), &bson!({ "error": "DuplicateKey" }));
    assert_eq!((done.round_trips, done.retries, done.expected), (3, 2, vec![ErrorName::DuplicateKey]));
    let error = bank.try_run("insist_in_vain", 0).await.expect_err("it is there already");
    assert_eq!(error.name(), Some(ErrorName::DuplicateKey));
}

#[tokio::test]
async fn documents_made_in_loops_have_identities_of_their_own() {
    let bank = Bank::open().await;
    let done = bank.run("log_pairs", 7).await;
    assert_eq!(done.round_trips, 2 + 4);
    let first = bank.stored("log").await;
    // Two letters, and for each of them two lists of two.
    assert_eq!(first.len(), 2 + 2 * 2 * 2);
    let again = Bank::open().await;
    again.run("log_pairs", 7).await;
    assert_eq!(again.stored("log").await, first, "the same ones in every model and replay");
}

#[tokio::test]
async fn writes_to_several_collections_are_one_request() {
    let bank = Bank::open().await;
    let done = bank.run("settle", 0).await;
    let expected = bson!({
        "matched": 2, "modified": 2, "inserted": 1, "deleted": 1, "upsertedId": null, "error": null,
    });
    assert_eq!((value(&done), done.round_trips), (&expected, 1));
    assert_eq!(bank.balances().await, [101, 201, 300]);
    assert_eq!(bank.stored("log").await.len(), 2);
    let other = Bank::open().await;
    other.run("settle", 0).await;
    assert_eq!(other.stored("log").await, bank.stored("log").await, "identities do not depend on the driver");
}

#[tokio::test]
async fn commands_read_and_change_the_models_own_collections() {
    let bank = Bank::open().await;
    let done = bank.run("count_rich", 0).await;
    assert_eq!(value(&done), &bson!({ "count": 2, "ids": [2, 3], "bad": "DocumentValidationFailure" }));
    // Two changes, a count and an insert; the find takes batches of one document, two at least, and leaves none open.
    assert!(done.round_trips >= 6, "{done:?}");
    let indexes = bank.backend.database().collection::<Document>("accounts").list_index_names().await.expect("lists");
    assert!(indexes.contains(&"by_balance".to_owned()), "{indexes:?}");
}

#[tokio::test]
async fn a_trace_says_which_calls_were_part_of_a_transaction_as_the_driver_sent_them() {
    let quiet = Bank::open().await;
    let sent: Arc<Mutex<Vec<Document>>> = Arc::default();
    let uri = format!("mongodb://{}/?directConnection=true", support::shared_server().facts().host);
    let mut options = ClientOptions::parse(uri).await.expect("parses");
    let commands = Arc::clone(&sent);
    options.command_event_handler = Some(EventHandler::callback(move |event| {
        if let CommandEvent::Started(event) = event {
            commands.lock().expect("not poisoned").push(event.command);
        }
    }));
    let client = Client::with_options(options).expect("valid options");
    let backend = MongoBackend::new(&client, quiet.backend.database().name());

    let traced = quiet.program.trace(&backend, quiet.operation("transfer"), 2).await.expect("succeeds");
    let transactions: Vec<_> = traced.calls.iter().map(|call| (call.step, call.transaction)).collect();
    assert_eq!(transactions, [(0, Some(0)), (1, Some(0)), (2, Some(0)), (3, None)]);
    let sent = sent.lock().expect("not poisoned");
    let names: Vec<_> = sent.iter().map(|command| command.keys().next().expect("a name").as_str()).collect();
    assert_eq!(names, ["update", "find", "update", "commitTransaction", "insert"]);
    assert_eq!(sent[0].get("startTransaction"), Some(&bson!(true)));
    assert_eq!(sent[3].get("writeConcern"), Some(&bson!({ "w": "majority" })));
    for command in &sent[..4] {
        assert_eq!(command.get("autocommit"), Some(&bson!(false)), "{command}");
        assert_eq!(command.get("lsid"), sent[0].get("lsid"), "the same session");
        assert_eq!(command.get("txnNumber"), sent[0].get("txnNumber"), "the same transaction");
    }
    assert_eq!(sent[4].get("autocommit"), None);
}
