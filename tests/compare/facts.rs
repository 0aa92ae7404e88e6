//! Evidence, differences and what is missing: facts, told exactly.

use patternbench::analysis::Incomparable;
use patternbench::record::{EvidenceChange, EvidenceRecord, RunRecord, ScenarioRecord};
use patternbench::units::Bytes;
use patternbench::words::{DataSize, EvidenceFlag, Product, Sameness, ServerSource, Side};
use serde_json::{Value, json};

use crate::known::product_page;
use crate::made::{allowing, compared, of_scenario, run};

fn scenario() -> ScenarioRecord {
    let mut scenario = product_page().rounds(5, 400).build();
    for model in &mut scenario.models {
        let operation = model.operations.get_mut("list_page").expect("every model lists pages");
        operation.evidence = vec![step()];
        (operation.bytes_sent, operation.bytes_received) = (Some(321.5), Some(9_876.0));
    }
    scenario
}

/// A find by an index.
fn step() -> EvidenceRecord {
    let json = json!({
        "step": 0, "call": "find", "collection": "products", "data": "parity", "stage": "IXSCAN", "above": ["FETCH"],
        "index": "categoryId_1", "keys_examined": 20, "docs_examined": 20, "matched": 20, "returned": 20,
    });
    serde_json::from_value(json).expect("a record of evidence")
}

/// The changes of evidence after something was done to the pattern.
fn after(change: impl FnOnce(&mut ScenarioRecord)) -> Vec<EvidenceChange> {
    let mut new = scenario();
    change(&mut new);
    compared(vec![of_scenario(1, scenario())], vec![of_scenario(2, new)]).scenarios.remove(0).evidence
}

fn told(found: &[EvidenceChange]) -> Vec<(String, Value, Value, Option<bool>)> {
    found.iter().map(|one| (one.what.clone(), one.base.clone(), one.new.clone(), one.worse)).collect()
}

#[test]
fn the_same_evidence_is_no_change_whatever_latencies_do() {
    assert_eq!(after(|scenario| scenario.rounds.iter_mut().for_each(|round| round.workers += 1)), []);
}

#[test]
fn a_lost_index_shows_in_the_collection_and_in_every_step_that_used_it() {
    let found = after(|scenario| {
        let page = &mut scenario.models[1];
        page.collections[0].indexes.clear();
        let step = &mut page.operations.get_mut("list_page").expect("it lists pages").evidence[0];
        (step.stage, step.index) = (Some("COLLSCAN".to_owned()), None);
        (step.keys_examined, step.docs_examined) = (Some(0), Some(100));
        step.flags = vec![EvidenceFlag::CollectionScan];
    });
    assert!(found.iter().all(|change| change.model == "page"));
    assert_eq!(
        told(&found),
        [
            ("stage".to_owned(), json!("IXSCAN"), json!("COLLSCAN"), Some(true)),
            ("index".to_owned(), json!("categoryId_1"), Value::Null, Some(true)),
            ("keys_examined".to_owned(), json!(20), json!(0), None),
            ("docs_examined".to_owned(), json!(20), json!(100), Some(true)),
            ("flag".to_owned(), Value::Null, json!("collection_scan"), Some(true)),
            ("index".to_owned(), json!("{categoryId: 1, price: 1, _id: 1}"), Value::Null, Some(true)),
        ]
    );
    assert_eq!((found[0].operation.as_deref(), found[0].place.as_str()), (Some("list_page"), "step 1"));
    assert_eq!((found[5].operation.as_deref(), found[5].place.as_str()), (None, "collection products"));
}

