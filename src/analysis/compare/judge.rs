//! Gives changes their verdicts.

use super::super::analyse::ALL;
use super::super::estimate::ratio;
use super::super::holm;
use super::super::verdict::ALPHA;
use super::sample::{Of, Question};
use super::welch::Difference;
use crate::record::ChangeRecord;
use crate::units::{Ratio, Share};
use crate::words::{Change, Metric};

/// A change before it is judged.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) record: ChangeRecord,
    /// The metric that was asked for: what carries it may be another.
    pub(super) asked: Metric,
    pub(super) of: Of,
    /// What its interval is made of; `None` where it is not to be judged.
    pub(super) difference: Option<Difference>,
}

impl Open {
    /// Whether it answers a question already.
    pub(super) fn answers(&self, question: Question<'_>) -> bool {
        let record = &self.record;
        (record.operation.as_str(), record.model.as_str(), record.metric, record.basis)
            == (question.operation, question.model, question.metric, question.basis)
    }

    /// Whether more is better: speed-ups and rates.
    fn is_better_above(&self) -> bool {
        self.of == Of::Speedup || self.record.metric == Metric::Throughput
    }

    /// Whether both are asked together: operations of one model by one metric. The whole mix is a question of its own.
    fn is_family_of(&self, other: &Self) -> bool {
        let key = |open: &Self| (open.of == Of::Speedup, open.asked, open.record.operation == ALL);
        key(self) == key(other) && self.record.model == other.record.model
    }
}

/// What is said of a change.
struct Judgement {
    verdict: Change,
    shows_from: Option<Ratio>,
    reason: Option<String>,
}

impl From<Change> for Judgement {
    fn from(verdict: Change) -> Self {
        Self { verdict, shows_from: None, reason: None }
    }
}

/// Judges every family among the changes.
pub(super) fn judge(mut open: Vec<Open>, threshold: Share) -> Vec<ChangeRecord> {
    let bound = threshold.get().ln_1p();
    let judgements: Vec<Option<Judgement>> = open.iter().map(|change| judged(change, &open, bound)).collect();
    for (change, judgement) in open.iter_mut().zip(judgements) {
        if let Some(Judgement { verdict, shows_from, reason }) = judgement {
            let record = &mut change.record;
            (record.verdict, record.shows_from, record.reason) = (Some(verdict), shows_from, reason);
        }
    }
    open.into_iter().map(|open| open.record).collect()
}

fn judged(change: &Open, all: &[Open], bound: f64) -> Option<Judgement> {
    let difference = change.difference?;
    let family: Vec<Difference> =
        all.iter().filter(|other| change.is_family_of(other)).filter_map(|other| other.difference).collect();
    let ps: Vec<f64> = family.iter().map(|other| other.p_within(bound)).collect();
    let place = family.iter().position(|other| *other == difference)?;
    let (plain, adjusted) = (ps[place], holm::adjusted(&ps)[place]);
    let (low, high) = difference.interval(1.0 - 2.0 * ALPHA);
    if adjusted <= ALPHA {
        let is_better = (difference.mean > 0.0) == change.is_better_above();
        return Some(if is_better { Change::Improvement } else { Change::Regression }.into());
    }
    if low > -bound && high < bound {
        return Some(Change::Equal.into());
    }
    let held_back = plain <= ALPHA;
    let reason = held_back.then(|| {
        format!("the interval lies beyond the threshold, but not after Holm's adjustment for {} operations", ps.len())
    });
    let shows_from = ratio((bound + difference.reach(1.0 - ALPHA / 2.0)).exp()).filter(|_| !held_back);
    Some(Judgement { verdict: Change::Inconclusive, shows_from, reason })
}
