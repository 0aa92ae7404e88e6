//! Rows and parts of rows.

use std::cell::Cell;
use std::collections::HashSet;

use bson::raw::RawDocumentBuf;
use bson::{Bson, Document};
use rand_pcg::Pcg64Mcg;

use super::{Layout, Origin, Set, SetId, World};
use crate::value::draw::mix;
use crate::value::encode::{close, encode, open};
use crate::value::error::RenderError;
use crate::value::evaluate::{check_size, rank, row_object_id};
use crate::value::expression::{Expression, Found};
use crate::value::frame::{Frame, Parent, budget};
use crate::value::number::identity;
use crate::value::path::Path;
use crate::value::permutation::Permutation;
use crate::value::template::{raw, write_document};

impl World {
    /// Row `number` of a set as raw BSON. A row whose document names no `_id` gets an ObjectId made from the seed, first.
    ///
    /// # Errors
    /// When there is no such set or row, or a value cannot be rendered.
    pub fn row(&self, set: &str, number: u64) -> Result<RawDocumentBuf, RenderError> {
        let mut bytes = Vec::with_capacity(256);
        self.write_row(set, number, &mut bytes)?;
        Ok(raw(bytes))
    }

    /// As [`row`](Self::row), into a buffer whose content is replaced.
    ///
    /// # Errors
    /// As [`row`](Self::row).
    pub fn write_row(&self, set: &str, number: u64, out: &mut Vec<u8>) -> Result<(), RenderError> {
        let id = self.set_id(set).ok_or_else(|| RenderError::new(format!("the dataset has no set `{set}`")))?;
        self.write(id, number, out)
    }

    pub(super) fn write(&self, id: SetId, number: u64, out: &mut Vec<u8>) -> Result<(), RenderError> {
        let set = self.set(id);
        if number >= set.rows {
            return Err(RenderError::new(format!("the set `{}` has {} rows, no row {number}", set.name, set.rows)));
        }
        out.clear();
        let budget = budget();
        self.write_known(set, number, out, &budget)
            .map_err(|error| error.of(format_args!("row {number} of `{}`", set.name)))
    }

    fn write_known(&self, set: &Set, number: u64, out: &mut Vec<u8>, budget: &Cell<u64>) -> Result<(), RenderError> {
        if let Origin::File(documents) = &set.origin {
            out.extend_from_slice(documents[number as usize].as_bytes());
            return Ok(());
        }
        let frame = self.frame(set, number, budget);
        match set.expression() {
            Expression::Document(fields) => {
                let start = open(out);
                if fields.get("_id").is_none() {
                    write_id(set, number, out);
                }
                fields.write_elements(&frame, out)?;
                close(out, start);
                check_size(out)
            }
            other => {
                write_document(other, &frame, out)?;
                with_id(set, number, out);
                Ok(())
            }
        }
    }

    /// The `_id` of a row.
    pub(crate) fn key(&self, id: SetId, number: u64, budget: &Cell<u64>) -> Result<Bson, RenderError> {
        let set = self.set(id);
        match set.document.as_ref() {
            Some(Expression::Document(fields)) => match fields.get("_id") {
                Some(Found::Dynamic(value)) => Ok(value.evaluate(&self.frame(set, number, budget))?.into_owned()),
                Some(Found::Constant(value)) => Ok(value.clone()),
                None => Ok(Bson::ObjectId(row_object_id(set.key, number))),
            },
            _ => self.field(id, number, &Path::parse("_id"), budget),
        }
    }

    /// Appends the `_id` of a row (without type and key) and returns its type byte.
    pub(crate) fn write_key(
        &self,
        id: SetId,
        number: u64,
        budget: &Cell<u64>,
        out: &mut Vec<u8>,
    ) -> Result<u8, RenderError> {
        let set = self.set(id);
        if let Some(Expression::Document(fields)) = &set.document
            && let Some(Found::Dynamic(value)) = fields.get("_id")
        {
            return value.write(&self.frame(set, number, budget), out);
        }
        Ok(encode(&self.key(id, number, budget)?, out))
    }

    /// A part of a row, without making the rest of it where that can be avoided; an empty path is the whole row.
    pub(crate) fn field(&self, id: SetId, number: u64, path: &Path, budget: &Cell<u64>) -> Result<Bson, RenderError> {
        let set = self.set(id);
        if let (Some(Expression::Document(fields)), Some((first, rest))) = (&set.document, path.split_first()) {
            return match fields.get(first) {
                Some(Found::Constant(value)) => Ok(rest.follow(value).into_owned()),
                Some(Found::Dynamic(value)) => {
                    let value = value.evaluate(&self.frame(set, number, budget)).map_err(|error| error.of(first))?;
                    Ok(rest.follow_owned(value.into_owned()))
                }
                None if first == "_id" => Ok(rest.follow_owned(self.key(id, number, budget)?)),
                None => Ok(Bson::Null),
            };
        }
        if let (Origin::File(documents), Some((first, rest))) = (&set.origin, path.split_first()) {
            let value = documents[number as usize].get(first).ok().flatten();
            let value = value.and_then(|value| Bson::try_from(value).ok());
            return Ok(value.map_or(Bson::Null, |value| rest.follow_owned(value)));
        }
        let mut bytes = Vec::new();
        self.write(id, number, &mut bytes)?;
        let document = Document::try_from(&*raw(bytes))
            .map_err(|error| RenderError::new(format!("row {number} of `{}` is no sound BSON: {error}", set.name)))?;
        Ok(path.as_ref().follow_owned(Bson::Document(document)))
    }

