//! Runs blocks: their conditions, their loops, what they bind.

use bson::{Bson, doc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::execute::{Execution, broken_assertion, inner_turn, out_of_turns};
use super::render::{elements, holds};
use super::tree::{BlockProgram, Item};
use crate::backend::{Backend, CallError};
use crate::words::{Block, ErrorName};

/// What a block came to, over all elements of its `forEach`.
#[derive(Debug, Default)]
pub(super) struct BlockDone {
    /// Attempts that it took.
    pub(super) attempts: u32,
    /// The first error that is an answer.
    pub(super) error: Option<ErrorName>,
}

impl<'a, B: Backend> Execution<'a, B> {
    /// Runs a block. Boxed, since blocks hold blocks.
    pub(super) fn block<'s>(&'s mut self, block: &'a BlockProgram) -> BoxFuture<'s, Result<(), CallError>>
    where
        'a: 's,
    {
        async move {
            self.forget(block);
            if let Some(slot) = block.binding {
                self.names.values[slot] = None;
            }
            if let Some(when) = &block.when
                && !self.with_it(None, |context| holds(when, context))?
            {
                return Ok(());
            }
            let outside = (self.each.clone(), self.turn);
            let done = self.block_for_each(block).await;
            (self.each, self.turn) = outside;
            let done = done?;
            if let Some(slot) = block.binding {
                let error = done.error.map(ErrorName::word);
                self.names.values[slot] = Some(Bson::Document(doc! { "attempts": done.attempts, "error": error }));
            }
            Ok(())
        }
        .boxed()
    }

    async fn block_for_each(&mut self, block: &'a BlockProgram) -> Result<BlockDone, CallError> {
        let mut done = BlockDone::default();
        let Some(list) = &block.for_each else {
            self.block_repeatedly(block, &mut done).await?;
            return Ok(done);
        };
        let outer = self.turn;
        let list = self.with_it(None, |context| elements(list, context))?;
        for (round, element) in (0..).zip(list) {
            self.each = Some(element);
            self.turn = inner_turn(outer, round);
            self.block_repeatedly(block, &mut done).await?;
        }
        Ok(done)
    }

    async fn block_repeatedly(&mut self, block: &'a BlockProgram, done: &mut BlockDone) -> Result<(), CallError> {
        let outer = self.turn;
        for round in 0.. {
            self.turn = inner_turn(outer, round);
            self.forget(block);
            match block.kind {
                Block::Transaction => self.transaction(block, done).await?,
                Block::Do => self.body(block).await?,
            }
            let Some(repeat) = &block.repeat else { break };
            if self.with_it(None, |context| holds(&repeat.until, context)).map_err(|error| error.at(block.place()))? {
                break;
            }
            if round + 1 == repeat.max {
                return Err(out_of_turns(repeat.max).at(block.place()));
            }
        }
        self.turn = outer;
        Ok(())
    }

    /// Runs a block's steps once, and holds it to what it asserts.
    pub(super) async fn body(&mut self, block: &'a BlockProgram) -> Result<(), CallError> {
        for item in &block.items {
            match item {
                Item::Call(position) => self.step(*position).await?,
                Item::Block(inner) => self.block(inner).await?,
            }
        }
        match &block.assert {
            Some(assert) if !self.with_it(None, |context| holds(assert, context))? => {
                Err(broken_assertion().at(block.place()))
            }
            _ => Ok(()),
        }
    }

    /// Makes what a block binds inside null again.
    pub(super) fn forget(&mut self, block: &BlockProgram) {
        for slot in &block.slots {
            self.names.values[*slot] = None;
        }
    }
}

impl BlockProgram {
    /// Where it stands, for a message.
    pub(super) fn place(&self) -> String {
        format!("the {} from step {} on", self.word(), self.first + 1)
    }

    fn word(&self) -> &'static str {
        match self.kind {
            Block::Transaction => "transaction",
            Block::Do => "block",
        }
    }
}
