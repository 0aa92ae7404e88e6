//! The calls of an operation with parameters filled in, and what is known of each before any operation runs.

use std::collections::HashSet;

use bson::Bson;

use super::program::filled;
use super::render::WithParameters;
use super::tree::{RepeatProgram, times};
use crate::scenario::{
    BlockStep, CollectionRef, Compiled, ModelOperation, ModelPartitions, PlacedCall, Retry, StepKind, calls,
};
use crate::value::{Parameters, RenderError, Template};
use crate::words::{Block, ErrorName};

/// A call of an operation.
#[derive(Debug)]
pub(super) struct StepProgram {
    pub(super) kind: StepKind<Compiled>,
    pub(super) yields: Yields,
    /// The slot of its binding, where something refers to it.
    pub(super) binding: Option<usize>,
    pub(super) when: Option<Template>,
    pub(super) for_each: Option<Template>,
    pub(super) select: Option<Template>,
    pub(super) repeat: Option<RepeatProgram>,
    pub(super) assert: Option<Template>,
    pub(super) expect: Vec<ErrorName>,
    pub(super) retry: Option<RetryProgram>,
    /// Whether its calls depend on arguments alone and are made for certain, so that they are rendered before the clock
    /// starts.
    pub(super) early: bool,
    /// Whether its documents can be the operation's answer: no later reading step is sure to run.
    pub(super) may_answer: bool,
    /// The transaction that it is part of, by its place among the operation's.
    pub(super) transaction: Option<usize>,
}

/// Sends a call again after some errors.
#[derive(Debug)]
pub(super) struct RetryProgram {
    pub(super) on: Vec<ErrorName>,
    /// How many times at most, the first time not counted.
    pub(super) max: u32,
}

/// What a step yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Yields {
    /// Any number of documents.
    Documents,
    /// A document or none.
    Document,
    /// A count, or a list of values.
    Value,
    /// What a write did.
    Written,
}

/// The calls of an operation, in the order of the file.
pub(super) fn call_programs(
    operation: &ModelOperation,
    arguments: usize,
    partitions: &ModelPartitions,
    parameters: &Parameters,
) -> Result<Vec<StepProgram>, RenderError> {
    let placed = calls(&operation.steps);
    let referred = slots_referred_to(&placed, operation.result.as_ref());
    let mut transactions: Vec<&BlockStep> = Vec::new();
    let mut programs = Vec::with_capacity(placed.len());
    for placed in &placed {
        let mut program = StepProgram::new(placed, arguments, partitions, parameters)?;
        let slot = placed.call.binding.as_ref().map(|binding| binding.slot);
        program.binding = slot.filter(|slot| referred.contains(slot));
        program.transaction = transaction_of(placed, &mut transactions);
        programs.push(program);
    }
    mark_answers(&mut programs, &placed, operation.result.is_some());
    Ok(programs)
}

/// All slots that something refers to. A name is known only after its step, so it does not matter where.
fn slots_referred_to(placed: &[PlacedCall<'_>], result: Option<&Template>) -> HashSet<usize> {
    let mut slots: HashSet<usize> = result.map(Template::slots).unwrap_or_default().into_iter().collect();
    for PlacedCall { call, blocks, .. } in placed {
        let of_call = [&call.when, &call.for_each, &call.select, &call.assert].into_iter().flatten();
        let of_blocks = blocks.iter().flat_map(|block| [&block.when, &block.for_each, &block.assert]).flatten();
        let repeats = blocks.iter().filter_map(|block| block.repeat.as_ref()).chain(&call.repeat);
        let templates = of_call.chain(of_blocks).chain(repeats.map(|repeat| &repeat.until));
        slots.extend(templates.flat_map(Template::slots));
        call.kind.each_template(|_, template| slots.extend(template.slots()));
    }
    slots
}

/// The place of a call's transaction among those met so far; a new one is added.
fn transaction_of<'a>(placed: &PlacedCall<'a>, transactions: &mut Vec<&'a BlockStep>) -> Option<usize> {
    let own = *placed.blocks.iter().find(|block| block.kind == Block::Transaction)?;
    let known = transactions.iter().position(|known| std::ptr::eq(*known, own));
    Some(known.unwrap_or_else(|| {
        transactions.push(own);
        transactions.len() - 1
    }))
}

