//! Durations as a person writes them: a number and its unit.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The longest that a file may declare.
const LONGEST_SECONDS: f64 = 86_400.0;
/// Units, and how many of them make a second.
const UNITS: [(&str, f64); 6] = [("ns", 1e9), ("us", 1e6), ("µs", 1e6), ("ms", 1e3), ("s", 1.0), ("min", 1.0 / 60.0)];

/// A duration of a file: `20us`, `1.5ms`, `2s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Length(pub(super) Duration);

/// Reads a duration.
///
/// # Errors
/// What is wrong with it, and what would be right.
fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let wrong = || format!("`{text}` is no duration; write a number and its unit (us, ms, s, min), such as `5ms`");
    let number: f64 = number.parse().map_err(|_| wrong())?;
    if unit.is_empty() {
        return Err(format!("`{text}` has no unit; write `{text}us`, `{text}ms` or `{text}s`"));
    }
    let (_, per_second) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
    let seconds = number / per_second;
    if seconds > LONGEST_SECONDS {
        return Err(format!("`{text}` is more than a day"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LengthVisitor;

        impl Visitor<'_> for LengthVisitor {
            type Value = Length;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as `5ms`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Length, E> {
                parse(text).map(Length).map_err(E::custom)
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Length, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Length, E> {
                self.visit_str(&number.to_string())
            }
        }

        deserializer.deserialize_any(LengthVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_unit_are_a_duration() {
        let known = [("5ms", 5_000), ("1.5ms", 1_500), ("20us", 20), ("20 µs", 20), ("2s", 2_000_000)];
        for (text, micros) in known {
            assert_eq!(parse(text), Ok(Duration::from_micros(micros)), "{text}");
        }
        assert_eq!(parse("1min"), Ok(Duration::from_secs(60)));
    }

    #[test]
    fn what_is_none_is_told_with_what_would_be_right() {
        for (text, says) in [
            ("5", "write `5us`"),
            ("soon", "no duration"),
            ("5 parsecs", "no duration"),
            ("-1ms", "no duration"),
            ("1.2.3ms", "no duration"),
            ("100000s", "more than a day"),
        ] {
            let told = parse(text).unwrap_err();
            assert!(told.contains(says), "{text}: {told}");
        }
    }
}
