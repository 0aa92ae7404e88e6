//! What is shown of a scenario, as plain data.

use std::collections::BTreeMap;

use bson::Document;

use super::document::shown;
use super::samples;
use crate::scenario::index::{IndexDefinition, resolved_indexes};
use crate::scenario::types::{Bound, Expectation};
use crate::scenario::types::{Claim, Collection, Index, Model, Operation, Scenario};
use crate::source::{Arena, NodeId, SourceText, parse};
use crate::value::World;
use crate::words::{ClaimMetric, Role};

/// Of the indexes that a list makes only the first are shown.
const SHOWN_INDEXES: usize = 3;

/// A document of each collection of each model, by the names of model and collection.
pub type Samples = BTreeMap<(String, String), Document>;

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
    /// For each model, in the order of [`Sheet::models`]: how its cost grows, and its steps and result, as written.
    pub models: Vec<(Option<String>, String)>,
}

impl Sheet {
    /// Makes the sheet of a scenario; `samples` are documents to show, as far as they are at hand. Where a collection
    /// is a copy of its set and has no sample, a row of the set at smoke size stands in.
    pub fn new(scenario: &Scenario, samples: &Samples) -> Self {
        let written = Written::of(scenario);
        let mut known = samples::copied(scenario);
        let world = samples::smallest_world(scenario);
        known.extend(samples.iter().map(|(place, document)| (place.clone(), document.clone())));
        Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            summary: scenario.summary.clone(),
            facts: facts(scenario),
            models: scenario.models.iter().map(|model| model_sheet(model, &written, &known, world.as_ref())).collect(),
            operations: operations(scenario, &written),
        }
    }
}

/// The file as written.
struct Written {
    text: SourceText,
    arena: Arena,
}

impl Written {
    fn of(scenario: &Scenario) -> Self {
        let text = SourceText::clone(&scenario.source);
        let arena = parse(text.clone()).map(|parsed| parsed.file.arena).unwrap_or_default();
        Self { text, arena }
    }

    fn node(&self, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(self.arena.root()?, |node, key| self.arena.get(node, key))
    }

    /// The text of a value, its further lines indented as its first; of a value reached through an alias where it was
    /// defined.
    fn text(&self, node: NodeId) -> String {
        let node = self.arena.node(node);
        let span = node.defined.unwrap_or(node.span);
        let (_, column) = self.text.line_column(span.start);
        let text = self.text.text().get(span.start as usize..span.end as usize).unwrap_or_default();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        let rest = lines.map(|line| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            &line[indent.min(column - 1)..]
        });
        std::iter::once(first.as_str()).chain(rest).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    fn text_at(&self, path: &[&str]) -> Option<String> {
        self.node(path).map(|node| self.text(node))
    }
}

fn facts(scenario: &Scenario) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let lists = [("patterns", &scenario.patterns), ("anti-patterns", &scenario.antipatterns), ("tags", &scenario.tags)];
    facts
        .extend(lists.into_iter().filter(|(_, words)| !words.is_empty()).map(|(what, words)| (what, words.join(", "))));
    for parameter in &scenario.parameters {
        let mut line = format!("{} = {}", parameter.name, parameter.default);
        let others = [("smoke", &parameter.smoke), ("nightly", &parameter.nightly)];
        for (profile, value) in others {
            line.extend(value.as_ref().map(|value| format!(", {profile} {value}")));
        }
        line.extend(parameter.help.as_ref().map(|help| format!(": {help}")));
        facts.push(("parameter", line));
    }
    facts.extend(scenario.claims.iter().map(|claim| ("claim", claim_line(claim))));
    facts.extend(
        scenario
            .expect
            .iter()
            .map(|(operation, expectation)| ("expected", format!("{operation} {}", expectation_words(*expectation)))),
    );
    facts
}

fn claim_line(claim: &Claim) -> String {
    let ratio = match claim.metric {
        ClaimMetric::Throughput => "pattern ÷ naive",
        _ => "naive ÷ pattern",
    };
    let bound = match claim.bound {
        Bound::AtLeast(ratio) => format!("at least {}", ratio.get()),
        Bound::AtMost(ratio) => format!("at most {}", ratio.get()),
        Bound::Between(low, high) => format!("{} to {}", low.get(), high.get()),
    };
    let at: Vec<String> = claim.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
    format!("{} {}, {ratio} {bound}{at} ({})", claim.operation, claim.metric, claim.source)
}

fn expectation_words(expectation: Expectation) -> String {
    match expectation {
        Expectation::Faster => "faster".to_owned(),
        Expectation::Slower => "slower".to_owned(),
        Expectation::Equal => "equal".to_owned(),
        Expectation::Depends => "depends".to_owned(),
        Expectation::Between(low, high) => format!("{} to {} times as fast", low.get(), high.get()),
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
    }
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

fn operations(scenario: &Scenario, written: &Written) -> Vec<OperationSheet> {
    let mut sheets: Vec<OperationSheet> = Vec::new();
    for workload in &scenario.workloads {
        let total: f64 = workload.operations.iter().map(|operation| operation.weight).sum();
        for operation in &workload.operations {
            let share = (workload.name.clone(), 100.0 * operation.weight / total);
            match sheets.iter_mut().find(|sheet| sheet.name == operation.name) {
                Some(sheet) => sheet.shares.push(share),
                None => sheets.push(operation_sheet(scenario, &workload.name, operation, share, written)),
            }
        }
    }
    sheets
}

fn operation_sheet(
    scenario: &Scenario,
    workload: &str,
    operation: &Operation,
    share: (String, f64),
    written: &Written,
) -> OperationSheet {
    let named = ["workloads", workload, &operation.name];
    let place = if written.node(&named).is_some() { &named[..] } else { &["workload", &operation.name][..] };
    let part = |path: &[&str]| written.text_at(&[place, path].concat());
    OperationSheet {
        name: operation.name.clone(),
        shares: vec![share],
        args: operation.args.iter().filter_map(|(name, _)| Some((name.clone(), part(&["args", name])?))).collect(),
        returns: part(&["returns"]),
        models: scenario.models.iter().map(|model| steps(model, &operation.name, written)).collect(),
    }
}

fn steps(model: &Model, operation: &str, written: &Written) -> (Option<String>, String) {
    let growth = model.operations.get(operation).and_then(|operation| operation.growth.as_ref());
    let growth = growth.map(ToString::to_string);
    let place = ["models", &model.name, "operations", operation];
    let part = |key: &str| written.text_at(&[&place[..], &[key]].concat());
    let text = match part("steps") {
        Some(steps) => match part("result") {
            Some(result) => format!("{steps}\nresult: {}", result.replace('\n', "\n  ")),
            None => steps,
        },
        None => written.text_at(&place).unwrap_or_default(),
    };
    (growth, text)
}
