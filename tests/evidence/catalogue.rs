//! The fairness of the catalogue: a naive model is what a competent engineer builds, so none of its steps scans a
//! collection or sorts in memory unless the operation says that this is what it shows.

use std::sync::Arc;

use bson::Bson;
use futures_util::stream::{self, StreamExt as _};
use patternbench::guard::Consent;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{CollectionRecord, EvidenceRecord, ModelRecord, ScenarioRecord};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunRequest, Target, run};
use patternbench::scenario::{Scenario, builtin_names};
use patternbench::words::{EvidenceFlag, Profile, Role, SortedInMemory};
use serde_json::Value;

use crate::loaded::{Loaded, of_catalogue, smoke};
use crate::support::shared_server;

/// Scenarios that are tried at the same time.
const AT_A_TIME: usize = 3;

struct Deaf;

impl Listener for Deaf {
    fn hear(&mut self, _event: &Event) {}
}

/// Compares the answers of a scenario's models at smoke size, which gathers the evidence of every step.
async fn tried(scenario: Arc<Scenario>) -> Vec<ScenarioRecord> {
    let options = RunOptions { profile: Profile::Smoke, ..RunOptions::default() };
    let plans = plan_scenario(&scenario, &options).expect("smoke sizes fit");
    let target = Target::Server { server: shared_server(), consent: Consent::default(), ends: false };
    let request = RunRequest { target, plans, options, folder: None, extent: Extent::Answers };
    let finish = run(&request, &mut Deaf, Interrupt::new()).await;
    assert!(finish.errors.is_empty(), "{}: {:?}", scenario.name, finish.errors);
    finish.record.scenarios
}

#[tokio::test(flavor = "multi_thread")]
async fn every_naive_model_of_the_catalogue_is_fair() {
    let mut unfair = Vec::new();
    let mut steps = 0;
    let scenarios = builtin_names().map(of_catalogue).map(tried);
    let records: Vec<_> = stream::iter(scenarios).buffer_unordered(AT_A_TIME).collect().await;
    for record in records.iter().flatten() {
        let naive = record.models.iter().find(|model| model.role == Role::Naive).expect("there is a naive model");
        let workload = format!("{} ({})", record.name, record.workload);
        for (operation, done) in &naive.operations {
            steps += done.evidence.len();
            let faults = done.evidence.iter().flat_map(|step| faults(naive, step, done.steps.as_slice()));
            unfair.extend(faults.map(|fault| format!("{workload} {operation}: {fault}")));
        }
    }
    assert!(steps > 0);
    unfair.sort();
    unfair.dedup();
    assert!(
        unfair.is_empty(),
        "an index would spare this, or `scan_is_the_subject` says why not:\n{}",
        unfair.join("\n")
    );
}

/// What an index would spare a step.
fn faults(model: &ModelRecord, step: &EvidenceRecord, commands: &[Value]) -> Vec<String> {
    if step.scan_is_the_subject.is_some() {
        return Vec::new();
    }
    let place = format!("step {} ({} on {})", step.step + 1, step.call, step.collection);
    let mut faults: Vec<String> =
        step.scanned().iter().map(|collection| format!("{place} scans {collection}")).collect();
    if step.in_memory_sort == Some(SortedInMemory::Documents) {
        faults.push(format!("{place} sorts documents in memory"));
    }
    // The embedded server does not report what a pipeline's joins do, so the indexes are compared with what they ask for.
    let pipelines = commands.iter().filter_map(|command| command.get("pipeline")?.as_array());
    let scanned = pipelines.flat_map(|stages| joins_that_scan(model, stages));
    if step.call == "aggregate" && step.joined.iter().all(|joined| joined.stage.is_none()) {
        faults.extend(scanned.map(|join| format!("{place}: {join}")));
    }
    faults
}

/// The joins of a pipeline that no index of the other collection serves.
fn joins_that_scan(model: &ModelRecord, stages: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    for stage in stages.iter().filter_map(Value::as_object) {
        let Some((name, spec)) = stage.iter().next() else { continue };
        let foreign =
            |key: &str| model.collections.iter().find(|known| Some(known.name.as_str()) == spec[key].as_str());
        let pipeline = spec.get("pipeline").and_then(Value::as_array);
        let (other, fields) = match name.as_str() {
            "$lookup" => {
                let mut fields: Vec<String> = spec["foreignField"].as_str().map(str::to_owned).into_iter().collect();
                fields.extend(pipeline.map(|stages| matched_fields(stages)).unwrap_or_default());
                (foreign("from"), fields)
            }
            "$graphLookup" => {
                (foreign("from"), spec["connectToField"].as_str().map(str::to_owned).into_iter().collect())
            }
            "$unionWith" => (foreign("coll"), pipeline.map(|stages| matched_fields(stages)).unwrap_or_default()),
            "$facet" => {
                let inner = spec.as_object().into_iter().flat_map(|parts| parts.values()).filter_map(Value::as_array);
                found.extend(inner.flat_map(|stages| joins_that_scan(model, stages)));
                continue;
            }
            _ => continue,
        };
        // A name that is no collection of the model's own (a partition, say) tells nothing.
        if let Some(other) = other
            && !fields.iter().any(|field| leads_an_index(other, field))
        {
            found.push(format!("{name} scans {} (by {})", other.name, fields.join(", ")));
        }
        found.extend(pipeline.into_iter().flat_map(|stages| joins_that_scan(model, stages)));
    }
    found
}

