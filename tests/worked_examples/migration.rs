//! Schema versioning: a person whose name is one text, and one whose name has parts already.

use std::sync::Arc;

use bson::{Bson, Document, bson, doc};
use mongodb::Database;
use patternbench::backend::MongoBackend;
use patternbench::operation::{Answer, ModelProgram};
use patternbench::scenario::load_scenario;
use patternbench::source::{SourceText, show};
use patternbench::value::Parameters;

use crate::support;

/// Two ways to bring all people to version 2: in one write, and in batches.
const PEOPLE: &str = r#"
format: 1
title: People in two versions
summary: Names become documents of first and last name.
dataset:
  people: {count: 1, document: {_id: ^index, name: {^words: 2}}}
models:
  at-once:
    role: naive
    collections: {people: {}}
    operations:
      migrate:
        growth: constant
        steps:
          - updateMany:
              collection: people
              filter: {schemaVersion: {$exists: false}}
              update:
                - $set:
                    schemaVersion: 2
                    name:
                      first: {$first: {$split: [$name, " "]}}
                      last: {$last: {$split: [$name, " "]}}
              as: migrated
        result: {modified: ^migrated.modified}
  in-batches:
    role: pattern
    collections: {people: {}}
    operations:
      migrate:
        growth: constant
        steps:
          - do:
              repeat: {until: {^eq: [{^len: ^batch}, 0]}, max: 10}
              steps:
                - find:
                    collection: people
                    filter: {schemaVersion: {$exists: false}}
                    sort: {_id: 1}
                    limit: 500
                    as: batch
                - do:
                    forEach: ^batch
                    steps:
                      - updateOne:
                          collection: people
                          filter: {_id: ^each._id, schemaVersion: {$exists: false}}
                          update:
                            $set:
                              schemaVersion: 2
                              name: {first: {^first: {^split: [^each.name, " "]}}, last: {^at: [{^split: [^each.name, " "]}, -1]}}
                          as: migrated
                - updateOne:
                    collection: people
                    filter: {_id: counts}
                    update: {$inc: {modified: {^len: ^batch}}, $setOnInsert: {schemaVersion: 2}}
                    upsert: true
          - findOne: {collection: people, filter: {_id: counts}, as: counts}
          - deleteOne: {collection: people, filter: {_id: counts}}
        result: {modified: ^counts.modified}
workload:
  migrate: {weight: 1, returns: {}}
"#;

fn program(model: usize) -> ModelProgram {
    let scenario = load_scenario(SourceText::new("people.yaml", PEOPLE)).unwrap_or_else(|(text, problems)| {
        panic!("{}", show(&text, &problems, false));
    });
    let world = Arc::new(scenario.world(1, Parameters::new()).expect("the dataset resolves"));
    ModelProgram::new(&scenario, 0, model, world).expect("parameters fit")
}

async fn people() -> Database {
    let database = support::database("people").await;
    let two = [
        doc! { "_id": 1, "name": "Ada Lovelace" },
        doc! { "_id": 2, "schemaVersion": 2, "name": { "first": "Grace", "last": "Hopper" } },
    ];
    database.collection("people").insert_many(two).await.expect("inserts");
    database
}

async fn names(database: &Database) -> Vec<Bson> {
    let mut cursor =
        database.collection::<Document>("people").find(doc! {}).sort(doc! { "_id": 1 }).await.expect("finds");
    let mut names = Vec::new();
    while cursor.advance().await.expect("reads") {
        let person = cursor.deserialize_current().expect("a document");
        assert_eq!(person.get("schemaVersion"), Some(&bson!(2)), "{person}");
        names.push(person.get("name").expect("a name").clone());
    }
    names
}

#[tokio::test]
async fn a_migration_changes_one_of_two_people_and_leaves_first_and_last_names_in_both() {
    for model in [0, 1] {
        let (program, database) = (program(model), people().await);
        let backend = MongoBackend::new(database.client(), database.name());
        let prepared = program.prepare(&backend, 0, 0).expect("renders");
        let done = program.execute(&backend, prepared, true).await.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(done.answer, Some(Answer::Value(bson!({ "modified": 1 }))), "{}", program.model());
        let expected = [bson!({ "first": "Ada", "last": "Lovelace" }), bson!({ "first": "Grace", "last": "Hopper" })];
        assert_eq!(names(&database).await, expected, "{}", program.model());

        let prepared = program.prepare(&backend, 0, 1).expect("renders");
        let again = program.execute(&backend, prepared, true).await.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.answer, Some(Answer::Value(bson!({ "modified": 0 }))), "there is nothing left to do");
    }
}
