//! What a comparison of models came to.

use std::collections::BTreeMap;

use super::diff::Diff;
use crate::backend::CallError;
use crate::operation::TracedCall;
use crate::record::{ClosingParityRecord, ParityRecord, StalenessRecord};
use crate::scenario::Operation;
use crate::server::TrafficCount;
use crate::units::Share;

/// Differences listed in all, and of one operation; all are counted.
const LISTED: usize = 5;
const LISTED_OF_AN_OPERATION: usize = 2;

/// What a comparison of models came to.
#[derive(Debug, Clone, Default)]
pub struct ParityOutcome {
    /// Operations compared.
    pub operations: u64,
    /// Operations in which a model differs from the first, or fails where another succeeds.
    pub mismatches: u64,
    /// The first few of them.
    pub diffs: Vec<Diff>,
    /// Operations that failed in every model.
    pub failed: u64,
    /// The first few of them.
    pub failures: Vec<Failure>,
    /// Operations that differ in declared fields alone.
    pub apart: ApartCounts,
    /// How many reads found nothing, by operation.
    pub reads: Vec<Reads>,
    /// Whether the fields that operations declare were in an answer, by operation and field.
    pub fields: Vec<FieldSeen>,
    /// What each model did for each operation.
    pub observed: Vec<Observed>,
    /// Models that left the comparison, by name.
    pub not_compared: Vec<String>,
    /// By model with actors: how often a read of `eventual` fields returned something older before they acted.
    pub staleness: BTreeMap<String, StalenessRecord>,
}

/// Operations that differ in declared fields alone: no mismatches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ApartCounts {
    /// In fields declared `snapshot`.
    pub snapshot: u64,
    /// In fields declared `last_write` (after operations ran beside each other).
    pub last_write: u64,
}

/// Reads of an operation and how many of them found nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reads {
    /// The operation.
    pub operation: String,
    /// Reads.
    pub count: u64,
    /// Reads that found nothing in the first model.
    pub empty: u64,
}

/// A field that an operation declares to return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSeen {
    /// The operation.
    pub operation: String,
    /// The field's dotted path.
    pub path: String,
    /// Whether an answer of any model held it.
    pub seen: bool,
}

/// An operation that failed in every model.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The operation.
    pub operation: String,
    /// The number that its arguments were drawn under.
    pub number: u64,
    /// The model whose error this is: the first.
    pub model: String,
    /// What it said.
    pub error: CallError,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operation, number, model, error } = self;
        write!(f, "{operation} (operation number {number}) fails in every model; in {model}: {error}")
    }
}

/// What a model did for an operation.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The model.
    pub model: String,
    /// The operation.
    pub operation: String,
    /// How often it ran to its end.
    pub operations: u64,
    /// Requests that it sent in all.
    pub round_trips: u64,
    /// What it sent and received in all, where that was counted.
    pub traffic: Option<TrafficCount>,
    /// The first call of each step that ran, in the order of steps.
    pub calls: Vec<TracedCall>,
}

impl Observed {
    /// Mean requests per operation; `None` where it never ran to its end.
    pub fn mean_round_trips(&self) -> Option<f64> {
        self.mean(self.round_trips)
    }

    /// Mean bytes of requests per operation; `None` where they were not counted.
    pub fn mean_sent(&self) -> Option<f64> {
        self.traffic.and_then(|traffic| self.mean(traffic.sent))
    }

    /// Mean bytes of replies per operation; `None` where they were not counted.
    pub fn mean_received(&self) -> Option<f64> {
        self.traffic.and_then(|traffic| self.mean(traffic.received))
    }

    fn mean(&self, in_all: u64) -> Option<f64> {
        (self.operations > 0).then(|| in_all as f64 / self.operations as f64)
    }
}

/// Why models could not be compared.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ParityError {
    /// The server is gone, or nearly.
    #[error("lost the server while {model} did {operation} (operation number {number}): {error}")]
    Lost {
        /// The model.
        model: String,
        /// The operation.
        operation: String,
        /// Its number.
        number: u64,
        /// What the driver said.
        error: Box<CallError>,
    },
    /// An actor or an event of a model failed, or an actor never became idle.
    #[error("{what} of model {model} failed while answers were compared: {error}")]
    Beside {
        /// The model.
        model: String,
        /// Which actor or event.
        what: String,
        /// Why.
        error: Box<CallError>,
    },
    /// Arguments could not be drawn.
    #[error("failed to draw arguments of {operation}: {error}")]
    Arguments {
        /// The operation.
        operation: String,
        /// Why.
        error: crate::value::RenderError,
    },
}

