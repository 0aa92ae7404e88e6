//! The marker: the first document of every database of patternbench's.

use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};

use super::owner::Owner;
use crate::value::Parameters;
use crate::words::MarkerState;

/// The collection that holds the marker and nothing else.
pub const MARKER_COLLECTION: &str = "_patternbench";
/// The marker's `_id`: fixed, so that of two runs that claim a database at once only one can insert it.
pub(super) const MARKER_ID: &str = "marker";
/// How often an owner gives a sign of life.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);
/// An owner that gave no sign for so long is taken for dead. Both times are the server's, so clocks need not agree.
pub(super) const STALE: Duration = Duration::from_secs(30);

/// What a database of patternbench's holds and who works with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Marker {
    /// Who works with it, or did last.
    pub owner: Owner,
    /// SHA-256 of the scenario file that the data are made from.
    pub file_sha256: String,
    /// The seed that they are made from.
    pub seed: u64,
    /// The parameters that they are made from.
    pub parameters: Parameters,
    /// How far they are.
    pub state: MarkerState,
    /// Whether they are as loaded; also told once they are kept.
    pub pristine: bool,
    /// The owner's last sign of life, by the server's clock.
    pub(super) heartbeat: Option<DateTime>,
}

impl Marker {
    /// The marker of a database that is about to be loaded.
    pub fn new(owner: Owner, file_sha256: &str, seed: u64, parameters: &Parameters) -> Self {
        Self {
            owner,
            file_sha256: file_sha256.to_owned(),
            seed,
            parameters: parameters.clone(),
            state: MarkerState::Loading,
            pristine: false,
            heartbeat: None,
        }
    }

    /// Whether both speak of the same data.
    pub fn same_data(&self, other: &Self) -> bool {
        self.file_sha256 == other.file_sha256 && self.seed == other.seed && self.parameters == other.parameters
    }

    /// How long ago the owner gave a sign of life; `now` is the server's time.
    pub(super) fn silence(&self, now: DateTime) -> Duration {
        let last = self.heartbeat.map_or(0, DateTime::timestamp_millis);
        Duration::from_millis(u64::try_from(now.timestamp_millis().saturating_sub(last)).unwrap_or(0))
    }

    /// Whether the owner may still be at work.
    pub(super) fn is_live(&self, now: DateTime) -> bool {
        self.state != MarkerState::Kept && self.silence(now) < STALE && !self.owner.has_ended()
    }

    /// All fields but `_id` and the heartbeat, which the server sets.
    pub(super) fn fields(&self) -> Document {
        doc! {
            "owner": self.owner.to_document(),
            "file_sha256": &self.file_sha256,
            // BSON has no unsigned 64-bit number.
            "seed": self.seed.to_string(),
            "parameters": self.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Document>(),
            "state": self.state.word(),
            "pristine": self.pristine,
        }
    }

    /// `None` when the document is no marker of ours.
    pub(super) fn from_document(document: &Document) -> Option<Self> {
        Some(Self {
            owner: Owner::from_document(document.get_document("owner").ok()?)?,
            file_sha256: document.get_str("file_sha256").ok()?.to_owned(),
            seed: document.get_str("seed").ok()?.parse().ok()?,
            parameters: document.get_document("parameters").ok()?.clone().into_iter().collect(),
            state: document.get_str("state").ok()?.parse().ok()?,
            pristine: document.get_bool("pristine").ok()?,
            heartbeat: document.get("heartbeat").and_then(Bson::as_datetime).copied(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(state: MarkerState, heartbeat: i64) -> Marker {
        let parameters = Parameters::from([("products".to_owned(), Bson::Int32(20))]);
        let mut marker = Marker::new(Owner::this_process("r1"), "abc", u64::MAX, &parameters);
        marker.state = state;
        marker.heartbeat = Some(DateTime::from_millis(heartbeat));
        marker
    }

    #[test]
    fn a_marker_survives_storing() {
        let marker = marker(MarkerState::Used, 1_000);
        let mut document = marker.fields();
        document.insert("heartbeat", marker.heartbeat);
        assert_eq!(Marker::from_document(&document), Some(marker));
    }

    #[test]
    fn other_documents_are_no_markers() {
        assert_eq!(Marker::from_document(&doc! {}), None);
        let mut document = marker(MarkerState::Used, 0).fields();
        document.insert("state", "borrowed");
        assert_eq!(Marker::from_document(&document), None);
    }

    #[test]
    fn an_owner_is_live_until_it_was_silent_for_half_a_minute() {
        let live = |state, now| marker(state, 1_000).is_live(DateTime::from_millis(now));
        assert!(live(MarkerState::Used, 1_000 + 29_999));
        assert!(!live(MarkerState::Used, 1_000 + 30_000));
        assert!(live(MarkerState::Loading, 0), "the server's clock was set back");
        assert!(!live(MarkerState::Kept, 1_000), "kept data have no owner at work");
    }

    #[test]
    fn the_same_data_have_the_same_file_seed_and_parameters() {
        let one = marker(MarkerState::Kept, 0);
        let mut other = marker(MarkerState::Loading, 9);
        other.owner.run = "r2".to_owned();
        assert!(one.same_data(&other));
        other.parameters.insert("products".to_owned(), Bson::Int32(21));
        assert!(!one.same_data(&other));
        other = Marker { seed: 2, ..one.clone() };
        assert!(!one.same_data(&other));
        other = Marker { file_sha256: "abd".to_owned(), ..one.clone() };
        assert!(!one.same_data(&other));
    }
}
