//! Expressions as raw bytes: constant runs are copied, the rest is written where it belongs.

use bson::Bson;

use super::Chosen;
use crate::value::encode::{DOCUMENT, IndexKey, LIST, STRING, close, encode, encode_whole, length, open};
use crate::value::error::RenderError;
use crate::value::expression::{Call, Expression, Fields, Part, Reference, Root};
use crate::value::frame::{Frame, MAX_DOCUMENT};
use crate::value::operator::Operator;

impl Expression {
    /// Appends the value (without type and key) and returns its type byte.
    pub(crate) fn write(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<u8, RenderError> {
        match self {
            Self::Constant(value) => Ok(encode(value, out)),
            Self::Document(fields) => fields.write(frame, out).map(|()| DOCUMENT),
            Self::List(fields) => fields.write(frame, out).map(|()| LIST),
            Self::Reference(reference) => reference.write(frame, out),
            Self::Call(call) => {
                call.write(frame, out).map_err(|error| error.of(format_args!("^{}", call.operator.name())))
            }
        }
    }
}

impl Fields {
    /// Appends the whole document or list.
    pub(crate) fn write(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), RenderError> {
        let start = open(out);
        self.write_elements(frame, out)?;
        close(out, start);
        Ok(())
    }

    /// Appends the elements alone.
    pub(crate) fn write_elements(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), RenderError> {
        for part in &self.parts {
            match part {
                Part::Constant { bytes, .. } => out.extend_from_slice(bytes),
                Part::Field { key, value } => {
                    write_element(key.as_bytes(), value, frame, out).map_err(|error| error.of(key))?
                }
            }
            check_size(out)?;
        }
        Ok(())
    }
}

fn write_element(key: &[u8], value: &Expression, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), RenderError> {
    let kind = out.len();
    out.push(0);
    out.extend_from_slice(key);
    out.push(0);
    out[kind] = value.write(frame, out)?;
    Ok(())
}

/// Keeps a document from growing without bound while it is written.
pub(crate) fn check_size(out: &[u8]) -> Result<(), RenderError> {
    if out.len() > MAX_DOCUMENT {
        return Err(RenderError::new("the document would be larger than 16 MiB, more than any server takes"));
    }
    Ok(())
}

impl Reference {
    fn write(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<u8, RenderError> {
        match (&self.root, i64::try_from(frame.index)) {
            (Root::Index, Ok(index)) if self.path.is_empty() => Ok(encode_whole(index, out)),
            _ => Ok(encode(&*self.evaluate(frame)?, out)),
        }
    }
}

impl Call {
    fn write(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<u8, RenderError> {
        match &self.operator {
            Operator::Choose => match self.choose(frame)? {
                Chosen::Written(expression) => expression.write(frame, out),
                Chosen::Value(value) => Ok(encode(&value, out)),
            },
            Operator::Int => Ok(encode_whole(self.int(frame)?, out)),
            Operator::Double => Ok(encode(&Bson::Double(self.double(frame)?), out)),
            Operator::Bool => Ok(encode(&Bson::Boolean(self.bool(frame)?), out)),
            Operator::ObjectId => Ok(encode(&Bson::ObjectId(self.object_id(frame)), out)),
            Operator::Key => self.write_key(frame, out),
            Operator::If => self.branch(frame)?.write(frame, out),
            Operator::Repeat => self.required(0).write(&self.repeated(frame)?, out),
            Operator::Words | Operator::Text | Operator::Format(_) => self.write_text(frame, out),
            Operator::Array if !self.distinct(frame)? => self.write_array(frame, out),
            Operator::Map => self.write_map(frame, out),
            _ => Ok(encode(&*self.evaluate(frame)?, out)),
        }
    }

    fn write_text(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<u8, RenderError> {
        let start = open(out);
        self.append_text(frame, out)?;
        out.push(0);
        let bytes = length(out.len() - start - 4);
        out[start..start + 4].copy_from_slice(&bytes);
        Ok(STRING)
    }

    fn write_array(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<u8, RenderError> {
        let count = self.required(1).count(frame)?;
        let element = self.required(0);
        write_list(out, (0..count).map(|position| (element, self.element_frame(frame, position, position))))
    }

    fn write_map(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<u8, RenderError> {
        let list = self.required(0).items(frame)?;
        let element = self.required(1);
        write_list(out, list.iter().zip(0..).map(|(it, position)| (element, self.body_frame(frame, it, position))))
    }
}

fn write_list<'a>(
    out: &mut Vec<u8>,
    elements: impl Iterator<Item = (&'a Expression, Frame<'a>)>,
) -> Result<u8, RenderError> {
    let start = open(out);
    let mut key = IndexKey::default();
    for (element, frame) in elements {
        write_element(key.next(), element, &frame, out)?;
        check_size(out)?;
    }
    close(out, start);
    Ok(LIST)
}
