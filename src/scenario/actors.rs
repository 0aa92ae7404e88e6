//! What a model does beside its operations: background actors, and events of its windows.

use std::time::Duration;

use super::types::{Model, ModelOperation};
use crate::units::Share;
use crate::value::Template;

/// An untimed actor beside the operations of its model.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Its name.
    pub name: String,
    /// What makes it act.
    pub trigger: Trigger,
    /// What it does in a turn; driven by changes, its only argument is the change.
    pub does: ModelOperation,
}

/// What makes an actor act.
#[derive(Debug, Clone)]
pub enum Trigger {
    /// Time: so much of it from the end of a turn to the beginning of the next.
    Every(Duration),
    /// Each change of a collection, in order.
    OnChange {
        /// The collection.
        collection: String,
        /// Stages that the changes go through.
        pipeline: Option<Template>,
    },
}

impl Trigger {
    /// The names that the actor's steps can refer to: the change, where changes drive it.
    pub fn arguments(&self) -> &'static [&'static str] {
        match self {
            Self::Every(_) => &[],
            Self::OnChange { .. } => &[CHANGE],
        }
    }
}

/// The name of the change in the steps of an actor that changes drive.
pub const CHANGE: &str = "change";

/// Something that happens once in every measured window of its model, beside the operations.
#[derive(Debug, Clone)]
pub struct ModelEvent {
    /// Its name.
    pub name: String,
    /// The share of the window's numbers at which it begins; at 1 it follows the window's last operation.
    pub at: Share,
    /// What happens; its `result`, if it has one, is a figure of the record.
    pub does: ModelOperation,
}

impl ModelEvent {
    /// Whether it happens after the window's operations, so that nothing of them can be its doing.
    pub fn is_last(&self) -> bool {
        self.at.get() >= 1.0
    }
}

impl Model {
    /// Whether it can only run where the server has change streams.
    pub fn needs_change_streams(&self) -> bool {
        self.background.iter().any(|actor| matches!(actor.trigger, Trigger::OnChange { .. }))
    }
}
