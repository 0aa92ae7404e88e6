//! What is shown of a scenario, as plain data.

use std::collections::BTreeMap;

use bson::Document;

use super::command;
use super::document::shown;
use super::facts::{self, ParameterSheet};
use super::samples;
use super::written::Written;
use crate::scenario::index::{IndexDefinition, resolved_indexes};
use crate::scenario::types::{Collection, Expectation, Index, Model, Operation, Scenario};
use crate::value::World;
use crate::words::Role;

/// Of the indexes that a list makes only the first are shown.
const SHOWN_INDEXES: usize = 3;

/// A document of each collection of each model, by the names of model and collection.
pub type Samples = BTreeMap<(String, String), Document>;

/// The commands that an operation of a model has sent, by the names of model and operation.
pub type Commands = BTreeMap<(String, String), Vec<Document>>;

/// A scenario as people read it: its models side by side, and how each does every operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The scenario's name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its summary.
    pub summary: String,
    /// Patterns, anti-patterns, tags, parameters, claims and expectations: a line each, with what it is.
    pub facts: Vec<(&'static str, String)>,
    /// Patterns that it shows.
    pub patterns: Vec<String>,
    /// Anti-patterns that it shows.
    pub antipatterns: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What its author expects, by operation.
    pub expected: Vec<(String, Expectation)>,
    /// What sources say: sentences in Markdown.
    pub claims: Vec<String>,
    /// What `--set` can change.
    pub parameters: Vec<ParameterSheet>,
    /// Parameters worth growing, each with the values to try.
    pub sweep: Vec<(String, Vec<String>)>,
    /// The models, in the order of the file.
    pub models: Vec<ModelSheet>,
    /// The operations, in the order of the workloads, each once.
    pub operations: Vec<OperationSheet>,
}

/// A model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSheet {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub role: Role,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its collections.
    pub collections: Vec<CollectionSheet>,
    /// Its background actors and its events, as written; empty where it has neither.
    pub beside: String,
}

/// A collection of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionSheet {
    /// Its name.
    pub name: String,
    /// The set that feeds it.
    pub from: Option<String>,
    /// The pipeline that makes its documents, as written.
    pub pipeline: Option<String>,
    /// Of a partitioned collection: by what, and how many collections that makes at smoke size.
    pub partitions: Option<String>,
    /// Options of the collection, as written.
    pub options: Option<String>,
    /// Its indexes, besides the one on `_id`.
    pub indexes: Vec<String>,
    /// A document of it, shortened.
    pub sample: Option<String>,
}

/// An operation, and how each model does it.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationSheet {
    /// Its name.
    pub name: String,
    /// Its share of each workload's mix, in percent, by the workload's name.
    pub shares: Vec<(String, f64)>,
    /// Its arguments, as written.
    pub args: Vec<(String, String)>,
    /// What it returns, as written.
    pub returns: Option<String>,
    /// How each model does it, in the order of [`Sheet::models`].
    pub models: Vec<StepsSheet>,
}

/// How a model does an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct StepsSheet {
    /// How its cost grows.
    pub growth: Option<String>,
    /// Why a scan is what it shows.
    pub scan: Option<String>,
    /// Its steps and result, as written.
    pub steps: String,
    /// The commands that it has sent once, shortened.
    pub sent: Vec<String>,
}

impl Sheet {
    /// Makes the sheet of a scenario; `samples` and `commands` are what is shown of its data and its requests, as far as
    /// they are at hand. Where a collection is a copy of its set and has no sample, a row of the set at smoke size stands
    /// in.
    pub fn new(scenario: &Scenario, samples: &Samples, commands: &Commands) -> Self {
        let written = Written::of(scenario);
        let mut known = samples::copied(scenario);
        let world = samples::smallest_world(scenario);
        known.extend(samples.iter().map(|(place, document)| (place.clone(), document.clone())));
        Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            summary: scenario.summary.clone(),
            facts: facts::lines(scenario),
            patterns: scenario.patterns.clone(),
            antipatterns: scenario.antipatterns.clone(),
            tags: scenario.tags.clone(),
            expected: scenario.expect.clone(),
            claims: scenario.claims.iter().map(facts::claim_sentence).collect(),
            parameters: scenario.parameters.iter().map(ParameterSheet::of).collect(),
            sweep: scenario
                .sweep
                .iter()
                .map(|(name, values)| (name.clone(), values.iter().map(ToString::to_string).collect()))
                .collect(),
            models: scenario.models.iter().map(|model| model_sheet(model, &written, &known, world.as_ref())).collect(),
            operations: operations(scenario, &written, commands),
        }
    }
}

fn model_sheet(model: &Model, written: &Written, samples: &Samples, world: Option<&World>) -> ModelSheet {
    ModelSheet {
        name: model.name.clone(),
        role: model.role,
        title: model.title.clone(),
        collections: model
            .collections
            .iter()
            .map(|collection| collection_sheet(&model.name, collection, written, samples, world))
            .collect(),
        beside: beside(model, written),
    }
}

fn beside(model: &Model, written: &Written) -> String {
    let part = |key: &str| {
        let text = written.text_at(&["models", &model.name, key])?;
        Some(format!("{key}:\n  {}", text.replace('\n', "\n  ")))
    };
    ["background", "events"].into_iter().filter_map(part).collect::<Vec<_>>().join("\n")
}

