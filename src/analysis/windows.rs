//! Which windows count: whole pairs of complete and undisturbed ones, of restarts that have enough of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::cast::Cast;
use crate::record::{ModelRecord, RoundRecord, ScenarioRecord};
use crate::words::{Phase, RoundOutcome};

/// Which round a window belongs to: restart and round. Rounds at light load may be numbered anew in each restart.
pub(super) type Key = (u32, u32);

/// The key of a window's round.
pub(super) const fn key(window: &RoundRecord) -> Key {
    (window.restart, window.round)
}

/// The windows of one phase of a scenario by model and round.
#[derive(Debug)]
pub(super) struct Windows<'a> {
    by_model: BTreeMap<&'a str, BTreeMap<Key, &'a RoundRecord>>,
}

/// The windows of one round, of naive and of the model compared with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowPair<'a> {
    pub(super) naive: &'a RoundRecord,
    pub(super) model: &'a RoundRecord,
}

impl<'a> Windows<'a> {
    pub(super) fn of(rounds: &'a [RoundRecord], phase: Phase) -> Self {
        let mut by_model: BTreeMap<&str, BTreeMap<Key, &RoundRecord>> = BTreeMap::new();
        for round in rounds.iter().filter(|round| round.phase == phase) {
            by_model.entry(round.model.as_str()).or_default().insert(key(round), round);
        }
        Self { by_model }
    }

    /// Whether a model has a window at all.
    pub(super) fn has(&self, model: &str) -> bool {
        self.by_model.contains_key(model)
    }

    /// A model's windows that a comparison can use, in the order of rounds.
    pub(super) fn usable(&self, model: &str) -> impl Iterator<Item = &'a RoundRecord> + '_ {
        self.of_model(model).filter(|window| fault(window).is_none())
    }

    /// A model's windows that its own figures are made of, in the order of rounds: the usable ones; where there are none,
    /// those that were cut short or disturbed, whose operations were timed as truly as any.
    pub(super) fn telling(&self, model: &str) -> impl Iterator<Item = &'a RoundRecord> + '_ {
        let none_is_usable = self.usable(model).next().is_none();
        self.of_model(model).filter(move |window| match fault(window) {
            None => true,
            Some(Fault::Ended(_) | Fault::Disturbed(_)) => none_is_usable,
            Some(Fault::NoWindow | Fault::ShortRestart) => false,
        })
    }

    /// All windows of a model, in the order of rounds.
    pub(super) fn of_model(&self, model: &str) -> impl Iterator<Item = &'a RoundRecord> + '_ {
        self.by_model.get(model).into_iter().flat_map(|windows| windows.values().copied())
    }

    /// The rounds in which both windows count, of restarts that were measured to a good part.
    pub(super) fn pairs(&self, naive: &str, model: &str) -> Vec<WindowPair<'a>> {
        let mut pairs = self.all_pairs(naive, model);
        let short = short_restarts(pairs.iter().map(|pair| pair.naive.restart));
        pairs.retain(|pair| !short.contains(&pair.naive.restart));
        pairs
    }

    fn all_pairs(&self, naive: &str, model: &str) -> Vec<WindowPair<'a>> {
        self.usable(naive)
            .filter_map(|naive| {
                let model = self.by_model.get(model)?.get(&key(naive)).copied()?;
                fault(model).is_none().then_some(WindowPair { naive, model })
            })
            .collect()
    }
}

/// Restarts with fewer than half as many rounds as the fullest, given the restart of each round: one that was interrupted
/// early would count as much as a whole one.
pub(super) fn short_restarts(rounds: impl Iterator<Item = u32>) -> BTreeSet<u32> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    rounds.for_each(|restart| *counts.entry(restart).or_default() += 1);
    let fullest = counts.values().copied().max().unwrap_or(0);
    counts.into_iter().filter(|(_, count)| count * 2 < fullest).map(|(restart, _)| restart).collect()
}

/// Why a window does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Something else took part of the machine, or the server restarted: what.
    Disturbed(Vec<String>),
    /// It did not run all its operation numbers.
    Ended(RoundOutcome),
    /// Other models have a window in this round, this one has none.
    NoWindow,
    /// Its restart has fewer than half as many rounds to compare as the fullest.
    ShortRestart,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disturbed(by) => write!(f, "disturbed: {}", by.join(", ")),
            Self::Ended(outcome) => outcome.fmt(f),
            Self::NoWindow => f.write_str("no window"),
            Self::ShortRestart => f.write_str("its restart has too few rounds"),
        }
    }
}

fn fault(window: &RoundRecord) -> Option<Fault> {
    match window.outcome {
        RoundOutcome::Complete if window.disturbed.is_empty() => None,
        RoundOutcome::Complete => Some(Fault::Disturbed(window.disturbed.clone())),
        outcome => Some(Fault::Ended(outcome)),
    }
}

/// A round that is left out of the comparison of some models with naive, as whole pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenOut {
    /// The round, from 0.
    pub round: u32,
    /// The models whose windows do not count, each with its reason.
    pub faults: Vec<(String, Fault)>,
}

/// The rounds that are left out for some models, in order.
pub fn taken_out(scenario: &ScenarioRecord) -> Vec<TakenOut> {
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let short = short_by_model(scenario, &windows);
    let rounds: BTreeSet<Key> = windows.by_model.values().flat_map(|of_model| of_model.keys().copied()).collect();
    let faults_of = |round: Key| -> Vec<(String, Fault)> {
        let of_models = windows.by_model.iter().filter_map(|(model, of_model)| {
            let own = of_model.get(&round).map_or(Some(Fault::NoWindow), |window| fault(window));
            let of_restart = || short.get(*model)?.contains(&round.0).then_some(Fault::ShortRestart);
            Some(((*model).to_owned(), own.or_else(of_restart)?))
        });
        of_models.collect()
    };
    rounds
        .into_iter()
        .map(|round| TakenOut { round: round.1, faults: faults_of(round) })
        .filter(|taken| !taken.faults.is_empty())
        .collect()
}

/// For each model that is compared with naive, the restarts left out of that comparison.
fn short_by_model<'a>(scenario: &'a ScenarioRecord, windows: &Windows<'_>) -> BTreeMap<&'a str, BTreeSet<u32>> {
    let cast = Cast::of(&scenario.models);
    let Some(naive) = cast.naive else { return BTreeMap::new() };
    let short = |model: &'a ModelRecord| {
        let pairs = windows.all_pairs(&naive.name, &model.name);
        (model.name.as_str(), short_restarts(pairs.iter().map(|pair| pair.naive.restart)))
    };
    cast.compared().map(short).collect()
}
