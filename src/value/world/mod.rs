//! The dataset with its sizes known: any row can be made alone.

mod checks;
mod classes;
mod digest;
mod file;
mod population;
mod rows;

use std::path::Path;

use bson::raw::RawDocumentBuf;

use self::classes::Classes;
use super::draw::{Draw, hash, mix};
use super::error::WorldError;
use super::expression::Expression;
use super::scope::Parameters;

pub use self::population::{ChildCount, Population, SetSpec};

/// The dataset with its sizes known: any row can be made alone, a pure function of (seed, set, number).
#[derive(Debug)]
pub struct World {
    seed: u64,
    parameters: Parameters,
    sets: Vec<Set>,
}

/// Names a set of a [`World`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SetId(usize);

/// A set of the dataset.
#[derive(Debug)]
struct Set {
    name: String,
    /// Seed and stream of its rows.
    key: u64,
    rows: u64,
    origin: Origin,
    /// What a row is made from; absent for rows from a file.
    document: Option<Expression>,
}

/// Where the rows of a set come from.
#[derive(Debug)]
enum Origin {
    /// Each row stands for itself.
    Alone,
    /// Rows belong to the rows of another set.
    Children { of: SetId, layout: Layout, classes: Option<Classes> },
    /// Rows were read from a file.
    File(Vec<RawDocumentBuf>),
}

/// How children are dealt out to their parents, in the order of the parents.
#[derive(Debug)]
enum Layout {
    /// So many each.
    Each(u64),
    /// The number of the first child of each parent, and the number of all children last.
    Starts(Vec<u64>),
}

impl Layout {
    /// The parent of a child, and the child's place among its siblings.
    fn parent(&self, child: u64) -> (u64, u64) {
        match self {
            Self::Each(count) => (child / (*count).max(1), child % (*count).max(1)),
            Self::Starts(starts) => {
                let parent = starts.partition_point(|start| *start <= child).saturating_sub(1);
                (parent as u64, child - starts[parent])
            }
        }
    }

    /// The first child of a parent and how many it has.
    fn children(&self, parent: u64) -> (u64, u64) {
        match self {
            Self::Each(count) => (parent * count, *count),
            Self::Starts(starts) => {
                let (first, next) = (starts[parent as usize], starts[parent as usize + 1]);
                (first, next - first)
            }
        }
    }
}

impl World {
    /// Resolves counts under these parameters. `base_dir` is where files of documents are looked for.
    ///
    /// # Errors
    /// Where a count is no whole number or beyond bounds, a file cannot be read, or sets need each other's rows in a
    /// circle. The error names the set.
    pub fn new(seed: u64, parameters: Parameters, sets: Vec<SetSpec>, base_dir: &Path) -> Result<Self, WorldError> {
        population::resolve(seed, parameters, sets, base_dir)
    }

    /// The seed of all values.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The parameters under which counts were resolved.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The names of the sets, in the order given.
    pub fn set_names(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().map(|set| set.name.as_str())
    }

    /// Rows of a set; `None` when there is no such set.
    pub fn count(&self, set: &str) -> Option<u64> {
        self.set_id(set).map(|set| self.rows(set))
    }

    pub(crate) fn set_id(&self, name: &str) -> Option<SetId> {
        self.sets.iter().position(|set| set.name == name).map(SetId)
    }

    pub(crate) fn rows(&self, set: SetId) -> u64 {
        self.set(set).rows
    }

    pub(crate) fn name(&self, set: SetId) -> &str {
        &self.set(set).name
    }

    /// The key of permutations of a set's rows, which no stream shares.
    pub(crate) fn permutation_key(&self, set: SetId) -> u64 {
        mix(self.seed ^ hash(1, self.name(set)))
    }

    fn set(&self, set: SetId) -> &Set {
        &self.sets[set.0]
    }
}

/// Seed and stream of the rows of a set.
fn stream_key(seed: u64, set: &str) -> u64 {
    Draw::new(seed, &format!("dataset/{set}"), 0).key()
}
