//! A model as measured: its data, its storage bill, its operations.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::evidence::{CollectionSizesRecord, EvidenceRecord, IndexUseRecord};
use crate::units::{Bytes, Ratio, Seconds};
use crate::words::{ErrorName, Phase, Role};

/// A model as measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it was not measured, or not to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// How it came to its declared end (`ends_when`), where it did: a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndRecord>,
    /// Loading; absent if it was not loaded by this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadRecord>,
    /// The storage bill after loading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageRecord>,
    /// Its collections.
    #[serde(default)]
    pub collections: Vec<CollectionRecord>,
    /// How large its documents are, by collection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<CollectionSizesRecord>,
    /// Which of its indexes the rounds used; absent where no round was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_use: Option<IndexUseRecord>,
    /// Its operations by name.
    #[serde(default)]
    pub operations: BTreeMap<String, ModelOperationRecord>,
}

/// The declared end of a model: the error beyond which its layout cannot go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndRecord {
    /// The error that was declared as its end.
    pub error: ErrorName,
    /// The operation that met it.
    pub operation: String,
    /// What the server said.
    pub message: String,
    /// In which phase: calibration, light load or the measured rounds.
    pub phase: Phase,
    /// The round, from 0; calibration has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// What it held then; absent where the server did not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HoldingsRecord>,
}

impl EndRecord {
    /// When it came, in words: `in calibration`, `in round 3`.
    pub fn when(&self) -> String {
        match (self.phase, self.round) {
            (Phase::LightLoad, Some(round)) => format!("in round {} at light load", round.saturating_add(1)),
            (_, Some(round)) => format!("in round {}", round.saturating_add(1)),
            (phase, None) => format!("in {phase}"),
        }
    }
}

/// What the collections of a model hold at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HoldingsRecord {
    /// Documents stored.
    pub documents: u64,
    /// Uncompressed bytes of documents.
    pub data_bytes: Bytes,
    /// Bytes of the largest document.
    pub largest_document_bytes: Bytes,
}

/// Loading of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadRecord {
    /// Documents written.
    pub documents: u64,
    /// Time taken, indexes included.
    pub seconds: Seconds,
}

/// The storage bill of a model: three figures of bytes, since each costs something else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StorageRecord {
    /// Documents stored.
    pub documents: u64,
    /// Uncompressed bytes of documents.
    pub data_bytes: Bytes,
    /// Bytes on disk, where the server tells them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_bytes: Option<Bytes>,
    /// Bytes of indexes.
    pub index_bytes: Bytes,
    /// Collections.
    pub collections: u64,
    /// Indexes, those on `_id` included.
    pub indexes: u64,
    /// Bytes of indexes ÷ the server's cache; absent where the size of the cache is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_to_cache: Option<Ratio>,
    /// Uncompressed bytes of documents ÷ the server's cache; absent where the size of the cache is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_to_cache: Option<Ratio>,
}

/// A collection of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionRecord {
    /// Its name; of a partitioned collection, what the names of its partitions begin with.
    pub name: String,
    /// How many collections of the database it is, where it is partitioned; the documents of all are counted together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u64>,
    /// Options of its creation (relaxed Extended JSON).
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub options: Value,
    /// Its indexes' keys and options.
    #[serde(default)]
    pub indexes: Vec<Value>,
    /// One of its documents, long strings and arrays shortened.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub sample: Value,
    /// Documents as stored (for time series: buckets).
    pub stored_documents: u64,
    /// Documents as the application sees them.
    pub logical_documents: u64,
}

/// An operation of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModelOperationRecord {
    /// The steps as sent, with the arguments of the first parity operation (relaxed Extended JSON).
    #[serde(default)]
    pub steps: Vec<Value>,
    /// How its cost is said to grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<String>,
    /// Why this server executes it unlike mongod (†).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_limited: Option<String>,
    /// What `explain` says of its steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceRecord>,
    /// Mean requests per operation in parity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<f64>,
    /// Mean bytes of requests per operation in parity: messages of MongoDB's wire protocol with their headers, before TLS
    /// and without compression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_sent: Option<f64>,
    /// Mean bytes of replies per operation in parity, counted alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_received: Option<f64>,
}
