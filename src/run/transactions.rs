//! What becomes of a scenario's transactions where the server has none.

use super::scenario_run::ScenarioRun;
use crate::plan::Plan;
use crate::scenario::{Need, calls};

impl ScenarioRun<'_, '_> {
    /// Whether the server has transactions.
    pub(super) fn has_transactions(&self) -> bool {
        self.session.main.server.facts().lacks(Need::Transactions).is_none()
    }

    /// Says, once, that the steps of the scenario's transactions are made without one, in all models, if they are.
    pub(super) fn tell_lack_of_transactions(&mut self) {
        let Some(why) = self.session.main.server.facts().lacks(Need::Transactions) else { return };
        let operations = operations_with_transactions(self.plan);
        if operations.is_empty() {
            return;
        }
        let what = format!(
            "{why}: the steps of {} are made one after the other without a transaction, in all models",
            operations.join(", ")
        );
        self.record.plan.without_transactions = Some(what.clone());
        self.note(None, what);
    }
}

/// The operations of the workload that some model makes in a transaction.
fn operations_with_transactions(plan: &Plan) -> Vec<&str> {
    let in_transaction = |operation: &str| {
        let of_models = plan.models().filter_map(|model| model.operations.get(operation));
        of_models.flat_map(|done| calls(&done.steps)).any(|placed| placed.in_transaction())
    };
    let names = plan.workload().operations.iter().map(|operation| operation.name.as_str());
    names.filter(|name| in_transaction(name)).collect()
}