/// Marks the calls whose documents can be the operation's answer: the last reading one, and those before it as long as
/// none of the later ones is sure to run.
fn mark_answers(programs: &mut [StepProgram], placed: &[PlacedCall<'_>], has_result: bool) {
    let mut answered = has_result;
    for (program, placed) in programs.iter_mut().zip(placed).rev() {
        program.may_answer = !answered && program.kind.reads();
        let is_certain = program.when.is_none()
            && placed.blocks.iter().all(|block| block.when.is_none() && block.for_each.is_none());
        answered |= program.kind.reads() && is_certain;
    }
}

impl StepProgram {
    fn new(
        placed: &PlacedCall<'_>,
        arguments: usize,
        partitions: &ModelPartitions,
        parameters: &Parameters,
    ) -> Result<Self, RenderError> {
        let step = placed.call;
        let kind = step.kind.map(&mut WithParameters(parameters))?;
        let for_each = match step.kind.collection() {
            CollectionRef::EachPartition { of } => Some(every_value(partitions, of)),
            _ => filled(step.for_each.as_ref(), parameters)?,
        };
        let mut program = Self {
            yields: Yields::of(&kind),
            kind,
            binding: None,
            when: filled(step.when.as_ref(), parameters)?,
            for_each,
            select: filled(step.select.as_ref(), parameters)?,
            repeat: step.repeat.as_ref().map(|repeat| RepeatProgram::new(repeat, parameters)).transpose()?,
            assert: filled(step.assert.as_ref(), parameters)?,
            expect: step.expect.clone(),
            retry: step.retry.as_ref().map(|retry| RetryProgram::new(retry, parameters)).transpose()?,
            early: false,
            may_answer: false,
            transaction: None,
        };
        let is_certain =
            |block: &&BlockStep| block.when.is_none() && block.for_each.is_none() && block.repeat.is_none();
        program.early = placed.blocks.iter().all(is_certain)
            && program.slots_before_reply().into_iter().all(|slot| slot < arguments);
        Ok(program)
    }

    /// The slots that its calls depend on.
    fn slots_before_reply(&self) -> Vec<usize> {
        let mut slots = Vec::new();
        self.kind.each_template(|_, template| slots.extend(template.slots()));
        for template in [&self.when, &self.for_each].into_iter().flatten() {
            slots.extend(template.slots());
        }
        slots
    }

    /// Where it stands, for a message.
    pub(super) fn place(&self, position: usize) -> String {
        format!("step {} ({} on {})", position + 1, self.kind.word(), self.kind.collection().name())
    }
}

/// The values of all partitions of a collection, as the list of a `forEach`.
fn every_value(partitions: &ModelPartitions, of: &str) -> Template {
    let values = partitions.of(of).map(|partitions| partitions.values().to_vec());
    Template::constant(Bson::Array(values.unwrap_or_default()))
}

impl RetryProgram {
    fn new(retry: &Retry, parameters: &Parameters) -> Result<Self, RenderError> {
        Ok(Self { on: retry.on.clone(), max: times(&retry.max, "retry", parameters)? })
    }
}

impl Yields {
    fn of(kind: &StepKind<Compiled>) -> Self {
        match kind {
            StepKind::Find(_) | StepKind::Aggregate(_) => Self::Documents,
            StepKind::FindOne(_) | StepKind::FindOneAndUpdate(_) | StepKind::FindOneAndReplace(_) => Self::Document,
            StepKind::CountDocuments(_) | StepKind::Distinct(_) => Self::Value,
            StepKind::RunCommand(step) => match step.command.first_key() {
                Some("aggregate" | "find" | "listCollections" | "listIndexes") => Self::Documents,
                _ => Self::Document,
            },
            StepKind::InsertOne(_)
            | StepKind::InsertMany(_)
            | StepKind::UpdateOne(_)
            | StepKind::UpdateMany(_)
            | StepKind::ReplaceOne(_)
            | StepKind::DeleteOne(_)
            | StepKind::DeleteMany(_)
            | StepKind::BulkWrite(_) => Self::Written,
        }
    }
}
