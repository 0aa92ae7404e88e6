//! `^join`: two lists by key, as an application joins after two finds.

use std::collections::HashMap;

use bson::{Bson, Document};

use super::wanted;
use crate::value::error::RenderError;
use crate::value::expression::{Call, Expression};
use crate::value::frame::Frame;
use crate::value::number::{identity, size};
use crate::value::path::Path;

/// Places of the options of `^join` among its arguments.
mod option {
    pub(super) const LEFT: usize = 0;
    pub(super) const RIGHT: usize = 1;
    pub(super) const ON: usize = 2;
    pub(super) const LEFT_KEY: usize = 3;
    pub(super) const RIGHT_KEY: usize = 4;
    pub(super) const AS: usize = 5;
    pub(super) const MANY: usize = 6;
    pub(super) const FIELDS: usize = 7;
    pub(super) const UNMATCHED: usize = 8;
}

impl Call {
    pub(super) fn join(&self, frame: &Frame<'_>) -> Result<Vec<Bson>, RenderError> {
        let (left, right) = (self.required(option::LEFT).items(frame)?, self.required(option::RIGHT).items(frame)?);
        let on = self.word(option::ON);
        let left_key = Path::parse(self.word(option::LEFT_KEY).or(on).unwrap_or("_id"));
        let right_key = Path::parse(self.word(option::RIGHT_KEY).or(on).unwrap_or("_id"));
        let fields = self.argument(option::FIELDS).map(|fields| fields.items(frame)).transpose()?;
        let fields: Option<Vec<&str>> = fields.as_ref().map(|fields| fields.iter().filter_map(Bson::as_str).collect());
        let many = self.argument(option::MANY).map_or(Ok(false), |many| Expression::truth(many, frame))?;
        let drop = self.word(option::UNMATCHED) == Some("drop");

        let by_key = index(&right, &right_key);
        let mut joined = Vec::with_capacity(left.len());
        for element in left.iter() {
            let Bson::Document(document) = element else { return Err(wanted("a list of documents", element)) };
            let matches = matches(element, &left_key, &by_key);
            if matches.is_empty() && drop {
                continue;
            }
            let chosen = matches.into_iter().map(|position| selected(&right[position], fields.as_deref()));
            let document = attach(document.clone(), chosen, self.word(option::AS), many)?;
            let document = Bson::Document(document);
            frame.spend(size(&document))?;
            joined.push(document);
        }
        Ok(joined)
    }
}

/// Positions of the right elements by the identity of their key; a list as key counts for each of its values.
fn index(right: &[Bson], key: &Path) -> HashMap<Vec<u8>, Vec<usize>> {
    let mut by_key: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (position, element) in right.iter().enumerate() {
        for key in keys(element, key) {
            by_key.entry(key).or_default().push(position);
        }
    }
    by_key
}

/// Positions of the matching right elements, in the order of the left element's keys, each once.
fn matches(element: &Bson, key: &Path, by_key: &HashMap<Vec<u8>, Vec<usize>>) -> Vec<usize> {
    let mut positions = Vec::new();
    for key in keys(element, key) {
        for position in by_key.get(&key).into_iter().flatten() {
            if !positions.contains(position) {
                positions.push(*position);
            }
        }
    }
    positions
}

/// Null and absent keys match nothing.
fn keys(element: &Bson, key: &Path) -> Vec<Vec<u8>> {
    match &*key.as_ref().follow(element) {
        Bson::Null => Vec::new(),
        Bson::Array(list) => list.iter().map(identity).collect(),
        value => vec![identity(value)],
    }
}

fn selected(element: &Bson, fields: Option<&[&str]>) -> Bson {
    match (element, fields) {
        (Bson::Document(document), Some(fields)) => {
            let chosen = document.iter().filter(|(key, _)| fields.contains(&key.as_str()));
            Bson::Document(chosen.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        _ => element.clone(),
    }
}

fn attach(
    mut document: Document,
    mut matches: impl Iterator<Item = Bson>,
    field: Option<&str>,
    many: bool,
) -> Result<Document, RenderError> {
    match field {
        Some(field) if many => {
            document.insert(field, Bson::Array(matches.collect()));
        }
        Some(field) => {
            if let Some(found) = matches.next() {
                document.insert(field, found);
            }
        }
        None => match matches.next() {
            Some(Bson::Document(found)) => {
                for (key, value) in found {
                    document.entry(key).or_insert(value);
                }
            }
            Some(other) => return Err(wanted("a list of documents", &other)),
            None => {}
        },
    }
    Ok(document)
}
