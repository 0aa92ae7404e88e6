//! Stories of a run that gathers evidence: what the record holds, and what the reader of a report learns.

use patternbench::guard::Consent;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{ModelRecord, RunRecord};
use patternbench::report::{Style, html, terminal};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunRequest, Target, run};
use patternbench::units::Bytes;
use patternbench::words::{DataSize, EvidenceFlag, Mode, Phase, Profile};

use crate::loaded::scenario;
use crate::support::{shared_server, unique_name};

/// Products whose reviews are counted by reading them, without an index on what they are found by; or counted when they
/// are written.
const CATALOGUE: &str = r#"
format: 1
title: Product page
summary: A product with the number of its reviews.
parameters:
  products: {default: 100, smoke: 20, min: 1}
dataset:
  products: {count: ^products, document: {_id: ^index, name: {^words: 2}}}
  reviews:
    children: {of: products, count: 3}
    document: {_id: ^index, productId: ^parent._id}
models:
  naive:
    role: naive
    collections:
      products: {from: products, indexes: [{key: {name: 1}}]}
      reviews: {from: reviews}
    operations:
      page:
        growth: linear in products
        steps:
          - findOne: {collection: products, filter: {_id: ^product}, as: found}
          - find: {collection: reviews, filter: {productId: ^found._id}, projection: {_id: 1}, as: reviews}
        result: {name: ^found.name, reviews: {^len: ^reviews}}
      review:
        - insertOne: {collection: reviews, document: ^review}
  counted:
    role: pattern
    collections:
      products:
        from: products
        pipeline: [{$set: {reviews: 3}}]
    operations:
      page:
        growth: constant
        steps:
          - findOne: {collection: products, filter: {_id: ^product}, projection: {_id: 0}}
      review:
        - updateOne: {collection: products, filter: {_id: ^review.productId}, update: {$inc: {reviews: 1}}}
workload:
  page: {weight: 80, args: {product: {^key: products}}, returns: {fields: [name, reviews]}}
  review: {weight: 20, args: {review: {_id: ^objectId, productId: {^key: products}}}}
"#;

#[derive(Default)]
struct Heard {
    phases: Vec<(Phase, Option<String>)>,
    order: Vec<&'static str>,
}

impl Listener for Heard {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::PhaseFinished { phase, summary } => self.phases.push((*phase, summary.clone())),
            Event::WindowStarted { .. } => self.order.push("window begins"),
            Event::WindowFinished { .. } => self.order.push("window ends"),
            Event::PhaseStarted { phase: Phase::Evidence, .. } => self.order.push("evidence"),
            _ => {}
        }
    }
}

async fn measured() -> (RunRecord, Heard) {
    // Measured data are five times those of parity.
    let options = RunOptions {
        profile: Profile::Smoke,
        set: vec![("products".to_owned(), "100".to_owned())],
        mode: Some(Mode::Closed),
        operations: Some(50),
        concurrency: Some(2),
        ..RunOptions::default()
    };
    let scenario = scenario(&unique_name("product-page"), CATALOGUE);
    let plans = plan_scenario(&scenario, &options).expect("the parameters fit");
    let target = Target::Server { server: shared_server(), consent: Consent::default(), ends: false };
    let request = RunRequest { target, plans, options, folder: None, extent: Extent::Everything };
    let mut heard = Heard::default();
    let finish = run(&request, &mut heard, Interrupt::new()).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    (finish.record, heard)
}

fn model<'a>(record: &'a RunRecord, name: &str) -> &'a ModelRecord {
    record.scenarios[0].models.iter().find(|model| model.name == name).expect("the model ran")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_gathers_evidence_outside_of_its_windows_and_keeps_it() {
    let (record, heard) = measured().await;
    let (naive, counted) = (model(&record, "naive"), model(&record, "counted"));

    // Of the small data and of the measured ones: the scan reads what is there.
    let page = &naive.operations["page"].evidence;
    let reviews: Vec<_> = page.iter().filter(|step| step.collection == "reviews").collect();
    let [small, large] = reviews.as_slice() else { panic!("{page:?}") };
    assert_eq!((small.data, large.data), (DataSize::Parity, DataSize::Measured));
    assert_eq!(small.flags, [EvidenceFlag::CollectionScan, EvidenceFlag::ManyExamined]);
    assert_eq!((large.docs_examined, large.matched), (Some(300), Some(3)), "before the rounds added any");
    let review = &naive.operations["review"].evidence;
    assert!(review.iter().all(|step| step.not_explained.is_some()), "inserts have no plan");
    let steps = &counted.operations["page"].evidence;
    assert!(steps.iter().all(|step| step.flags.is_empty() && step.claimed_by_server));

    let summary = heard.phases.iter().find(|(phase, _)| *phase == Phase::Evidence).and_then(|(_, said)| said.clone());
    let summary = summary.expect("the phase says what it found");
    assert!(summary.contains("collection scan"), "{summary}");
    let inside = heard.order.windows(2).any(|pair| pair == ["window begins", "evidence"]);
    assert!(!inside, "{:?}", heard.order);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_counts_round_trips_and_bytes_and_sizes() {
    let (record, _) = measured().await;
    let (naive, counted) = (model(&record, "naive"), model(&record, "counted"));

    let page = |model: &ModelRecord| model.operations["page"].clone();
    assert_eq!((page(naive).round_trips, page(counted).round_trips), (Some(2.0), Some(1.0)));
    let bytes =
        |model: &ModelRecord| page(model).bytes_sent.zip(page(model).bytes_received).expect("they were counted");
    let ((sent, received), (sent_once, received_once)) = (bytes(naive), bytes(counted));
    assert!(sent > 1.5 * sent_once && received > received_once, "two requests are more than one");

    for model in [naive, counted] {
        let products = &model.sizes[0];
        let (average, largest) = (products.average_document, products.largest_document);
        assert!(average > Some(Bytes::new(0)) && largest >= average, "{products:?}");
        let bill = model.storage.expect("sizes were read");
        let cache = record.server.cache_bytes.expect("the server was started with a cache size").get() as f64;
        let ratio = bill.data_to_cache.expect("the cache is known").get();
        assert!((ratio * cache - bill.data_bytes.get() as f64).abs() < 1.0);
        assert!(bill.index_to_cache.is_some());
        let used = model.index_use.as_ref().expect("it was asked after the rounds");
        assert!(used.indexes.is_empty() && used.not_counted.is_some(), "this server counts nothing: {used:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_of_either_report_learns_that_an_operation_scans() {
    let (record, _) = measured().await;
    let text = terminal(&record, &Style::default());
    let line = text.lines().find(|line| line.contains("collection scan")).expect("the terminal says so");
    assert!(line.contains("naive page (reviews)"), "{line}");
    let page = html(&record);
    assert!(page.contains("<h3>Evidence</h3>") && page.contains("COLLSCAN"));
    assert!(page.contains(EvidenceFlag::CollectionScan.explanation()));
    assert!(page.contains("does not count the use of indexes"));

    // What was gathered is the record's, and comes back from it.
    let text = serde_json::to_string(&record).expect("a record is JSON");
    let again: RunRecord = serde_json::from_str(&text).expect("it can be read again");
    assert_eq!(html(&again), page);
}
