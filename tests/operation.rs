//! Operations as scenarios write them, run on a real server: arguments, bindings, conditions, expected errors, results.

mod support;

use std::sync::Arc;

use bson::{Bson, Document, bson, doc};
use patternbench::backend::{CallErrorKind, MongoBackend};
use patternbench::operation::{Answer, Done, ModelProgram};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::value::{Parameters, World};
use patternbench::words::ErrorName;

/// A shop whose models do each operation in the way that a test looks at.
const SHOP: &str = r#"
format: 1
title: Shop
summary: A shop for tests.
parameters:
  page: {default: 3}
dataset:
  customers: {count: 5, document: {_id: ^index, name: {^format: "Customer {index}"}}}
models:
  naive:
    role: naive
    collections: {orders: {}, customers: {}, likes: {}, products: {}, log: {}}
    operations: &operations
      list_orders:
        growth: constant
        steps:
          - find: {collection: orders, filter: {n: {$gte: ^from}}, sort: {_id: 1}, limit: ^page}
      orders_with_names:
        growth: constant
        steps:
          - find: {collection: orders, filter: {n: {$lt: ^below}}, sort: {_id: 1}, as: found}
          - find: {collection: customers, filter: {_id: {$in: ^found.customerId}}, as: people}
        result:
          ^join: {left: ^found, right: ^people, leftKey: customerId, as: customer}
      like:
        - insertOne: {collection: likes, document: {_id: {post: ^post, user: ^user}}, as: like, expect: [DuplicateKey]}
        - updateOne: {collection: products, filter: {_id: ^post}, update: {$inc: {likes: 1}}, when: {^eq: [^like.error, null]}}
      buy:
        - updateOne:
            collection: products
            filter: {_id: ^product, stock: {$gte: ^amount}}
            update: {$inc: {stock: {^sub: [0, ^amount]}}}
            as: taken
            assert: {^eq: [^taken.modified, 1]}
      restock:
        - updateOne:
            collection: products
            forEach: ^deliveries
            filter: {_id: ^each.product}
            update: {$inc: {stock: ^each.amount}}
            as: stocked
        - insertMany: {collection: log, documents: [{matched: ^stocked.matched}, {note: done}]}
      newest:
        growth: constant
        steps:
          - findOne: {collection: log, filter: {matched: {$exists: true}}, sort: {_id: -1}, as: entry}
          - findOne: {collection: products, filter: {_id: ^entry.matched}, select: ^it.stock, as: stock, when: ^entry}
        result: {entry: ^entry.matched, stock: ^stock}
      count_orders:
        growth: constant
        steps:
          - countDocuments: {collection: orders, filter: {n: {$lt: ^below}}}
  pattern:
    role: pattern
    collections: {orders: {}, customers: {}, likes: {}, products: {}, log: {}}
    operations: *operations
workload:
  list_orders: {weight: 1, args: {from: {^mod: [^index, 10]}}, returns: {order: true}}
  orders_with_names: {weight: 1, args: {below: {^mod: [^index, 10]}}, returns: {fields: [customer.name], order: true}}
  like: {weight: 1, args: {post: {^mod: [^index, 2]}, user: {^mod: [^index, 4]}}}
  buy: {weight: 1, args: {product: 1, amount: {^mod: [^index, 10]}}}
  restock: {weight: 1, args: {deliveries: [{product: 0, amount: 5}, {product: 1, amount: ^index}, {product: 99, amount: 1}]}}
  newest: {weight: 1, returns: {fields: [entry, stock]}}
  count_orders: {weight: 1, args: {below: {^mod: [^index, 10]}, again: {^add: [^below, 1]}, id: ^objectId}, returns: {}}
"#;

fn scenario(text: &str) -> Scenario {
    load_scenario(SourceText::new("shop.yaml", text)).unwrap_or_else(|(text, problems)| {
        panic!("{}", show(&text, &problems, false));
    })
}

fn world(scenario: &Scenario, seed: u64) -> Arc<World> {
    let parameters: Parameters =
        scenario.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.default.clone())).collect();
    Arc::new(scenario.world(seed, parameters).expect("the dataset resolves"))
}

/// A model's operations and a database of its own, in which there are orders 0 to 9 and products 0 and 1.
struct Shop {
    program: ModelProgram,
    backend: MongoBackend,
}

impl Shop {
    async fn open() -> Self {
        let scenario = scenario(SHOP);
        let program = ModelProgram::new(&scenario, 0, 0, world(&scenario, 1)).expect("parameters fit");
        let database = support::database("operation").await;
        let orders = (0..10).map(|n| doc! { "_id": n, "n": n, "customerId": n % 2 });
        database.collection("orders").insert_many(orders).await.expect("inserts");
        let customers = (0..3).map(|n| doc! { "_id": n, "name": format!("Customer {n}") });
        database.collection("customers").insert_many(customers).await.expect("inserts");
        let products = (0..2).map(|n| doc! { "_id": n, "stock": 10, "likes": 0 });
        database.collection("products").insert_many(products).await.expect("inserts");
        Self { program, backend: MongoBackend::new(database.client(), database.name()) }
    }

