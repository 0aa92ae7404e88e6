//! A scenario that compares a model with itself.

use std::sync::Arc;

use super::error::PlanError;
use super::parameters::hint;
use crate::scenario::{Model, Scenario};
use crate::words::Role;

/// What the second of two equal models has behind its name.
const SUFFIX: &str = "-control";

/// The scenario with one model under two names: the one asked for, else the first pattern. What its author expects of
/// other models is left out.
///
/// # Errors
/// Where the scenario has no such model, or more than one is asked for.
pub(super) fn control(scenario: &Scenario, asked: Option<&[String]>) -> Result<(Arc<Scenario>, String), PlanError> {
    let model = chosen(scenario, asked)?;
    let name = model.name.clone();
    let mut same = scenario.clone();
    let copy = Model { name: format!("{name}{SUFFIX}"), role: Role::Pattern, ..model.clone() };
    same.models = vec![Model { role: Role::Naive, ..model.clone() }, copy];
    same.claims.clear();
    same.expect.clear();
    Ok((Arc::new(same), name))
}

fn chosen<'a>(scenario: &'a Scenario, asked: Option<&[String]>) -> Result<&'a Model, PlanError> {
    match asked {
        None | Some([]) => {
            let pattern = scenario.models.iter().find(|model| model.role == Role::Pattern);
            Ok(pattern.unwrap_or_else(|| scenario.naive()))
        }
        Some([name]) => {
            scenario.models.iter().find(|model| model.name == *name).ok_or_else(|| PlanError::UnknownModel {
                scenario: scenario.name.clone(),
                name: name.clone(),
                hint: hint(name, scenario.models.iter().map(|model| model.name.as_str())),
            })
        }
        Some(_) => {
            Err(PlanError::Contradiction { what: "--control compares one model with itself; name one with --models" })
        }
    }
}
