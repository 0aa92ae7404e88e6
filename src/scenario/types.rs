//! A scenario whose file was read, checked and compiled: what every later room works from.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bson::Bson;

use super::actors::{Actor, ModelEvent};
use super::index::IndexDefinition;
use super::partition::Partitioning;
use super::tree::{Step, calls};
use crate::source::SourceText;
use crate::units::{Ratio, Share};
use crate::value::{Parameters, Population, SetSpec, Template, World, WorldError};
use crate::words::{ClaimMetric, DataState, ErrorName, Isolation, OperationKind, Role};

/// A checked scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file's stem, `[a-z0-9-]`: names databases and results.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// A few sentences for people.
    pub summary: String,
    /// Schema design patterns shown.
    pub patterns: Vec<String>,
    /// Anti-patterns shown.
    pub antipatterns: Vec<String>,
    /// Free words to find it by.
    pub tags: Vec<String>,
    /// What sources say of it.
    pub claims: Vec<Claim>,
    /// What its author expects, per operation.
    pub expect: Vec<(String, Expectation)>,
    /// Parameters worth growing, with the values to try; the first entry is the scenario's own axis.
    pub sweep: Vec<(String, Vec<Bson>)>,
    /// What `--set` can change.
    pub parameters: Vec<Parameter>,
    /// The facts, normalised.
    pub dataset: Vec<DataSet>,
    /// The layouts; exactly one is naive, at least one is a pattern.
    pub models: Vec<Model>,
    /// The mixes of operations; an unnamed one is called `default`.
    pub workloads: Vec<Workload>,
    /// Whether models share a server.
    pub isolation: Isolation,
    /// Bytes of cache to ask of a server that patternbench starts.
    pub cache_bytes: Option<u64>,
    /// SHA-256 of the file's bytes, hexadecimal.
    pub file_sha256: String,
    /// The file itself.
    pub source: Arc<SourceText>,
}

impl Scenario {
    /// The model in the role `naive`.
    pub fn naive(&self) -> &Model {
        self.models.iter().find(|model| model.role == Role::Naive).expect("a checked scenario has a naive model")
    }

    /// Whether an operation writes, as the naive model does it: other models may do more than the application asks for.
    pub fn kind_of(&self, operation: &str) -> OperationKind {
        let done = self.naive().operations.get(operation);
        let reads = done.is_some_and(|done| calls(&done.steps).iter().all(|placed| placed.call.kind.reads()));
        if reads { OperationKind::Read } else { OperationKind::Write }
    }

    /// The dataset under these parameters. Files of one's own documents are looked for beside the scenario file.
    ///
    /// # Errors
    /// Where a count cannot be resolved or a file cannot be read.
    pub fn world(&self, seed: u64, parameters: Parameters) -> Result<World, WorldError> {
        let folder = Path::new(self.source.name()).parent().unwrap_or(Path::new(""));
        World::new(seed, parameters, self.dataset.iter().map(DataSet::spec).collect(), folder)
    }
}

/// What `--set` can change.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value in the profiles quick and standard.
    pub default: Bson,
    /// Its value in the profile smoke and for parity (default: the default).
    pub smoke: Option<Bson>,
    /// Its value in the profile nightly (default: the default).
    pub nightly: Option<Bson>,
    /// Smallest value allowed.
    pub min: Option<f64>,
    /// Largest value allowed.
    pub max: Option<f64>,
    /// A line for people.
    pub help: Option<String>,
}

/// One kind of fact in the dataset.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// Its name, which is also its collection's in the source database.
    pub name: String,
    /// How many rows there are and what they belong to.
    pub population: Population,
    /// A row (absent where rows come from a file).
    pub document: Option<Template>,
    /// Indexes in the source database, for the models' pipelines.
    pub indexes: Vec<IndexDefinition>,
}

impl DataSet {
    /// What the dataset resolves of it; indexes are the source database's alone.
    pub fn spec(&self) -> SetSpec {
        SetSpec { name: self.name.clone(), population: self.population.clone(), document: self.document.clone() }
    }
}

/// An index.
#[derive(Debug, Clone)]
pub struct Index {
    /// Field → 1, -1, "2dsphere" …, in order.
    pub key: bson::Document,
    /// Further options as the `createIndexes` command names them (`unique`, `sparse`, `name` …).
    pub options: bson::Document,
}

/// One layout of the facts.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its name, `[a-z0-9-]`.
    pub name: String,
    /// What it stands for.
    pub role: Role,
    /// One line for people.
    pub title: Option<String>,
    /// Its collections, in the order of the file.
    pub collections: Vec<Collection>,
    /// How it does each operation of the workloads.
    pub operations: BTreeMap<String, ModelOperation>,
    /// An error that ends the model's run as a result rather than a failure.
    pub ends_when: Option<ErrorName>,
    /// Untimed actors beside the operations.
    pub background: Vec<Actor>,
    /// What happens once in every measured window.
    pub events: Vec<ModelEvent>,
}

