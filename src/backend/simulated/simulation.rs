//! A simulated server as declared.

use std::time::Duration;

use super::{Behaviour, Stall, build};
use crate::source::{Parsed, Problems, SourceText, Span, parse};

/// How a control run calls the model that it compares with itself the second time.
pub(super) const CONTROL: &str = "-control";

/// How time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Time {
    /// As soon as everybody waits, to the next moment that somebody waits for.
    #[default]
    Virtual,
    /// As it does.
    Real,
}

/// A simulated server as its file declares it.
#[derive(Debug, Clone)]
pub struct Simulation {
    pub(super) source: SourceText,
    pub(super) time: Time,
    pub(super) concurrency: Option<usize>,
    pub(super) stalls: Vec<Stall>,
    pub(super) generator_cost: Duration,
    pub(super) default: Option<Behaviour>,
    pub(super) models: Vec<DeclaredModel>,
}

/// What the file says of a model.
#[derive(Debug, Clone)]
pub(super) struct DeclaredModel {
    pub(super) name: String,
    pub(super) place: Span,
    /// For operations that are not named.
    pub(super) default: Option<Behaviour>,
    pub(super) operations: Vec<DeclaredOperation>,
}

/// What the file says of an operation.
#[derive(Debug, Clone)]
pub(super) struct DeclaredOperation {
    pub(super) name: String,
    pub(super) place: Span,
    pub(super) behaviour: Behaviour,
}

impl Simulation {
    /// Reads and checks the text of a file.
    ///
    /// # Errors
    /// The text, with everything that is wrong in it.
    pub fn read(text: SourceText) -> Result<Self, (SourceText, Problems)> {
        let Parsed { file, mut problems } = parse(text)?;
        match build::simulation(&file, &mut problems) {
            Some(simulation) if problems.is_empty() => Ok(simulation),
            _ => Err((file.text, problems)),
        }
    }

    /// How time passes.
    pub fn time(&self) -> Time {
        self.time
    }

    /// The file.
    pub fn source(&self) -> &SourceText {
        &self.source
    }

    /// How an operation of a model behaves, as far as the file says. The second name of a model that a control run compares
    /// with itself (`page-control`) need not be in the file.
    pub fn behaviour(&self, model: &str, operation: &str) -> Option<&Behaviour> {
        let find = |name: &str| self.models.iter().find(|declared| declared.name == name);
        let declared = find(model).or_else(|| model.strip_suffix(CONTROL).and_then(find));
        let named = declared.and_then(|model| model.operations.iter().find(|known| known.name == operation));
        named
            .map(|known| &known.behaviour)
            .or_else(|| declared.and_then(|model| model.default.as_ref()))
            .or(self.default.as_ref())
    }
}
