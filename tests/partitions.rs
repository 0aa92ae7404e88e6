//! Collections that are partitioned, and indexes made from lists, on a real server: what is made and filled, and what steps
//! find there.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use bson::{Bson, Document, bson, doc};
use futures_util::TryStreamExt as _;
use mongodb::Database;
use patternbench::backend::{CallErrorKind, MongoBackend};
use patternbench::evidence::storage;
use patternbench::load::{LoadError, LoadOptions, LoadedModel, load_model, load_source};
use patternbench::operation::{Answer, Done, ModelProgram};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::value::{Parameters, World};
use patternbench::words::Product;

use self::support::{client, unique_name};

/// Order n belongs to tenant n mod 4, and is of the day n mod 3 of January; there are 24 of them. Tenant 4 has none.
const SERVICE: &str = r#"
format: 1
title: Service
summary: Orders of tenants.
parameters:
  tenants: {default: 5}
  indexes: {default: 2}
dataset:
  orders:
    count: 24
    document:
      _id: ^index
      tenantId: {^mod: [^index, 4]}
      at: {^add: [{^date: 2025-01-01}, {^mul: [{^mod: [^index, 3]}, 1d]}]}
      total: ^index
models:
  naive:
    role: naive
    collections:
      orders:
        from: orders
        partitionBy: {field: tenantId, values: {^range: ^tenants}}
        indexes:
          - key: {at: 1}
          - {forEach: {^range: ^indexes}, key: [[{^format: "total{each}"}, 1], [_id, -1]], name: {^format: "by{each}"}}
      days:
        from: orders
        pipeline: [{$set: {order.day: $at}}]
        partitionBy: {field: order.day, values: [{^date: 2025-01-01}, {^date: 2025-01-02}, {^date: 2025-01-03}]}
      log: {partitionBy: {values: [eu, us]}}
    operations: &operations
      of_tenant:
        growth: constant
        steps:
          - find: {collection: {partition: ^tenant, of: orders}, filter: {}, sort: {_id: 1}}
      of_day:
        growth: constant
        steps:
          - countDocuments: {collection: {partition: ^day, of: days}, filter: {}}
      place:
        - insertOne: {collection: {partition: ^order.tenantId, of: orders}, document: ^order}
      totals:
        growth: constant
        steps:
          - aggregate:
              collection: {partition: all, of: orders}
              pipeline: [{$group: {_id: ^each, sum: {$sum: $total}}}]
      mark_all:
        - updateMany:
            collection: {partition: all, of: orders}
            filter: {tenantId: ^each, total: {$lt: ^below}}
            update: {$set: {small: true}}
            as: marked
        - insertOne: {collection: {partition: eu, of: log}, document: {_id: ^id, marked: ^marked.modified}}
      distinct_days:
        growth: constant
        steps:
          - distinct: {collection: {partition: all, of: days}, key: order.day}
  short:
    role: pattern
    collections:
      orders: {from: orders, partitionBy: tenantId}
      days: {from: orders, pipeline: [{$set: {order.day: $at}}], partitionBy: {field: order.day, values: [{^date: 2025-01-01}]}}
      log: {partitionBy: {values: [eu, us]}}
    operations: *operations
workload:
  of_tenant: {weight: 1, args: {tenant: {^mod: [^index, 6]}}, returns: {}}
  of_day: {weight: 1, args: {day: {^date: 2025-01-02}}, returns: {}}
  place: {weight: 1, args: {order: {_id: ^objectId, tenantId: {^mod: [^index, 6]}}}}
  totals: {weight: 1, returns: {}}
  mark_all: {weight: 1, args: {id: ^objectId, below: 8}}
  distinct_days: {weight: 1, returns: {}}
"#;

fn scenario() -> Scenario {
    load_scenario(SourceText::new("service.yaml", SERVICE)).unwrap_or_else(|(text, problems)| {
        panic!("{}", show(&text, &problems, false));
    })
}

fn world(scenario: &Scenario, set: &[(&str, i32)]) -> Arc<World> {
    let mut parameters: Parameters =
        scenario.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.default.clone())).collect();
    parameters.extend(set.iter().map(|(name, value)| ((*name).to_owned(), Bson::Int32(*value))));
    Arc::new(scenario.world(1, parameters).expect("the dataset resolves"))
}

