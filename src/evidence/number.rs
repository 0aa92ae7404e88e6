//! Counts and sizes in replies of servers.

use bson::{Bson, Document};

/// A count that is not negative, however it is encoded.
pub(super) fn number(document: &Document, key: &str) -> Option<u64> {
    match document.get(key)? {
        Bson::Int32(number) => u64::try_from(*number).ok(),
        Bson::Int64(number) => u64::try_from(*number).ok(),
        Bson::Double(number) if *number >= 0.0 => Some(*number as u64),
        _ => None,
    }
}
