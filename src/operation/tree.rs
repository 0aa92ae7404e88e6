//! How an operation's calls follow one another: in the order of the file, in blocks, in loops.

use bson::Bson;

use super::program::filled;
use crate::scenario::{BlockStep, Repeat, Step};
use crate::value::{Parameters, RenderError, Template};
use crate::words::{Block, ErrorName};

/// A call or a block.
#[derive(Debug)]
pub(super) enum Item {
    /// The call at this place.
    Call(usize),
    /// A block.
    Block(Box<BlockProgram>),
}

/// A block of steps.
#[derive(Debug)]
pub(super) struct BlockProgram {
    pub(super) kind: Block,
    pub(super) items: Vec<Item>,
    /// The slots that are bound inside.
    pub(super) slots: Vec<usize>,
    /// The slot of what it came to.
    pub(super) binding: Option<usize>,
    pub(super) when: Option<Template>,
    pub(super) for_each: Option<Template>,
    pub(super) repeat: Option<RepeatProgram>,
    pub(super) expect: Vec<ErrorName>,
    pub(super) assert: Option<Template>,
    /// The place of its first call.
    pub(super) first: usize,
}

/// Runs a step again until a condition holds.
#[derive(Debug)]
pub(super) struct RepeatProgram {
    pub(super) until: Template,
    /// How many times at most, the first time counted.
    pub(super) max: u32,
}

impl RepeatProgram {
    pub(super) fn new(repeat: &Repeat, parameters: &Parameters) -> Result<Self, RenderError> {
        let until = repeat.until.with_parameters(parameters)?;
        Ok(Self { until, max: times(&repeat.max, "repeat", parameters)? })
    }
}

/// How many times something happens at most, once parameters are known.
pub(super) fn times(max: &Template, word: &str, parameters: &Parameters) -> Result<u32, RenderError> {
    let filled = max.with_parameters(parameters)?;
    let number = match filled.as_constant() {
        Some(Bson::Int32(number)) => u32::try_from(*number).ok(),
        Some(Bson::Int64(number)) => u32::try_from(*number).ok(),
        _ => None,
    };
    number.filter(|number| *number > 0).ok_or_else(|| RenderError {
        message: match filled.as_constant() {
            Some(value) => format!("`max` of `{word}` must be a whole number of at least 1, but is {value}"),
            None => format!("`max` of `{word}` must be a whole number of at least 1"),
        },
    })
}

/// The steps of an operation.
pub(super) fn tree(steps: &[Step], parameters: &Parameters) -> Result<Vec<Item>, RenderError> {
    items(steps, &mut 0, parameters)
}

/// Numbers calls as [`calls`](crate::scenario::calls) does.
fn items(steps: &[Step], next: &mut usize, parameters: &Parameters) -> Result<Vec<Item>, RenderError> {
    let mut items = Vec::with_capacity(steps.len());
    for step in steps {
        items.push(match step {
            Step::Call(_) => {
                *next += 1;
                Item::Call(*next - 1)
            }
            Step::Block(step) => Item::Block(Box::new(block(step, next, parameters)?)),
        });
    }
    Ok(items)
}

fn block(step: &BlockStep, next: &mut usize, parameters: &Parameters) -> Result<BlockProgram, RenderError> {
    let first = *next;
    Ok(BlockProgram {
        kind: step.kind,
        items: items(&step.steps, next, parameters)?,
        slots: slots_bound(&step.steps),
        binding: step.binding.as_ref().map(|binding| binding.slot),
        when: filled(step.when.as_ref(), parameters)?,
        for_each: filled(step.for_each.as_ref(), parameters)?,
        repeat: step.repeat.as_ref().map(|repeat| RepeatProgram::new(repeat, parameters)).transpose()?,
        expect: step.expect.clone(),
        assert: filled(step.assert.as_ref(), parameters)?,
        first,
    })
}

/// The slots that these steps bind, blocks themselves included.
pub(super) fn slots_bound(steps: &[Step]) -> Vec<usize> {
    let mut slots = Vec::new();
    for step in steps {
        let binding = match step {
            Step::Call(call) => call.binding.as_ref(),
            Step::Block(block) => {
                slots.extend(slots_bound(&block.steps));
                block.binding.as_ref()
            }
        };
        slots.extend(binding.map(|binding| binding.slot));
    }
    slots
}
