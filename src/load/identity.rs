//! `_id`s for documents that a pipeline answers without one.
//!
//! The driver would give such a document a random `_id`, and two runs would not hold the same data. So it gets one that
//! follows from what it holds. (Rows always have an `_id`.)

use std::collections::HashMap;

use bson::oid::ObjectId;
use bson::raw::cstr;
use bson::{RawDocument, RawDocumentBuf};
use sha2::{Digest, Sha256};

/// Identifies documents by what they hold, and by how many alike came before.
#[derive(Debug, Default)]
pub(super) struct ContentIds {
    seen: HashMap<[u8; 12], u64>,
}

impl ContentIds {
    /// The document with an `_id` in front, if it has none.
    pub(super) fn identified(&mut self, document: &RawDocument) -> RawDocumentBuf {
        if has_id(document) {
            return document.to_owned();
        }
        let content = object_id(&[document.as_bytes()]);
        let alike = self.seen.entry(content.bytes()).or_default();
        let id = if *alike == 0 { content } else { object_id(&[document.as_bytes(), &alike.to_le_bytes()]) };
        *alike += 1;
        with_id(document, id)
    }
}

/// The `_id` as relaxed Extended JSON, for messages.
pub(super) fn id_of(document: &RawDocument) -> String {
    match document.get("_id").ok().flatten().map(bson::Bson::try_from) {
        Some(Ok(id)) => id.into_relaxed_extjson().to_string(),
        _ => "missing".to_owned(),
    }
}

fn has_id(document: &RawDocument) -> bool {
    matches!(document.get("_id"), Ok(Some(_)))
}

fn object_id(parts: &[&[u8]]) -> ObjectId {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut bytes = [0; 12];
    bytes.copy_from_slice(&hash.finalize()[..12]);
    ObjectId::from_bytes(bytes)
}

fn with_id(document: &RawDocument, id: ObjectId) -> RawDocumentBuf {
    let mut identified = RawDocumentBuf::new();
    identified.append(cstr!("_id"), id);
    for (key, value) in document.iter().flatten() {
        identified.append(key, value);
    }
    identified
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    #[test]
    fn a_document_without_id_gets_one_in_front_and_an_id_that_is_there_stays() {
        let mut ids = ContentIds::default();
        let without = ids.identified(&rawdoc! { "name": "anvil" });
        let keys: Vec<String> = without.iter().flatten().map(|(key, _)| key.to_string()).collect();
        assert_eq!(keys, ["_id", "name"]);
        assert_eq!(ContentIds::default().identified(&rawdoc! { "name": "anvil" }), without, "the same in another run");

        let with = rawdoc! { "name": "anvil", "_id": 3 };
        assert_eq!(ids.identified(&with), with);
    }

    #[test]
    fn documents_alike_are_told_apart_and_the_set_of_ids_does_not_depend_on_their_order() {
        let [a, b] = [rawdoc! { "x": 1 }, rawdoc! { "x": 2 }];
        let ids = |documents: &[&RawDocumentBuf]| {
            let mut ids = ContentIds::default();
            let mut all: Vec<String> = documents.iter().map(|document| id_of(&ids.identified(document))).collect();
            all.sort();
            all
        };
        let one_way = ids(&[&a, &a, &b]);
        assert_eq!(one_way, ids(&[&a, &b, &a]));
        assert_eq!(one_way.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
    }
}
