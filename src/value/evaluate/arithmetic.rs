//! Arithmetic on numbers, dates and durations.

use bson::Bson;

use super::dates::moved;
use crate::value::date::parse_duration;
use crate::value::error::RenderError;
use crate::value::number::{as_double, as_whole, date, describe, whole_checked};
use crate::value::operator::Operator;

/// What can be calculated with.
#[derive(Debug, Clone, Copy)]
enum Quantity {
    Whole(i64),
    Double(f64),
    Date(i64),
}

fn quantity(value: &Bson) -> Result<Quantity, RenderError> {
    match value {
        Bson::Int32(number) => Ok(Quantity::Whole(i64::from(*number))),
        Bson::Int64(number) => Ok(Quantity::Whole(*number)),
        Bson::Double(number) => Ok(Quantity::Double(*number)),
        Bson::DateTime(date) => Ok(Quantity::Date(date.timestamp_millis())),
        Bson::String(text) => parse_duration(text).map(Quantity::Whole).ok_or_else(|| {
            RenderError::new(format!(
                "`{text}` is neither a number nor a duration such as 10s; a date is written {{^date: …}}"
            ))
        }),
        other => Err(RenderError::new(format!("{} cannot be calculated with", describe(other)))),
    }
}

/// `^add`, `^sub`, `^mul`, `^div`, `^mod` of two values.
pub(super) fn combine(operator: &Operator, left: &Bson, right: &Bson) -> Result<Bson, RenderError> {
    use Quantity::{Date, Double, Whole};
    match (operator, quantity(left)?, quantity(right)?) {
        (_, Whole(left), Whole(right)) => wholes(operator, left, right),
        (Operator::Add, Date(start), Whole(by)) | (Operator::Add, Whole(by), Date(start)) => {
            moved(start, i128::from(by)).map(date)
        }
        (Operator::Sub, Date(start), Whole(by)) => moved(start, -i128::from(by)).map(date),
        (Operator::Sub, Date(left), Date(right)) => whole_checked(i128::from(left) - i128::from(right)),
        (_, Date(_), _) | (_, _, Date(_)) => Err(RenderError::new(
            "with dates only this is calculated: date plus or minus a duration, and date minus date",
        )),
        (_, Double(left), Double(right)) => doubles(operator, left, right),
        (_, Double(left), Whole(right)) => doubles(operator, left, right as f64),
        (_, Whole(left), Double(right)) => doubles(operator, left as f64, right),
    }
}

fn wholes(operator: &Operator, left: i64, right: i64) -> Result<Bson, RenderError> {
    let (wide_left, wide_right) = (i128::from(left), i128::from(right));
    match operator {
        Operator::Add => whole_checked(wide_left + wide_right),
        Operator::Sub => whole_checked(wide_left - wide_right),
        Operator::Mul => whole_checked(wide_left * wide_right),
        Operator::Mod if right != 0 => whole_checked(wide_left % wide_right),
        _ => doubles(operator, left as f64, right as f64),
    }
}

fn doubles(operator: &Operator, left: f64, right: f64) -> Result<Bson, RenderError> {
    let result = match operator {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mul => left * right,
        Operator::Div | Operator::Mod if right == 0.0 => {
            return Err(RenderError::new(format!("{left} cannot be divided by 0")));
        }
        Operator::Div => left / right,
        _ => left % right,
    };
    if result.is_finite() { Ok(Bson::Double(result)) } else { Err(RenderError::new("the result is no finite number")) }
}

/// `^floor`.
pub(super) fn floor(value: &Bson) -> Result<Bson, RenderError> {
    if as_whole(value).is_some() || as_double(value).is_some() {
        let number = as_double(value).map_or(0, |number| number.floor() as i128);
        return whole_checked(as_whole(value).map_or(number, i128::from));
    }
    Err(RenderError::new(format!("a number was expected, {} found", describe(value))))
}
