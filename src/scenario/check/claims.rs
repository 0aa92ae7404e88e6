//! Claims and expectations.

use std::collections::BTreeMap;

use super::checker::{Checker, given};
use super::parameters::Parameters;
use super::workloads::{Declared, operation_names};
use crate::scenario::file::{ClaimFile, ExpectFile};
use crate::scenario::types::{Bound, Claim, Expectation};
use crate::source::{At, Dict, List, Problem, Soft, Span};
use crate::units::Ratio;
use crate::words::ClaimMetric;

/// The name that means the whole mix.
const ALL: &str = "all";

impl Checker<'_> {
    /// Checks the claims.
    pub(super) fn claims(
        &mut self,
        file: &List<At<ClaimFile>>,
        parameters: &Parameters,
        operations: &[Declared],
    ) -> Vec<Claim> {
        file.0.iter().filter_map(|claim| self.claim(claim, parameters, operations)).collect()
    }

    fn claim(&mut self, file: &At<ClaimFile>, parameters: &Parameters, operations: &[Declared]) -> Option<Claim> {
        let (claim, place) = (&file.value, file.span);
        let absent = [
            ("operation", claim.operation.is_none(), "an operation, or `all` for the whole mix"),
            ("metric", claim.metric.is_none(), "such as `metric: p95`"),
            ("source", claim.source.is_none(), "who says so"),
        ];
        for (field, _, help) in absent.into_iter().filter(|(_, is_absent, _)| *is_absent) {
            self.missing(place, field, "a claim", help);
        }
        if let Some(operation) = given(&claim.operation)
            && operation.value != ALL
            && !operation_names(operations).any(|name| name == operation.value)
        {
            let known = operation_names(operations).chain([ALL]);
            self.unknown(operation.span, "operation", &operation.value, known);
        }
        self.bill_is_of_all(claim);
        let bound = self.bound(claim, place);
        let mut at = BTreeMap::new();
        for entry in given(&claim.at).iter().flat_map(|dict| &dict.0) {
            self.parameter_named(&entry.key, entry.key_span, parameters);
            if let Some(value) = self.value_for(&entry.key, entry.value.0, parameters) {
                at.insert(entry.key.clone(), value);
            }
        }
        Some(Claim {
            operation: given(&claim.operation)?.value.clone(),
            metric: given(&claim.metric)?.value,
            bound: bound?,
            at,
            source: given(&claim.source)?.value.clone(),
        })
    }

    /// Documents and bytes belong to a model, not to an operation.
    fn bill_is_of_all(&mut self, claim: &ClaimFile) {
        let (Some(operation), Some(metric)) = (given(&claim.operation), given(&claim.metric)) else { return };
        let of_model =
            matches!(metric.value, ClaimMetric::Documents | ClaimMetric::DataBytes | ClaimMetric::IndexBytes);
        if of_model && operation.value != ALL {
            self.report(
                Problem::new(
                    operation.span,
                    format!("`{}` is a figure of the whole model, not of an operation", metric.value),
                )
                .help("write `operation: all`"),
            );
        }
    }

    fn bound(&mut self, claim: &ClaimFile, place: Span) -> Option<Bound> {
        let written = [&claim.ratio_at_least, &claim.ratio_at_most].map(Option::is_some);
        let given_bounds =
            usize::from(written[0]) + usize::from(written[1]) + usize::from(claim.ratio_between.is_some());
        if given_bounds != 1 {
            let message = if given_bounds == 0 { "a claim has no bound" } else { "a claim has more than one bound" };
            self.report(
                Problem::new(place, message)
                    .help("write one of `ratio_at_least: 5`, `ratio_at_most: 1.2`, `ratio_between: [1, 2]`"),
            );
            return None;
        }
        if let Some(between) = given(&claim.ratio_between) {
            return self.range(between.value, between.span).map(|(low, high)| Bound::Between(low, high));
        }
        let (ratio, bound): (_, fn(Ratio) -> Bound) = match given(&claim.ratio_at_least) {
            Some(ratio) => (ratio, Bound::AtLeast),
            None => (given(&claim.ratio_at_most)?, Bound::AtMost),
        };
        if ratio.value <= 0.0 {
            self.report(Problem::new(ratio.span, "a ratio is above 0").help("above 1: the pattern is better"));
            return None;
        }
        Some(bound(Ratio::new(ratio.value)))
    }

    fn range(&mut self, (low, high): (f64, f64), place: Span) -> Option<(Ratio, Ratio)> {
        let fault = if low <= 0.0 {
            "a ratio is above 0"
        } else if low > high {
            "the first of the two is the larger"
        } else {
            return Some((Ratio::new(low), Ratio::new(high)));
        };
        self.report(Problem::new(place, fault).help("write the lower bound, then the upper, such as `[1.5, 3]`"));
        None
    }

    /// Checks what the author expects of each operation.
    pub(super) fn expect(
        &mut self,
        file: &Dict<Soft<At<ExpectFile>>>,
        operations: &[Declared],
    ) -> Vec<(String, Expectation)> {
        let mut expect = Vec::new();
        for entry in &file.0 {
            if !operation_names(operations).any(|name| name == entry.key) {
                self.unknown(entry.key_span, "operation", &entry.key, operation_names(operations));
            }
            let expectation = match &entry.value.0 {
                None => None,
                Some(At { value: ExpectFile::Faster, .. }) => Some(Expectation::Faster),
                Some(At { value: ExpectFile::Slower, .. }) => Some(Expectation::Slower),
                Some(At { value: ExpectFile::Equal, .. }) => Some(Expectation::Equal),
                Some(At { value: ExpectFile::Depends, .. }) => Some(Expectation::Depends),
                Some(At { value: ExpectFile::Ratio(range), span }) => {
                    self.range(*range, *span).map(|(low, high)| Expectation::Between(low, high))
                }
            };
            expect.extend(expectation.map(|expectation| (entry.key.clone(), expectation)));
        }
        expect
    }
}