impl ParityOutcome {
    /// Whether all models gave the same answers.
    pub fn agrees(&self) -> bool {
        self.mismatches == 0
    }

    /// Operations of which more reads found nothing than they declare as fine, with the share that did.
    pub fn too_empty<'a>(&'a self, operations: &'a [Operation]) -> impl Iterator<Item = (&'a str, Share)> {
        self.reads.iter().filter(|reads| reads.count > 0).filter_map(|reads| {
            let declared = operations.iter().find(|operation| operation.name == reads.operation)?;
            let share = reads.empty as f64 / reads.count as f64;
            (share > declared.empty_up_to.get()).then(|| (reads.operation.as_str(), Share::new(share)))
        })
    }

    /// Declared fields that were in no answer of any model although there were answers: nothing of them was compared.
    pub fn never_seen(&self) -> impl Iterator<Item = &FieldSeen> {
        self.fields.iter().filter(|field| !field.seen)
    }

    /// What a model did for an operation.
    pub fn observed(&self, model: &str, operation: &str) -> Option<&Observed> {
        self.observed.iter().find(|observed| observed.model == model && observed.operation == operation)
    }

    /// The record of a comparison before measuring.
    pub fn record(&self) -> ParityRecord {
        ParityRecord { operations: self.operations, mismatches: self.mismatches, staleness: self.staleness.clone() }
    }

    /// The record of a comparison after the last round.
    pub fn closing_record(&self) -> ClosingParityRecord {
        ClosingParityRecord {
            operations: self.operations,
            mismatches: self.mismatches,
            last_write_differences: self.apart.last_write,
            not_compared: self.not_compared.clone(),
        }
    }

    /// Counts a mismatch and lists it while few are listed.
    pub(super) fn add_mismatch(&mut self, diffs: Vec<Diff>) {
        self.mismatches += 1;
        for diff in diffs {
            let of_operation = self.diffs.iter().filter(|listed| listed.operation == diff.operation).count();
            if self.diffs.len() < LISTED && of_operation < LISTED_OF_AN_OPERATION {
                self.diffs.push(diff);
            }
        }
    }

    /// Counts an operation that failed everywhere and lists it while few are listed.
    pub(super) fn add_failure(&mut self, failure: Failure) {
        self.failed += 1;
        if self.failures.len() < LISTED {
            self.failures.push(failure);
        }
    }

    /// Counts a read.
    pub(super) fn add_read(&mut self, operation: &str, empty: bool) {
        let position = self.reads.iter().position(|reads| reads.operation == operation).unwrap_or_else(|| {
            self.reads.push(Reads { operation: operation.to_owned(), count: 0, empty: 0 });
            self.reads.len() - 1
        });
        self.reads[position].count += 1;
        self.reads[position].empty += u64::from(empty);
    }

    /// Takes in whether an answer that found something held a declared field.
    pub(super) fn add_field(&mut self, operation: &str, path: &[String], seen: bool) {
        let path = path.join(".");
        match self.fields.iter_mut().find(|field| field.operation == operation && field.path == path) {
            Some(field) => field.seen |= seen,
            None => self.fields.push(FieldSeen { operation: operation.to_owned(), path, seen }),
        }
    }

    /// Takes in what a model did.
    pub(super) fn add_observed(&mut self, seen: Observed) {
        let same = |known: &Observed| known.model == seen.model && known.operation == seen.operation;
        let position = self.observed.iter().position(same).unwrap_or_else(|| {
            let (model, operation) = (seen.model.clone(), seen.operation.clone());
            let traffic = seen.traffic.map(|_| TrafficCount::default());
            self.observed.push(Observed {
                model,
                operation,
                operations: 0,
                round_trips: 0,
                traffic,
                calls: Vec::new(),
            });
            self.observed.len() - 1
        });
        let known = &mut self.observed[position];
        known.operations += seen.operations;
        known.round_trips += seen.round_trips;
        known.traffic = known.traffic.zip(seen.traffic).map(|(so_far, more)| so_far.and(more));
        for call in seen.calls {
            if let Err(position) = known.calls.binary_search_by_key(&call.step, |call| call.step) {
                known.calls.insert(position, call);
            }
        }
    }
}
