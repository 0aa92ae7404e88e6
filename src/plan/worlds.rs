//! A scenario's dataset with its sizes known.

use std::sync::Arc;

use super::error::PlanError;
use crate::scenario::{Model, Scenario, resolved_indexes};
use crate::value::{Parameters, RenderError, World};

/// The dataset of a scenario under these parameters. Files of one's own documents are looked for beside the scenario
/// file.
///
/// # Errors
/// Where a count cannot be resolved or a file cannot be read.
pub fn world(scenario: &Scenario, parameters: Parameters, seed: u64) -> Result<Arc<World>, PlanError> {
    scenario
        .world(seed, parameters)
        .map(Arc::new)
        .map_err(|source| PlanError::World { scenario: scenario.name.clone(), source })
}

/// Finds out whether partitions and indexes of the models can be told under the parameters of a world, before anything is
/// loaded for them.
///
/// # Errors
/// The first model of which they cannot.
pub(super) fn check_layouts(scenario: &Scenario, models: &[usize], world: &World) -> Result<(), PlanError> {
    for model in models.iter().map(|place| &scenario.models[*place]) {
        check_layout(model, world).map_err(|source| PlanError::Layout {
            scenario: scenario.name.clone(),
            model: model.name.clone(),
            source,
        })?;
    }
    Ok(())
}

fn check_layout(model: &Model, world: &World) -> Result<(), RenderError> {
    model.partitions(world)?;
    for collection in &model.collections {
        resolved_indexes(&collection.indexes, world)
            .map_err(|error| RenderError { message: format!("collection `{}`: {}", collection.name, error.message) })?;
    }
    Ok(())
}