    /// The different values of a field in the rows of a set, in the order of the rows; numbers that are equal are one
    /// value.
    ///
    /// # Errors
    /// When there is no such set, a value cannot be rendered, a row lacks the field, or there are more than `most`.
    pub fn distinct(&self, set: &str, field: &str, most: usize) -> Result<Vec<Bson>, RenderError> {
        let id = self.set_id(set).ok_or_else(|| RenderError::new(format!("the dataset has no set `{set}`")))?;
        let (path, mut seen, mut values) = (Path::parse(field), HashSet::new(), Vec::new());
        for number in 0..self.rows(id) {
            let value = self
                .field(id, number, &path, &budget())
                .map_err(|error| error.of(format_args!("row {number} of `{set}`")))?;
            if value == Bson::Null {
                return Err(RenderError::new(format!("row {number} of `{set}` has no `{field}`")));
            }
            if seen.insert(identity(&value)) {
                values.push(value);
            }
            if values.len() > most {
                return Err(RenderError::new(format!("`{field}` of `{set}` has more than {most} different values")));
            }
        }
        Ok(values)
    }

    fn frame<'a>(&'a self, set: &'a Set, number: u64, budget: &'a Cell<u64>) -> Frame<'a> {
        let (parent, position) = match &set.origin {
            Origin::Children { of, layout, .. } => {
                let (parent, position) = layout.parent(number);
                (Parent::Row(*of, parent), position)
            }
            _ => (Parent::None, 0),
        };
        Frame { key: set.key, number, index: number, position, parent, ..Frame::bare(self, budget) }
    }

    /// The row of a rank of popularity (0: the most popular), the same in every stream, scattered over the set.
    pub(crate) fn by_popularity(&self, set: SetId, rank: u64) -> u64 {
        Permutation::new(mix(self.permutation_key(set) ^ 1), self.rows(set)).forward(rank)
    }

    /// A row of a class of `children`: of the parents, or a child of such a parent (the parent is drawn by `exponent`,
    /// the child uniformly).
    pub(crate) fn pick_of_class(
        &self,
        set: SetId,
        class: &str,
        random: &mut Pcg64Mcg,
        exponent: Option<f64>,
    ) -> Result<u64, RenderError> {
        let empty = || RenderError::new(format!("the class `{class}` of `{}` has no rows", self.name(set)));
        for candidate in &self.sets {
            let Origin::Children { of, layout, classes: Some(classes) } = &candidate.origin else { continue };
            let is_child = std::ptr::eq(candidate, self.set(set));
            let Some(places) = classes.places(class).filter(|_| *of == set || is_child) else { continue };
            let count = places.end - places.start;
            if count == 0 {
                return Err(empty());
            }
            let parent = classes.row(places.start + rank(random, count, exponent)?);
            return if is_child { child(layout, parent, random).ok_or_else(empty)? } else { Ok(parent) };
        }
        let known: Vec<&str> = self.sets.iter().flat_map(|candidate| self.class_names(candidate, set)).collect();
        Err(RenderError::new(format!(
            "the set `{}` has no class `{class}`; {}",
            self.name(set),
            if known.is_empty() {
                "no classes are declared for it".to_owned()
            } else {
                format!("there are {}", known.join(", "))
            }
        )))
    }

    fn class_names<'a>(&'a self, candidate: &'a Set, set: SetId) -> Vec<&'a str> {
        match &candidate.origin {
            Origin::Children { of, classes: Some(classes), .. }
                if *of == set || std::ptr::eq(candidate, self.set(set)) =>
            {
                classes.names().collect()
            }
            _ => Vec::new(),
        }
    }
}

fn child(layout: &Layout, parent: u64, random: &mut Pcg64Mcg) -> Option<Result<u64, RenderError>> {
    let (first, count) = layout.children(parent);
    (count > 0).then(|| Ok(first + rank(random, count, None)?))
}

impl Set {
    fn expression(&self) -> &Expression {
        self.document.as_ref().expect("a set has a document unless its rows come from a file")
    }
}

fn write_id(set: &Set, number: u64, out: &mut Vec<u8>) {
    let kind = out.len();
    out.extend_from_slice(b"\0_id\0");
    out[kind] = encode(&Bson::ObjectId(row_object_id(set.key, number)), out);
}

/// Puts an `_id` in front of a finished document that has none.
fn with_id(set: &Set, number: u64, out: &mut Vec<u8>) {
    let document = raw(std::mem::take(out));
    if matches!(document.get("_id"), Ok(Some(_))) {
        *out = document.into_bytes();
        return;
    }
    let start = open(out);
    write_id(set, number, out);
    let bytes = document.as_bytes();
    out.extend_from_slice(&bytes[4..bytes.len() - 1]);
    close(out, start);
}