fn collection_sheet(
    model: &str,
    collection: &Collection,
    written: &Written,
    samples: &Samples,
    world: Option<&World>,
) -> CollectionSheet {
    let part = |key: &str| written.text_at(&["models", model, "collections", &collection.name, key]);
    CollectionSheet {
        name: collection.name.clone(),
        from: collection.from.clone(),
        pipeline: part("pipeline"),
        partitions: partitions_line(collection, world),
        options: part("options"),
        indexes: collection.indexes.iter().flat_map(|index| index_lines(index, world)).collect(),
        sample: samples.get(&(model.to_owned(), collection.name.clone())).map(shown),
    }
}

/// `tenantId: 5 collections at smoke size, such as orders_0`, as far as it can be told.
fn partitions_line(collection: &Collection, world: Option<&World>) -> Option<String> {
    let partitioning = collection.partitioning.as_ref()?;
    let by = partitioning.field.as_deref().unwrap_or("value");
    let partitions = world.and_then(|world| collection.partitions(world).ok()).flatten();
    let Some((first, count)) =
        partitions.as_ref().and_then(|found| Some((found.names().first()?, found.names().len())))
    else {
        return Some(format!("by {by}"));
    };
    let collections = if count == 1 { "collection" } else { "collections" };
    Some(format!("by {by}: {count} {collections} at smoke size, such as {first}"))
}

/// An index, or those that a list makes at smoke size.
fn index_lines(definition: &IndexDefinition, world: Option<&World>) -> Vec<String> {
    if let IndexDefinition::Written(index) = definition {
        return vec![index_line(index)];
    }
    let indexes = world.and_then(|world| resolved_indexes(std::slice::from_ref(definition), world).ok());
    let Some(indexes) = indexes else { return vec!["known once parameters are".to_owned()] };
    let mut lines: Vec<String> = indexes.iter().take(SHOWN_INDEXES).map(index_line).collect();
    if indexes.len() > SHOWN_INDEXES {
        lines.push(format!("… {} more of the kind", indexes.len() - SHOWN_INDEXES));
    }
    lines
}

fn index_line(index: &Index) -> String {
    let pairs = |document: &Document| {
        document.iter().map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", ")
    };
    let key = format!("{{{}}}", pairs(&index.key));
    if index.options.is_empty() { key } else { format!("{key} {}", pairs(&index.options)) }
}

fn operations(scenario: &Scenario, written: &Written, commands: &Commands) -> Vec<OperationSheet> {
    let mut sheets: Vec<OperationSheet> = Vec::new();
    for workload in &scenario.workloads {
        let total: f64 = workload.operations.iter().map(|operation| operation.weight).sum();
        for operation in &workload.operations {
            let share = (workload.name.clone(), 100.0 * operation.weight / total);
            match sheets.iter_mut().find(|sheet| sheet.name == operation.name) {
                Some(sheet) => sheet.shares.push(share),
                None => {
                    let models = scenario.models.iter().map(|model| steps(model, &operation.name, written, commands));
                    sheets.push(OperationSheet {
                        models: models.collect(),
                        ..operation_sheet(&workload.name, operation, share, written)
                    });
                }
            }
        }
    }
    sheets
}

fn operation_sheet(workload: &str, operation: &Operation, share: (String, f64), written: &Written) -> OperationSheet {
    let named = ["workloads", workload, &operation.name];
    let place = if written.node(&named).is_some() { &named[..] } else { &["workload", &operation.name][..] };
    let part = |path: &[&str]| written.text_at(&[place, path].concat());
    OperationSheet {
        name: operation.name.clone(),
        shares: vec![share],
        args: operation.args.iter().filter_map(|(name, _)| Some((name.clone(), part(&["args", name])?))).collect(),
        returns: part(&["returns"]),
        models: Vec::new(),
    }
}

fn steps(model: &Model, operation: &str, written: &Written, commands: &Commands) -> StepsSheet {
    let done = model.operations.get(operation);
    let place = ["models", &model.name, "operations", operation];
    let part = |key: &str| written.text_at(&[&place[..], &[key]].concat());
    let steps = match part("steps") {
        Some(steps) => match part("result") {
            Some(result) => format!("{steps}\n{}", under("result:", &result)),
            None => steps,
        },
        None => written.text_at(&place).unwrap_or_default(),
    };
    let sent = commands.get(&(model.name.clone(), operation.to_owned()));
    StepsSheet {
        growth: done.and_then(|done| done.growth.as_ref()).map(ToString::to_string),
        scan: done.and_then(|done| done.scan_is_the_subject.clone()),
        steps,
        sent: sent.into_iter().flatten().map(command::shown).collect(),
    }
}

/// A value after its key, or below it where it has several lines.
pub(super) fn under(key: &str, value: &str) -> String {
    if value.contains('\n') {
        let indent = " ".repeat(key.len() - key.trim_start().len() + 2);
        let lines: String = value.lines().map(|line| format!("\n{indent}{line}")).collect();
        format!("{key}{lines}")
    } else {
        format!("{key} {value}")
    }
}
