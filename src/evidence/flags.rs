//! What of the evidence a reader should look at.

use crate::record::EvidenceRecord;
use crate::words::{EvidenceFlag, SortedInMemory};

/// More keys or documents than this for each that matches are many.
const EXAMINED_PER_MATCHED: u64 = 10;

/// The flags of a step's evidence. A collection scan or a sort that is the operation's subject is none.
pub fn flags_of(evidence: &EvidenceRecord) -> Vec<EvidenceFlag> {
    let scans = !evidence.scanned().is_empty();
    let is_subject = evidence.scan_is_the_subject.is_some();
    let found = [
        (EvidenceFlag::CollectionScan, scans && !is_subject),
        (EvidenceFlag::InMemorySort, evidence.in_memory_sort == Some(SortedInMemory::Documents) && !is_subject),
        (EvidenceFlag::ManyExamined, examines_many(evidence)),
    ];
    found.into_iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| flag).collect()
}

fn examines_many(evidence: &EvidenceRecord) -> bool {
    let examined = evidence.keys_examined.max(evidence.docs_examined);
    match (examined, evidence.matched) {
        (Some(examined), Some(matched)) => examined > EXAMINED_PER_MATCHED.saturating_mul(matched.max(1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{COLLECTION_SCAN, JoinedRecord};

    fn evidence(examined: (u64, u64), matched: u64) -> EvidenceRecord {
        let text = r#"{"step": 0, "call": "find", "collection": "products", "data": "parity", "stage": "IXSCAN"}"#;
        let mut evidence: EvidenceRecord = serde_json::from_str(text).expect("what is left out has a default");
        (evidence.keys_examined, evidence.docs_examined) = (Some(examined.0), Some(examined.1));
        evidence.matched = Some(matched);
        evidence
    }

    #[test]
    fn more_than_ten_examined_for_each_that_matches_are_many() {
        assert!(flags_of(&evidence((400, 400), 40)).is_empty(), "ten for each");
        assert_eq!(flags_of(&evidence((401, 40), 40)), [EvidenceFlag::ManyExamined], "keys count");
        assert_eq!(flags_of(&evidence((40, 401), 40)), [EvidenceFlag::ManyExamined], "documents count");
        // What matches nothing may look at ten.
        assert!(flags_of(&evidence((10, 10), 0)).is_empty());
        assert_eq!(flags_of(&evidence((11, 0), 0)), [EvidenceFlag::ManyExamined]);
        let counted = EvidenceRecord { matched: None, ..evidence((400, 0), 0) };
        assert!(flags_of(&counted).is_empty(), "of a count nothing is said");
    }

    #[test]
    fn a_scan_is_flagged_unless_it_is_the_subject_wherever_it_happens() {
        let scan = EvidenceRecord { stage: Some(COLLECTION_SCAN.to_owned()), ..evidence((0, 5), 5) };
        assert_eq!(flags_of(&scan), [EvidenceFlag::CollectionScan]);
        let subject = EvidenceRecord { scan_is_the_subject: Some("it shows a scan".to_owned()), ..scan };
        assert!(flags_of(&subject).is_empty());
        let inner = JoinedRecord { stage: Some(COLLECTION_SCAN.to_owned()), ..JoinedRecord::default() };
        let joined = EvidenceRecord { joined: vec![inner], ..evidence((5, 5), 5) };
        assert_eq!(flags_of(&joined), [EvidenceFlag::CollectionScan]);
    }

    #[test]
    fn a_sort_is_flagged_where_an_index_could_have_given_the_order() {
        let sorted = |what| EvidenceRecord { in_memory_sort: Some(what), ..evidence((5, 5), 5) };
        assert_eq!(flags_of(&sorted(SortedInMemory::Documents)), [EvidenceFlag::InMemorySort]);
        assert!(flags_of(&sorted(SortedInMemory::Results)).is_empty());
    }
}