#[test]
fn more_requests_bytes_and_room_are_told_to_the_last_one() {
    let found = after(|scenario| {
        let page = &mut scenario.models[1];
        let operation = page.operations.get_mut("list_page").expect("it lists pages");
        (operation.round_trips, operation.bytes_received) = (Some(2.0), Some(9_877.0));
        let bill = page.storage.as_mut().expect("made with one");
        (bill.documents, bill.data_bytes) = (bill.documents + 1, Bytes::new(bill.data_bytes.get() - 1));
        // Pages come out a little fuller or emptier each time.
        bill.index_bytes = Bytes::new(bill.index_bytes.get() + 1);
    });
    let told: Vec<(String, Option<bool>)> = found.iter().map(|one| (one.what.clone(), one.worse)).collect();
    let expected = [
        ("round_trips", Some(true)),
        ("bytes_received", Some(true)),
        ("documents", Some(true)),
        ("data_bytes", Some(false)),
    ];
    assert_eq!(told, expected.map(|(what, worse)| (what.to_owned(), worse)));
}

#[test]
fn a_step_explained_on_the_measured_data_once_and_not_again_is_no_change() {
    let found = after(|scenario| {
        let operation = scenario.models[1].operations.get_mut("list_page").expect("it lists pages");
        operation.evidence.push(EvidenceRecord { data: DataSize::Measured, ..step() });
    });
    assert_eq!(found, [], "explaining it depends on how long that takes");
    let found = after(|scenario| {
        let operation = scenario.models[1].operations.get_mut("list_page").expect("it lists pages");
        operation.evidence.push(EvidenceRecord { step: 1, ..step() });
    });
    assert_eq!(told(&found), [("step".to_owned(), Value::Null, json!("find on products"), None)]);
}