/// A collection of a model and where its documents come from.
#[derive(Debug, Clone)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// The set of facts that feeds it; `None` starts empty.
    pub from: Option<String>,
    /// Turns source documents into the model's; `None` copies them.
    pub pipeline: Option<Template>,
    /// Its indexes; of a partitioned collection those of each partition.
    pub indexes: Vec<IndexDefinition>,
    /// By what it is partitioned, if it is.
    pub partitioning: Option<Partitioning>,
    /// Options of the `create` command (validator, timeseries, collation, capped …).
    pub options: Option<Template>,
    /// Sharded on this key where the server is a mongos.
    pub shard_key: Option<bson::Document>,
}

impl Collection {
    /// Whether it is created with an option, under these parameters.
    pub fn has_option(&self, option: &str, parameters: &Parameters) -> bool {
        let options = self.options.as_ref().and_then(|options| options.with_parameters(parameters).ok());
        let options = options.as_ref().and_then(|options| options.as_constant()).and_then(Bson::as_document);
        options.is_some_and(|options| options.contains_key(option))
    }
}

/// How a model does an operation.
#[derive(Debug, Clone)]
pub struct ModelOperation {
    /// The calls and blocks of calls, in order; [`calls`](super::calls) walks them.
    pub steps: Vec<Step>,
    /// What the operation answers, built from bindings; without it the last reading step's documents.
    pub result: Option<Template>,
    /// How its cost grows.
    pub growth: Option<Growth>,
    /// Why a collection scan is what this operation shows.
    pub scan_is_the_subject: Option<String>,
}

/// A name that later steps can refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The name (`as`).
    pub name: String,
    /// Its slot in the operation's names.
    pub slot: usize,
}

/// How the cost of an operation grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Growth {
    /// It does not.
    Constant,
    /// With the logarithm of the data.
    Log,
    /// In proportion to a parameter.
    Linear {
        /// The parameter.
        parameter: String,
    },
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Constant => f.write_str("constant"),
            Self::Log => f.write_str("log"),
            Self::Linear { parameter } => write!(f, "linear in {parameter}"),
        }
    }
}

/// A mix of operations.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What happens to its data over the run; `None` lets the plan decide.
    pub state: Option<DataState>,
    /// Its operations, in the order of the file.
    pub operations: Vec<Operation>,
}

/// What the application does, model-free.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Its share of the mix, in proportion to the others'.
    pub weight: f64,
    /// Its arguments in slot order; each is drawn from the seed and the operation's number.
    pub args: Vec<(String, Template)>,
    /// What every model must answer; absent for operations that only write.
    pub returns: Option<Returns>,
    /// The share of empty reads that is fine.
    pub empty_up_to: Share,
    /// Whether only outcomes count, not latency.
    pub counted_only: bool,
}

/// What parity compares of an answer.
#[derive(Debug, Clone, Default)]
pub struct Returns {
    /// Field paths to compare; empty compares whole answers.
    pub fields: Vec<String>,
    /// Whether the order of documents is part of the answer.
    pub order: bool,
    /// Relative tolerance per field.
    pub tolerance: BTreeMap<String, f64>,
    /// Fields frozen when written, that may differ from the source of truth.
    pub snapshot: Vec<String>,
    /// Fields that follow the truth after a delay.
    pub eventual: Vec<String>,
    /// Fields whose last writer wins.
    pub last_write: Vec<String>,
    /// Compare only how many documents are returned.
    pub order_dependent: bool,
}

/// What a source says.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The operation, or `all` for the whole mix.
    pub operation: String,
    /// Of what.
    pub metric: ClaimMetric,
    /// The bound on naive ÷ pattern (for throughput pattern ÷ naive).
    pub bound: Bound,
    /// Parameters under which it is claimed; empty claims it at the defaults.
    pub at: BTreeMap<String, Bson>,
    /// Who says so.
    pub source: String,
}

/// A bound on a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// At least this.
    AtLeast(Ratio),
    /// At most this.
    AtMost(Ratio),
    /// Between these, both included.
    Between(Ratio, Ratio),
}

/// What the author expects of an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expectation {
    /// The pattern is faster.
    Faster,
    /// The pattern is slower.
    Slower,
    /// No difference.
    Equal,
    /// A speed-up between these.
    Between(Ratio, Ratio),
    /// It depends on the circumstances that the summary names.
    Depends,
}
