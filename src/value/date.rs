//! Dates and durations: reading them, and cutting dates to calendar units.

use bson::{Bson, DateTime};

use super::error::RenderError;
use super::number::{as_whole, describe};

/// Where the scenario's clock starts: 2025-01-01T00:00:00Z, in milliseconds since 1970.
///
/// For rows of the dataset `^now` is this; for operation number n it is n milliseconds later.
pub const NOW_START: i64 = 1_735_689_600_000;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// 2000-01-01T00:00:00Z, from which `$dateTrunc` counts its bins.
const REFERENCE: i64 = 946_684_800_000;

/// Reads `2025-01-31` or RFC 3339 (`2025-01-31T10:00:00Z`, with fraction or offset), as milliseconds since 1970.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    let full = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    DateTime::parse_rfc3339_str(full).ok().map(DateTime::timestamp_millis)
}

/// Reads a duration such as `100ms`, `10s`, `5m`, `1.5h`, `30d`, as milliseconds. A sign may stand before it.
pub fn parse_duration(text: &str) -> Option<i64> {
    let digits = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        _ => return None,
    };
    let written_as_number = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let number: f64 = number.parse().ok().filter(|_| written_as_number)?;
    let product = number * millis as f64;
    (product.abs() < 9.0e15 && product.fract() == 0.0).then_some(product as i64)
}

/// The date that a value is: a date, a text that reads as one, or milliseconds since 1970.
pub(crate) fn as_date(value: &Bson) -> Option<i64> {
    match value {
        Bson::DateTime(date) => Some(date.timestamp_millis()),
        Bson::String(text) => parse_date(text),
        other => as_whole(other),
    }
}

/// The duration that a value is: a text that reads as one, or milliseconds.
pub(crate) fn as_duration(value: &Bson) -> Option<i64> {
    match value {
        Bson::String(text) => parse_duration(text),
        other => as_whole(other),
    }
}

/// [`as_date`], or what is wrong.
pub(crate) fn date_or_error(value: &Bson) -> Result<i64, RenderError> {
    as_date(value).ok_or_else(|| {
        let found = if let Bson::String(text) = value { format!("`{text}`") } else { describe(value).to_owned() };
        RenderError::new(format!("{found} is no date; a date reads 2025-01-31 or 2025-01-31T10:00:00Z"))
    })
}

/// A date as text: RFC 3339 with milliseconds, in UTC.
pub(crate) fn show_date(millis: i64) -> String {
    let (year, month, day) = civil(millis.div_euclid(DAY));
    let time = millis.rem_euclid(DAY);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        time / HOUR,
        time / MINUTE % 60,
        time / SECOND % 60,
        time % SECOND
    )
}

/// Units to which `^dateTrunc` cuts.
pub(crate) const UNITS: &[&str] = &["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

/// The start of the unit (or of the bin of `size` units) in which the date lies, as `$dateTrunc` has it: in UTC, weeks
/// from Sunday, bins counted from 2000-01-01 (for weeks from 2000-01-02).
pub(crate) fn truncate(millis: i64, unit: &str, size: i64) -> Option<i64> {
    let bin = |unit: i64, reference: i64| {
        let bin = unit.checked_mul(size)?;
        Some(millis - (millis - reference).rem_euclid(bin))
    };
    match unit {
        "second" => bin(SECOND, REFERENCE),
        "minute" => bin(MINUTE, REFERENCE),
        "hour" => bin(HOUR, REFERENCE),
        "day" => bin(DAY, REFERENCE),
        "week" => bin(7 * DAY, REFERENCE + DAY),
        "month" => months(millis, size),
        "quarter" => months(millis, size.checked_mul(3)?),
        "year" => months(millis, size.checked_mul(12)?),
        _ => None,
    }
}

fn months(millis: i64, size: i64) -> Option<i64> {
    let (year, month, _) = civil(millis.div_euclid(DAY));
    let since_2000 = (year - 2000) * 12 + i64::from(month) - 1;
    let start = since_2000 - since_2000.rem_euclid(size);
    let first = days(2000 + start.div_euclid(12), start.rem_euclid(12) as u32 + 1, 1);
    first.checked_mul(DAY)
}

/// Year, month and day of a number of days since 1970 (proleptic Gregorian; Hinnant's algorithm).
fn civil(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Days since 1970 of a date; the reverse of [`civil`].
fn days(year: i64, month: u32, day: u32) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let shifted = i64::from(if month > 2 { month - 3 } else { month + 9 });
    let of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_read_and_show_alike() {
        for text in ["2025-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "1969-12-31T00:00:00.001Z"] {
            assert_eq!(show_date(parse_date(text).unwrap()), text);
        }
        assert_eq!(parse_date("2025-01-01"), Some(NOW_START));
        assert_eq!(parse_date("2025-13-01"), None);
    }

    #[test]
    fn durations_are_milliseconds() {
        assert_eq!(parse_duration("100ms"), Some(100));
        assert_eq!(parse_duration("1.5h"), Some(90 * 60 * 1000));
        assert_eq!(parse_duration("-30d"), Some(-30 * 86_400_000));
        for wrong in ["", "10", "10 s", "s", "1w", "1e3s", "ten s", "1.0001ms"] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn cutting_goes_to_the_start_of_the_unit() {
        let cut = |text, unit, size| show_date(truncate(parse_date(text).unwrap(), unit, size).unwrap());
        let date = "2024-05-15T13:47:21.500Z"; // a Wednesday
        assert_eq!(cut(date, "second", 1), "2024-05-15T13:47:21.000Z");
        assert_eq!(cut(date, "minute", 15), "2024-05-15T13:45:00.000Z");
        assert_eq!(cut(date, "hour", 1), "2024-05-15T13:00:00.000Z");
        assert_eq!(cut(date, "day", 1), "2024-05-15T00:00:00.000Z");
        assert_eq!(cut(date, "week", 1), "2024-05-12T00:00:00.000Z");
        assert_eq!(cut(date, "month", 1), "2024-05-01T00:00:00.000Z");
        assert_eq!(cut(date, "quarter", 1), "2024-04-01T00:00:00.000Z");
        assert_eq!(cut(date, "year", 1), "2024-01-01T00:00:00.000Z");
        assert_eq!(cut("1969-05-15T13:47:21.500Z", "quarter", 1), "1969-04-01T00:00:00.000Z");
    }
}
