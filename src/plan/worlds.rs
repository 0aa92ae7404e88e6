//! A scenario's dataset with its sizes known.

use std::sync::Arc;

use super::error::PlanError;
use crate::scenario::Scenario;
use crate::value::{Parameters, World};

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
