//! Documents and lists from calculated parts: `^object`, `^range`.

use bson::{Bson, Document};

use super::wanted;
use crate::value::error::RenderError;
use crate::value::expression::Call;
use crate::value::frame::Frame;
use crate::value::number::{ELEMENT, describe, size, unsigned};

impl Call {
    /// The document of a list of pairs; null of null.
    pub(super) fn object(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let pairs = self.required(0).evaluate(frame)?;
        let pairs = match &*pairs {
            Bson::Array(pairs) => pairs,
            Bson::Null => return Ok(Bson::Null),
            other => return Err(wanted("a list of [key, value] pairs", other)),
        };
        let mut document = Document::new();
        for (place, pair) in pairs.iter().enumerate() {
            let (key, value) = pair_of(pair, place)?;
            let key = sound_key(key, place)?;
            frame.spend(size(value) + key.len() as u64)?;
            if document.insert(key, value.clone()).is_some() {
                return Err(RenderError::new(format!("the key `{key}` comes twice; a document has each field once")));
            }
        }
        Ok(Bson::Document(document))
    }

    /// The whole numbers below a number.
    pub(super) fn range(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let count = self.required(0).count(frame)?;
        frame.spend(count.saturating_mul(ELEMENT))?;
        Ok(Bson::Array((0..count).map(unsigned).collect()))
    }
}

fn pair_of(pair: &Bson, place: usize) -> Result<(&Bson, &Bson), RenderError> {
    let found = match pair {
        Bson::Array(pair) => match &pair[..] {
            [key, value] => return Ok((key, value)),
            other => format!("a list of {}", other.len()),
        },
        Bson::Document(pair) => match (pair.get("k"), pair.get("v"), pair.len()) {
            (Some(key), Some(value), 2) => return Ok((key, value)),
            _ => format!("a map of {}", pair.keys().map(String::as_str).collect::<Vec<_>>().join(", ")),
        },
        other => describe(other).to_owned(),
    };
    Err(RenderError::new(format!("element {place} is no pair: [key, value] or {{k, v}} was expected, {found} found")))
}

fn sound_key(key: &Bson, place: usize) -> Result<&str, RenderError> {
    let Bson::String(key) = key else {
        return Err(RenderError::new(format!(
            "the key of element {place} must be a text, {} found; ^format makes a text of other values",
            describe(key)
        )));
    };
    let fault = if key.contains('\0') {
        "holds a null character, which BSON forbids"
    } else if key.starts_with('$') {
        "begins with `$`: write operators out"
    } else {
        return Ok(key);
    };
    Err(RenderError::new(format!("the key {key:?} {fault}")))
}
