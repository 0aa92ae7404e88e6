//! Which windows count: whole pairs of complete and undisturbed ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::record::{RoundRecord, ScenarioRecord};
use crate::words::{Phase, RoundOutcome};

/// The measured windows of a scenario by model and round.
#[derive(Debug)]
pub(super) struct Windows<'a> {
    by_model: BTreeMap<&'a str, BTreeMap<u32, &'a RoundRecord>>,
}

/// The windows of one round, of naive and of the model compared with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowPair<'a> {
    pub(super) naive: &'a RoundRecord,
    pub(super) model: &'a RoundRecord,
}

impl<'a> Windows<'a> {
    pub(super) fn of(rounds: &'a [RoundRecord]) -> Self {
        let mut by_model: BTreeMap<&str, BTreeMap<u32, &RoundRecord>> = BTreeMap::new();
        for round in rounds.iter().filter(|round| round.phase == Phase::Measured) {
            by_model.entry(round.model.as_str()).or_default().insert(round.round, round);
        }
        Self { by_model }
    }

    /// Whether a model has a window at all.
    pub(super) fn has(&self, model: &str) -> bool {
        self.by_model.contains_key(model)
    }

    /// A model's windows that a comparison can use, in the order of rounds.
    fn usable(&self, model: &str) -> impl Iterator<Item = &'a RoundRecord> + '_ {
        self.of_model(model).filter(|window| fault(window).is_none())
    }

    /// A model's windows that its own figures are made of, in the order of rounds: the usable ones; where there are none,
    /// those that were cut short, whose operations were timed as truly as any.
    pub(super) fn telling(&self, model: &str) -> impl Iterator<Item = &'a RoundRecord> + '_ {
        let none_is_usable = self.usable(model).next().is_none();
        self.of_model(model).filter(move |window| match fault(window) {
            None => true,
            Some(Fault::Ended(_)) => none_is_usable,
            Some(Fault::Disturbed(_) | Fault::NoWindow) => false,
        })
    }

    fn of_model(&self, model: &str) -> impl Iterator<Item = &'a RoundRecord> + '_ {
        self.by_model.get(model).into_iter().flat_map(|windows| windows.values().copied())
    }

    /// The rounds in which both windows count.
    pub(super) fn pairs(&self, naive: &str, model: &str) -> Vec<WindowPair<'a>> {
        self.usable(naive)
            .filter_map(|naive| {
                let model = self.by_model.get(model)?.get(&naive.round).copied()?;
                fault(model).is_none().then_some(WindowPair { naive, model })
            })
            .collect()
    }
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
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disturbed(by) => write!(f, "disturbed: {}", by.join(", ")),
            Self::Ended(outcome) => outcome.fmt(f),
            Self::NoWindow => f.write_str("no window"),
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
    let windows = Windows::of(&scenario.rounds);
    let rounds: BTreeSet<u32> = windows.by_model.values().flat_map(|of_model| of_model.keys().copied()).collect();
    let faults_of = |round: u32| -> Vec<(String, Fault)> {
        let of_models = windows.by_model.iter().filter_map(|(model, of_model)| {
            let why = of_model.get(&round).map_or(Some(Fault::NoWindow), |window| fault(window))?;
            Some(((*model).to_owned(), why))
        });
        of_models.collect()
    };
    rounds
        .into_iter()
        .map(|round| TakenOut { round, faults: faults_of(round) })
        .filter(|taken| !taken.faults.is_empty())
        .collect()
}
