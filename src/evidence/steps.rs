//! Evidence of a model's steps: the very commands that they send, explained.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bson::{Bson, Document, doc};
use mongodb::Database;

use super::explained::Explained;
use super::flags::flags_of;
use super::request::{EvidenceError, timed_within};
use crate::backend::Call;
use crate::operation::TracedCall;
use crate::record::EvidenceRecord;
use crate::scenario::{Compiled, ModelOperation, StepKind, calls};
use crate::words::{DataSize, Product};

/// Commands that write without looking for anything.
const INSERT: &str = "insert";
/// Commands that servers explain.
const EXPLAINED: [&str; 7] = ["find", "aggregate", "update", "delete", "findAndModify", "distinct", "count"];
/// Commands that return no documents.
const WRITES: [&str; 2] = ["update", "delete"];
/// Stages that store a pipeline's result.
const STORING: [&str; 2] = ["$out", "$merge"];
/// How much longer it is waited for an answer than the server is given for it.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where and how steps are explained.
#[derive(Debug)]
pub struct Explainer<'a> {
    /// The model's database.
    pub database: &'a Database,
    /// The product that answers.
    pub product: Product,
    /// Which data the database holds.
    pub data: DataSize,
    /// Time series collections, in which nothing is said of what matches.
    pub time_series: &'a BTreeSet<String>,
    /// How long the server may take to explain a step.
    pub limit: Duration,
}

/// A step's evidence and how long the server took for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Gathered {
    /// The evidence.
    pub record: EvidenceRecord,
    /// How long the server took.
    pub took: Duration,
}

impl Explainer<'_> {
    /// The evidence of a step with the call that it made. A step that cannot be explained says why.
    ///
    /// # Errors
    /// A lost server alone.
    pub async fn step(&self, traced: &TracedCall, operation: &ModelOperation) -> Result<Gathered, EvidenceError> {
        let began = Instant::now();
        let mut record = self.entry(traced, operation);
        match self.ask(&traced.call).await {
            Ok(explained) => self.fill(&mut record, explained, &traced.call),
            Err(Unexplained::Because(why)) => record.not_explained = Some(why),
            Err(Unexplained::Lost(error)) => return Err(error),
        }
        record.flags = flags_of(&record);
        Ok(Gathered { record, took: began.elapsed() })
    }

    /// The entry of a step without figures.
    fn entry(&self, traced: &TracedCall, operation: &ModelOperation) -> EvidenceRecord {
        EvidenceRecord {
            scan_is_the_subject: operation.scan_is_the_subject.clone(),
            ..without_figures(traced.step, traced.call.word(), traced.call.collection().name(), self.data)
        }
    }

    async fn ask(&self, call: &Call) -> Result<Explained, Unexplained> {
        let command = explainable(call)?;
        let limit = i64::try_from(self.limit.as_millis()).unwrap_or(i64::MAX);
        let request = doc! { "explain": command, "verbosity": "executionStats", "maxTimeMS": limit };
        let doing = || format!("explaining {} on {}", call.word(), call.collection().name());
        let answer = timed_within(self.limit + PATIENCE, doing, self.database.run_command(request)).await;
        match answer {
            Ok(reply) => Ok(Explained::read(&reply)),
            Err(error @ EvidenceError::Request { .. }) if error.is_server_lost() => Err(Unexplained::Lost(error)),
            Err(EvidenceError::Request { cause, .. }) => {
                Err(Unexplained::Because(format!("the server does not explain it: {cause}")))
            }
            Err(EvidenceError::NoAnswer { .. }) => {
                Err(Unexplained::Because(format!("not explained within {} s", self.limit.as_secs_f64())))
            }
        }
    }

    fn fill(&self, record: &mut EvidenceRecord, explained: Explained, call: &Call) {
        let matches = !matches!(call, Call::CountDocuments(_)) && !self.time_series.contains(&record.collection);
        let returns = command_of(call).is_some_and(|command| !WRITES.contains(&command.as_str()));
        record.index = explained.index();
        record.stage = explained.stage;
        record.above = explained.above;
        record.in_memory_sort = explained.in_memory_sort;
        record.keys_examined = explained.keys_examined;
        record.docs_examined = explained.docs_examined;
        record.matched = explained.matched.filter(|_| matches);
        record.returned = explained.returned.filter(|_| returns);
        record.joined = explained.joined;
        record.shards = explained.shards;
        // This product derives its figures from the plan that it reports.
        record.claimed_by_server = self.product == Product::Secantusd;
    }
}

/// The calls of an operation in the order of the file: a trace numbers them so.
pub fn calls_of(operation: &ModelOperation) -> Vec<&StepKind<Compiled>> {
    calls(&operation.steps).into_iter().map(|placed| &placed.call.kind).collect()
}

/// The entry of a step that no parity operation ran.
pub fn not_run(step: usize, operation: &ModelOperation) -> EvidenceRecord {
    let call = calls_of(operation).get(step).copied();
    let (call, collection) = call.map_or(("", ""), |call| (call.word(), call.collection().name()));
    EvidenceRecord {
        not_explained: Some("no parity operation ran it, so there are no arguments to explain it with".to_owned()),
        ..without_figures(step, call, collection, DataSize::Parity)
    }
}

/// The entry of a step that would take the server too long on these data.
pub fn too_slow(small: &EvidenceRecord) -> EvidenceRecord {
    let call = (small.call.as_str(), small.collection.as_str());
    EvidenceRecord {
        scan_is_the_subject: small.scan_is_the_subject.clone(),
        not_explained: Some(
            "left out: the server took too long for it on the small data to expect it in time".to_owned(),
        ),
        ..without_figures(small.step as usize, call.0, call.1, DataSize::Measured)
    }
}

fn without_figures(step: usize, call: &str, collection: &str, data: DataSize) -> EvidenceRecord {
    EvidenceRecord {
        step: u32::try_from(step).unwrap_or(u32::MAX),
        call: call.to_owned(),
        collection: collection.to_owned(),
        data,
        stage: None,
        above: Vec::new(),
        index: None,
        in_memory_sort: None,
        keys_examined: None,
        docs_examined: None,
        matched: None,
        returned: None,
        joined: Vec::new(),
        shards: None,
        flags: Vec::new(),
        scan_is_the_subject: None,
        not_explained: None,
        claimed_by_server: false,
    }
}

/// Why there is no explanation.
enum Unexplained {
    Because(String),
    Lost(EvidenceError),
}

/// The command of a call, where servers explain such commands with figures.
fn explainable(call: &Call) -> Result<Document, Unexplained> {
    let because = |why: &str| Err(Unexplained::Because(why.to_owned()));
    let command = match call.to_command() {
        Ok(command) => command,
        Err(error) => return Err(Unexplained::Because(format!("the call cannot be shown as a command: {error}"))),
    };
    match command.keys().next().map(String::as_str) {
        Some(INSERT) => because("an insert looks for nothing, so there is no plan"),
        Some("aggregate") if stores(&command) => {
            because("a pipeline that stores its result is not explained with figures, since it would have to run")
        }
        Some(name) if EXPLAINED.contains(&name) => Ok(command),
        Some(name) => Err(Unexplained::Because(format!("servers do not explain `{name}`"))),
        None => because("the call is no command"),
    }
}

fn command_of(call: &Call) -> Option<String> {
    call.to_command().ok()?.keys().next().cloned()
}

fn stores(command: &Document) -> bool {
    let last = command.get_array("pipeline").ok().and_then(|stages| stages.last()).and_then(Bson::as_document);
    last.is_some_and(|stage| STORING.iter().any(|name| stage.contains_key(name)))
}
