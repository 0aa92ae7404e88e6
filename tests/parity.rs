//! Models compared on a real server: those that agree, those that do not, and what a person is told of it.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document, bson, doc};
use mongodb::Database;
use patternbench::backend::{Backend, MongoBackend};
use patternbench::load::{LoadOptions, load_model, load_source};
use patternbench::operation::ModelProgram;
use patternbench::parity::{
    Closing, DiffSide, ParityError, ParityModel, ParityOutcome, Sample, compare, compare_closing, stratified,
};
use patternbench::scenario::{Operation, Scenario, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::units::Share;

/// A shelf per category: naive counts reviews on every read, the pattern keeps their number and sum in the product.
const SHELF: &str = r#"
format: 1
title: Shelf
summary: Products of a category with their reviews.
dataset:
  products:
    count: 12
    document: {_id: ^index, name: {^format: "Product {index}"}, shelf: {^mod: [^index, 4]}, price: {^int: {min: 1, max: 99}}}
  reviews:
    children: {of: products, count: 2}
    document: {_id: ^index, productId: ^parent._id, rating: {^int: {min: 1, max: 5}}}
models:
  naive:
    role: naive
    collections:
      products: {from: products}
      reviews: {from: reviews, indexes: [{key: {productId: 1}}]}
    operations:
      list_shelf:
        growth: constant
        steps:
          - aggregate:
              collection: products
              pipeline:
                - $match: {shelf: ^shelf}
                - $sort: {_id: 1}
                - $lookup: {from: reviews, localField: _id, foreignField: productId, as: reviews}
                - $project: {name: 1, price: 1, reviews: {$size: $reviews}, rating: {$avg: {$map: {input: $reviews, in: $$this.rating}}}}
      add_review:
        - insertOne: {collection: reviews, document: ^review}
      set_price:
        - updateOne: {collection: products, filter: {_id: ^product}, update: {$set: {price: ^amount}}}
  computed:
    role: pattern
    collections:
      reviews: {from: reviews}
      products:
        from: products
        pipeline:
          - $lookup: {from: reviews, localField: _id, foreignField: productId, as: reviews}
          - $project: {name: 1, shelf: 1, price: 1, reviews: {$size: $reviews}, sum: {$sum: {$map: {input: $reviews, in: $$this.rating}}}}
        indexes: [{key: {shelf: 1}}]
    operations:
      list_shelf:
        growth: constant
        steps:
          - find:
              collection: products
              filter: {shelf: ^shelf}
              projection: {name: 1, price: 1, reviews: 1, rating: {$divide: [$sum, $reviews]}}
              sort: {_id: 1}
      add_review:
        - insertOne: {collection: reviews, document: ^review}
        - updateOne:
            collection: products
            filter: {_id: ^review.productId}
            update: {$inc: {reviews: 1, sum: ^review.rating}}
      set_price:
        - updateOne: {collection: products, filter: {_id: ^product}, update: {$set: {price: ^amount}}}
workload:
  list_shelf:
    weight: 6
    args: {shelf: {^int: {min: 0, max: 3}}}
    returns: {fields: [name, price, reviews, rating], order: true, tolerance: {rating: 1e-9}, last_write: [price]}
  add_review:
    weight: 3
    args: {review: {_id: ^objectId, productId: {^key: products}, rating: {^int: {min: 1, max: 5}}}}
  set_price:
    weight: 1
    args: {product: {^key: products}, amount: {^int: {min: 1, max: 99}}}
"#;

const LIST: usize = 0;
const ADD: usize = 1;
const PRICE: usize = 2;

/// Two models of a scenario, loaded.
struct Models {
    scenario: Scenario,
    programs: Vec<ModelProgram>,
    backends: Vec<MongoBackend>,
}

impl Models {
    /// Loads the shelf after `change` was made to its text.
    async fn load(change: impl Fn(String) -> String) -> Self {
        let text = SourceText::new("shelf.yaml", change(SHELF.to_owned()));
        let scenario = load_scenario(text).unwrap_or_else(|(text, problems)| {
            panic!("{}", show(&text, &problems, false));
        });
        let world = Arc::new(scenario.world(1, BTreeMap::new()).expect("the dataset resolves"));

        let options = LoadOptions { connections: 2, ..LoadOptions::default() };
        let source = support::database("parity-source").await;
        load_source(&source, &scenario.dataset, &world, &options, &mut |_| {}).await.expect("loads the source");
        let (mut programs, mut backends) = (Vec::new(), Vec::new());
        for (position, model) in scenario.models.iter().enumerate() {
            let database = support::database("parity").await;
            load_model(&source, &database, model, &world, &options, &mut |_| {}).await.expect("loads the model");
            programs.push(ModelProgram::new(&scenario, 0, position, Arc::clone(&world)).expect("parameters fit"));
            backends.push(MongoBackend::new(database.client(), database.name()));
        }
        Self { scenario, programs, backends }
    }

    fn operations(&self) -> &[Operation] {
        &self.scenario.workloads[0].operations
    }

    fn compared(&self) -> Vec<ParityModel<'_, MongoBackend>> {
        self.programs.iter().zip(&self.backends).map(|(program, backend)| ParityModel { program, backend }).collect()
    }

    fn database(&self, model: usize) -> &Database {
        self.backends[model].database()
    }

    async fn compare(&self, samples: &[Sample]) -> ParityOutcome {
        let mut heard = 0;
        let compared = compare(self.operations(), &self.compared(), samples, &mut |done| heard = done).await;
        assert_eq!(heard, samples.len() as u64, "progress ends with all samples");
        compared.expect("the server is there")
    }

    async fn compare_closing(&self, patience: Duration, left: &[&str]) -> ParityOutcome {
        let left = left.iter().map(|name| (*name).to_owned()).collect();
        let closing = Closing { workers: 3, patience, left, ..Closing::new(5_000_000..6_000_000) };
        let compared = compare_closing(self.operations(), &self.compared(), &closing, &mut |_| {}).await;
        compared.expect("the server is there")
    }

    /// Runs one operation in one model.
    async fn run(&self, model: usize, operation: usize, number: u64) {
        let (program, backend) = (&self.programs[model], &self.backends[model]);
        let prepared = program.prepare(backend, operation, number).expect("renders");
        program.execute(backend, prepared, false).await.expect("succeeds");
    }

    fn argument(&self, operation: usize, number: u64) -> Bson {
        let arguments = self.programs[0].arguments(operation, number).expect("renders");
        arguments.values[0].clone().expect("the first argument")
    }
}