    fn operation(&self, name: &str) -> usize {
        self.program.operations().position(|operation| operation == name).expect("an operation of the shop")
    }

    async fn run(&self, name: &str, number: u64) -> Done {
        self.try_run(name, number).await.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    async fn try_run(&self, name: &str, number: u64) -> Result<Done, patternbench::backend::CallError> {
        let prepared = self.program.prepare(&self.backend, self.operation(name), number)?;
        self.program.execute(&self.backend, prepared, true).await
    }

    async fn stored(&self, collection: &str, filter: Document) -> Vec<Document> {
        let mut cursor =
            self.backend.database().collection(collection).find(filter).sort(doc! { "_id": 1 }).await.expect("finds");
        let mut documents = Vec::new();
        while cursor.advance().await.expect("reads") {
            documents.push(cursor.deserialize_current().expect("a document"));
        }
        documents
    }
}

fn documents(done: &Done) -> Vec<Document> {
    match done.answer.as_ref().expect("an answer was to be kept") {
        Answer::Documents(documents) => documents.iter().map(|raw| Document::try_from(raw).expect("valid")).collect(),
        Answer::Value(value) => panic!("documents were expected, {value} found"),
    }
}

fn value(done: &Done) -> &Bson {
    match done.answer.as_ref().expect("an answer was to be kept") {
        Answer::Value(value) => value,
        Answer::Documents(documents) => panic!("a value was expected, {documents:?} found"),
    }
}

#[test]
fn arguments_are_a_function_of_the_number_and_the_same_in_every_model() {
    let scenario = scenario(SHOP);
    let of_model = |model| ModelProgram::new(&scenario, 0, model, world(&scenario, 7)).expect("parameters fit");
    let (naive, pattern) = (of_model(0), of_model(1));
    assert_eq!((naive.model(), pattern.model()), ("naive", "pattern"));
    for operation in 0..naive.operations().len() {
        for number in [0, 3, 2_000_017] {
            let arguments = naive.arguments(operation, number).expect("renders").values;
            assert_eq!(arguments, pattern.arguments(operation, number).expect("renders").values);
            assert_eq!(arguments.len(), naive.argument_names(operation).len());
        }
    }
    let count = naive.operations().position(|name| name == "count_orders").expect("there");
    let arguments = naive.arguments(count, 2_000_017).expect("renders").values;
    // The second sees the first: 17 mod 10, and one more.
    assert_eq!(arguments[..2], [Some(bson!(7)), Some(bson!(8))]);
}

#[tokio::test]
async fn a_single_read_answers_with_its_documents_or_counts_them_only() {
    let shop = Shop::open().await;
    let done = shop.run("list_orders", 8).await;
    // From 8 on there are two, although a page is three.
    assert_eq!(documents(&done).iter().map(|order| order.get_i32("n").expect("n")).collect::<Vec<_>>(), [8, 9]);
    assert_eq!((done.empty, done.round_trips), (false, 1));

    let prepared = shop.program.prepare(&shop.backend, shop.operation("list_orders"), 8).expect("renders");
    let done = shop.program.execute(&shop.backend, prepared, false).await.expect("succeeds");
    assert_eq!(done, Done { empty: false, round_trips: 1, ..Done::default() });
}

#[tokio::test]
async fn a_read_that_finds_nothing_is_empty() {
    let shop = Shop::open().await;
    assert!(shop.run("count_orders", 0).await.empty, "a count of 0");
    let done = shop.run("count_orders", 4).await;
    assert_eq!((value(&done), done.empty), (&bson!(4_i64), false));

    shop.backend.database().collection::<Document>("orders").delete_many(doc! {}).await.expect("deletes");
    assert!(shop.run("list_orders", 1).await.empty);
    assert!(shop.run("orders_with_names", 9).await.empty);
    assert!(!shop.run("buy", 1).await.empty, "a write is never empty");
}

#[tokio::test]
async fn a_join_on_the_client_is_built_from_bindings() {
    let shop = Shop::open().await;
    let done = shop.run("orders_with_names", 3).await;
    let names: Vec<_> = value(&done)
        .as_array()
        .expect("a list")
        .iter()
        .map(|order| order.as_document().expect("an order").get("customer").expect("joined").clone())
        .collect();
    let customer = |n: i32| bson!({ "_id": n, "name": format!("Customer {n}") });
    // Orders 0, 1 and 2 belong to customers 0, 1 and 0.
    assert_eq!(names, [customer(0), customer(1), customer(0)]);
    assert_eq!(done.round_trips, 2);
}

#[tokio::test]
async fn an_expected_error_is_an_answer_that_later_steps_see() {
    let shop = Shop::open().await;
    let first = shop.run("like", 1).await;
    assert_eq!((first.expected, first.round_trips), (vec![], 2));
    // The same post and user again: counted once only.
    let second = shop.run("like", 5).await;
    assert_eq!((second.expected, second.round_trips), (vec![ErrorName::DuplicateKey], 1));
    assert_eq!(shop.stored("products", doc! { "_id": 1 }).await[0].get("likes"), Some(&bson!(1)));
}

#[tokio::test]
async fn what_a_step_asserts_must_hold() {
    let shop = Shop::open().await;
    shop.run("buy", 7).await;
    // 3 are left.
    let error = shop.try_run("buy", 4).await.expect_err("too few are left");
    assert_eq!(error.kind, CallErrorKind::Assert);
    assert_eq!(error.message, "step 1 (updateOne on products): what it asserts does not hold");
    assert_eq!(shop.stored("products", doc! { "_id": 1 }).await[0].get("stock"), Some(&bson!(3)));
}

#[tokio::test]
async fn a_step_runs_for_each_element_and_its_binding_adds_up() {
    let shop = Shop::open().await;
    let done = shop.run("restock", 20).await;
    // Three updates, of which one matches nothing, and one insert.
    assert_eq!(done.round_trips, 4);
    let stocks: Vec<_> =
        shop.stored("products", doc! {}).await.iter().map(|product| product.get_i32("stock").expect("stock")).collect();
    assert_eq!(stocks, [10 + 5, 10 + 20]);
    let log = shop.stored("log", doc! {}).await;
    assert_eq!(log[0].get("matched"), Some(&bson!(2)));
    assert_eq!(log[1].get("note"), Some(&bson!("done")));
}

#[tokio::test]
async fn a_document_inserted_without_identity_gets_the_same_one_in_every_model_and_replay() {
    let (naive, pattern) = (Shop::open().await, Shop::open().await);
    for number in [4, 5] {
        naive.run("restock", number).await;
        pattern.run("restock", number).await;
    }
    let log = naive.stored("log", doc! {}).await;
    assert_eq!(log, pattern.stored("log", doc! {}).await);
    assert_eq!(log.len(), 4, "four documents, four identities");
}

#[tokio::test]
async fn a_skipped_step_yields_null() {
    let shop = Shop::open().await;
    assert_eq!(value(&shop.run("newest", 0).await), &bson!({ "entry": null, "stock": null }));
    shop.run("restock", 3).await;
    shop.run("restock", 4).await;
    // The last entry says that 2 matched, and there is no product 2: found nothing, of which `^it.stock` is null.
    assert_eq!(value(&shop.run("newest", 1).await), &bson!({ "entry": 2, "stock": null }));
    shop.backend.database().collection("products").insert_one(doc! { "_id": 2, "stock": 42 }).await.expect("inserts");
    let done = shop.run("newest", 2).await;
    assert_eq!(value(&done), &bson!({ "entry": 2, "stock": 42 }));
    assert_eq!(done.round_trips, 2);
}

#[tokio::test]
async fn a_trace_holds_every_call_as_sent() {
    let shop = Shop::open().await;
    let operation = shop.operation("orders_with_names");
    let known = shop.program.calls(operation, 3).expect("renders");
    assert_eq!(known.iter().map(|call| call.step).collect::<Vec<_>>(), [0], "the second depends on the first's reply");

    let traced = shop.program.trace(&shop.backend, operation, 3).await.expect("succeeds");
    let sent: Vec<_> = traced.calls.iter().map(|call| call.call.to_command().expect("well typed")).collect();
    assert_eq!(sent[0], doc! { "find": "orders", "filter": { "n": { "$lt": 3 } }, "sort": { "_id": 1 } });
    assert_eq!(sent[1], doc! { "find": "customers", "filter": { "_id": { "$in": [0, 1] } } });
    assert_eq!(traced.done, shop.run("orders_with_names", 3).await);
}

#[tokio::test]
async fn a_failure_that_nothing_expects_names_its_step() {
    let shop = Shop::open().await;
    shop.run("restock", 1).await;
    let error = shop.try_run("restock", 1).await.expect_err("the same identities again");
    assert_eq!(error.name(), Some(ErrorName::DuplicateKey));
    assert!(error.message.starts_with("step 2 (insertMany on log): "), "{}", error.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_run_operations_beside_each_other() {
    let shop = Arc::new(Shop::open().await);
    let tasks: Vec<_> = (0..8)
        .map(|number| {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move { shop.run("restock", number).await })
        })
        .collect();
    for task in tasks {
        task.await.expect("does not panic");
    }
    // Each adds its number to product 1.
    assert_eq!(shop.stored("products", doc! { "_id": 1 }).await[0].get("stock"), Some(&bson!(10 + 28)));
}
