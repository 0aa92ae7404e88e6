//! By which rules the answers to an operation are compared.

use super::project::Fields;
use crate::scenario::Returns;

/// Differences that do not make a mismatch and are counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Apart {
    /// In a field frozen when written.
    Snapshot,
    /// In a field whose last writer wins, after operations ran beside each other.
    LastWrite,
}

/// The rules for one operation.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) fields: Fields,
    /// The declared fields in the order of the file, which is the order in which differences are told.
    declared: Vec<Vec<String>>,
    /// Whether the order of lists counts, of documents and inside them; else they are compared as sets that may hold a
    /// value several times.
    pub(super) order: bool,
    /// Whether only the number of documents counts.
    pub(super) count_only: bool,
    tolerance: Vec<(Vec<String>, f64)>,
    apart: Vec<(Vec<String>, Apart)>,
}

impl Rules {
    /// The rules that `returns` states. Fields that follow the truth after a delay are compared like any other: whoever
    /// brings them up to date is idle by then. `concurrent` where operations have run beside each other, so that the last
    /// writer of a field may be another in each model.
    pub(super) fn new(returns: &Returns, concurrent: bool) -> Self {
        let last_write: &[String] = if concurrent { &returns.last_write } else { &[] };
        let apart = [(returns.snapshot.as_slice(), Apart::Snapshot), (last_write, Apart::LastWrite)];
        Self {
            fields: Fields::new(&returns.fields),
            declared: returns.fields.iter().map(|path| keys(path)).collect(),
            order: returns.order,
            count_only: returns.order_dependent,
            tolerance: returns.tolerance.iter().map(|(path, tolerance)| (keys(path), *tolerance)).collect(),
            apart: apart
                .into_iter()
                .flat_map(|(paths, kind)| paths.iter().map(move |path| (keys(path), kind)))
                .collect(),
        }
    }

    /// The declared fields, as the keys that lead to them.
    pub(super) fn declared(&self) -> &[Vec<String>] {
        &self.declared
    }

    /// The place of the field at this path in the order of declared fields.
    pub(super) fn rank(&self, path: &[&str]) -> usize {
        let leads_to = |declared: &Vec<String>| declared.iter().zip(path).all(|(declared, key)| declared == key);
        self.declared.iter().position(leads_to).unwrap_or(self.declared.len())
    }

    /// By how much numbers at this path may differ.
    pub(super) fn tolerance(&self, path: &[&str]) -> Option<f64> {
        self.tolerance.iter().find(|(declared, _)| covers(declared, path)).map(|(_, tolerance)| *tolerance)
    }

    /// Whether differences at this path are counted apart.
    pub(super) fn apart(&self, path: &[&str]) -> Option<Apart> {
        self.apart.iter().find(|(declared, _)| covers(declared, path)).map(|(_, kind)| *kind)
    }

    /// Whether values at this path may differ without making a mismatch.
    pub(super) fn is_soft(&self, path: &[&str]) -> bool {
        self.tolerance(path).is_some() || self.apart(path).is_some()
    }
}

fn keys(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

/// Whether a declared path names the field at `path` or something that holds it.
fn covers(declared: &[String], path: &[&str]) -> bool {
    declared.len() <= path.len() && declared.iter().zip(path).all(|(declared, key)| declared == key)
}
