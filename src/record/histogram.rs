//! Latency histograms: their range, and the form in which a record keeps them.
//!
//! 1 µs to 60 s at three significant digits. A latency below a microsecond counts as one; one above 60 s is recorded as
//! 60 s, and whoever records it counts it.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};

use super::RecordError;

/// Latencies in whole microseconds.
pub type LatencyHistogram = Histogram<u64>;

/// The shortest latency that is told apart, in µs.
pub const LOWEST: u64 = 1;
/// The longest latency that is told apart, in µs.
pub const HIGHEST: u64 = 60_000_000;
const DIGITS: u8 = 3;

/// An empty histogram of the range that records have.
pub fn empty() -> LatencyHistogram {
    Histogram::new_with_bounds(LOWEST, HIGHEST, DIGITS).expect("the bounds are valid")
}

/// Records a latency in µs; tells whether it lay above the range and was recorded as the longest.
pub fn record(histogram: &mut LatencyHistogram, micros: u64) -> bool {
    histogram.saturating_record(micros.clamp(LOWEST, HIGHEST));
    micros > HIGHEST
}

/// The histogram as a record keeps it (base64 of V2-deflate), or `None` when it is empty.
pub fn encode(histogram: &LatencyHistogram) -> Option<String> {
    if histogram.is_empty() {
        return None;
    }
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("a histogram fits into memory");
    Some(STANDARD.encode(bytes))
}

/// The histogram that [`encode`] wrote.
///
/// # Errors
/// [`RecordError::Histogram`] when the text is not base64 of a V2-deflate histogram.
pub fn decode(text: &str) -> Result<LatencyHistogram, RecordError> {
    let bytes = STANDARD.decode(text).map_err(|error| RecordError::Histogram(error.to_string()))?;
    Deserializer::new()
        .deserialize(&mut Cursor::new(bytes))
        .map_err(|error| RecordError::Histogram(format!("{error:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_recorded_comes_back_in_every_bucket() {
        let mut histogram = empty();
        for micros in [1, 2, 999, 1_000, 123_456, 59_999_999] {
            assert!(!record(&mut histogram, micros));
        }
        let text = encode(&histogram).expect("it holds values");
        assert_eq!(decode(&text).expect("it was just encoded"), histogram);
    }

    #[test]
    fn nothing_recorded_is_no_histogram() {
        assert_eq!(encode(&empty()), None);
    }

    #[test]
    fn latencies_out_of_range_are_kept_at_its_ends() {
        let mut histogram = empty();
        assert!(!record(&mut histogram, 0), "below a microsecond counts as one");
        assert!(!record(&mut histogram, HIGHEST), "60 s are in range");
        assert!(record(&mut histogram, HIGHEST + 1), "above 60 s is told");
        assert_eq!(histogram.len(), 3);
        assert_eq!(histogram.min(), 1);
        assert!(histogram.equivalent(histogram.max(), HIGHEST));
    }

    #[test]
    fn damaged_text_is_an_error() {
        assert!(matches!(decode("not base64!"), Err(RecordError::Histogram(_))));
        assert!(matches!(decode("AAAA"), Err(RecordError::Histogram(_))));
    }
}
