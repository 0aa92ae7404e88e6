//! What a template may refer to where it stands, and what rendering finds there.

use std::collections::BTreeMap;

use bson::{Bson, Document};

use super::draw::Draw;
use super::world::World;

/// Resolved parameters of a run, by name.
pub type Parameters = BTreeMap<String, Bson>;

/// The names that a template may refer to where it stands.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Parameters (`^products`).
    pub parameters: Vec<String>,
    /// Sets of the dataset that `^key`, `^row`, `^pairs` may name.
    pub sets: Vec<String>,
    /// `^index` is known (rows, and arguments: the operation's number).
    pub index: bool,
    /// `^parent` and `^position` are known (rows of `children`).
    pub parent: bool,
    /// `^now` and random draws are known (rows and arguments, not steps or collections).
    pub draws: bool,
    /// `^it` is known (a step's `select`). The bodies of `^map` and `^filter` know it anyway.
    pub it: bool,
    /// `^each` is known (a step or block with `forEach`, a step over all partitions, an index with `forEach`).
    pub each: bool,
    /// Arguments, then bindings, in slot order. One name is only one of parameter, argument, binding.
    pub names: Vec<String>,
    /// Where the template stands, as part of the place of its generators: templates that are rendered from the same
    /// stream and number need different places, or they draw the same values. For an argument its name; empty for
    /// the document of a set.
    pub place: String,
}

/// Values of arguments and bindings by slot; absent slots render null.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// By slot, in the order of [`Scope::names`].
    pub values: Vec<Option<Bson>>,
}

/// All that rendering may look at.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The dataset: `^key`, `^row`, `^pairs`, and parameters that were not filled in beforehand.
    pub world: &'a World,
    /// Where random values come from. Its number also sets `^now`: [`NOW_START`](super::NOW_START) plus as many milliseconds.
    pub draw: Draw,
    /// `^index`: the row's or the operation's number.
    pub index: u64,
    /// `^parent`: the parent row, for rows of `children`.
    pub parent: Option<&'a Document>,
    /// Arguments and bindings.
    pub names: &'a Names,
    /// Value of `^it` (a step's `select`).
    pub it: Option<&'a Bson>,
    /// Value of `^each` (a step with `forEach`).
    pub each: Option<&'a Bson>,
}
