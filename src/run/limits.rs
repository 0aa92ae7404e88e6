//! Which operations this server executes unlike mongod: asked once the data are loaded, long before any window.
//!
//! What the rules need to know of the data (longest arrays, largest documents, how many documents a filter matches) is
//! asked of the server; what it does not tell in time stays unknown, and limits nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bson::{Bson, Document, doc};
use futures_util::TryStreamExt as _;
use mongodb::Database;

use super::data::Databases;
use super::error::RunError;
use super::scenario_run::ScenarioRun;
use crate::operation::{ModelProgram, TracedCall};
use crate::plan::Plan;
use crate::scenario::{Collection, Model, Partitions, resolved_indexes};
use crate::server::secantusd::{CollectionTraits, SentStep, TopN, engine_limits, top_n};
use crate::words::Product;

/// How long the server may take to tell one figure.
const PATIENCE: Duration = Duration::from_secs(20);
/// Numbers whose arguments are tried in search of the filter that matches most.
const NUMBERS: u64 = 500;
/// Different filters of a step that are counted.
const FILTERS: usize = 40;
/// Partitions of a collection that are looked at.
const PARTITIONS: usize = 8;
/// Time for all filters of a step together.
const COUNTING: Duration = Duration::from_secs(10);

impl ScenarioRun<'_, '_> {
    /// Marks the operations that this server executes unlike mongod, each with its reason.
    ///
    /// # Errors
    /// Where the server is lost or the user wishes the run to end.
    pub(super) async fn mark_engine_limited(&mut self, measured: &Databases<'_>) -> Result<(), RunError> {
        let product = self.session.main.server.facts().product;
        if product != Product::Secantusd {
            return Ok(());
        }
        let programs = self.programs(&self.plan.world)?;
        for (position, model) in self.plan.models().enumerate() {
            let database = measured.model(position).for_loading();
            let calls = self.observed.get(&model.name).cloned().unwrap_or_default();
            let asking = async {
                let traits = traits(&database, self.plan, model).await;
                let matched = matched(&database, self.plan, &programs[position]).await;
                Ok::<_, RunError>(reasons(product, &calls, &matched, &traits))
            };
            let reasons = self.session.attendant.attend(asking).await?;
            let operations = &mut self.record.models[position].operations;
            for (operation, reason) in reasons {
                if let Some(record) = operations.get_mut(&operation) {
                    record.engine_limited = Some(reason);
                }
            }
        }
        Ok(())
    }
}

/// The calls of a model's operations, by operation.
pub(super) type CallsByOperation = BTreeMap<String, Vec<TracedCall>>;

/// How many documents the filter of a step matches at most, by operation and step.
type Matched = BTreeMap<(String, usize), u64>;

fn reasons(
    product: Product,
    calls: &CallsByOperation,
    matched: &Matched,
    traits: &BTreeMap<String, CollectionTraits>,
) -> BTreeMap<String, String> {
    let sent = |operation: &String, traced: &TracedCall| matched.get(&(operation.clone(), traced.step)).copied();
    let operations: BTreeMap<String, Vec<SentStep<'_, _>>> = calls
        .iter()
        .map(|(operation, calls)| {
            let steps = calls.iter().map(|traced| SentStep { step: &traced.call, matched: sent(operation, traced) });
            (operation.clone(), steps.collect())
        })
        .collect();
    engine_limits(product, &operations, traits)
}

async fn traits(database: &Database, plan: &Plan, model: &Model) -> BTreeMap<String, CollectionTraits> {
    let mut all = BTreeMap::new();
    for collection in &model.collections {
        let mut traits = CollectionTraits::default();
        let partitions = collection.partitions(&plan.world).ok().flatten();
        let names = partitions.as_ref().map_or(std::slice::from_ref(&collection.name), Partitions::names);
        // Some of the partitions, spread evenly over them.
        for name in names.iter().step_by(names.len().div_ceil(PARTITIONS).max(1)) {
            traits = larger(traits, of_collection(database, plan, collection, name).await);
        }
        traits.partitions = partitions.as_ref().map(|partitions| partitions.names().len() as u64);
        all.insert(collection.name.clone(), traits);
    }
    all
}

/// What is known of two collections that are alike, of the larger one where they differ.
fn larger(one: CollectionTraits, other: CollectionTraits) -> CollectionTraits {
    let mut arrays = one.arrays;
    for (path, length) in other.arrays {
        let known = arrays.entry(path).or_default();
        *known = length.max(*known);
    }
    CollectionTraits {
        documents: one.documents.max(other.documents),
        arrays,
        largest_document: one.largest_document.max(other.largest_document),
        ..other
    }
}