/// The fields that the first stage of a pipeline compares, `$expr` included.
fn matched_fields(stages: &[Value]) -> Vec<String> {
    let Some(filter) = stages.first().and_then(|stage| stage.get("$match")).and_then(Value::as_object) else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for (key, value) in filter {
        match key.as_str() {
            "$expr" => collect_fields(value, &mut fields),
            "$and" | "$or" => {
                let parts = value.as_array().into_iter().flatten().filter_map(Value::as_object);
                fields.extend(parts.flat_map(|part| part.keys().cloned()));
            }
            _ => fields.push(key.clone()),
        }
    }
    fields
}

fn collect_fields(expression: &Value, fields: &mut Vec<String>) {
    match expression {
        Value::String(text) => {
            fields.extend(text.strip_prefix('$').filter(|path| !path.starts_with('$')).map(str::to_owned));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_fields(part, fields)),
        Value::Object(parts) => parts.values().for_each(|part| collect_fields(part, fields)),
        _ => {}
    }
}

fn leads_an_index(collection: &CollectionRecord, field: &str) -> bool {
    let leading = |index: &Value| index["key"].as_object().and_then(|key| key.keys().next().cloned());
    field == "_id" || collection.indexes.iter().any(|index| leading(index).as_deref() == Some(field))
}

#[test]
fn a_join_without_an_index_is_found() {
    let collection = |name: &str, key: &str| CollectionRecord {
        name: name.to_owned(),
        options: Value::Null,
        indexes: vec![serde_json::json!({"key": {key: 1}})],
        sample: Value::Null,
        partitions: None,
        stored_documents: 1,
        logical_documents: 1,
    };
    let mut model: ModelRecord =
        serde_json::from_value(serde_json::json!({"name": "naive", "role": "naive"})).expect("the rest has defaults");
    model.collections = vec![collection("reviews", "productId"), collection("brands", "name")];
    let found = |stages: Value| joins_that_scan(&model, stages.as_array().expect("stages"));

    let good = serde_json::json!([
        {"$lookup": {"from": "brands", "localField": "brandId", "foreignField": "_id", "as": "brand"}},
        {"$lookup": {"from": "reviews", "let": {"id": "$_id"}, "as": "reviews",
                     "pipeline": [{"$match": {"$expr": {"$eq": ["$productId", "$$id"]}}}]}},
        {"$unionWith": {"coll": "brands", "pipeline": [{"$match": {"name": "A"}}]}},
    ]);
    assert_eq!(found(good), Vec::<String>::new());
    let bad = serde_json::json!([
        {"$lookup": {"from": "reviews", "localField": "rating", "foreignField": "rating", "as": "alike"}},
        {"$facet": {"inner": [{"$unionWith": {"coll": "brands"}}]}},
    ]);
    assert_eq!(found(bad).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn half_an_index_examines_the_whole_group_for_one_ticket() {
    let loaded = Loaded::new(of_catalogue("missing-index"), &[("tickets_per_group", 400)]).await;
    // The search ends with the ticket that it finds, so it is longest for the last one of a group.
    let (naive, _) = loaded.program("naive");
    let find = naive.operations().position(|name| name == "find_ticket").expect("it is an operation");
    let of_number = |number| naive.arguments(find, number).expect("arguments render").values.remove(0);
    let is_last = |ticket: Option<Bson>| {
        let ticket = ticket.as_ref().and_then(Bson::as_document);
        ticket.is_some_and(|ticket| ticket.get_i32("n").is_ok_and(|n| n == 399))
    };
    let last = (0..100_000).find(|number| is_last(of_number(*number))).expect("one in 400 is the last");
    let examined = async |model: &str| {
        let step = loaded.explain(model, "find_ticket", last).await.remove(0);
        assert_eq!((step.matched, step.returned), (Some(1), Some(1)), "{model}");
        (step.keys_examined, step.docs_examined, step.flags)
    };
    assert_eq!(examined("naive").await, (Some(400), Some(400), vec![EvidenceFlag::ManyExamined]));
    assert_eq!(examined("group-and-number").await, (Some(1), Some(1), Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_ignores_case_examines_every_key_of_its_index() {
    let scenario = of_catalogue("case-insensitive-search");
    let people = smoke(&scenario, "people");
    for people in [people, 10 * people] {
        let set = [("people", i32::try_from(people).expect("a small number"))];
        let loaded = Loaded::new(Arc::clone(&scenario), &set).await;
        let step = async |model: &str| loaded.explain(model, "search", 0).await.remove(0);
        let (naive, lower) = (step("naive").await, step("lower-case").await);
        assert_eq!(naive.matched, lower.matched, "both find the same people");
        assert_eq!(naive.keys_examined, u64::try_from(people).ok(), "each key of {people}");
        assert!(lower.keys_examined <= lower.matched.map(|matched| matched + 1), "{lower:?}");
    }
}
