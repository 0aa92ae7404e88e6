//! Judges one operation by what it came to in each model.

use std::collections::BTreeSet;

use bson::Bson;

use super::diff::{Diff, DiffSide, Items, place};
use super::difference::compare_items;
use super::outcome::{Failure, Observed, ParityOutcome};
use super::project::holds;
use super::rules::{Apart, Rules};
use super::sample::Sample;
use super::show::show_bson;
use crate::backend::{CallError, CallErrorKind};
use crate::operation::{ModelProgram, Traced};
use crate::scenario::Operation;

/// An operation as a model ran it.
#[derive(Debug)]
pub(super) struct Ran<'a> {
    pub(super) program: &'a ModelProgram,
    pub(super) result: Result<Traced, CallError>,
}

/// Knows by which rules each operation is compared.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    operations: &'a [Operation],
    /// `None` for operations that return nothing to compare.
    rules: Vec<Option<Rules>>,
}

impl<'a> Judge<'a> {
    /// Judges the operations of a workload; `concurrent` where they have run beside each other.
    pub(super) fn new(operations: &'a [Operation], concurrent: bool) -> Self {
        let rules = |operation: &Operation| operation.returns.as_ref().map(|returns| Rules::new(returns, concurrent));
        Self { operations, rules: operations.iter().map(rules).collect() }
    }

    /// Takes an operation into the outcome.
    pub(super) fn judge(&self, sample: Sample, runs: Vec<Ran<'_>>, outcome: &mut ParityOutcome) {
        let operation = &self.operations[sample.operation];
        outcome.operations += 1;
        let runs: Vec<_> = runs.into_iter().map(|run| self.compared(sample.operation, run)).collect();
        for run in &runs {
            if let Ok(came) = &run.result {
                outcome.add_observed(observed(run.program, operation, &came.traced));
                self.look_for_fields(sample.operation, came, outcome);
            }
        }
        let Some(reference) = runs.iter().find(|run| run.result.is_ok()) else {
            if let Some(Compared { program, result: Err(error) }) = runs.into_iter().next() {
                let (operation, model) = (operation.name.clone(), program.model().to_owned());
                outcome.add_failure(Failure { operation, number: sample.number, model, error });
            }
            return;
        };
        if let Ok(came) = &reference.result
            && reference.program.reads(sample.operation)
        {
            outcome.add_read(&operation.name, came.traced.done.empty);
        }

        let mut apart = BTreeSet::new();
        let others = runs.iter().filter(|run| !std::ptr::eq(*run, reference));
        let diffs: Vec<_> = others.filter_map(|other| self.difference(sample, reference, other, &mut apart)).collect();
        if !diffs.is_empty() {
            outcome.add_mismatch(diffs);
            return;
        }
        for kind in apart {
            match kind {
                Apart::Snapshot => outcome.apart.snapshot += 1,
                Apart::LastWrite => outcome.apart.last_write += 1,
            }
        }
    }

    /// Notes which declared fields an answer holds; one that found nothing tells nothing.
    fn look_for_fields(&self, operation: usize, came: &Came, outcome: &mut ParityOutcome) {
        let Some(rules) = self.rules[operation].as_ref().filter(|_| !came.items.compared.is_empty()) else { return };
        for path in rules.declared() {
            let seen = came.items.compared.iter().any(|item| holds(item, path));
            outcome.add_field(&self.operations[operation].name, path, seen);
        }
    }

    /// A run with its answer in canonical form.
    fn compared<'b>(&self, operation: usize, run: Ran<'b>) -> Compared<'b> {
        let result = run.result.and_then(|traced| {
            let items = match (&self.rules[operation], &traced.done.answer) {
                (Some(rules), Some(answer)) => Items::new(answer, &rules.fields).map_err(|error| {
                    CallError::new(CallErrorKind::Driver, format!("the answer holds no valid BSON: {error}"))
                })?,
                _ => Items::default(),
            };
            Ok(Came { traced, items })
        });
        Compared { program: run.program, result }
    }

    /// How a model differs from the first that succeeded.
    fn difference(
        &self,
        sample: Sample,
        reference: &Compared<'_>,
        other: &Compared<'_>,
        apart: &mut BTreeSet<Apart>,
    ) -> Option<Diff> {
        let expected = reference.result.as_ref().ok()?;
        let name = |run: &Compared<'_>| run.program.model().to_owned();
        let (what, left, right) = match (&other.result, &self.rules[sample.operation]) {
            (Err(error), _) => (
                "whether it succeeds".to_owned(),
                DiffSide::of_answer(&name(reference), &expected.items, None, &[], None).saying("succeeds"),
                DiffSide { model: name(other), value: "fails".to_owned(), answer: error.to_string() },
            ),
            (Ok(_), None) => return None,
            (Ok(found), Some(rules)) => {
                let comparison = compare_items(rules, &expected.items.compared, &found.items.compared);
                apart.extend(comparison.apart);
                let difference = comparison.difference?;
                let path = &difference.path;
                (
                    place(&difference),
                    DiffSide::of_answer(
                        &name(reference),
                        &expected.items,
                        difference.left_item,
                        path,
                        difference.left.as_ref(),
                    ),
                    DiffSide::of_answer(
                        &name(other),
                        &found.items,
                        difference.right_item,
                        path,
                        difference.right.as_ref(),
                    ),
                )
            }
        };
        Some(Diff {
            operation: self.operations[sample.operation].name.clone(),
            number: sample.number,
            arguments: arguments(reference.program, sample),
            what,
            left,
            right,
        })
    }
}

/// A run whose answer, if it has one, is in canonical form.
struct Compared<'a> {
    program: &'a ModelProgram,
    result: Result<Came, CallError>,
}

struct Came {
    traced: Traced,
    items: Items,
}

fn observed(program: &ModelProgram, operation: &Operation, traced: &Traced) -> Observed {
    Observed {
        model: program.model().to_owned(),
        operation: operation.name.clone(),
        operations: 1,
        round_trips: traced.traffic.map_or(u64::from(traced.done.round_trips), |traffic| traffic.round_trips),
        traffic: traced.traffic,
        calls: traced.calls.clone(),
    }
}

/// An operation's arguments as JSON.
fn arguments(program: &ModelProgram, sample: Sample) -> String {
    match program.arguments(sample.operation, sample.number) {
        Ok(arguments) => {
            let values = arguments.values.iter().map(|value| show_bson(value.as_ref().unwrap_or(&Bson::Null)));
            let shown = program.argument_names(sample.operation).zip(values);
            let shown: Vec<_> = shown.map(|(name, value)| format!("{name:?}: {value}")).collect();
            format!("{{{}}}", shown.join(", "))
        }
        Err(error) => format!("not rendered: {error}"),
    }
}