async fn of_collection(database: &Database, plan: &Plan, collection: &Collection, name: &str) -> CollectionTraits {
    let has = |option: &str| collection.has_option(option, &plan.parameters);
    let arrays = array_paths(database, name).await;
    let largest = largest(database, name, &arrays).await.unwrap_or_default();
    // Loading has resolved them.
    let indexes = resolved_indexes(&collection.indexes, &plan.world).unwrap_or_default();
    let number = |key: &str| largest.get(key).and_then(whole);
    CollectionTraits {
        time_series: has("timeseries"),
        capped: has("capped"),
        collation: has("collation"),
        partitions: None,
        indexes: indexes.into_iter().map(|index| index.key).collect(),
        documents: number("documents"),
        arrays: (0..)
            .zip(&arrays)
            .filter_map(|(place, path)| Some((path.clone(), number(&length_key(place))?)))
            .collect(),
        largest_document: number("bytes"),
    }
}

/// Paths that hold an array in the first document.
async fn array_paths(database: &Database, collection: &str) -> Vec<String> {
    let collection = database.collection::<Document>(collection);
    let asking = collection.find_one(doc! {}).into_future();
    let first = tokio::time::timeout(PATIENCE, asking).await.ok().and_then(Result::ok).flatten();
    let mut paths = Vec::new();
    collect_arrays(&first.unwrap_or_default(), "", &mut paths);
    paths
}

fn collect_arrays(document: &Document, prefix: &str, paths: &mut Vec<String>) {
    for (key, value) in document {
        match value {
            Bson::Array(_) => paths.push(format!("{prefix}{key}")),
            Bson::Document(inner) => collect_arrays(inner, &format!("{prefix}{key}."), paths),
            _ => {}
        }
    }
}

/// The number of documents, the size of the largest, and the length of the longest array at each path.
async fn largest(database: &Database, collection: &str, arrays: &[String]) -> Option<Document> {
    let mut group = doc! {
        "_id": Bson::Null,
        "documents": {"$sum": 1},
        "bytes": {"$max": {"$bsonSize": "$$ROOT"}},
    };
    for (place, path) in (0..).zip(arrays) {
        let path = format!("${path}");
        let length = doc! {"$cond": [{"$isArray": [&path]}, {"$size": &path}, 0]};
        group.insert(length_key(place), doc! {"$max": length});
    }
    let asking = async {
        let cursor = database.collection::<Document>(collection).aggregate([doc! {"$group": group}]).await.ok()?;
        cursor.try_collect::<Vec<_>>().await.ok()?.into_iter().next()
    };
    tokio::time::timeout(PATIENCE, asking).await.ok().flatten()
}

fn length_key(place: usize) -> String {
    format!("length{place}")
}

/// Counts what the steps that want the first few documents match, under the arguments of some operations to come.
async fn matched(database: &Database, plan: &Plan, program: &ModelProgram) -> Matched {
    let mut matched = Matched::new();
    for (place, operation) in plan.workload().operations.iter().enumerate() {
        for (step, filters) in filters(plan, program, place) {
            let most = most_matched(database, &filters).await;
            matched.insert((operation.name.clone(), step), most);
        }
    }
    matched
}

/// The different filters of an operation's steps that want the first few documents, by step.
fn filters(plan: &Plan, program: &ModelProgram, operation: usize) -> BTreeMap<usize, Vec<TopN>> {
    let mut by_step: BTreeMap<usize, Vec<TopN>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let from = plan.measured_from();
    for number in from..from + NUMBERS {
        // What depends on replies is not among them, and what cannot be rendered is found by parity.
        for TracedCall { step, call, .. } in program.calls(operation, number).unwrap_or_default() {
            let Some(wanted) = top_n(&call) else { continue };
            let of_step = by_step.entry(step).or_default();
            let told = (step, wanted.collection.clone(), wanted.filter.to_string());
            if of_step.len() < FILTERS && seen.insert(told) {
                of_step.push(wanted);
            }
        }
    }
    by_step
}

/// The most that any of them matches, as far as counting comes in its time.
async fn most_matched(database: &Database, filters: &[TopN]) -> u64 {
    let mut most = 0;
    let counting = async {
        for TopN { collection, filter, .. } in filters {
            let counted = database.collection::<Document>(collection).count_documents(filter.clone()).await;
            most = most.max(counted.unwrap_or(0));
        }
    };
    // What was counted until then is known.
    let _ = tokio::time::timeout(COUNTING, counting).await;
    most
}

fn whole(value: &Bson) -> Option<u64> {
    match value {
        Bson::Int32(number) => u64::try_from(*number).ok(),
        Bson::Int64(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}
