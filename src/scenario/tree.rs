//! Steps as a tree: a step is a call of the driver, or a block that holds steps.

use super::step::{Compiled, StepKind};
use super::types::Binding;
use crate::source::Span;
use crate::value::Template;
use crate::words::{Block, ErrorName};

/// A step of an operation.
#[derive(Debug, Clone)]
pub enum Step {
    /// A call of the driver.
    Call(Box<CallStep>),
    /// Steps that belong together.
    Block(Box<BlockStep>),
}

/// One call with its extras.
#[derive(Debug, Clone)]
pub struct CallStep {
    /// The call.
    pub kind: StepKind<Compiled>,
    /// The slot (in the operation's scope, after the arguments) that its result is bound to.
    pub binding: Option<Binding>,
    /// Skips the step (binding null) unless this renders true.
    pub when: Option<Template>,
    /// Errors that are answers.
    pub expect: Vec<ErrorName>,
    /// Errors after which it is sent again.
    pub retry: Option<Retry>,
    /// What to bind instead of the whole result: a template in which `^it` is the result.
    pub select: Option<Template>,
    /// Runs the step once for each element of this list, which `^each` names.
    pub for_each: Option<Template>,
    /// Runs the step again until a condition holds; `^it` in it is the step's whole result, its own binding is known.
    pub repeat: Option<Repeat>,
    /// Fails the operation unless this renders true; `^it` is the step's whole result, its own binding is known.
    pub assert: Option<Template>,
    /// Where it stands.
    pub span: Span,
}

/// A block of steps with its extras. What is bound inside is known to what follows, inside and after it; what was
/// skipped is null, and of a loop the last round counts.
#[derive(Debug, Clone)]
pub struct BlockStep {
    /// What becomes of its steps.
    pub kind: Block,
    /// The steps.
    pub steps: Vec<Step>,
    /// What a transaction came to is bound to this: `{attempts, error}`.
    pub binding: Option<Binding>,
    /// Skips the block unless this renders true.
    pub when: Option<Template>,
    /// Errors that are answers: they abort the transaction, and `error` holds their name.
    pub expect: Vec<ErrorName>,
    /// Runs the block once for each element of this list, which `^each` names inside.
    pub for_each: Option<Template>,
    /// Runs the block again until a condition holds, which knows the block's bindings.
    pub repeat: Option<Repeat>,
    /// Fails the operation, and aborts the transaction, unless this renders true; it knows the block's bindings.
    pub assert: Option<Template>,
    /// Where it stands.
    pub span: Span,
}

/// Sends a call again after some errors.
#[derive(Debug, Clone)]
pub struct Retry {
    /// The errors.
    pub on: Vec<ErrorName>,
    /// How many times at most, the first time not counted; depends on parameters alone.
    pub max: Template,
}

/// Runs a step again until a condition holds.
#[derive(Debug, Clone)]
pub struct Repeat {
    /// The condition.
    pub until: Template,
    /// How many times at most, the first time counted; depends on parameters alone.
    pub max: Template,
}

/// A call where it stands.
#[derive(Debug, Clone)]
pub struct PlacedCall<'a> {
    /// Its number among the operation's calls, from 0, in the order of the file.
    pub position: usize,
    /// The call.
    pub call: &'a CallStep,
    /// The blocks around it, the outermost first.
    pub blocks: Vec<&'a BlockStep>,
}

impl PlacedCall<'_> {
    /// Whether it is made inside a transaction.
    pub fn in_transaction(&self) -> bool {
        self.blocks.iter().any(|block| block.kind == Block::Transaction)
    }
}

/// All calls of these steps, inside blocks too, in the order of the file.
pub fn calls(steps: &[Step]) -> Vec<PlacedCall<'_>> {
    let mut found = Vec::new();
    collect(steps, &mut Vec::new(), &mut found);
    found
}

fn collect<'a>(steps: &'a [Step], blocks: &mut Vec<&'a BlockStep>, found: &mut Vec<PlacedCall<'a>>) {
    for step in steps {
        match step {
            Step::Call(call) => found.push(PlacedCall { position: found.len(), call, blocks: blocks.clone() }),
            Step::Block(block) => {
                blocks.push(block);
                collect(&block.steps, blocks, found);
                blocks.pop();
            }
        }
    }
}
