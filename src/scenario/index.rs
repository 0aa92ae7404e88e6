//! Indexes: written out, or made from a list and from calculated field names.

use bson::{Bson, Document};

use super::partition::{listed, over_parameters};
use super::types::Index;
use crate::value::{RenderError, Template, World};

/// Kinds of an index's field besides a direction.
const KINDS: &[&str] = &["text", "hashed", "2d", "2dsphere"];

/// An entry of a collection's `indexes`.
#[derive(Debug, Clone)]
pub enum IndexDefinition {
    /// An index as written.
    Written(Index),
    /// Indexes that are known once parameters are.
    Computed(Box<ComputedIndexes>),
}

/// Indexes that are known once parameters are.
#[derive(Debug, Clone)]
pub struct ComputedIndexes {
    /// One index for each element of this list, which `^each` names; without it there is one.
    pub for_each: Option<Template>,
    /// The fields and their directions: a document, or a list of pairs whose first is a field's name.
    pub key: Template,
    /// The name, if it is not the default one.
    pub name: Option<Template>,
    /// Further options, constant.
    pub options: Document,
}

impl From<Index> for IndexDefinition {
    fn from(index: Index) -> Self {
        Self::Written(index)
    }
}

impl Index {
    /// Its name: the given one, or its fields and directions as drivers put them together.
    pub fn name(&self) -> String {
        match self.options.get_str("name") {
            Ok(name) => name.to_owned(),
            Err(_) => default_name(&self.key),
        }
    }
}

/// The indexes that these entries are under the parameters of a world, in their order.
///
/// # Errors
/// Where a list, a key or a name is none, or two indexes would share a name. The message says which entry.
pub fn resolved_indexes(definitions: &[IndexDefinition], world: &World) -> Result<Vec<Index>, RenderError> {
    let mut indexes: Vec<Index> = Vec::new();
    for (place, definition) in definitions.iter().enumerate() {
        let found = match definition {
            IndexDefinition::Written(index) => vec![index.clone()],
            IndexDefinition::Computed(computed) => computed.resolved(world).map_err(|error| RenderError {
                message: format!("entry {} of `indexes`: {}", place + 1, error.message),
            })?,
        };
        for index in found {
            let name = index.name();
            if indexes.iter().any(|earlier| earlier.name() == name) {
                let message = format!(
                    "entry {} of `indexes` makes a second index `{name}`; does its key name `^each`?",
                    place + 1
                );
                return Err(RenderError { message });
            }
            indexes.push(index);
        }
    }
    Ok(indexes)
}

impl ComputedIndexes {
    fn resolved(&self, world: &World) -> Result<Vec<Index>, RenderError> {
        match &self.for_each {
            None => Ok(vec![self.index(world, None)?]),
            Some(list) => {
                listed(list, world, "`forEach`")?.iter().map(|element| self.index(world, Some(element))).collect()
            }
        }
    }

    fn index(&self, world: &World, each: Option<&Bson>) -> Result<Index, RenderError> {
        let key = key_of(over_parameters(&self.key, world, each)?)?;
        let mut options = self.options.clone();
        if let Some(name) = &self.name {
            match over_parameters(name, world, each)? {
                Bson::String(name) => options.insert("name", name),
                other => return Err(RenderError { message: format!("`name` must be a text, but is {other}") }),
            };
        }
        Ok(Index { key, options })
    }
}

/// An index key from a document or a list of pairs.
///
/// # Errors
/// Where it is neither, names no field or one twice, or a direction is none.
pub(super) fn key_of(key: Bson) -> Result<Document, RenderError> {
    let fields: Vec<(String, Bson)> = match key {
        Bson::Document(fields) => fields.into_iter().collect(),
        Bson::Array(pairs) => pairs.into_iter().map(pair_of).collect::<Result<_, _>>()?,
        other => return Err(RenderError { message: format!("an index key names fields, but is {other}") }),
    };
    let mut document = Document::new();
    for (field, direction) in fields {
        if !is_direction(&direction) {
            let message = format!("the index on `{field}` has no direction that MongoDB knows: {direction}");
            return Err(RenderError { message });
        }
        if document.insert(field.clone(), direction).is_some() {
            return Err(RenderError { message: format!("an index key names `{field}` twice") });
        }
    }
    if document.is_empty() {
        return Err(RenderError { message: "an index key names at least one field".to_owned() });
    }
    Ok(document)
}

fn pair_of(pair: Bson) -> Result<(String, Bson), RenderError> {
    let Bson::Array(pair) = &pair else { return Err(no_pair(&pair)) };
    match &pair[..] {
        [Bson::String(field), direction] if is_field(field) => Ok((field.clone(), direction.clone())),
        _ => Err(no_pair(&Bson::Array(pair.clone()))),
    }
}

fn no_pair(found: &Bson) -> RenderError {
    RenderError { message: format!("an index key is a list of [field, direction], but holds {found}") }
}

fn is_field(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('$') && !name.contains('\0')
}

/// Whether a value says how a field is indexed.
pub(super) fn is_direction(value: &Bson) -> bool {
    match value {
        Bson::Int32(direction) => matches!(direction, 1 | -1),
        Bson::Int64(direction) => matches!(direction, 1 | -1),
        Bson::Double(direction) => direction.abs() == 1.0,
        Bson::String(kind) => KINDS.contains(&kind.as_str()),
        _ => false,
    }
}

/// The name that drivers give an index: its fields and directions.
fn default_name(key: &Document) -> String {
    let parts: Vec<String> = key
        .iter()
        .map(|(field, direction)| match direction {
            Bson::String(kind) => format!("{field}_{kind}"),
            number => format!("{field}_{}", number.clone().into_relaxed_extjson()),
        })
        .collect();
    parts.join("_")
}
