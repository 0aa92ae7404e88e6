//! Parameters as typed on the command line.

use bson::Bson;

use super::number::whole;

/// Reads the value in `--set name=value`: `true` and `false`, whole numbers (Int32 if they fit, else Int64), numbers with
/// point or exponent (Double); everything else is text.
pub fn parse_parameter(text: &str) -> Bson {
    match text {
        "true" => return Bson::Boolean(true),
        "false" => return Bson::Boolean(false),
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>() {
        return whole(number);
    }
    // `inf` and `nan` parse as f64, but are words here.
    let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    let marked = text.contains(['.', 'e', 'E']);
    match text.parse::<f64>() {
        Ok(number) if numeric && marked && number.is_finite() => Bson::Double(number),
        _ => Bson::from(text),
    }
}
