//! Rendering: expressions become values or bytes.

mod arithmetic;
mod dates;
mod functions;
mod generators;
mod join;
mod lists;
mod objects;
mod picks;
mod texts;
mod write;

use std::borrow::Cow;

use bson::{Bson, Document};

use super::error::RenderError;
use super::expression::{Call, Expression, Fields, Part, Reference, Root};
use super::frame::{Frame, Parent};
use super::number::{as_double, as_whole, date, describe, size, unsigned, whole};
use super::operator::Operator;

pub(crate) use generators::{rank, row_object_id};
pub(crate) use write::check_size;

static NULL: Bson = Bson::Null;

impl Expression {
    /// The value.
    pub(crate) fn evaluate<'a>(&'a self, frame: &Frame<'a>) -> Result<Cow<'a, Bson>, RenderError> {
        match self {
            Self::Constant(value) => Ok(Cow::Borrowed(value)),
            Self::Document(fields) => {
                fields.evaluate_document(frame).map(|document| Cow::Owned(Bson::Document(document)))
            }
            Self::List(fields) => fields.evaluate_list(frame).map(|list| Cow::Owned(Bson::Array(list))),
            Self::Reference(reference) => reference.evaluate(frame),
            Self::Call(call) => {
                call.evaluate(frame).map_err(|error| error.of(format_args!("^{}", call.operator.name())))
            }
        }
    }

    fn whole(&self, frame: &Frame<'_>) -> Result<i64, RenderError> {
        if let Self::Constant(Bson::Int32(number)) = self {
            return Ok(i64::from(*number));
        }
        let value = self.evaluate(frame)?;
        as_whole(&value).ok_or_else(|| wanted("a whole number", &value))
    }

    fn count(&self, frame: &Frame<'_>) -> Result<u64, RenderError> {
        let number = self.whole(frame)?;
        u64::try_from(number).map_err(|_| RenderError::new(format!("a count must be at least 0, not {number}")))
    }

    fn double(&self, frame: &Frame<'_>) -> Result<f64, RenderError> {
        let value = self.evaluate(frame)?;
        as_double(&value).ok_or_else(|| wanted("a number", &value))
    }

    fn truth(&self, frame: &Frame<'_>) -> Result<bool, RenderError> {
        Ok(super::number::is_true(&*self.evaluate(frame)?))
    }

    /// A list; null counts as empty.
    fn items<'a>(&'a self, frame: &Frame<'a>) -> Result<Cow<'a, [Bson]>, RenderError> {
        match self.evaluate(frame)? {
            Cow::Borrowed(Bson::Array(list)) => Ok(Cow::Borrowed(list)),
            Cow::Owned(Bson::Array(list)) => Ok(Cow::Owned(list)),
            value if matches!(*value, Bson::Null) => Ok(Cow::Borrowed(&[])),
            value => Err(wanted("a list", &value)),
        }
    }
}

fn wanted(what: &str, found: &Bson) -> RenderError {
    RenderError::new(format!("{what} was expected, {} found", describe(found)))
}

impl Fields {
    fn evaluate_document(&self, frame: &Frame<'_>) -> Result<Document, RenderError> {
        let mut document = Document::new();
        for part in &self.parts {
            match part {
                Part::Constant { fields, .. } => {
                    document.extend(fields.iter().map(|(key, value)| (key.clone(), value.clone())));
                }
                Part::Field { key, value } => {
                    document.insert(key.clone(), evaluate_field(key, value, frame)?);
                }
            }
        }
        Ok(document)
    }

    fn evaluate_list(&self, frame: &Frame<'_>) -> Result<Vec<Bson>, RenderError> {
        let mut list = Vec::new();
        for part in &self.parts {
            match part {
                Part::Constant { fields, .. } => list.extend(fields.iter().map(|(_, value)| value.clone())),
                Part::Field { key, value } => list.push(evaluate_field(key, value, frame)?),
            }
        }
        Ok(list)
    }
}

fn evaluate_field(key: &str, value: &Expression, frame: &Frame<'_>) -> Result<Bson, RenderError> {
    let value = value.evaluate(frame).map_err(|error| error.of(key))?.into_owned();
    frame.spend(size(&value))?;
    Ok(value)
}

