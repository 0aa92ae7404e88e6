//! The comparison of answers where they are simulated: a value per operation and number.

use super::error::RunError;
use crate::backend::simulated::SimulatedModel;
use crate::operation::ModelProgram;
use crate::parity::{Diff, DiffSide, Sample};
use crate::plan::Plan;

/// Differences listed in all; all are counted.
const LISTED: usize = 5;

/// What a comparison came to.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Operations compared.
    pub(super) operations: u64,
    /// Those in which a model differs from the first.
    pub(super) mismatches: u64,
    diffs: Vec<Diff>,
}

impl Compared {
    /// Compares what the models answer with what the first of them does.
    pub(super) fn of(plan: &Plan, models: &[&SimulatedModel], samples: &[Sample]) -> Self {
        let mut compared = Self { operations: samples.len() as u64, ..Self::default() };
        let Some((first, others)) = models.split_first() else { return compared };
        for sample in samples {
            let answer = |model: &SimulatedModel| model.answer(sample.operation, sample.number);
            let Some(other) = others.iter().find(|other| answer(other) != answer(first)) else { continue };
            compared.mismatches += 1;
            if compared.diffs.len() < LISTED {
                compared.diffs.push(diff(plan, first, other, *sample));
            }
        }
        compared
    }

    /// The refusal to measure models that answer differently.
    ///
    /// # Errors
    /// Where there is a mismatch; `closing` after the last round.
    pub(super) fn refuse(&self, plan: &Plan, closing: bool) -> Result<(), RunError> {
        if self.mismatches == 0 {
            return Ok(());
        }
        Err(RunError::Disagreement {
            scenario: plan.scenario.name.clone(),
            closing,
            mismatches: self.mismatches,
            operations: self.operations,
            diffs: self.diffs.iter().map(ToString::to_string).collect(),
        })
    }
}

fn diff(plan: &Plan, left: &SimulatedModel, right: &SimulatedModel, sample: Sample) -> Diff {
    let side = |model: &SimulatedModel| {
        let value = model.answer(sample.operation, sample.number);
        let value = value.map_or_else(|| "nothing".to_owned(), |value| format!("{value:#018x}"));
        DiffSide { model: model.name().to_owned(), answer: format!("{value} (simulated)"), value }
    };
    Diff {
        operation: left.operation(sample.operation).to_owned(),
        number: sample.number,
        arguments: arguments(plan, sample),
        what: "the value of the answer".to_owned(),
        left: side(left),
        right: side(right),
    }
}

/// The arguments that the operation would have on a server, as JSON.
fn arguments(plan: &Plan, sample: Sample) -> String {
    let world = plan.parity_world.clone();
    let rendered = ModelProgram::new(&plan.scenario, plan.workload_index, plan.models[0], world).and_then(|program| {
        let values = program.arguments(sample.operation, sample.number)?.values;
        let names = program.argument_names(sample.operation).map(str::to_owned);
        let entries = names.zip(values).map(|(name, value)| (name, value.unwrap_or(bson::Bson::Null)));
        Ok(bson::Bson::Document(entries.collect()).into_relaxed_extjson().to_string())
    });
    rendered.unwrap_or_else(|error| format!("not rendered: {error}"))
}