/// What is refused of two runs.
fn refused(base: RunRecord, new: RunRecord) -> Vec<(Sameness, String)> {
    match allowing(&[], vec![base], vec![new]) {
        Err(Incomparable::Different(differences)) => differences
            .into_iter()
            .map(|difference| (difference.sameness.expect("a warning refuses nothing"), difference.what))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn runs_that_measured_something_else_are_refused_with_every_difference() {
    let base = of_scenario(1, scenario());
    let mut new = of_scenario(2, scenario());
    new.server.version = "8.3.0".to_owned();
    new.server.cache_bytes = Some(Bytes::new(1 << 31));
    let changed = &mut new.scenarios[0];
    changed.file_sha256 = "e".repeat(64);
    changed.parameters.insert("products".to_owned(), json!(5_000));
    changed.plan.concurrency = 8;
    assert_eq!(
        refused(base.clone(), new.clone()),
        [
            (Sameness::Version, "server version".to_owned()),
            (Sameness::Settings, "server's cache".to_owned()),
            (Sameness::Scenario, "scenario file".to_owned()),
            (Sameness::Parameters, "parameter products".to_owned()),
            (Sameness::Load, "workers under closed load".to_owned()),
        ]
    );
    let message = allowing(&[], vec![base.clone()], vec![new.clone()]).expect_err("they differ").to_string();
    for part in [
        "server version: 8.2.1 in the base, 8.3.0 in the new run",
        "product-list-page: parameter products: 2000 in the base, 5000 in the new run",
        "--allow-different version,settings,scenario,parameters,load",
    ] {
        assert!(message.contains(part), "{part} is missing in: {message}");
    }
    let most = [Sameness::Version, Sameness::Settings, Sameness::Scenario, Sameness::Load];
    let left = allowing(&most, vec![base.clone()], vec![new.clone()]).expect_err("parameters differ").to_string();
    assert!(!left.contains("version") && left.ends_with("--allow-different parameters"), "{left}");
    let all = [most.as_slice(), &[Sameness::Parameters]].concat();
    let found = allowing(&all, vec![base], vec![new]).expect("everything is allowed");
    assert_eq!(found.differences.len(), 5, "what is allowed is still told");
}

#[test]
fn another_product_seed_or_dataset_is_refused_and_another_client_is_a_warning() {
    let of_run = |change: fn(&mut RunRecord)| {
        let mut new = of_scenario(2, scenario());
        change(&mut new);
        refused(of_scenario(1, scenario()), new).into_iter().map(|(sameness, _)| sameness).collect::<Vec<_>>()
    };
    assert_eq!(of_run(|run| run.server.product = Product::Secantusd), [Sameness::Server]);
    assert_eq!(of_run(|run| run.scenarios[0].seed = 2), [Sameness::Seed]);
    assert_eq!(of_run(|run| run.scenarios[0].dataset_sha256 = "c".repeat(64)), [Sameness::Dataset]);
    // The seed decides the rows: that they differ as well is no second difference.
    let both = |run: &mut RunRecord| {
        (run.scenarios[0].seed, run.scenarios[0].dataset_sha256) = (2, "c".repeat(64));
    };
    assert_eq!(of_run(both), [Sameness::Seed]);
    // A server that patternbench starts is where the client is, on any port.
    assert_eq!(of_run(|run| run.client.cores = 64), [Sameness::Host]);
    let mut port = of_scenario(2, scenario());
    port.server.host = "127.0.0.1:50002".to_owned();
    assert_eq!(compared(vec![of_scenario(1, scenario())], vec![port]).differences, []);

    let elsewhere = |day, host: &str, cores| {
        let mut run = of_scenario(day, scenario());
        run.server.source = ServerSource::Uri;
        run.server.host = host.to_owned();
        run.client.cores = cores;
        run
    };
    let found = compared(vec![elsewhere(1, "db1:27017", 2)], vec![elsewhere(2, "db1:27017", 64)]);
    let warned: Vec<_> = found.differences.iter().map(|found| (found.sameness, found.what.as_str())).collect();
    assert_eq!(warned, [(None, "load generator")]);
    let moved = refused(elsewhere(1, "db1:27017", 2), elsewhere(2, "db2:27017", 2));
    assert_eq!(moved, [(Sameness::Host, "server's host".to_owned())]);
}

#[test]
fn what_one_side_has_not_is_named() {
    let base = of_scenario(1, scenario());
    let mut new = of_scenario(2, scenario());
    let mut other = new.scenarios[0].clone();
    other.name = "chat-conversations".to_owned();
    new.scenarios.push(other);
    let changed = &mut new.scenarios[0];
    changed.rounds.retain(|round| round.model != "tuned");
    changed.models[2].skipped = Some("needs transactions".to_owned());
    for round in &mut changed.rounds {
        let reviews = round.operations.remove("add_review").expect("made with it");
        round.operations.insert("add_rating".to_owned(), reviews);
    }
    changed.plan.mix = [("list_page".to_owned(), 95.0), ("add_rating".to_owned(), 5.0)].into();
    let found = compared(vec![base], vec![new]);
    let told: Vec<_> = found
        .missing
        .iter()
        .map(|missing| {
            (missing.from, missing.scenario.as_str(), missing.model.as_deref(), missing.operation.as_deref())
        })
        .collect();
    assert_eq!(
        told,
        [
            (Side::Base, "chat-conversations", None, None),
            (Side::New, "product-list-page", Some("tuned"), None),
            (Side::New, "product-list-page", None, Some("add_review")),
            (Side::Base, "product-list-page", None, Some("add_rating")),
        ]
    );
    assert_eq!(found.missing[1].why.as_deref(), Some("needs transactions"));
    assert_eq!(found.scenarios.len(), 1);
}

#[test]
fn runs_without_a_scenario_in_common_and_runs_on_both_sides_are_refused() {
    let mut other = of_scenario(2, scenario());
    other.scenarios[0].name = "chat-conversations".to_owned();
    let nothing =
        allowing(&[], vec![of_scenario(1, scenario())], vec![other]).expect_err("nothing in common").to_string();
    assert!(nothing.contains("the base has product-list-page, the new run chat-conversations"), "{nothing}");
    let maker = product_page().rounds(5, 400);
    let twice =
        allowing(&[], vec![run(1, &maker), run(2, &maker)], vec![run(2, &maker)]).expect_err("run 2 is in both");
    assert!(twice.to_string().contains("stands on both sides"), "{twice}");
}
