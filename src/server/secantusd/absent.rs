//! What the embedded server lacks, or takes without effect: models that need it are not measured there.

use crate::scenario::Need;

/// Why something cannot be had on the embedded server; `None` where it can.
pub fn absent(need: Need) -> Option<&'static str> {
    match need {
        Need::WildcardIndex => Some("secantusd-rs takes a wildcard index, but no query uses it"),
        Need::HashedIndex => Some("secantusd-rs has no hashed indexes"),
        Need::TextIndex => Some("secantusd-rs has no text indexes"),
        // Stored as plain documents: measured, and marked as engine-limited.
        Need::TimeSeries => None,
        Need::Transactions | Need::BulkWrite | Need::ChangeStreams => None,
    }
}
