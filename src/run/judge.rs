//! Whether a model's operations did what they say, often enough for their latencies to mean anything.

use std::collections::BTreeMap;

use statrs::distribution::{Binomial, DiscreteCDF as _};

use super::error::{FailedOperation, RunError};
use super::tally::{Failures, Tally};
use crate::backend::CallErrorKind;
use crate::plan::Plan;
use crate::scenario::Model;
use crate::units::Share;

/// Failed operations up to this share are counted and shown; more fail the run.
pub(super) const FAILURES_UP_TO: f64 = 0.01;
/// Reads that found nothing are too many where the declared share brings so many less often than this. Small, since they are
/// looked at after every window.
const BY_CHANCE: f64 = 1e-4;

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

    /// Whether more reads found nothing than are declared, by more than chance: one of one is no share at all.
    fn finds_nothing_too_often(&self, declared: Share) -> bool {
        if self.empty as f64 <= self.count as f64 * declared.get() {
            return false;
        }
        let chance = Binomial::new(declared.get(), self.count).map(|reads| reads.sf(self.empty.saturating_sub(1)));
        chance.is_ok_and(|chance| chance < BY_CHANCE)
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
    /// Where clearly more than 1 % of an operation failed, or clearly more of its reads found nothing than the scenario
    /// declares.
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
        match operations().find(|(operation, outcomes)| outcomes.finds_nothing_too_often(operation.empty_up_to)) {
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
    fn reads_that_find_nothing_are_too_many_once_it_is_no_chance() {
        let too_many = |empty, count, declared| {
            let outcomes = OperationOutcomes { count, empty, failures: BTreeMap::new() };
            outcomes.finds_nothing_too_often(Share::new(declared))
        };
        assert!(too_many(1, 10_000, 0.0), "where all are to find something, one is too many");
        assert!(!too_many(0, 10_000, 0.0));
        // 0.7 to the power of 25 is 1.3 of 10,000, of 26 it is 0.94.
        assert!(!too_many(1, 1, 0.7) && !too_many(25, 25, 0.7) && too_many(26, 26, 0.7));
        // Of 10,000 a tenth is 1,000, with a standard deviation of 30: 3.7 of them are one chance in 10,000.
        assert!(!too_many(1_000, 10_000, 0.1) && !too_many(1_080, 10_000, 0.1) && too_many(1_130, 10_000, 0.1));
        assert!(!too_many(10, 10, 1.0));
    }

    #[test]
    fn a_single_failure_may_be_chance_unless_nothing_succeeded() {
        assert!(!outcomes(3, 1).fails_too_often());
        assert!(outcomes(3, 2).fails_too_often());
        assert!(!outcomes(158, 2).fails_too_often(), "two of 160 can be chance");
        assert!(outcomes(0, 1).fails_too_often());
    }
}
