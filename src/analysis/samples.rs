//! The latencies of one operation, decoded, by model and round.

use std::collections::{BTreeMap, BTreeSet};

use hdrhistogram::Histogram;

use super::metric::merged;
use super::windows::{Key, WindowPair, key};
use crate::record::{OperationRound, RoundRecord, ScenarioRecord, histogram};
use crate::words::Phase;

/// Which latency is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latency {
    /// Intended start to complete reply.
    Response,
    /// Request sent to complete reply.
    Service,
}

impl Latency {
    /// The latency that a scenario is judged by: response time wherever every timed operation has one, else service
    /// time (closed mode knows no intended start).
    pub fn of(scenario: &ScenarioRecord) -> Self {
        let mut timed = scenario
            .rounds
            .iter()
            .filter(|round| round.phase == Phase::Measured)
            .flat_map(|round| round.operations.values())
            .filter(|operation| operation.service.is_some() || operation.response.is_some())
            .peekable();
        let any = timed.peek().is_some();
        if any && timed.all(|operation| operation.response.is_some()) { Self::Response } else { Self::Service }
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Response => "response time",
            Self::Service => "service time",
        }
    }

    /// One word for it, as file names and other programs have it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Service => "service",
        }
    }

    /// Its histogram in a window, as the record keeps it.
    pub fn text(self, operation: &OperationRound) -> Option<&str> {
        match self {
            Self::Response => operation.response.as_deref(),
            Self::Service => operation.service.as_deref(),
        }
    }
}

/// The histograms of one operation in the windows that count.
#[derive(Debug, Default)]
pub(super) struct Samples<'a> {
    /// By model and round; each no larger than its longest latency asks for.
    histograms: BTreeMap<(&'a str, Key), Histogram<u64>>,
    /// Windows whose histogram cannot be decoded.
    damaged: BTreeSet<(&'a str, Key)>,
}

/// One round of an operation: what naive and the other model took; `None` where none of it was timed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) restart: u32,
    pub(super) round: u32,
    pub(super) naive: Option<&'a Histogram<u64>>,
    pub(super) model: Option<&'a Histogram<u64>>,
}

impl<'a> Samples<'a> {
    /// Decodes an operation's histograms in these windows.
    pub(super) fn of(windows: impl IntoIterator<Item = &'a RoundRecord>, operation: &str, latency: Latency) -> Self {
        let mut samples = Self::default();
        for window in windows {
            let key = (window.model.as_str(), key(window));
            match window.operations.get(operation).and_then(|figures| latency.text(figures)).map(histogram::decode) {
                Some(Ok(decoded)) => {
                    samples.histograms.insert(key, merged([&decoded]));
                }
                Some(Err(_)) => {
                    samples.damaged.insert(key);
                }
                None => {}
            }
        }
        samples
    }

    /// Adds another operation's samples, window by window: so the whole mix is made.
    pub(super) fn add(&mut self, other: &Self) {
        for (key, histogram) in &other.histograms {
            let sum = self.histograms.entry(*key).or_insert_with(|| merged([]));
            sum.add(histogram).expect("a histogram that resizes itself takes every value");
        }
        self.damaged.extend(&other.damaged);
    }

    /// The rounds of two models; those whose histograms are damaged are left out, and counted.
    pub(super) fn pairs<'s>(&'s self, windows: &[WindowPair<'a>]) -> (Vec<Pair<'s>>, usize) {
        let mut damaged = 0;
        let mut pairs = Vec::with_capacity(windows.len());
        for pair in windows {
            let round = key(pair.naive);
            let (naive, model) = ((pair.naive.model.as_str(), round), (pair.model.model.as_str(), round));
            if self.damaged.contains(&naive) || self.damaged.contains(&model) {
                damaged += 1;
                continue;
            }
            let (naive, model) = (self.histograms.get(&naive), self.histograms.get(&model));
            pairs.push(Pair { restart: round.0, round: round.1, naive, model });
        }
        (pairs, damaged)
    }

    /// A model's histograms, in the order of rounds.
    pub(super) fn of_model<'s>(&'s self, model: &str) -> impl Iterator<Item = &'s Histogram<u64>> {
        self.rounds_of(model).map(|(_, histogram)| histogram)
    }

    /// The same, each with its round.
    pub(super) fn rounds_of<'s>(&'s self, model: &str) -> impl Iterator<Item = (Key, &'s Histogram<u64>)> {
        self.histograms
            .iter()
            .filter(move |((of, _), _)| *of == model)
            .map(|((_, round), histogram)| (*round, histogram))
    }
}
