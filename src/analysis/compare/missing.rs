//! What only one side has.

use super::super::analyse::operations;
use super::pair::{Pair, heading, is_measured, key};
use crate::record::{MissingRecord, ModelRecord, RunRecord, ScenarioRecord};
use crate::words::Side;

/// Scenarios, models and operations that one side has and the other has not, by the latest runs.
pub(super) fn missing(base: &[&RunRecord], new: &[&RunRecord], pairs: &[Pair<'_>]) -> Vec<MissingRecord> {
    let mut found = scenarios(base, new, Side::New);
    found.extend(scenarios(new, base, Side::Base));
    for pair in pairs {
        let (before, now) = (pair.latest_base().scenario, pair.latest_new().scenario);
        let at = |from| At { from, scenario: pair.heading() };
        found.extend(of_scenario(before, now, &at(Side::New)));
        found.extend(of_scenario(now, before, &at(Side::Base)));
    }
    found
}

/// Where something is missing.
struct At {
    from: Side,
    scenario: String,
}

impl At {
    fn record(&self, model: Option<&str>, operation: Option<&str>, why: Option<String>) -> MissingRecord {
        let own = |text: &str| text.to_owned();
        MissingRecord {
            from: self.from,
            scenario: self.scenario.clone(),
            model: model.map(own),
            operation: operation.map(own),
            why,
        }
    }
}

fn scenarios(have: &[&RunRecord], lack: &[&RunRecord], from: Side) -> Vec<MissingRecord> {
    let mut found: Vec<MissingRecord> = Vec::new();
    for run in have {
        for scenario in &run.scenarios {
            let is_there = lack.iter().flat_map(|run| &run.scenarios).any(|other| key(other) == key(scenario));
            let record = At { from, scenario: heading(run, scenario) }.record(None, None, None);
            if !is_there && !found.contains(&record) {
                found.push(record);
            }
        }
    }
    found
}

fn of_scenario(have: &ScenarioRecord, lack: &ScenarioRecord, at: &At) -> Vec<MissingRecord> {
    let mut found = Vec::new();
    for model in have.models.iter().filter(|model| is_measured(have, &model.name)) {
        let other: Option<&ModelRecord> = lack.models.iter().find(|other| other.name == model.name);
        if !is_measured(lack, &model.name) {
            let why = other.and_then(|other| other.skipped.clone()).or_else(|| lack.not_measurable.clone());
            found.push(at.record(Some(&model.name), None, why));
        }
    }
    let other = operations(lack);
    let only = operations(have).into_iter().filter(|operation| !other.contains(operation));
    found.extend(only.map(|operation| at.record(None, Some(operation), None)));
    found
}
