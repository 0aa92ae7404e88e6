//! Functions of values.

use std::borrow::Cow;
use std::cmp::Ordering;

use bson::Bson;

use super::{arithmetic, wanted};
use crate::value::error::RenderError;
use crate::value::expression::{Call, Expression};
use crate::value::frame::Frame;
use crate::value::number::{ELEMENT, compare, describe, same, size, whole};
use crate::value::operator::Operator;

impl Call {
    pub(super) fn calculate(&self, operator: &Operator, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        match operator {
            Operator::Add | Operator::Sub | Operator::Mul | Operator::Div | Operator::Mod => self.fold(operator, frame),
            Operator::Floor => arithmetic::floor(&*self.required(0).evaluate(frame)?),
            Operator::Min => self.extreme(Ordering::Less, frame),
            Operator::Max => self.extreme(Ordering::Greater, frame),
            Operator::Sum => self.sum(frame),
            Operator::Len => length(&*self.required(0).evaluate(frame)?),
            Operator::Range => self.range(frame),
            Operator::Object => self.object(frame),
            Operator::Concat => self.concat(frame),
            Operator::Split => self.split(frame),
            Operator::Lower => self.changed_text(frame, str::to_lowercase),
            Operator::EscapeRegex => self.changed_text(frame, escape_regex),
            Operator::DateTrunc => self.truncated(frame),
            Operator::Eq => {
                Ok(Bson::Boolean(same(&*self.required(0).evaluate(frame)?, &*self.required(1).evaluate(frame)?)))
            }
            Operator::Lt => {
                let order = compare(&*self.required(0).evaluate(frame)?, &*self.required(1).evaluate(frame)?)?;
                Ok(Bson::Boolean(order == Ordering::Less))
            }
            Operator::And => self.any(false, frame).map(|found| Bson::Boolean(!found)),
            Operator::Or => self.any(true, frame).map(Bson::Boolean),
            Operator::Not => self.required(0).truth(frame).map(|holds| Bson::Boolean(!holds)),
            other => unreachable!("^{} is not calculated from values alone", other.name()),
        }
    }

    /// Whether one argument holds (or does not); later ones are not looked at.
    fn any(&self, wanted: bool, frame: &Frame<'_>) -> Result<bool, RenderError> {
        for argument in self.all() {
            if argument.truth(frame)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn fold(&self, operator: &Operator, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let mut arguments = self.all();
        let first = arguments.next().expect("compiling checked the number of arguments").evaluate(frame)?.into_owned();
        arguments.try_fold(first, |left, right| arithmetic::combine(operator, &left, &*right.evaluate(frame)?))
    }

    /// The values of a list of arguments, or of the list that the only argument is.
    fn values<'a>(&'a self, frame: &Frame<'a>) -> Result<Cow<'a, [Bson]>, RenderError> {
        if let [Some(only)] = &*self.arguments {
            return only.items(frame);
        }
        let values: Result<Vec<Bson>, _> = self.all().map(|value| Ok(value.evaluate(frame)?.into_owned())).collect();
        values.map(Cow::Owned)
    }

    fn extreme(&self, wanted: Ordering, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let values = self.values(frame)?;
        let mut best: Option<&Bson> = None;
        for value in values.iter().filter(|value| !matches!(value, Bson::Null)) {
            if best.map_or(Ok(true), |best| compare(value, best).map(|order| order == wanted))? {
                best = Some(value);
            }
        }
        Ok(best.cloned().unwrap_or(Bson::Null))
    }

    fn sum(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let values = self.values(frame)?;
        let numbers = values.iter().filter(|value| !matches!(value, Bson::Null));
        numbers.clone().try_fold(whole(0), |sum, value| arithmetic::combine(&Operator::Add, &sum, value))
    }

    fn concat(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let mut whole: Option<Bson> = None;
        for argument in self.all() {
            let part = argument.evaluate(frame)?;
            frame.spend(size(&part))?;
            match (&mut whole, &*part) {
                (_, Bson::Null) => return Ok(Bson::Null),
                (None, Bson::String(_) | Bson::Array(_)) => whole = Some(part.into_owned()),
                (Some(Bson::String(text)), Bson::String(more)) => text.push_str(more),
                (Some(Bson::Array(list)), Bson::Array(more)) => list.extend_from_slice(more),
                (_, other) => {
                    return Err(RenderError::new(format!(
                        "texts or lists were expected, all of one kind, {} found; ^format puts other values into a text",
                        describe(other)
                    )));
                }
            }
        }
        Ok(whole.unwrap_or(Bson::Null))
    }

    fn split(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let (text, separator) = (self.required(0).evaluate(frame)?, self.required(1).evaluate(frame)?);
        match (&*text, &*separator) {
            (Bson::Null, _) => Ok(Bson::Null),
            (Bson::String(_), Bson::String(separator)) if separator.is_empty() => {
                Err(RenderError::new("the separator must not be empty"))
            }
            (Bson::String(text), Bson::String(separator)) => {
                frame.spend(text.len() as u64 + (text.matches(separator.as_str()).count() as u64 + 1) * ELEMENT)?;
                Ok(Bson::Array(text.split(separator.as_str()).map(Bson::from).collect()))
            }
            (Bson::String(_), other) | (other, _) => Err(wanted("a text", other)),
        }
    }

    fn changed_text(&self, frame: &Frame<'_>, change: impl Fn(&str) -> String) -> Result<Bson, RenderError> {
        let argument: &Expression = self.required(0);
        match &*argument.evaluate(frame)? {
            Bson::Null => Ok(Bson::Null),
            Bson::String(text) => Ok(Bson::String(change(text))),
            other => Err(wanted("a text", other)),
        }
    }
}

fn length(value: &Bson) -> Result<Bson, RenderError> {
    let length = match value {
        Bson::Null => 0,
        Bson::Array(list) => list.len(),
        Bson::String(text) => text.chars().count(),
        other => return Err(wanted("a list or a text", other)),
    };
    Ok(whole(i64::try_from(length).expect("what lies in memory has fewer than 2^63 parts")))
}

fn escape_regex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\^$.|?*+()[]{}".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
