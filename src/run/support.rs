//! Which models of a plan the server can hold. One that it cannot is skipped with the reason; the others go on without it.

use crate::plan::Plan;
use crate::record::ScenarioRecord;
use crate::scenario::{Model, needs};
use crate::server::ServerFacts;
use crate::words::Role;

/// A plan without the models that the server cannot hold.
#[derive(Debug, Clone)]
pub(super) struct Supported {
    /// What is left of the plan.
    pub(super) plan: Plan,
    /// The models left out, each with the reason, in the order met.
    skipped: Vec<(Model, String)>,
}

impl Supported {
    /// The plan without the models that are known beforehand not to work on this server.
    pub(super) fn of(plan: &Plan, facts: &ServerFacts) -> Self {
        let mut supported = Self { plan: plan.clone(), skipped: Vec::new() };
        for model in plan.models() {
            let lacking: Vec<String> = needs(model)
                .into_iter()
                .filter(|need| need.is_indispensable())
                .filter_map(|need| Some(format!("it needs {}: {}", need.words(), facts.lacks(need)?)))
                .collect();
            if !lacking.is_empty() {
                supported.skip(&model.name, lacking.join("; "));
            }
        }
        supported
    }

    /// Leaves one more model out.
    pub(super) fn skip(&mut self, model: &str, why: String) {
        let is_it = |place: &usize| self.plan.scenario.models[*place].name == model;
        let (gone, left): (Vec<usize>, Vec<usize>) = self.plan.models.iter().partition(|place| is_it(place));
        self.skipped.extend(gone.into_iter().map(|place| (self.plan.scenario.models[place].clone(), why.clone())));
        self.plan = self.plan.of_models(left);
    }

    /// Why nothing of the plan can be measured on this server, where its naive model or every pattern is left out.
    pub(super) fn not_measurable(&self) -> Option<String> {
        let told = |(model, why): &(Model, String)| format!("model {}: {why}", model.name);
        if let Some(naive) = self.skipped.iter().find(|(model, _)| model.role == Role::Naive) {
            return Some(told(naive));
        }
        let patterns: Vec<String> =
            self.skipped.iter().filter(|(model, _)| model.role == Role::Pattern).map(told).collect();
        let one_is_left = self.plan.models().any(|model| model.role == Role::Pattern);
        let too_few = self.plan.models.len() < 2 && !self.skipped.is_empty();
        match (patterns.is_empty(), one_is_left) {
            (false, false) => Some(patterns.join("; ")),
            _ if too_few => Some(self.skipped.iter().map(told).collect::<Vec<_>>().join("; ")),
            _ => None,
        }
    }

    /// The record of what is left. Models that are left out stand behind the others, so that the first pattern that is
    /// measured is the one that is compared, and places in the plan are places in the record.
    pub(super) fn record(&self, whole: &ScenarioRecord) -> ScenarioRecord {
        let mut record = whole.clone();
        if self.skipped.is_empty() {
            return record;
        }
        let reason = |name: &str| self.skipped.iter().find(|(model, _)| model.name == name).map(|(_, why)| why.clone());
        for model in &mut record.models {
            model.skipped = reason(&model.name);
        }
        record.models.sort_by_key(|model| model.skipped.is_some());
        record.plan = self.plan.record();
        record.not_measurable = self.not_measurable();
        // Nothing more was to be had of it.
        record.complete = record.not_measurable.is_some();
        record
    }

    /// The models left out, each with the reason.
    pub(super) fn skipped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.skipped.iter().map(|(model, why)| (model.name.as_str(), why.as_str()))
    }
}
