//! What goes on beside the operations of a model, end to end against the embedded server: background actors that keep
//! copies up to date, and events that happen in the middle of a round.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use bson::{Document, doc};
use futures_util::TryStreamExt as _;
use patternbench::backend::MongoBackend;
use patternbench::guard::Consent;
use patternbench::load::{LoadOptions, load_model, load_source};
use patternbench::operation::ModelProgram;
use patternbench::parity::{ParityError, ParityModel, ParityOutcome, Sample, compare};
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{RoundRecord, SLICES, ScenarioRecord, StalenessRecord, histogram};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunRequest, Target, run};
use patternbench::scenario::{Scenario, builtin, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::words::{DataState, EventOutcome, Mode, Phase, Profile};

/// Orders with the names of their customers: joined, copied by an actor that works off a list, copied by one that follows
/// changes. The customer of an operation is its number modulo 4.
const ORDERS: &str = r#"
format: 1
title: Orders
summary: Orders with the names of their customers.
dataset:
  customers: {count: 4, document: {_id: ^index, name: {^format: "Customer {index}"}}}
  orders: {children: {of: customers, count: 3}, document: {_id: ^index, customerId: ^parent._id}}
models:
  naive:
    role: naive
    collections:
      customers: {from: customers}
      orders: {from: orders, indexes: [{key: {customerId: 1}}]}
    operations:
      list:
        growth: constant
        steps:
          - aggregate:
              collection: orders
              pipeline:
                - $match: {customerId: ^customer}
                - $sort: {_id: 1}
                - $lookup: {from: customers, localField: customerId, foreignField: _id, as: customer}
                - $set: {customer: {$first: $customer}}
      rename:
        - updateOne: {collection: customers, filter: {_id: ^customer}, update: {$set: {name: ^name}}}
  listed:
    role: pattern
    collections:
      customers: {from: customers}
      orders: &copies
        from: orders
        pipeline:
          - $lookup: {from: customers, localField: customerId, foreignField: _id, as: customer}
          - $set: {customer: {$first: $customer}}
        indexes: [{key: {customerId: 1}}]
      renamed: {}
    operations:
      list: &list
        growth: constant
        steps:
          - find: {collection: orders, filter: {customerId: ^customer}, sort: {_id: 1}}
      rename:
        - updateOne: {collection: customers, filter: {_id: ^customer}, update: {$set: {name: ^name}}}
        - updateOne: {collection: renamed, filter: {_id: ^customer}, update: {$set: {name: ^name}}, upsert: true}
    background:
      - name: copy
        every: 5ms
        steps:
          - find: {collection: renamed, filter: {}, as: behind}
          - updateMany:
              collection: orders
              filter: {customerId: ^each._id}
              update: {$set: {customer.name: ^each.name}}
              forEach: ^behind
          - deleteOne: {collection: renamed, filter: {_id: ^each._id, name: ^each.name}, forEach: ^behind}
  streamed:
    role: alternative
    collections:
      customers: {from: customers}
      orders: *copies
    operations:
      list: *list
      rename:
        - updateOne: {collection: customers, filter: {_id: ^customer}, update: {$set: {name: ^name}}}
    background:
      - name: copy
        on_change: {collection: customers, pipeline: [{$match: {operationType: update}}]}
        steps:
          - updateMany:
              collection: orders
              filter: {customerId: ^change.documentKey._id}
              update: {$set: {customer.name: ^change.fullDocument.name}}
workload:
  list:
    weight: 3
    args: {customer: {^mod: [^index, 4]}}
    returns: {fields: [_id, customer.name], order: true, eventual: [customer.name], last_write: [customer.name]}
  rename:
    weight: 1
    args: {customer: {^mod: [^index, 4]}, name: {^format: "Renamed {index}"}}
"#;

const LIST: usize = 0;
const RENAME: usize = 1;

/// Documents that an event brings to a new version in the middle of each round, in one model; the other never does.
const VERSIONS: &str = "
format: 1
title: Versions
summary: Documents of two versions.
dataset:
  documents: {count: 60, document: {_id: ^index, version: 1, reads: 0}}
models:
  rewritten:
    role: naive
    collections: {documents: {from: documents}}
    operations: &operations
      read: {growth: constant, steps: [{findOne: {collection: documents, filter: {_id: ^document}}}]}
      count: [{updateOne: {collection: documents, filter: {_id: ^document}, update: {$inc: {reads: 1}}}}]
    events:
      - name: rewrite
        at: 0.5
        steps: [{updateMany: {collection: documents, filter: {version: 1}, update: {$set: {version: 2}}}}]
      - &left
        name: left
        at: 1
        steps: [{countDocuments: {collection: documents, filter: {version: 1}, as: left}}]
        result: ^left
  left-alone:
    role: pattern
    collections: {documents: {from: documents}}
    operations: *operations
    events: [*left]
workload:
  state: reload
  read: {weight: 3, args: {document: {^key: documents}}, returns: {fields: [_id, reads]}}
  count: {weight: 1, args: {document: {^key: documents}}}
";

fn scenario(name: &str, text: &str) -> Arc<Scenario> {
    let text = SourceText::new(format!("{}.yaml", support::unique_name(name)), text);
    Arc::new(load_scenario(text).unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

struct Deaf;

impl Listener for Deaf {
    fn hear(&mut self, _: &Event) {}
}

/// Measures a scenario with so many operations per round, closed, and has no error.
async fn measured(scenario: &Arc<Scenario>, operations: u64) -> ScenarioRecord {
    measured_at(scenario, operations, Profile::Smoke).await
}

async fn measured_at(scenario: &Arc<Scenario>, operations: u64, profile: Profile) -> ScenarioRecord {
    let server = support::shared_server();
    let options = RunOptions {
        profile,
        mode: Some(Mode::Closed),
        operations: Some(operations),
        concurrency: Some(4),
        ..RunOptions::default()
    };
    let request = RunRequest {
        target: Target::Server { server, consent: Consent::default(), ends: false },
        plans: plan_scenario(scenario, &options).expect("the options fit"),
        options,
        extent: Extent::Everything,
        folder: None,
    };
    let mut finish = run(&request, &mut Deaf, Interrupt::new()).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    finish.record.scenarios.remove(0)
}

fn windows<'a>(record: &'a ScenarioRecord, model: &str) -> Vec<&'a RoundRecord> {
    record.rounds.iter().filter(|window| window.phase == Phase::Measured && window.model == model).collect()
}

/// Compares the models' answers to these samples, on databases of their own.
async fn compared(scenario: &Scenario, samples: &[Sample]) -> Result<ParityOutcome, ParityError> {
    let world = Arc::new(scenario.world(1, BTreeMap::new()).expect("the dataset resolves"));
    let options = LoadOptions { connections: 2, ..LoadOptions::default() };
    let source = support::database("actors-source").await;
    load_source(&source, &scenario.dataset, &world, &options, &mut |_| {}).await.expect("loads the source");
    let (mut programs, mut backends) = (Vec::new(), Vec::new());
    for (position, model) in scenario.models.iter().enumerate() {
        let database = support::database("actors").await;
        load_model(&source, &database, model, &world, &options, &mut |_| {}).await.expect("loads the model");
        programs.push(ModelProgram::new(scenario, 0, position, Arc::clone(&world)).expect("it compiles"));
        backends.push(MongoBackend::new(database.client(), database.name()));
    }
    let models: Vec<_> =
        programs.iter().zip(&backends).map(|(program, backend)| ParityModel { program, backend }).collect();
    compare(&scenario.workloads[0].operations, &models, samples, &mut |_| {}).await
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_compared_once_they_are_up_to_date_and_reads_before_that_are_told_as_stale() {
    let orders = scenario("orders", ORDERS);
    let (rename, list) = (|number| Sample { number, operation: RENAME }, |number| Sample { number, operation: LIST });
    // Customers by number modulo 4. Older: the first list of customer 0 after its renaming, and of 1 after both of its.
    let samples = [rename(4), list(8), list(12), list(9), rename(5), rename(13), list(17), list(21)];
    let outcome = compared(&orders, &samples).await.unwrap_or_else(|error| panic!("{error}"));
    assert!(outcome.agrees(), "{:?}", outcome.diffs);
    let stale = StalenessRecord { reads: 5, older: 2 };
    let expected = BTreeMap::from([("listed".to_owned(), stale), ("streamed".to_owned(), stale)]);
    assert_eq!(outcome.staleness, expected, "naive has nothing that follows later");
    assert_eq!(outcome.record().staleness, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_actor_that_brings_nothing_up_to_date_shows_as_a_difference() {
    let idle = ORDERS.replace("filter: {customerId: ^change.documentKey._id}", "filter: {customerId: 99}");
    let orders = scenario("idle", &idle);
    let samples = [Sample { number: 4, operation: RENAME }, Sample { number: 8, operation: LIST }];
    let outcome = compared(&orders, &samples).await.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outcome.mismatches, 1);
    let [diff] = &outcome.diffs[..] else { panic!("one difference: {:?}", outcome.diffs) };
    assert_eq!((diff.left.model.as_str(), diff.right.model.as_str()), ("naive", "streamed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_actor_that_fails_in_parity_is_told_by_name() {
    let broken =
        ORDERS.replace("update: {$set: {customer.name: ^change.fullDocument.name}}", "update: {$inc: {_id: 1}}");
    let orders = scenario("broken", &broken);
    let samples = [Sample { number: 4, operation: RENAME }, Sample { number: 8, operation: LIST }];
    let told = compared(&orders, &samples).await.expect_err("`_id` cannot be changed").to_string();
    assert!(told.contains("actor copy of model streamed"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn actors_run_beside_their_own_model_alone_and_have_counts_of_their_own() {
    let record = measured(&scenario("copied", ORDERS), 200).await;
    assert_eq!(record.parity.as_ref().map(|parity| parity.mismatches), Some(0));
    assert_eq!(record.closing_parity.as_ref().map(|parity| parity.mismatches), Some(0));
    assert!(windows(&record, "naive").iter().all(|window| window.background.is_empty()));
    // A quarter of the operations are renamings, and each is an operation of the workload, whoever copies it on.
    for model in ["listed", "streamed"] {
        let windows = windows(&record, model);
        assert!(!windows.is_empty());
        for window in &windows {
            let [actor] = &window.background[..] else { panic!("one actor: {:?}", window.background) };
            assert_eq!((actor.name.as_str(), actor.errors.len()), ("copy", 0), "{actor:?}");
            assert_eq!(window.operations["rename"].count + window.operations["list"].count, 200);
        }
        let written: u64 = windows.iter().flat_map(|window| &window.background).map(|actor| actor.written).sum();
        assert!(written > 0, "copies were written beside the windows of {model}");
    }
    let staleness = &record.parity.expect("answers were compared").staleness;
    assert_eq!(staleness.keys().collect::<Vec<_>>(), ["listed", "streamed"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_happens_once_in_every_window_at_its_number_over_data_that_are_loaded_anew() {
    let record = measured(&scenario("versions", VERSIONS), 100).await;
    assert_eq!(record.plan.state, DataState::Reload);
    let rewritten = windows(&record, "rewritten");
    assert!(rewritten.len() >= 2, "every window must find the old version again");
    for window in rewritten {
        let [rewrite, left] = &window.events[..] else { panic!("two events: {:?}", window.events) };
        assert_eq!((rewrite.name.as_str(), rewrite.number), ("rewrite", window.planned / 2));
        assert_eq!((rewrite.outcome, rewrite.matched, rewrite.written), (EventOutcome::Complete, 60, 60));
        assert!(rewrite.start <= rewrite.end && rewrite.start.is_some(), "{rewrite:?}");
        assert!(rewrite.end_number >= Some(rewrite.number), "{rewrite:?}");
        assert_eq!(
            (left.number, left.result.clone()),
            (window.planned, Some(0.into())),
            "none of the old version is left"
        );
    }
    for window in windows(&record, "left-alone") {
        let [left] = &window.events[..] else { panic!("one event: {:?}", window.events) };
        assert_eq!(left.result, Some(60.into()));
        assert_eq!((left.outcome, left.written), (EventOutcome::Complete, 0));
    }
    for window in record.rounds.iter().filter(|window| window.phase == Phase::Measured) {
        for (name, operation) in &window.operations {
            assert_eq!(operation.slices.len(), SLICES, "{name}");
            let counts = operation.slices.iter().filter(|slice| !slice.is_empty());
            let counts = counts.map(|slice| histogram::decode(slice).expect("just encoded").len());
            assert_eq!(counts.sum::<u64>(), operation.count, "{name}: every latency is in a slice");
        }
    }
    let around = record.analysis.around_event.as_ref().expect("events happened");
    assert_eq!(around.models["rewritten"][0].written, Some(60.0));
    assert_eq!(around.models["left-alone"][0].result, Some(60.0));
    assert!(around.from.is_some_and(|from| from.get() == 0.5), "{:?}", around.from);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_fails_is_recorded_with_why_and_told_once() {
    let failing = VERSIONS.replace("update: {$set: {version: 2}}}}]", "update: {$push: {version: 2}}}}]");
    // Parity has the event happen too, over fewer documents; there it finds none that it could fail on.
    let failing = failing.replace("filter: {version: 1}, update", "filter: {version: 1, _id: {$gte: 50}}, update");
    let failing = failing.replace(
        "dataset:\n  documents: {count: 60",
        "parameters: {documents: {default: 60, smoke: 40}}\ndataset:\n  documents: {count: ^documents",
    );
    let record = measured_at(&scenario("failing", &failing), 100, Profile::Quick).await;
    let events: Vec<_> = windows(&record, "rewritten").iter().map(|window| window.events[0].clone()).collect();
    assert!(events.len() > 1 && events.iter().all(|event| event.outcome == EventOutcome::Failed), "{events:?}");
    assert!(events.iter().all(|event| event.why.as_ref().is_some_and(|why| why.contains("step 1"))), "{events:?}");
    let told = record.events.iter().filter(|event| event.what.contains("rewrite is failed")).count();
    assert_eq!(told, 1, "{:?}", record.events);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_migration_of_the_catalogue_turns_one_text_into_two_and_leaves_the_new_shape_alone() {
    let text = builtin("schema-versioning-people").expect("it is built in");
    let text = SourceText::new("schema-versioning-people.yaml", text);
    let people = load_scenario(text).unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)));
    let parameters = people.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.default.clone()));
    let world = Arc::new(people.world(1, parameters.collect()).expect("the dataset resolves"));
    for (position, model) in people.models.iter().enumerate() {
        let program = ModelProgram::new(&people, 0, position, Arc::clone(&world)).expect("it compiles");
        let Some(migrate) = program.events().iter().position(|event| event.name() == "migrate") else { continue };
        let database = support::database("migration").await;
        let collection = database.collection::<Document>("people");
        let old = doc! {"_id": 1, "name": "Ada Lovelace"};
        let new = doc! {"_id": 2, "schemaVersion": 2, "name": {"first": "Grace", "last": "Hopper"}};
        collection.insert_many([&old, &new]).await.expect("inserts");
        let backend = MongoBackend::new(database.client(), database.name());
        let done = program.happen(&backend, migrate, 0).await.unwrap_or_else(|error| panic!("{}: {error}", model.name));
        assert_eq!(done.written.modified, 1, "{}", model.name);
        let found: Vec<Document> =
            collection.find(doc! {}).sort(doc! {"_id": 1}).await.expect("finds").try_collect().await.expect("drains");
        let names: Vec<_> =
            found.iter().map(|person| person.get_document("name").expect("two names").clone()).collect();
        let expected = [doc! {"first": "Ada", "last": "Lovelace"}, doc! {"first": "Grace", "last": "Hopper"}];
        assert_eq!(names, expected, "{}", model.name);
        assert!(found.iter().all(|person| person.get_i32("schemaVersion").ok() == Some(2)), "{found:?}");
    }
}
