//! Times of day as records write them. They say when something was measured and enter no data.

use std::time::{Duration, SystemTime};

use bson::DateTime;

/// A moment, RFC 3339 in UTC to the millisecond: `2026-01-31T09:30:00.125Z`.
pub fn now() -> String {
    Stamp::now().rfc3339()
}

/// A moment, as records and folder names show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(DateTime);

impl Stamp {
    /// This moment.
    pub fn now() -> Self {
        Self(DateTime::now())
    }

    /// The moment that a text in RFC 3339 names; `None` where it names none.
    pub fn parse(text: &str) -> Option<Self> {
        DateTime::parse_rfc3339_str(text).ok().map(Self)
    }

    /// Time passed since another moment; none where this is the earlier one.
    pub fn since(self, earlier: Self) -> Duration {
        let millis = self.0.timestamp_millis().saturating_sub(earlier.0.timestamp_millis());
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }

    /// Time passed since 1970-01-01 in UTC; none before it.
    pub fn since_epoch(self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.timestamp_millis()).unwrap_or(0))
    }

    /// RFC 3339 in UTC, always with three digits of the second's fraction.
    pub fn rfc3339(self) -> String {
        let text = self.0.try_to_rfc3339_string().unwrap_or_default();
        let whole = text.trim_end_matches('Z');
        let (seconds, fraction) = whole.split_once('.').unwrap_or((whole, ""));
        format!("{seconds}.{fraction:0<3.3}Z")
    }

    /// To the second and fit for a file name: `20260131T093000Z`.
    pub fn compact(self) -> String {
        let text = self.rfc3339();
        let to_the_second = text.split_once('.').map_or(text.as_str(), |(seconds, _)| seconds);
        to_the_second.chars().filter(|c| *c != '-' && *c != ':').chain(['Z']).collect()
    }
}

impl From<SystemTime> for Stamp {
    fn from(time: SystemTime) -> Self {
        Self(DateTime::from_system_time(time))
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_with_milliseconds() {
        // 2000-03-01T00:00:00Z is 951,868,800 seconds after the epoch: 30 years of 365 days, 7 leap days before 2000,
        // and January and the leap February of 2000 (31 + 29 days).
        let days = 30 * 365 + 7 + 31 + 29;
        let stamp = Stamp::from(UNIX_EPOCH + Duration::from_secs(days * 86_400) + Duration::from_millis(50));
        assert_eq!(stamp.rfc3339(), "2000-03-01T00:00:00.050Z");
        assert_eq!(stamp.compact(), "20000301T000000Z");
    }

    #[test]
    fn what_was_written_is_read_back_and_counts_from_another_moment() {
        let read = |text| Stamp::parse(text).expect("a moment");
        let (begun, ended) = (read("2000-03-01T00:00:00.050Z"), read("2000-03-01T00:01:02.300Z"));
        assert_eq!(begun.rfc3339(), "2000-03-01T00:00:00.050Z");
        assert_eq!(ended.since(begun), Duration::from_millis(62_250));
        assert_eq!(begun.since(ended), Duration::ZERO);
        assert_eq!(read("1970-01-02T00:00:00Z").since_epoch(), Duration::from_secs(86_400));
        assert_eq!(Stamp::parse("<i>yesterday</i>"), None);
    }

    #[test]
    fn a_whole_second_keeps_its_three_digits() {
        assert_eq!(Stamp::from(UNIX_EPOCH).rfc3339(), "1970-01-01T00:00:00.000Z");
    }
}
