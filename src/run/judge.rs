//! Whether a model's operations did what they say, often enough for their latencies to mean anything.

use std::collections::BTreeMap;

use super::error::{FailedOperation, RunError};
use super::tally::{Failures, Tally};
use crate::backend::CallErrorKind;
use crate::plan::Plan;
use crate::scenario::Model;

/// Failed operations up to this share are counted and shown; more fail the run.
pub(super) const FAILURES_UP_TO: f64 = 0.01;

/// What became of a model's operations over all phases so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcomes {
    operations: Vec<OperationOutcomes>,
}

#[derive(Debug, Clone, Default)]
struct OperationOutcomes {
    count: u64,
    empty: u64,
    failures: BTreeMap<CallErrorKind, Failures>,
}

impl OperationOutcomes {
    fn failed(&self) -> u64 {
        self.failures.values().map(|failures| failures.count).sum()
    }

    fn attempts(&self) -> u64 {
        self.count + self.failed()
    }

    /// Whether more failed than is fine: more than [`FAILURES_UP_TO`] of them, by more than three standard deviations of
    /// what that share brings by chance. A single failure among others never is too much.
    fn fails_too_often(&self) -> bool {
        let failed = self.failed();
        let expected = self.attempts() as f64 * FAILURES_UP_TO;
        let by_chance = 3.0 * (expected * (1.0 - FAILURES_UP_TO)).sqrt();
        failed as f64 > expected + by_chance && (failed > 1 || self.count == 0)
    }
}

impl Outcomes {
    /// Adds what a window recorded; failures by which the model ends as declared are no failures.
    pub(super) fn add(&mut self, tally: &Tally, model: &Model) {
        self.operations.resize_with(tally.operations().len(), OperationOutcomes::default);
        for (mine, theirs) in self.operations.iter_mut().zip(tally.operations()) {
            mine.count += theirs.count();
            mine.empty += theirs.empty();
            for (kind, failures) in theirs.failures() {
                if matches!(kind, CallErrorKind::Named(name) if Some(*name) == model.ends_when) {
                    continue;
                }
                let known =
                    mine.failures.entry(kind.clone()).or_insert_with(|| Failures { count: 0, ..failures.clone() });
                known.count += failures.count;
            }
        }
    }

    /// Judges the outcomes so far.
    ///
    /// # Errors
    /// Where clearly more than 1 % of an operation failed, or more of its reads found nothing than the scenario declares.
    pub(super) fn judge(&self, plan: &Plan, model: &Model) -> Result<(), RunError> {
        let operations = || plan.workload().operations.iter().zip(&self.operations);
        let failed: Vec<FailedOperation> = operations()
            .filter(|(_, outcomes)| outcomes.fails_too_often())
            .map(|(operation, outcomes)| FailedOperation {
                operation: operation.name.clone(),
                failed: outcomes.failed(),
                attempts: outcomes.attempts(),
                kinds: kinds(&outcomes.failures),
            })
            .collect();
        if !failed.is_empty() {
            let (scenario, model) = (plan.scenario.name.clone(), model.name.clone());
            return Err(RunError::TooManyFailures { scenario, model, operations: failed });
        }
        let too_empty =
            |outcomes: &OperationOutcomes, allowed: f64| outcomes.empty as f64 > outcomes.count as f64 * allowed;
        match operations().find(|(operation, outcomes)| too_empty(outcomes, operation.empty_up_to.get())) {
            None => Ok(()),
            Some((operation, outcomes)) => Err(RunError::TooManyEmpty {
                scenario: plan.scenario.name.clone(),
                model: model.name.clone(),
                operation: operation.name.clone(),
                empty: outcomes.empty,
                count: outcomes.count,
                allowed: operation.empty_up_to,
            }),
        }
    }
}

fn kinds(failures: &BTreeMap<CallErrorKind, Failures>) -> Vec<(String, u64, String)> {
    let mut kinds: Vec<_> =
        failures.iter().map(|(kind, failures)| (kind.to_string(), failures.count, failures.first.clone())).collect();
    kinds.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(count: u64, failed: u64) -> OperationOutcomes {
        let failures = Failures { count: failed, first: String::new() };
        let failures = (failed > 0).then_some((CallErrorKind::Timeout, failures));
        OperationOutcomes { count, empty: 0, failures: failures.into_iter().collect() }
    }

    #[test]
    fn one_failure_in_a_hundred_is_borne_and_more_is_not() {
        assert!(!outcomes(1_000, 0).fails_too_often());
        assert!(!outcomes(990, 10).fails_too_often(), "10 of 1,000 are 1 %");
        // With a share of 1 % the number of failures among 1,000 has a standard deviation of √9.9 = 3.15.
        assert!(!outcomes(981, 19).fails_too_often(), "so many can be chance");
        assert!(outcomes(980, 20).fails_too_often());
        // Among 100,000 it is 31.5.
        assert!(!outcomes(98_906, 1_094).fails_too_often());
        assert!(outcomes(98_905, 1_095).fails_too_often());
    }

    #[test]
    fn a_single_failure_may_be_chance_unless_nothing_succeeded() {
        assert!(!outcomes(3, 1).fails_too_often());
        assert!(outcomes(3, 2).fails_too_often());
        assert!(!outcomes(158, 2).fails_too_often(), "two of 160 can be chance");
        assert!(outcomes(0, 1).fails_too_often());
    }
}