/// The service's models on databases of their own.
struct Service {
    scenario: Scenario,
    world: Arc<World>,
    source: Database,
    target: Database,
}

impl Service {
    async fn open(set: &[(&str, i32)]) -> Self {
        let (scenario, client, name) = (scenario(), client().await, unique_name("partitions"));
        let world = world(&scenario, set);
        let source = client.database(&format!("patternbench_{name}_source"));
        let target = client.database(&format!("patternbench_{name}_model"));
        let options = LoadOptions { connections: 2, ..LoadOptions::default() };
        load_source(&source, &scenario.dataset, &world, &options, &mut |_| {}).await.expect("the source loads");
        Self { scenario, world, source, target }
    }

    async fn load(&self, model: usize) -> Result<LoadedModel, LoadError> {
        let options = LoadOptions { connections: 2, ..LoadOptions::default() };
        let model = &self.scenario.models[model];
        load_model(&self.source, &self.target, model, &self.world, &options, &mut |_| {}).await
    }

    fn program(&self) -> (ModelProgram, MongoBackend) {
        let program = ModelProgram::new(&self.scenario, 0, 0, Arc::clone(&self.world)).expect("parameters fit");
        (program, MongoBackend::new(self.target.client(), self.target.name()))
    }

    async fn try_run(&self, name: &str, number: u64) -> Result<Done, patternbench::backend::CallError> {
        let (program, backend) = self.program();
        let operation = program.operations().position(|known| known == name).expect("an operation of the service");
        let prepared = program.prepare(&backend, operation, number)?;
        program.execute(&backend, prepared, true).await
    }

