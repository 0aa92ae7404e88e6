//! Documents that are known without a server: rows of the facts, where a collection is a copy of its set.

use bson::Document;

use super::Samples;
use crate::scenario::types::Scenario;
use crate::value::{Parameters, World};

/// The first row of the set behind each collection without a pipeline, at smoke size. What cannot be made is left out.
pub(super) fn copied(scenario: &Scenario) -> Samples {
    let Some(world) = smallest_world(scenario) else { return Samples::new() };
    let first = |set: &str| Document::try_from(world.row(set, 0).ok()?).ok();
    let mut samples = Samples::new();
    for model in &scenario.models {
        for collection in model.collections.iter().filter(|collection| collection.pipeline.is_none()) {
            let Some(document) = collection.from.as_deref().and_then(first) else { continue };
            samples.insert((model.name.clone(), collection.name.clone()), document);
        }
    }
    samples
}

/// The dataset at smoke size, if it can be made.
pub(super) fn smallest_world(scenario: &Scenario) -> Option<World> {
    let parameters: Parameters = scenario
        .parameters
        .iter()
        .map(|parameter| (parameter.name.clone(), parameter.smoke.as_ref().unwrap_or(&parameter.default).clone()))
        .collect();
    scenario.world(1, parameters).ok()
}
