//! A compiled value as a tree: constants with places to fill in.

use bson::Bson;

use super::encode::{close, encode, open};
use super::operator::Operator;
use super::path::Path;

/// A compiled value.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    /// Nothing to fill in.
    Constant(Bson),
    /// A document in which something has to be filled in.
    Document(Fields),
    /// A list in which something has to be filled in; its fields are named `0`, `1` …
    List(Fields),
    /// A name and a path.
    Reference(Reference),
    /// A generator or function.
    Call(Box<Call>),
}

/// What a reference begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Root {
    /// A parameter of the run.
    Parameter(Box<str>),
    /// An argument or binding.
    Slot(usize),
    /// The row's or operation's number.
    Index,
    /// The place of a child among its siblings, or of an element in its list, from 0.
    Position,
    /// The parent row.
    Parent,
    /// The scenario's clock.
    Now,
    /// The element or result at hand.
    It,
    /// The element of `forEach`.
    Each,
}

/// A name and a path from it.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    pub(crate) root: Root,
    pub(crate) path: Path,
}

/// A generator or function with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) operator: Operator,
    /// The place in the template, hashed: tells this generator's random values from others'.
    pub(crate) place: u64,
    /// For operators with options: one for each option in the order of the catalogue. Otherwise the list of arguments.
    pub(crate) arguments: Box<[Option<Expression>]>,
}

/// The fields of a document or list, runs of constant ones encoded beforehand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields {
    pub(crate) parts: Vec<Part>,
}

/// A run of constant fields, or a field to fill in.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Constant fields, and the same as raw elements.
    Constant { fields: Vec<(String, Bson)>, bytes: Vec<u8> },
    /// A field to fill in.
    Field { key: String, value: Expression },
}

impl Fields {
    fn new(fields: Vec<(String, Expression)>) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for (key, value) in fields {
            match (value, parts.last_mut()) {
                (Expression::Constant(value), Some(Part::Constant { fields, bytes })) => {
                    append_element(&key, &value, bytes);
                    fields.push((key, value));
                }
                (Expression::Constant(value), _) => {
                    let mut bytes = Vec::new();
                    append_element(&key, &value, &mut bytes);
                    parts.push(Part::Constant { fields: vec![(key, value)], bytes });
                }
                (value, _) => parts.push(Part::Field { key, value }),
            }
        }
        Self { parts }
    }

    /// The field of that name, constant or not.
    pub(crate) fn get(&self, key: &str) -> Option<Found<'_>> {
        self.parts.iter().find_map(|part| match part {
            Part::Constant { fields, .. } => {
                fields.iter().find(|(name, _)| name == key).map(|(_, value)| Found::Constant(value))
            }
            Part::Field { key: name, value } => (name == key).then_some(Found::Dynamic(value)),
        })
    }

    /// The field at that place.
    pub(crate) fn nth(&self, place: usize) -> Option<Found<'_>> {
        let mut left = place;
        for part in &self.parts {
            match part {
                Part::Constant { fields, .. } if left < fields.len() => return Some(Found::Constant(&fields[left].1)),
                Part::Constant { fields, .. } => left -= fields.len(),
                Part::Field { value, .. } if left == 0 => return Some(Found::Dynamic(value)),
                Part::Field { .. } => left -= 1,
            }
        }
        None
    }

    /// The names of the fields, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| match part {
            Part::Constant { fields, .. } => fields.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(),
            Part::Field { key, .. } => vec![key.as_str()],
        })
    }

    /// How many fields there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|part| if let Part::Constant { fields, .. } = part { fields.len() } else { 1 }).sum()
    }

    fn try_map<E>(
        &self,
        change: &mut impl FnMut(&Expression) -> Result<Expression, E>,
    ) -> Result<Vec<(String, Expression)>, E> {
        let mut changed = Vec::new();
        for part in &self.parts {
            match part {
                Part::Constant { fields, .. } => {
                    changed
                        .extend(fields.iter().map(|(key, value)| (key.clone(), Expression::Constant(value.clone()))));
                }
                Part::Field { key, value } => changed.push((key.clone(), change(value)?)),
            }
        }
        Ok(changed)
    }
}

/// A field of [`Fields`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found<'f> {
    Constant(&'f Bson),
    Dynamic(&'f Expression),
}

fn append_element(key: &str, value: &Bson, bytes: &mut Vec<u8>) {
    let kind = bytes.len();
    bytes.push(0);
    bytes.extend_from_slice(key.as_bytes());
    bytes.push(0);
    bytes[kind] = encode(value, bytes);
}

impl Expression {
    /// A document of these fields; constant if they all are.
    pub(crate) fn document(fields: Vec<(String, Self)>) -> Self {
        if fields.iter().all(|(_, value)| matches!(value, Self::Constant(_))) {
            let constants = fields.into_iter().filter_map(|(key, value)| Some((key, value.into_constant()?)));
            return Self::Constant(Bson::Document(constants.collect()));
        }
        Self::Document(Fields::new(fields))
    }

    /// A list of these elements; constant if they all are.
    pub(crate) fn list(elements: Vec<Self>) -> Self {
        if elements.iter().all(|value| matches!(value, Self::Constant(_))) {
            return Self::Constant(Bson::Array(elements.into_iter().filter_map(Self::into_constant).collect()));
        }
        let named = elements.into_iter().enumerate().map(|(index, value)| (index.to_string(), value));
        Self::List(Fields::new(named.collect()))
    }

    /// The value if there is nothing to fill in.
    pub(crate) fn constant(&self) -> Option<&Bson> {
        if let Self::Constant(value) = self { Some(value) } else { None }
    }

    fn into_constant(self) -> Option<Bson> {
        if let Self::Constant(value) = self { Some(value) } else { None }
    }

    /// Calls `visit` with this expression and all below it.
    pub(crate) fn visit<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        match self {
            Self::Constant(_) | Self::Reference(_) => {}
            Self::Document(fields) | Self::List(fields) => {
                for part in &fields.parts {
                    if let Part::Field { value, .. } = part {
                        value.visit(visit);
                    }
                }
            }
            Self::Call(call) => call.arguments.iter().flatten().for_each(|argument| argument.visit(visit)),
        }
    }

    /// The same tree with each child changed; children that became constant are merged with their neighbours.
    pub(crate) fn try_map_children<E>(&self, change: &mut impl FnMut(&Self) -> Result<Self, E>) -> Result<Self, E> {
        Ok(match self {
            Self::Constant(_) | Self::Reference(_) => self.clone(),
            Self::Document(fields) => Self::document(fields.try_map(change)?),
            Self::List(fields) => Self::list(fields.try_map(change)?.into_iter().map(|(_, value)| value).collect()),
            Self::Call(call) => {
                let arguments = call.arguments.iter().map(|argument| argument.as_ref().map(&mut *change).transpose());
                Self::Call(Box::new(Call {
                    operator: call.operator.clone(),
                    place: call.place,
                    arguments: arguments.collect::<Result<_, E>>()?,
                }))
            }
        })
    }

    /// The bytes of a constant document.
    pub(crate) fn constant_document(&self) -> Option<Vec<u8>> {
        let Some(Bson::Document(document)) = self.constant() else { return None };
        let mut bytes = Vec::new();
        let start = open(&mut bytes);
        document.iter().for_each(|(key, value)| append_element(key, value, &mut bytes));
        close(&mut bytes, start);
        Some(bytes)
    }
}
