//! A scenario as both sides have it.

use std::collections::BTreeSet;

use super::super::analyse::{ALL, operations};
use super::sample::Ran;
use crate::record::{ModelRecord, RunRecord, ScenarioRecord};
use crate::words::Phase;

/// A scenario under a workload, as the runs of both sides measured it; each side has one at least, the latest last.
#[derive(Debug, Clone)]
pub(super) struct Pair<'a> {
    pub(super) base: Vec<Ran<'a>>,
    pub(super) new: Vec<Ran<'a>>,
}

impl<'a> Pair<'a> {
    /// The scenarios that both sides have, in the order of the latest new run.
    pub(super) fn all(base: &[&'a RunRecord], new: &[&'a RunRecord]) -> Vec<Self> {
        let mut keys: Vec<(&str, &str)> = Vec::new();
        for scenario in new.iter().rev().flat_map(|run| &run.scenarios) {
            if !keys.contains(&key(scenario)) {
                keys.push(key(scenario));
            }
        }
        let of = |runs: &[&'a RunRecord], wanted: (&str, &str)| -> Vec<Ran<'a>> {
            let find = |run: &&'a RunRecord| {
                let run: &'a RunRecord = run;
                Some(Ran::of(run, run.scenarios.iter().find(|scenario| key(scenario) == wanted)?))
            };
            runs.iter().filter_map(find).collect()
        };
        let pairs = keys.into_iter().map(|wanted| Self { base: of(base, wanted), new: of(new, wanted) });
        pairs.filter(|pair| !pair.base.is_empty() && !pair.new.is_empty()).collect()
    }

    /// The base's latest run of it.
    pub(super) fn latest_base(&self) -> &Ran<'a> {
        self.base.last().expect("a pair has a base")
    }

    /// The new side's latest run of it.
    pub(super) fn latest_new(&self) -> &Ran<'a> {
        self.new.last().expect("a pair has a new run")
    }

    /// Every run of it.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Ran<'a>> {
        self.base.iter().chain(&self.new)
    }

    /// The same with these runs alone; `None` where a side would have none.
    pub(super) fn only(&self, wanted: impl Fn(&Ran<'a>) -> bool) -> Option<Self> {
        let of = |side: &[Ran<'a>]| side.iter().filter(|ran| wanted(ran)).cloned().collect::<Vec<_>>();
        let (base, new) = (of(&self.base), of(&self.new));
        (!base.is_empty() && !new.is_empty()).then_some(Self { base, new })
    }

    /// Name and, where it is not the only one, workload.
    pub(super) fn heading(&self) -> String {
        heading(self.latest_new().run, self.latest_new().scenario)
    }

    /// The models that both sides measured, in the order shown; naive first.
    pub(super) fn models(&self) -> Vec<&'a ModelRecord> {
        let base = self.latest_base();
        let shown: Vec<&'a ModelRecord> = self.latest_new().cast.shown().collect();
        let measured = |ran: &Ran<'_>, name: &str| {
            ran.scenario.models.iter().any(|model| model.name == name) && is_measured(ran.scenario, name)
        };
        shown
            .into_iter()
            .filter(|model| measured(base, &model.name) && measured(self.latest_new(), &model.name))
            .collect()
    }

    /// The operations that both sides have, the heaviest first, the whole mix last.
    pub(super) fn operations(&self) -> Vec<&'a str> {
        let new = self.latest_new().scenario;
        let base: BTreeSet<&str> = operations(self.latest_base().scenario);
        let weight = |name: &str| new.plan.mix.get(name).copied().unwrap_or(0.0);
        let mut shown: Vec<&str> = operations(new).into_iter().filter(|name| base.contains(name)).collect();
        shown.sort_by(|left, right| weight(right).total_cmp(&weight(left)));
        shown.push(ALL);
        shown
    }
}

/// What tells scenarios of a run apart.
pub(super) fn key(scenario: &ScenarioRecord) -> (&str, &str) {
    (&scenario.name, &scenario.workload)
}

/// Name and, where the run has several of the scenario, workload.
pub(super) fn heading(run: &RunRecord, scenario: &ScenarioRecord) -> String {
    let siblings = run.scenarios.iter().filter(|other| other.name == scenario.name).count();
    if siblings > 1 { format!("{} · {}", scenario.name, scenario.workload) } else { scenario.name.clone() }
}

/// Whether a model has a measured window.
pub(super) fn is_measured(scenario: &ScenarioRecord, model: &str) -> bool {
    scenario.rounds.iter().any(|round| round.phase == Phase::Measured && round.model == model)
}
