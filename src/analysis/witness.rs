//! Service time as a witness: where the load generator was late, a verdict on response times stands only if service times,
//! which hold no lag, give the same.
//!
//! Lag that both models meet alike pulls a ratio of response times towards 1, so that a difference is larger than it looks;
//! what two models do not meet alike can make a difference of its own. Either way lag is no part of service time.

use super::contest::Contest;
use super::paired::Paired;
use super::verdict::{Decision, THRESHOLD, decide};
use crate::words::{Metric, Verdict};

/// What is asked where the load generator was late.
#[derive(Debug)]
pub(super) struct Witness<'a> {
    /// How the lateness shows.
    pub(super) why: &'a str,
    /// The same models by their service times.
    pub(super) service: Option<&'a Contest<'a>>,
}

impl Witness<'_> {
    /// What service times decide on each of these questions (operation and metric), as one family; `None` where they have no
    /// interval.
    pub(super) fn decisions<'q>(&self, questions: impl Iterator<Item = (&'q str, Metric)>) -> Vec<Option<Decision>> {
        let paired: Vec<Option<Paired>> = questions.map(|(operation, metric)| self.paired(operation, metric)).collect();
        let family: Vec<Paired> = paired.iter().copied().flatten().collect();
        let mut decided = decide(&family, THRESHOLD).into_iter();
        paired.iter().map(|known| known.and_then(|_| decided.next())).collect()
    }

    fn paired(&self, operation: &str, metric: Metric) -> Option<Paired> {
        self.service?.operations.get(operation)?.get(&metric)?.paired
    }

    /// Why a verdict on response times does not stand, if it does not.
    pub(super) fn objection(&self, verdict: Verdict, service: Option<Decision>) -> Option<String> {
        if verdict == Verdict::Inconclusive || service.is_some_and(|service| service.verdict == verdict) {
            return None;
        }
        let says = match service {
            Some(service) => format!("says {}", service.verdict),
            None => "has no interval".to_owned(),
        };
        let why = self.why;
        Some(format!("response time says {verdict}, but the load generator was late ({why}), and service time {says}"))
    }
}
