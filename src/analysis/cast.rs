//! Who plays which part in a comparison.

use crate::record::ModelRecord;
use crate::words::Role;

/// The models of a scenario by the part they play.
#[derive(Debug, Clone)]
pub struct Cast<'a> {
    /// The model that all others are compared with.
    pub naive: Option<&'a ModelRecord>,
    /// The first model in the role `pattern`.
    pub pattern: Option<&'a ModelRecord>,
    /// All further models, in the order of the file.
    pub others: Vec<&'a ModelRecord>,
}

impl<'a> Cast<'a> {
    /// Tells the parts apart.
    pub fn of(models: &'a [ModelRecord]) -> Self {
        let first = |role| models.iter().position(|model| model.role == role);
        let (naive, pattern) = (first(Role::Naive), first(Role::Pattern));
        let others = models
            .iter()
            .enumerate()
            .filter(|(place, _)| Some(*place) != naive && Some(*place) != pattern)
            .map(|(_, model)| model)
            .collect();
        Self { naive: naive.map(|place| &models[place]), pattern: pattern.map(|place| &models[place]), others }
    }

    /// The models that are compared with naive: the pattern first.
    pub fn compared(&self) -> impl Iterator<Item = &'a ModelRecord> + '_ {
        self.pattern.into_iter().chain(self.others.iter().copied())
    }

    /// All models in the order shown: naive, the pattern, the others.
    pub fn shown(&self) -> impl Iterator<Item = &'a ModelRecord> + '_ {
        self.naive.into_iter().chain(self.compared())
    }
}