fn unchanged(text: String) -> String {
    text
}

/// Sixty percent lists, thirty reviews, ten prices.
fn mix(number: u64) -> usize {
    match number % 10 {
        0..6 => LIST,
        6..9 => ADD,
        _ => PRICE,
    }
}

fn samples() -> Vec<Sample> {
    stratified(3, mix, 0..1_000_000)
}

#[tokio::test]
async fn models_that_answer_alike_agree() {
    let models = Models::load(unchanged).await;
    let outcome = models.compare(&samples()).await;
    assert!(outcome.agrees(), "{}", outcome.diffs.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    assert_eq!((outcome.record().operations, outcome.record().mismatches, outcome.failed), (200, 0, 0));
    assert_eq!((outcome.reads[0].count, outcome.reads[0].empty), (120, 0));
    assert_eq!(outcome.too_empty(models.operations()).count(), 0);
}

#[tokio::test]
async fn what_each_model_sends_is_observed() {
    let models = Models::load(unchanged).await;
    let outcome = models.compare(&samples()).await;
    let round_trips = |model| outcome.observed(model, "add_review").and_then(|seen| seen.mean_round_trips());
    assert_eq!((round_trips("naive"), round_trips("computed")), (Some(1.0), Some(2.0)));
    // The first call of each step, with the arguments of the first review: number 6.
    let calls = &outcome.observed("computed", "add_review").expect("observed").calls;
    assert_eq!(
        calls.iter().map(|call| (call.step, call.call.word())).collect::<Vec<_>>(),
        [(0, "insertOne"), (1, "updateOne")]
    );
    let product = models.argument(ADD, 6).as_document().expect("a review").get("productId").cloned();
    let sent = calls[1].call.to_command().expect("well typed");
    let statement = sent.get_array("updates").expect("updates")[0].as_document().expect("a statement");
    assert_eq!(statement.get_document("q").expect("a filter").get("_id"), product.as_ref());
}

#[tokio::test]
async fn a_pattern_that_forgets_to_count_is_told_with_operation_product_and_field() {
    let models = Models::load(|text| text.replace("reviews: 1, sum: ^review.rating", "sum: ^review.rating")).await;
    let samples = samples();
    let outcome = models.compare(&samples).await;

    // Every list of a shelf on which a product has got a review before differs.
    let mut reviewed = BTreeSet::new();
    let mut expected = Vec::new();
    for sample in &samples {
        let argument = models.argument(sample.operation, sample.number);
        match sample.operation {
            ADD => {
                let product = argument.as_document().expect("a review").get_i32("productId").expect("a product");
                reviewed.insert(product % 4);
            }
            LIST if reviewed.contains(&argument.as_i32().expect("a shelf")) => expected.push(*sample),
            _ => {}
        }
    }
    assert_eq!(outcome.mismatches, expected.len() as u64);
    assert!(outcome.diffs.len() <= 5 && !outcome.diffs.is_empty(), "a few are listed");

    let diff = &outcome.diffs[0];
    assert_eq!((diff.operation.as_str(), diff.number), ("list_shelf", expected[0].number));
    assert_eq!(diff.arguments, format!("{{\"shelf\": {}}}", models.argument(LIST, expected[0].number)));
    let told = diff.to_string();
    for said in ["list_shelf", "naive:", "computed:"] {
        assert!(told.contains(said), "`{said}` is not in\n{told}");
    }
    // Number and rating differ; fields are told in the order declared.
    assert!(diff.what.starts_with("reviews of result "), "{told}");
    let number = |side: &DiffSide| side.value.parse::<u32>().expect("a number of reviews");
    assert!(number(&diff.left) > number(&diff.right), "naive counts the new review: {told}");
    assert!(diff.left.answer.contains("\"name\": \"Product ") && diff.left.answer.contains("(_id "), "{told}");
}

#[tokio::test]
async fn an_operation_that_fails_in_one_model_alone_is_a_mismatch() {
    let models = Models::load(unchanged).await;
    let validator = doc! { "$jsonSchema": { "required": ["stars"] } };
    let refuse = doc! { "collMod": "reviews", "validator": validator, "validationLevel": "strict" };
    models.database(1).run_command(refuse.clone()).await.expect("a validator");
    let review = [Sample { number: 6, operation: ADD }];
    let outcome = models.compare(&review).await;
    assert_eq!((outcome.mismatches, outcome.failed), (1, 0));
    let told = outcome.diffs[0].to_string();
    assert!(told.contains("whether it succeeds") && told.contains("DocumentValidationFailure"), "{told}");

    // Failing everywhere, it is no difference between models.
    models.database(0).run_command(refuse).await.expect("a validator");
    let outcome = models.compare(&[Sample { number: 7, operation: ADD }]).await;
    assert_eq!((outcome.mismatches, outcome.failed), (0, 1));
    let told = outcome.failures[0].to_string();
    assert!(told.starts_with("add_review (operation number 7) fails in every model; in naive: "), "{told}");
}

#[tokio::test]
async fn a_model_at_its_declared_end_leaves_the_comparison() {
    let models =
        Models::load(|text| text.replace("role: pattern", "role: pattern\n    ends_when: DocumentValidationFailure"))
            .await;
    let validator = doc! { "$jsonSchema": { "required": ["stars"] } };
    models.database(1).run_command(doc! { "collMod": "reviews", "validator": validator }).await.expect("a validator");
    let outcome = models.compare(&samples()).await;
    assert_eq!((outcome.mismatches, outcome.not_compared.clone()), (0, vec!["computed".to_owned()]));
    // Compared up to the first review, number 6; after it naive goes on alone.
    assert_eq!(outcome.observed("computed", "list_shelf").expect("ran").operations, 6);
    assert_eq!(outcome.observed("naive", "list_shelf").expect("ran").operations, 120);
}

#[tokio::test]
async fn more_empty_reads_than_declared_are_told() {
    let models = Models::load(unchanged).await;
    for model in [0, 1] {
        models
            .database(model)
            .collection::<Document>("products")
            .delete_many(doc! { "shelf": { "$gt": 0 } })
            .await
            .expect("deletes");
    }
    let lists: Vec<_> = (0..100).map(|number| Sample { number, operation: LIST }).collect();
    let outcome = models.compare(&lists).await;
    let empty = lists.iter().filter(|list| models.argument(LIST, list.number) != bson!(0)).count();
    assert!(outcome.agrees());
    let expected = Share::new(empty as f64 / 100.0);
    assert_eq!(outcome.too_empty(models.operations()).collect::<Vec<_>>(), [("list_shelf", expected)]);
}

#[tokio::test]
async fn after_the_rounds_every_distinct_read_is_compared_once() {
    let models = Models::load(unchanged).await;
    for model in [0, 1] {
        // As workers do it: the same operations, in any order.
        let numbers: Vec<u64> = if model == 0 { (100..130).collect() } else { (100..130).rev().collect() };
        for number in numbers {
            models.run(model, ADD, number).await;
        }
    }
    let outcome = models.compare_closing(Duration::from_secs(60), &["page"]).await;
    let record = outcome.closing_record();
    // Four shelves are four argument tuples.
    assert_eq!((record.operations, record.mismatches, record.last_write_differences), (4, 0, 0));
    assert_eq!(record.not_compared, ["page"]);
}

#[tokio::test]
async fn a_lost_update_shows_after_the_rounds() {
    let models = Models::load(unchanged).await;
    for number in 100..110 {
        models.run(0, ADD, number).await;
        models.run(1, ADD, number).await;
    }
    // One increment is lost, as reading, adding and writing back loses it.
    let lost = doc! { "$inc": { "reviews": -1 } };
    models.database(1).collection::<Document>("products").update_one(doc! { "_id": 5 }, lost).await.expect("updates");
    let outcome = models.compare_closing(Duration::from_secs(60), &[]).await;
    assert_eq!((outcome.operations, outcome.mismatches), (4, 1));
    let told = outcome.diffs[0].to_string();
    assert!(told.contains("\"shelf\": 1") && told.contains("Product 5"), "{told}");
}

#[tokio::test]
async fn the_last_writer_of_a_field_may_be_another_after_the_rounds_but_not_before() {
    let models = Models::load(unchanged).await;
    let set = |price: i32| doc! { "$set": { "price": price } };
    models
        .database(0)
        .collection::<Document>("products")
        .update_one(doc! { "_id": 2 }, set(1000))
        .await
        .expect("updates");
    models
        .database(1)
        .collection::<Document>("products")
        .update_one(doc! { "_id": 2 }, set(2000))
        .await
        .expect("updates");

    let closing = models.compare_closing(Duration::from_secs(60), &[]).await;
    assert_eq!((closing.mismatches, closing.closing_record().last_write_differences), (0, 1));

    let shelf_two = (0..).find(|number| models.argument(LIST, *number) == bson!(2)).expect("some number");
    let before = models.compare(&[Sample { number: shelf_two, operation: LIST }]).await;
    assert_eq!((before.mismatches, before.diffs[0].what.as_str()), (1, "price of result 1"));
    assert_eq!((before.diffs[0].left.value.as_str(), before.diffs[0].right.value.as_str()), ("1000", "2000"));
}

#[tokio::test]
async fn where_reads_have_no_end_of_arguments_two_hundred_are_compared() {
    let models = Models::load(|text| {
        text.replace("{shelf: {^int: {min: 0, max: 3}}}", "{shelf: {^mod: [^index, 4]}, visit: ^index}")
    })
    .await;
    let outcome = models.compare_closing(Duration::from_secs(60), &[]).await;
    assert_eq!((outcome.operations, outcome.mismatches), (200, 0));
}

#[tokio::test]
async fn a_lost_server_ends_the_comparison() {
    let models = Models::load(unchanged).await;
    let options = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200&directConnection=true";
    let client = mongodb::Client::with_uri_str(options).await.expect("parses");
    let gone = MongoBackend::new(&client, "patternbench_gone_test");
    let compared = [
        ParityModel { program: &models.programs[0], backend: &models.backends[0] },
        ParityModel { program: &models.programs[1], backend: &gone },
    ];
    let error = compare(models.operations(), &compared, &samples(), &mut |_| {}).await.expect_err("one server is gone");
    assert!(matches!(&error, ParityError::Lost { model, .. } if model == "computed"), "{error}");
    assert!(error.to_string().starts_with("lost the server while computed did list_shelf (operation number 0): "));
}

/// A run awaits comparisons on tasks of its own.
fn assert_send<T: Send>(_: &T) {}

#[tokio::test]
async fn comparisons_can_be_awaited_anywhere() {
    let models = Models::load(unchanged).await;
    let (compared, samples) = (models.compared(), samples());
    fn futures<'a, B: Backend>(operations: &'a [Operation], models: &'a [ParityModel<'a, B>], samples: &'a [Sample]) {
        let progress: &mut (dyn FnMut(u64) + Send) = &mut |_| {};
        assert_send(&compare(operations, models, samples, progress));
        let closing = Closing::new(0..1);
        let progress: &mut (dyn FnMut(u64) + Send) = &mut |_| {};
        assert_send(&compare_closing(operations, models, &closing, progress));
    }
    futures(models.operations(), &compared, &samples);
}
