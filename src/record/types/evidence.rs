//! Evidence: facts that explain a latency and do not depend on the machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::units::Bytes;
use crate::words::{DataSize, EvidenceFlag, SortedInMemory};

/// The stage of a plan that reads every document of a collection.
pub const COLLECTION_SCAN: &str = "COLLSCAN";

/// What `explain` says of a step, with the arguments of the first parity operation in which the step ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRecord {
    /// The step, from 0.
    pub step: u32,
    /// What it calls: `find`, `updateOne` …
    pub call: String,
    /// The collection that it addresses.
    pub collection: String,
    /// On which data it was explained.
    pub data: DataSize,
    /// How documents are found: `COLLSCAN`, `IXSCAN`, `IDHACK`, `EXPRESS_IXSCAN` …; absent where the server does not
    /// report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The stages above that one, from the lowest up: `FETCH`, `SORT` …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<String>,
    /// The index used; of several all names, with commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// What is sorted in memory; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_memory_sort: Option<SortedInMemory>,
    /// Index keys examined; absent where the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys_examined: Option<u64>,
    /// Documents examined, those of joined collections aside; absent where the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs_examined: Option<u64>,
    /// Documents that pass the filter (before a grouping, those that enter it); absent for counts and time series, and
    /// where the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// Documents returned; absent for writes that return none, and where the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<u64>,
    /// Collections that a pipeline reads besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<JoinedRecord>,
    /// Shards that took part; absent where the collection is not sharded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shards: Option<u32>,
    /// What a reader should look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<EvidenceFlag>,
    /// Why the collection scan is what this operation shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_is_the_subject: Option<String>,
    /// Why there are no figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_explained: Option<String>,
    /// Whether the figures are the server's claim about its plan, and not counted while it ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub claimed_by_server: bool,
}

impl EvidenceRecord {
    /// The collections of which the step reads every document: its own, or one that it joins.
    pub fn scanned(&self) -> Vec<&str> {
        let is_scan = |stage: &Option<String>| stage.as_deref() == Some(COLLECTION_SCAN);
        let own = is_scan(&self.stage).then_some(self.collection.as_str());
        let joined =
            self.joined.iter().filter(|joined| is_scan(&joined.stage)).map(|joined| joined.collection.as_str());
        own.into_iter().chain(joined).collect()
    }
}

/// A collection that a pipeline reads besides its own: what `$lookup`, `$graphLookup` and `$unionWith` examine, over all
/// documents that they run for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct JoinedRecord {
    /// The pipeline's stage, with its dollar sign.
    pub by: String,
    /// The collection read.
    pub collection: String,
    /// The strategy that the server names (`IndexedLoopJoin`, `HashJoin` …), where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// How documents are found there; absent where the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The index used there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Index keys examined there; absent where the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys_examined: Option<u64>,
    /// Documents examined there; absent where the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs_examined: Option<u64>,
}

/// How often the rounds used each index of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct IndexUseRecord {
    /// The indexes; empty where nothing can be said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<UsedIndexRecord>,
    /// Why nothing can be said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
}

/// An index and how often the rounds used it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsedIndexRecord {
    /// Its collection.
    pub collection: String,
    /// Its name.
    pub name: String,
    /// Its key (relaxed Extended JSON).
    pub key: Value,
    /// How often the rounds used it, lead-ins and calibration included.
    pub used: u64,
    /// What it is for besides answering queries, which is why it is never called unused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// `unused_index` where no operation used it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<EvidenceFlag>,
}

/// How large a collection's documents are, and what they take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionSizesRecord {
    /// The collection.
    pub name: String,
    /// Mean size of a document as stored; absent where it holds none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_document: Option<Bytes>,
    /// Size of the largest document; absent where the server did not tell it in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_document: Option<Bytes>,
    /// Uncompressed bytes of documents.
    pub data_bytes: Bytes,
    /// Bytes on disk, where the server tells them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_bytes: Option<Bytes>,
    /// Bytes of indexes.
    pub index_bytes: Bytes,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_false(value: &bool) -> bool {
    !*value
}
