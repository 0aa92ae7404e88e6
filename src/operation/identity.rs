//! Identities of documents that a scenario inserts without `_id`.
//!
//! Left alone, the driver would make a random one, and neither a replay nor a comparison of models would hold.

use bson::RawDocumentBuf;
use bson::oid::ObjectId;

use crate::value::NOW_START;

/// Seconds since 1970 at which the scenarios' clock begins; it advances by a millisecond per operation number.
const CLOCK_START: u64 = (NOW_START / 1000).unsigned_abs();
/// Bits of the counter that number the documents of one list of inserts.
const DOCUMENT_BITS: u32 = 14;

/// Where in an operation documents are inserted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The run's seed.
    pub(super) seed: u64,
    /// The operation's number.
    pub(super) number: u64,
    /// The step, from 0.
    pub(super) step: usize,
    /// The round of the loops around the step; 0 outside of loops.
    pub(super) turn: u64,
    /// The element of `forEach`, from 0.
    pub(super) element: usize,
}

impl Place {
    /// The identity of the document at this position of the list inserted here: a function of seed, operation number
    /// and position. Like the driver's own it begins with the time, so that indexes on `_id` grow as they do for an
    /// application.
    pub(super) fn identity(self, document: usize) -> ObjectId {
        let seconds = u32::try_from((CLOCK_START + self.number / 1000) % (1 << 32)).expect("below 2^32");
        let origin = [self.step as u64, self.element as u64, (document >> DOCUMENT_BITS) as u64]
            .into_iter()
            .fold(mixed(self.seed) ^ self.turn, |hash, part| mixed(hash ^ part));
        let in_list = document as u64 & ((1 << DOCUMENT_BITS) - 1);
        let counter = (self.number % 1000) << DOCUMENT_BITS | in_list;

        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&seconds.to_be_bytes());
        bytes[4..9].copy_from_slice(&origin.to_be_bytes()[3..]);
        bytes[9..].copy_from_slice(&counter.to_be_bytes()[5..]);
        ObjectId::from_bytes(bytes)
    }

    /// The document, with an identity as its first field if it has none.
    pub(super) fn identified(self, document: RawDocumentBuf, position: usize) -> RawDocumentBuf {
        if matches!(document.get("_id"), Ok(Some(_))) {
            return document;
        }
        const FIELD: &[u8] = b"\x07_id\0";
        let identity = self.identity(position).bytes();
        let fields = &document.as_bytes()[4..];
        let length = 4 + FIELD.len() + identity.len() + fields.len();

        let mut bytes = Vec::with_capacity(length);
        // A document past 2 GiB could not have been rendered; its length would not fit its own header.
        bytes.extend_from_slice(&i32::try_from(length).expect("a document is shorter than 2 GiB").to_le_bytes());
        bytes.extend_from_slice(FIELD);
        bytes.extend_from_slice(&identity);
        bytes.extend_from_slice(fields);
        RawDocumentBuf::from_bytes(bytes).expect("the length is that of the bytes, which end as the document did")
    }
}

/// A bijection of 64 bits in which every bit depends on every other (the finaliser of SplitMix64).
pub(super) fn mixed(value: u64) -> u64 {
    let mut hash = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use bson::{Document, doc, rawdoc};

    use super::*;

    const HERE: Place = Place { seed: 1, number: 5, step: 0, turn: 0, element: 0 };

    #[test]
    fn an_identity_is_a_function_of_seed_number_and_position() {
        assert_eq!(HERE.identity(0), HERE.identity(0));
        let mut seen = HashSet::new();
        let turn = mixed(1);
        for (seed, number, step, turn) in
            [(1, 5, 0, 0), (2, 5, 0, 0), (1, 6, 0, 0), (1, 1005, 0, 0), (1, 5, 1, 0), (1, 5, 0, turn), (1, 5, 1, turn)]
        {
            for (element, document) in [(0, 0), (1, 0), (0, 1), (0, 1 << 14), (0, (1 << 14) + 1)] {
                let place = Place { seed, number, step, turn, element };
                assert!(seen.insert(place.identity(document)), "{place:?} {document}");
            }
        }
    }

    #[test]
    fn identities_grow_with_the_scenario_s_clock() {
        let of = |number| Place { number, ..HERE }.identity(0);
        assert!(of(0) < of(1) && of(1) < of(999) && of(999) < of(1000) && of(1000) < of(10_000_000));
        // 10,000,000 ms after 2025-01-01T00:00:00Z are 2 h 46 min 40 s.
        assert_eq!(of(10_000_000).timestamp().to_string(), "2025-01-01 2:46:40.0 +00:00:00");
    }

    #[test]
    fn only_a_document_without_identity_gets_one() {
        let identified = HERE.identified(rawdoc! { "a": 1, "b": { "_id": 2 } }, 3);
        let expected = doc! { "_id": HERE.identity(3), "a": 1, "b": { "_id": 2 } };
        assert_eq!(identified, RawDocumentBuf::try_from(&expected).expect("valid"), "as the driver encodes it");
        assert_eq!(
            Document::try_from(&HERE.identified(rawdoc! {}, 0)).expect("valid"),
            doc! { "_id": HERE.identity(0) }
        );

        let named = rawdoc! { "a": 1, "_id": 2 };
        assert_eq!(HERE.identified(named.clone(), 0), named);
    }
}
