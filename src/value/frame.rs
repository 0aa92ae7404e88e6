//! What is known while one value is rendered.

use std::cell::Cell;

use bson::{Bson, Document};
use rand_pcg::Pcg64Mcg;

use super::date::NOW_START;
use super::draw::generator;
use super::error::RenderError;
use super::scope::Context;
use super::world::{SetId, World};

/// The largest document that a server takes.
pub(crate) const MAX_DOCUMENT: usize = 16 * 1024 * 1024;
/// The most bytes that one rendering may make: several documents for one call, yet never more than memory bears.
pub(crate) const MAX_RENDERING: u64 = 64 * 1024 * 1024;

/// What is known while one value is rendered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) world: &'a World,
    /// Seed and stream.
    pub(crate) key: u64,
    pub(crate) number: u64,
    /// The element of generated lists; 0 outside of them.
    pub(crate) salt: u64,
    pub(crate) index: u64,
    pub(crate) position: u64,
    pub(crate) now: i64,
    pub(crate) parent: Parent<'a>,
    pub(crate) names: &'a [Option<Bson>],
    pub(crate) it: Option<&'a Bson>,
    pub(crate) each: Option<&'a Bson>,
    /// Bytes that this rendering may still make.
    pub(crate) budget: &'a Cell<u64>,
}

/// The parent row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Parent<'a> {
    None,
    Document(&'a Document),
    /// Not made yet: only the field asked for is.
    Row(SetId, u64),
}

impl<'a> Frame<'a> {
    /// The frame of a context that a caller gives.
    pub(crate) fn of_context(context: &Context<'a>, budget: &'a Cell<u64>) -> Self {
        Self {
            world: context.world,
            key: context.draw.key(),
            number: context.draw.number,
            salt: 0,
            index: context.index,
            position: 0,
            now: NOW_START.saturating_add_unsigned(context.draw.number),
            parent: context.parent.map_or(Parent::None, Parent::Document),
            names: &context.names.values,
            it: context.it,
            each: context.each,
            budget,
        }
    }

    /// A frame in which nothing but parameters is known.
    pub(crate) fn bare(world: &'a World, budget: &'a Cell<u64>) -> Self {
        Self {
            world,
            key: 0,
            number: 0,
            salt: 0,
            index: 0,
            position: 0,
            now: NOW_START,
            parent: Parent::None,
            names: &[],
            it: None,
            each: None,
            budget,
        }
    }

    /// The random numbers of a generator at this place.
    pub(crate) fn random(&self, place: u64) -> Pcg64Mcg {
        generator(self.key, place, self.number, self.salt)
    }

    /// Takes bytes from the budget.
    pub(crate) fn spend(&self, bytes: u64) -> Result<(), RenderError> {
        match self.budget.get().checked_sub(bytes) {
            Some(left) => {
                self.budget.set(left);
                Ok(())
            }
            None => Err(RenderError::new(format!(
                "the value would be larger than {} MiB; a document holds at most 16 MiB",
                MAX_RENDERING >> 20
            ))),
        }
    }
}

/// A full budget.
pub(crate) fn budget() -> Cell<u64> {
    Cell::new(MAX_RENDERING)
}
