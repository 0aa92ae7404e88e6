//! How much the data grow over a run.

use super::calibrated::CalibratedPlan;
use super::resolve::Plan;
use crate::scenario::{Model, StepKind};
use crate::words::DataState;

/// Data that grow by more than this over a run are growing.
const STEADY_UP_TO: f64 = 0.1;

impl CalibratedPlan {
    /// What happens to the data over the run: what the workload says, or steady where the documents that operations
    /// insert stay within a tenth of those loaded.
    pub fn state(&self, plan: &Plan) -> DataState {
        plan.state.unwrap_or_else(|| {
            let documents: u64 = plan.scenario.dataset.iter().filter_map(|set| plan.world.count(&set.name)).sum();
            let growing = self.inserts(plan) > documents as f64 * STEADY_UP_TO;
            if growing { DataState::Growing } else { DataState::Steady }
        })
    }

    /// Documents that the rounds insert, in the model that inserts most.
    fn inserts(&self, plan: &Plan) -> f64 {
        let numbers = f64::from(plan.rounds) * (self.operations_per_round + self.lead_in_operations) as f64;
        let blocks = numbers / plan.mix.block_length() as f64;
        let of_model = |model: &Model| -> f64 {
            let operations = plan.workload().operations.iter().enumerate();
            operations
                .map(|(place, operation)| plan.mix.per_block(place) as f64 * inserts_of(model, &operation.name))
                .sum()
        };
        plan.models().map(of_model).fold(0.0, f64::max) * blocks
    }
}

fn inserts_of(model: &Model, operation: &str) -> f64 {
    let steps = model.operations.get(operation).map_or(&[][..], |operation| &operation.steps);
    steps.iter().filter(|step| matches!(step.kind, StepKind::InsertOne(_) | StepKind::InsertMany(_))).count() as f64
}