impl Reference {
    fn evaluate<'a>(&'a self, frame: &Frame<'a>) -> Result<Cow<'a, Bson>, RenderError> {
        let whole: Cow<'a, Bson> = match &self.root {
            Root::Parameter(name) => Cow::Borrowed(
                frame
                    .world
                    .parameters()
                    .get(&**name)
                    .ok_or_else(|| RenderError::new(format!("the parameter `{name}` has no value")))?,
            ),
            Root::Slot(slot) => Cow::Borrowed(frame.names.get(*slot).and_then(Option::as_ref).unwrap_or(&NULL)),
            Root::It => Cow::Borrowed(frame.it.unwrap_or(&NULL)),
            Root::Each => Cow::Borrowed(frame.each.unwrap_or(&NULL)),
            Root::Index => Cow::Owned(unsigned(frame.index)),
            Root::Position => Cow::Owned(unsigned(frame.position)),
            Root::Now => Cow::Owned(date(frame.now)),
            Root::Parent => return self.parent(frame),
        };
        Ok(match whole {
            Cow::Borrowed(value) => self.path.as_ref().follow(value),
            Cow::Owned(value) => Cow::Owned(self.path.as_ref().follow_owned(value)),
        })
    }

    fn parent<'a>(&self, frame: &Frame<'a>) -> Result<Cow<'a, Bson>, RenderError> {
        match (frame.parent, self.path.split_first()) {
            (Parent::None, _) => Ok(Cow::Borrowed(&NULL)),
            (Parent::Document(document), None) => Ok(Cow::Owned(Bson::Document(document.clone()))),
            (Parent::Document(document), Some((first, rest))) => {
                Ok(document.get(first).map_or(Cow::Borrowed(&NULL), |value| rest.follow(value)))
            }
            (Parent::Row(set, number), _) => frame.world.field(set, number, &self.path, frame.budget).map(Cow::Owned),
        }
    }
}

impl Call {
    /// The argument of that number, if it was given.
    fn argument(&self, number: usize) -> Option<&Expression> {
        self.arguments.get(number).and_then(Option::as_ref)
    }

    /// The argument of that number.
    fn required(&self, number: usize) -> &Expression {
        self.argument(number).expect("compiling checked that required arguments are there")
    }

    /// A name or word that compiling checked to be a constant text.
    fn word(&self, number: usize) -> Option<&str> {
        self.argument(number).and_then(Expression::constant).and_then(Bson::as_str)
    }

    fn all(&self) -> impl Iterator<Item = &Expression> {
        self.arguments.iter().flatten()
    }

    fn evaluate<'a>(&'a self, frame: &Frame<'a>) -> Result<Cow<'a, Bson>, RenderError> {
        match &self.operator {
            Operator::Choose => self.choose(frame)?.evaluate(frame),
            Operator::If => self.branch(frame)?.evaluate(frame),
            Operator::Repeat => self.repeat(frame),
            Operator::First => self.element(frame, 0),
            Operator::At => self.element(frame, self.required(1).whole(frame)?),
            operator => self.make(operator, frame).map(Cow::Owned),
        }
    }

    fn make(&self, operator: &Operator, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        match operator {
            Operator::Key => self.key(frame),
            Operator::Row => self.row(frame),
            Operator::Pairs => self.pairs(frame),
            Operator::Int => self.int(frame).map(whole),
            Operator::Double => self.double(frame).map(Bson::Double),
            Operator::Decimal => self.decimal(frame),
            Operator::Bool => self.bool(frame).map(Bson::Boolean),
            Operator::Words | Operator::Text | Operator::Format(_) => self.text(frame).map(Bson::String),
            Operator::Date(form) => self.date(*form, frame),
            Operator::ObjectId => Ok(Bson::ObjectId(self.object_id(frame))),
            Operator::Uuid => Ok(self.uuid(frame)),
            Operator::Array => self.array(frame).map(Bson::Array),
            Operator::Map => self.map(frame).map(Bson::Array),
            Operator::Filter => self.filter(frame).map(Bson::Array),
            Operator::Join => self.join(frame).map(Bson::Array),
            _ => self.calculate(operator, frame),
        }
    }

    /// The branch of `^if` that counts.
    fn branch(&self, frame: &Frame<'_>) -> Result<&Expression, RenderError> {
        Ok(self.required(if self.required(0).truth(frame)? { 1 } else { 2 }))
    }

    fn repeat<'a>(&'a self, frame: &Frame<'a>) -> Result<Cow<'a, Bson>, RenderError> {
        self.required(0).evaluate(&self.repeated(frame)?)
    }

    /// The frame of the value that several numbers share.
    fn repeated<'a>(&self, frame: &Frame<'a>) -> Result<Frame<'a>, RenderError> {
        let count = self.required(1).count(frame)?.max(1);
        Ok(Frame { number: frame.number / count, index: frame.index / count, ..*frame })
    }
}

/// What `^choose` chose: an element as written, or a value of a list that had to be made.
enum Chosen<'a> {
    Written(&'a Expression),
    Value(Cow<'a, Bson>),
}

impl<'a> Chosen<'a> {
    fn evaluate(self, frame: &Frame<'a>) -> Result<Cow<'a, Bson>, RenderError> {
        match self {
            Self::Written(expression) => expression.evaluate(frame),
            Self::Value(value) => Ok(value),
        }
    }
}
