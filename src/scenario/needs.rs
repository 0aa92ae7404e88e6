//! What a model's steps need of a server that not every server has.

use std::collections::BTreeSet;

use super::step::StepKind;
use super::tree::calls;
use super::types::Model;

/// Something that not every server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Transactions over several documents. A model does without them where there are none: its steps are then sent one
    /// after the other, as all models' are.
    Transactions,
    /// Writes to several collections in one request. Without it the model cannot be measured.
    BulkWrite,
}

impl Need {
    /// Whether a model cannot be measured without it.
    pub fn is_indispensable(self) -> bool {
        self != Self::Transactions
    }
}

/// What the steps of a model need.
pub fn needs(model: &Model) -> BTreeSet<Need> {
    let mut needs = BTreeSet::new();
    for placed in model.operations.values().flat_map(|operation| calls(&operation.steps)) {
        if placed.in_transaction() {
            needs.insert(Need::Transactions);
        }
        if matches!(placed.call.kind, StepKind::BulkWrite(_)) {
            needs.insert(Need::BulkWrite);
        }
    }
    needs
}
