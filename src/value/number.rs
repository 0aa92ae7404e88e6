//! Numbers, order and sameness of values.

use std::cmp::Ordering;

use bson::{Bson, DateTime};

use super::encode::encode;
use super::error::RenderError;

/// A whole number by the rule of the format: Int32 if it fits, else Int64.
pub(crate) fn whole(value: i64) -> Bson {
    i32::try_from(value).map_or(Bson::Int64(value), Bson::Int32)
}

/// A whole number of any size.
///
/// # Errors
/// Beyond 64 bits.
pub(crate) fn whole_checked(value: i128) -> Result<Bson, RenderError> {
    i64::try_from(value).map(whole).map_err(|_| RenderError::new(format!("{value} does not fit into 64 bits")))
}

/// An unsigned number, such as `^index`.
pub(crate) fn unsigned(value: u64) -> Bson {
    // Row and operation numbers stay far below 2^63; beyond it a Double is the nearest that BSON has.
    i64::try_from(value).map_or(Bson::Double(value as f64), whole)
}

/// The whole number that a value is; a Double counts if it has no fraction.
pub(crate) fn as_whole(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        Bson::Double(number) if number.fract() == 0.0 && number.abs() < 9.0e18 => Some(*number as i64),
        _ => None,
    }
}

/// The number that a value is.
pub(crate) fn as_double(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(number) => Some(f64::from(*number)),
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}

/// Whether a condition holds: everything but false, null, and 0 does, as in MongoDB's own `$and` and `$not`.
pub fn is_true(value: &Bson) -> bool {
    match value {
        Bson::Null | Bson::Undefined | Bson::Boolean(false) | Bson::Int32(0) | Bson::Int64(0) => false,
        Bson::Double(number) => *number != 0.0,
        _ => true,
    }
}

/// What a person calls this kind of value, with its article.
pub(crate) fn describe(value: &Bson) -> &'static str {
    match value {
        Bson::Double(_) => "a number with a fraction",
        Bson::Int32(_) | Bson::Int64(_) => "a whole number",
        Bson::Decimal128(_) => "a decimal",
        Bson::String(_) => "a string",
        Bson::Array(_) => "a list",
        Bson::Document(_) => "a map",
        Bson::Boolean(_) => "a boolean",
        Bson::Null | Bson::Undefined => "null",
        Bson::DateTime(_) => "a date",
        Bson::ObjectId(_) => "an ObjectId",
        Bson::Binary(_) => "binary data",
        _ => "a special BSON value",
    }
}

/// Bytes that are equal exactly for values that are the same: numbers by value whatever their type, documents in the
/// order of their fields.
pub(crate) fn identity(value: &Bson) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16);
    bytes.push(0);
    bytes[0] = match canonical(value) {
        Some(canonical) => encode(&canonical, &mut bytes),
        None => encode(value, &mut bytes),
    };
    bytes
}

/// Whether two values are the same in the sense of [`identity`].
pub(crate) fn same(left: &Bson, right: &Bson) -> bool {
    match (left, right) {
        (Bson::String(left), Bson::String(right)) => left == right,
        _ => identity(left) == identity(right),
    }
}

fn canonical(value: &Bson) -> Option<Bson> {
    match value {
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) => as_whole(value).map(Bson::Int64),
        Bson::Array(list) => Some(Bson::Array(list.iter().map(canonical_or_clone).collect())),
        Bson::Document(document) => {
            Some(Bson::Document(document.iter().map(|(key, value)| (key.clone(), canonical_or_clone(value))).collect()))
        }
        _ => None,
    }
}

fn canonical_or_clone(value: &Bson) -> Bson {
    canonical(value).unwrap_or_else(|| value.clone())
}

/// Compares two numbers, strings, dates, booleans or ObjectIds.
///
/// # Errors
/// Where they are of different kinds, or of a kind without order.
pub(crate) fn compare(left: &Bson, right: &Bson) -> Result<Ordering, RenderError> {
    let order = match (left, right) {
        (Bson::String(left), Bson::String(right)) => Some(left.cmp(right)),
        (Bson::DateTime(left), Bson::DateTime(right)) => Some(left.cmp(right)),
        (Bson::Boolean(left), Bson::Boolean(right)) => Some(left.cmp(right)),
        (Bson::ObjectId(left), Bson::ObjectId(right)) => Some(left.cmp(right)),
        _ => match (exact(left), exact(right)) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => as_double(left).zip(as_double(right)).and_then(|(left, right)| left.partial_cmp(&right)),
        },
    };
    order.ok_or_else(|| RenderError::new(format!("{} and {} have no order", describe(left), describe(right))))
}

fn exact(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        _ => None,
    }
}

/// Bytes of memory that each element of a list or document takes beside its content.
pub(crate) const ELEMENT: u64 = 64;

/// Roughly how many bytes of memory a value takes.
pub(crate) fn size(value: &Bson) -> u64 {
    ELEMENT
        + match value {
            Bson::String(text) => text.len() as u64,
            Bson::Array(list) => list.iter().map(size).sum(),
            Bson::Document(document) => document.iter().map(|(key, value)| size(value) + key.len() as u64).sum(),
            Bson::Binary(binary) => binary.bytes.len() as u64,
            _ => 0,
        }
}

/// A date from milliseconds since 1970.
pub(crate) fn date(millis: i64) -> Bson {
    Bson::DateTime(DateTime::from_millis(millis))
}
