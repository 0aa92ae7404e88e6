//! The canonical form of an answer: what is compared, free of what does not matter.

use std::collections::BTreeMap;

use bson::{Bson, Document};

use super::number::Number;
use crate::operation::Answer;

/// A value whose form no longer depends on the order of keys or on which type of number holds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Canonical {
    /// Null; something absent is not null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number of any type.
    Number(Number),
    /// A string.
    Text(String),
    /// A date, in milliseconds since 1970.
    Date(i64),
    /// An ObjectId.
    Id([u8; 12]),
    /// Bytes and their subtype.
    Binary(u8, Vec<u8>),
    /// A list.
    List(Vec<Self>),
    /// A document.
    Map(BTreeMap<String, Self>),
    /// A value of another type, as the driver shows it.
    Other(String),
}

impl From<&Bson> for Canonical {
    fn from(value: &Bson) -> Self {
        match value {
            Bson::Null => Self::Null,
            Bson::Boolean(flag) => Self::Bool(*flag),
            Bson::Int32(number) => Self::Number(i64::from(*number).into()),
            Bson::Int64(number) => Self::Number((*number).into()),
            Bson::Double(number) => Self::Number((*number).into()),
            Bson::Decimal128(number) => Self::Number((*number).into()),
            Bson::String(text) => Self::Text(text.clone()),
            Bson::DateTime(date) => Self::Date(date.timestamp_millis()),
            Bson::ObjectId(id) => Self::Id(id.bytes()),
            Bson::Binary(binary) => Self::Binary(binary.subtype.into(), binary.bytes.clone()),
            Bson::Array(elements) => Self::List(elements.iter().map(Self::from).collect()),
            Bson::Document(document) => Self::from(document),
            other => Self::Other(format!("{other:?}")),
        }
    }
}

impl From<&Document> for Canonical {
    fn from(document: &Document) -> Self {
        Self::Map(document.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect())
    }
}

impl Canonical {
    /// The items of an answer. Documents are items; a list has its elements; a single document, as `findOne` or
    /// `result:` gives it, is a list of one, and null one of none, so that models may read in different ways.
    ///
    /// # Errors
    /// Where a document received is no valid BSON.
    pub fn items(answer: &Answer) -> Result<Vec<Self>, bson::error::Error> {
        match answer {
            Answer::Documents(documents) => {
                documents.iter().map(|raw| Document::try_from(raw).map(|document| Self::from(&document))).collect()
            }
            Answer::Value(Bson::Array(elements)) => Ok(elements.iter().map(Self::from).collect()),
            Answer::Value(Bson::Null) => Ok(Vec::new()),
            Answer::Value(value) => Ok(vec![Self::from(value)]),
        }
    }
}