    async fn run(&self, name: &str, number: u64) -> Done {
        self.try_run(name, number).await.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The documents of each collection that begins with these letters, by its name.
    async fn stored(&self, prefix: &str) -> BTreeMap<String, Vec<Document>> {
        let mut stored = BTreeMap::new();
        for name in self.target.list_collection_names().await.expect("collections are listed") {
            if name.starts_with(prefix) {
                let found = self.target.collection::<Document>(&name).find(doc! {}).sort(doc! { "_id": 1 }).await;
                let documents = found.expect("find works").try_collect().await.expect("all batches arrive");
                stored.insert(name, documents);
            }
        }
        stored
    }

    async fn index_names(&self, collection: &str) -> Vec<String> {
        let mut names = self.target.collection::<Document>(collection).list_index_names().await.expect("listed");
        names.sort();
        names
    }
}

fn documents(done: &Done) -> Vec<Document> {
    match done.answer.as_ref().expect("an answer was to be kept") {
        Answer::Documents(documents) => documents.iter().map(|raw| Document::try_from(raw).expect("valid")).collect(),
        Answer::Value(value) => panic!("documents were expected, {value} found"),
    }
}

fn ids(documents: &[Document]) -> Vec<i32> {
    documents.iter().map(|document| document.get_i32("_id").expect("a number")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_value_has_a_collection_with_its_documents_and_the_indexes_of_all() {
    let service = Service::open(&[]).await;
    let loaded = service.load(0).await.expect("the model loads");

    let orders = service.stored("orders_").await;
    // Tenant t has the orders t, t + 4 … below 24; the fifth has a collection without any.
    let expected: BTreeMap<String, Vec<i32>> = (0..5)
        .map(|tenant| (format!("orders_{tenant}"), (0..24).filter(|order| order % 4 == tenant).collect()))
        .collect();
    assert_eq!(orders.iter().map(|(name, orders)| (name.clone(), ids(orders))).collect::<BTreeMap<_, _>>(), expected);
    for name in expected.keys() {
        assert_eq!(service.index_names(name).await, ["_id_", "at_1", "by0", "by1"], "{name}");
    }
    // The field by which days are told apart is made by the pipeline.
    let days: Vec<(String, usize)> =
        service.stored("days_").await.into_iter().map(|(name, documents)| (name, documents.len())).collect();
    let day = |name: &str| (format!("days_{name}"), 24 / 3);
    assert_eq!(days, [day("20250101"), day("20250102"), day("20250103")]);
    assert_eq!(service.stored("log_").await.keys().collect::<Vec<_>>(), ["log_eu", "log_us"]);

    // To a reader it is one collection.
    let [orders, days, log] = &loaded.collections[..] else { panic!("three collections") };
    assert_eq!((orders.name.as_str(), orders.partitions), ("orders", Some(5)));
    assert_eq!((orders.logical_documents, orders.stored_documents, orders.indexes.len()), (24, 24, 4));
    assert_eq!((days.partitions, days.logical_documents), (Some(3), 24));
    assert_eq!((log.partitions, log.logical_documents), (Some(2), 0));
    assert_eq!(orders.sample["total"], orders.sample["_id"], "an order");
    assert_eq!(loaded.load.documents, 48);

    let names = service.scenario.models[0].collection_names(&service.world).expect("they can be told");
    let bill = storage(&service.target, names.iter().map(String::as_str), Product::Secantusd).await.expect("a bill");
    assert_eq!((bill.collections, bill.documents), (5 + 3 + 2, 48));
    // Each has one on `_id`, those of orders three more.
    assert_eq!(bill.indexes, 10 + 5 * 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn indexes_follow_the_parameter() {
    for (indexes, expected) in [(0, &["_id_", "at_1"][..]), (3, &["_id_", "at_1", "by0", "by1", "by2"])] {
        let service = Service::open(&[("indexes", indexes), ("tenants", 4)]).await;
        service.load(0).await.expect("the model loads");
        assert_eq!(service.index_names("orders_3").await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_without_a_partition_are_refused_and_named() {
    let service = Service::open(&[("tenants", 3)]).await;
    let error = service.load(0).await.expect_err("tenant 3 has no partition").to_string();
    assert!(error.contains("`orders`") && error.contains("3 in `tenantId`"), "{error}");
    let error = service.load(1).await.expect_err("two days have no partition").to_string();
    assert!(error.contains("`days`") && error.contains("in `order.day`"), "{error}");
    // Without `values` the partitions are those that the rows have.
    let names =
        service.scenario.models[1].collections[0].partitions(&service.world).expect("told").expect("partitioned");
    assert_eq!(names.names(), ["orders_0", "orders_1", "orders_2", "orders_3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_address_one_partition_by_its_value() {
    let service = Service::open(&[]).await;
    service.load(0).await.expect("the model loads");
    assert_eq!(ids(&documents(&service.run("of_tenant", 2).await)), [2, 6, 10, 14, 18, 22]);
    assert!(service.run("of_tenant", 4).await.empty, "there is nothing in it");
    assert!(service.run("of_tenant", 5).await.empty, "where there is no partition, a read finds nothing");
    let counted = service.run("of_day", 0).await;
    assert_eq!(counted.answer, Some(Answer::Value(bson!(8_i64))));

    service.run("place", 4).await;
    assert_eq!(service.stored("orders_4").await["orders_4"].len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_never_makes_a_partition() {
    let service = Service::open(&[]).await;
    service.load(0).await.expect("the model loads");
    let error = service.try_run("place", 5).await.expect_err("there is no tenant 5");
    assert_eq!(error.kind, CallErrorKind::Render);
    assert!(error.message.contains("step 1 (insertOne on orders)"), "{error}");
    assert!(error.message.contains("`orders` has no partition for 5"), "{error}");
    assert_eq!(service.stored("orders_").await.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_over_all_partitions_run_once_for_each() {
    let service = Service::open(&[]).await;
    service.load(0).await.expect("the model loads");
    let done = service.run("totals", 0).await;
    // The sum of t, t + 4 … t + 20 is 6 t + 60; the empty partition has no group.
    let expected: Vec<Document> = (0..4).map(|tenant| doc! { "_id": tenant, "sum": 6 * tenant + 60 }).collect();
    assert_eq!(documents(&done), expected);
    assert_eq!(done.round_trips, 5);

    service.run("mark_all", 0).await;
    let log = service.stored("log_eu").await;
    assert_eq!(log["log_eu"][0].get("marked"), Some(&bson!(8)), "orders 0 to 7, whichever partition they are in");

    let days = service.run("distinct_days", 0).await;
    let Some(Answer::Value(Bson::Array(days))) = days.answer else { panic!("a list of days") };
    assert_eq!(days.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_partitions_load_and_are_one_collection_in_the_record() {
    let service = Service::open(&[("tenants", 1_500), ("indexes", 0)]).await;
    let loaded = service.load(0).await.expect("the model loads");
    assert_eq!(loaded.collections.len(), 3);
    assert_eq!((loaded.collections[0].partitions, loaded.collections[0].logical_documents), (Some(1_500), 24));
}
