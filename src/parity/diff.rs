//! A difference between two models, told to a person.

use std::fmt;

use super::canonical::Canonical;
use super::difference::{Difference, PathStep};
use super::project::Fields;
use super::show::{show, show_path};
use crate::operation::Answer;

/// How two models answer the same operation differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The operation.
    pub operation: String,
    /// The number that its arguments were drawn under.
    pub number: u64,
    /// Its arguments, as JSON.
    pub arguments: String,
    /// What differs: a field's path inside one of the results, the number of results, or whether there is an answer.
    pub what: String,
    /// The first model.
    pub left: DiffSide,
    /// The second model.
    pub right: DiffSide,
}

/// One model's side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffSide {
    /// The model.
    pub model: String,
    /// What stands at the place of the difference.
    pub value: String,
    /// Its answer, shortened around the difference.
    pub answer: String,
}

/// The results of a model: the fields that are compared, and each one's `_id` to name it by.
#[derive(Debug, Clone, Default)]
pub(super) struct Items {
    pub(super) compared: Vec<Canonical>,
    ids: Vec<Option<Canonical>>,
}

impl Items {
    /// The results of an answer, reduced to these fields.
    pub(super) fn new(answer: &Answer, fields: &Fields) -> Result<Self, bson::error::Error> {
        let whole = Canonical::items(answer)?;
        let id = |item: &Canonical| match item {
            Canonical::Map(entries) => entries.get("_id").cloned(),
            _ => None,
        };
        Ok(Self {
            compared: whole.iter().map(|item| fields.project(item)).collect(),
            ids: whole.iter().map(id).collect(),
        })
    }
}

impl DiffSide {
    /// The side of a model that answers: what stands at `path` of its result `item`.
    pub(super) fn of_answer(
        model: &str,
        items: &Items,
        item: Option<usize>,
        path: &[PathStep],
        value: Option<&Canonical>,
    ) -> Self {
        let count = items.compared.len();
        let answer = match item.and_then(|item| Some((item, items.compared.get(item)?))) {
            Some((index, item)) => {
                let id = items.ids.get(index).and_then(Option::as_ref);
                let id = id.map(|id| format!(" (_id {})", show(id, &[]))).unwrap_or_default();
                format!("result {} of {count}{id}: {}", index + 1, show(item, path))
            }
            None if count == 1 => "1 result".to_owned(),
            None => format!("{count} results"),
        };
        let value = value.map_or_else(|| "nothing".to_owned(), |value| show(value, &[]));
        Self { model: model.to_owned(), value, answer }
    }
}

impl DiffSide {
    /// The same with another value.
    pub(super) fn saying(mut self, value: &str) -> Self {
        self.value = value.to_owned();
        self
    }
}

/// The place of a difference, as a person names it.
pub(super) fn place(difference: &Difference) -> String {
    match difference.left_item.or(difference.right_item) {
        None => "the number of results".to_owned(),
        Some(item) if difference.path.is_empty() => format!("result {}", item + 1),
        Some(item) => format!("{} of result {}", show_path(&difference.path), item + 1),
    }
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, number, arguments, what, left, right } = self;
        let width = left.model.len().max(right.model.len()) + 1;
        writeln!(f, "{operation} answers differently (operation number {number})")?;
        writeln!(f, "  arguments: {arguments}")?;
        writeln!(f, "  first difference: {what}")?;
        for side in [left, right] {
            writeln!(f, "    {:width$} {}", format!("{}:", side.model), side.value)?;
        }
        writeln!(f, "  answers:")?;
        writeln!(f, "    {:width$} {}", format!("{}:", left.model), left.answer)?;
        write!(f, "    {:width$} {}", format!("{}:", right.model), right.answer)
    }
}
