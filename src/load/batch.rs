//! Documents that are sent together.

use bson::RawDocumentBuf;

/// Most documents of a batch.
pub(super) const MOST_DOCUMENTS: usize = 1_000;
/// Bytes from which on a batch is full. A single document may be larger, up to [`LARGEST_DOCUMENT`].
const ENOUGH_BYTES: usize = 2 << 20;
/// The largest document that MongoDB stores.
pub(super) const LARGEST_DOCUMENT: usize = 16 << 20;

/// Documents that are sent together: at most [`MOST_DOCUMENTS`], and no more once [`ENOUGH_BYTES`] are reached.
#[derive(Debug, Default)]
pub(super) struct Batch {
    documents: Vec<RawDocumentBuf>,
    bytes: usize,
}

impl Batch {
    /// Adds a document.
    pub(super) fn push(&mut self, document: RawDocumentBuf) {
        self.bytes += document.as_bytes().len();
        self.documents.push(document);
    }

    /// Whether it should be sent before another document is added.
    pub(super) fn is_full(&self) -> bool {
        self.documents.len() >= MOST_DOCUMENTS || self.bytes >= ENOUGH_BYTES
    }

    /// Bytes of its documents.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The documents, in the order added.
    pub(super) fn documents(&self) -> &[RawDocumentBuf] {
        &self.documents
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Empties it, keeping its memory.
    pub(super) fn clear(&mut self) {
        self.documents.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    #[test]
    fn a_batch_is_full_at_a_thousand_documents_or_two_mebibytes() {
        let mut many = Batch::default();
        for number in 0..1_000_i32 {
            assert!(!many.is_full(), "not full with {number} small documents");
            many.push(rawdoc! { "_id": number });
        }
        assert!(many.is_full());

        let mut large = Batch::default();
        large.push(rawdoc! { "text": "x".repeat(1 << 20) });
        assert!(!large.is_full(), "half of the bytes");
        large.push(rawdoc! { "text": "x".repeat(1 << 20) });
        assert!(large.is_full());
    }
}
