//! Which indexes were used: the server's counters before and after the rounds.

use std::collections::BTreeMap;

use bson::{Bson, DateTime, Document, doc};
use futures_util::TryStreamExt;
use mongodb::Database;

use super::request::{EvidenceError, timed};
use crate::record::{IndexUseRecord, UsedIndexRecord};
use crate::words::EvidenceFlag;

/// Why an index counts nothing where no index of any model does.
const COUNTS_NOTHING: &str = "this server does not count the use of indexes: none of them counted anything";

/// The counters of a model's indexes at a time, by collection and index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexCounts {
    indexes: BTreeMap<(String, String), Counted>,
}

/// An index's counter.
#[derive(Debug, Clone, PartialEq)]
struct Counted {
    key: Document,
    /// What it is for besides answering queries.
    purpose: Option<&'static str>,
    /// By where it was counted: a shard's name, or nothing.
    counters: BTreeMap<String, Counter>,
}

/// How often an index was used since when.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Counter {
    uses: u64,
    since: Option<DateTime>,
}

/// The counters of these collections' indexes now.
///
/// # Errors
/// A request that the server refuses (`$indexStats` needs a privilege), a lost or silent server.
pub async fn index_counts<'a>(
    database: &Database,
    collections: impl IntoIterator<Item = &'a str>,
) -> Result<IndexCounts, EvidenceError> {
    let mut counts = IndexCounts::default();
    for name in collections {
        let doing = || format!("reading how often the indexes of collection `{name}` were used");
        let answers = async {
            let cursor = database.collection::<Document>(name).aggregate([doc! { "$indexStats": {} }]).await?;
            cursor.try_collect::<Vec<_>>().await
        };
        let counters = timed(doing, Box::pin(answers)).await?;
        let indexes = async { database.run_command(doc! { "listIndexes": name }).await };
        let listed = timed(doing, Box::pin(indexes)).await?;
        let described = listed.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        let described: Vec<&Document> = described.into_iter().flatten().filter_map(Bson::as_document).collect();
        counters.iter().for_each(|counter| counts.add(name, counter, &described));
    }
    Ok(counts)
}

impl IndexCounts {
    fn add(&mut self, collection: &str, counter: &Document, described: &[&Document]) {
        let Ok(name) = counter.get_str("name") else { return };
        let definition = described.iter().find(|index| index.get_str("name").is_ok_and(|known| known == name));
        let key = definition.and_then(|index| index.get_document("key").ok()).or(counter.get_document("key").ok());
        let accesses = counter.get_document("accesses").ok();
        let uses = accesses.map_or(0, |accesses| match accesses.get("ops") {
            Some(Bson::Int64(uses)) => u64::try_from(*uses).unwrap_or(0),
            Some(Bson::Int32(uses)) => u64::try_from(*uses).unwrap_or(0),
            _ => 0,
        });
        let since = accesses.and_then(|accesses| accesses.get_datetime("since").ok()).copied();
        let entry = (collection.to_owned(), name.to_owned());
        let counted = self.indexes.entry(entry).or_insert_with(|| Counted {
            key: key.cloned().unwrap_or_default(),
            purpose: definition.and_then(|index| purpose(index)),
            counters: BTreeMap::new(),
        });
        // One answer per shard.
        let place = ["shard", "host"].into_iter().find_map(|field| counter.get_str(field).ok()).unwrap_or_default();
        counted.counters.insert(place.to_owned(), Counter { uses, since });
    }

    /// Adds what was counted between two times to what was counted before. Counters of an index that was made anew between
    /// them began again at 0.
    #[must_use]
    pub fn and_between(mut self, before: &Self, after: &Self) -> Self {
        for (name, now) in &after.indexes {
            let earlier = before.indexes.get(name);
            let counters = now.counters.iter().map(|(place, counter)| {
                let earlier = earlier.and_then(|index| index.counters.get(place));
                let of_before =
                    earlier.filter(|earlier| earlier.since == counter.since).map_or(0, |earlier| earlier.uses);
                (place.clone(), counter.uses.saturating_sub(of_before))
            });
            let sum = self
                .indexes
                .entry(name.clone())
                .or_insert_with(|| Counted { counters: BTreeMap::new(), ..now.clone() });
            for (place, uses) in counters {
                let counter = sum.counters.entry(place).or_insert(Counter { uses: 0, since: None });
                counter.uses = counter.uses.saturating_add(uses);
            }
        }
        self
    }

    fn in_all(&self) -> u64 {
        self.indexes.values().map(Counted::in_all).fold(0, u64::saturating_add)
    }
}

impl Counted {
    fn in_all(&self) -> u64 {
        self.counters.values().map(|counter| counter.uses).fold(0, u64::saturating_add)
    }
}

/// What an index is for besides answering queries.
fn purpose(index: &Document) -> Option<&'static str> {
    let on_id = index.get_document("key").is_ok_and(|key| key.len() == 1 && key.contains_key("_id"));
    let is = |option: &str| index.get(option).is_some_and(|value| *value != Bson::Boolean(false));
    if on_id {
        Some("every collection has it")
    } else if is("unique") {
        Some("it keeps values unique")
    } else if is("expireAfterSeconds") {
        Some("it lets documents expire")
    } else {
        None
    }
}

/// What the rounds used of the indexes of each model, by what was counted in them. Where nothing at all was counted, the
/// server does not count, and that is said instead.
pub fn index_use(models: &[IndexCounts]) -> Vec<IndexUseRecord> {
    let counts = models.iter().any(|counted| counted.in_all() > 0);
    let of_model = |counted: &IndexCounts| match counts {
        true => IndexUseRecord { indexes: counted.indexes.iter().map(used).collect(), not_counted: None },
        false => IndexUseRecord { indexes: Vec::new(), not_counted: Some(COUNTS_NOTHING.to_owned()) },
    };
    models.iter().map(of_model).collect()
}

fn used(((collection, name), counted): (&(String, String), &Counted)) -> UsedIndexRecord {
    let used = counted.in_all();
    UsedIndexRecord {
        collection: collection.clone(),
        name: name.clone(),
        key: Bson::Document(counted.key.clone()).into_relaxed_extjson(),
        used,
        purpose: counted.purpose.map(str::to_owned),
        flags: (used == 0 && counted.purpose.is_none()).then_some(EvidenceFlag::UnusedIndex).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counters of an index on `category`, one on `price`, a unique one, one that lets documents expire, and that on
    /// `_id`, counted since a day of January.
    fn counters(since: u8, category: i64, price: i64) -> IndexCounts {
        let described = [
            doc! { "key": { "_id": 1 }, "name": "_id_" },
            doc! { "key": { "category": 1, "_id": 1 }, "name": "category_1__id_1" },
            doc! { "key": { "price": 1 }, "name": "price_1" },
            doc! { "key": { "sku": 1 }, "name": "sku_1", "unique": true },
            doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 },
        ];
        let described: Vec<&Document> = described.iter().collect();
        let since = DateTime::parse_rfc3339_str(format!("2025-01-{since:02}T00:00:00Z")).expect("a date");
        let mut counts = IndexCounts::default();
        for (name, uses) in [("_id_", 0), ("category_1__id_1", category), ("price_1", price), ("sku_1", 0), ("at_1", 0)]
        {
            let counter = doc! { "name": name, "accesses": { "ops": uses, "since": since } };
            counts.add("products", &counter, &described);
        }
        counts
    }

    fn flagged(record: &IndexUseRecord) -> Vec<&str> {
        record.indexes.iter().filter(|index| !index.flags.is_empty()).map(|index| index.name.as_str()).collect()
    }

    #[test]
    fn an_index_that_no_operation_used_is_named_and_one_with_another_purpose_is_not() {
        // Loading and explaining had used both before.
        let rounds = IndexCounts::default().and_between(&counters(1, 7, 3), &counters(1, 107, 3));
        let record = index_use(&[rounds]).remove(0);
        let uses: Vec<u64> = record.indexes.iter().map(|index| index.used).collect();
        assert_eq!(uses, [0, 0, 100, 0, 0], "in the order of names");
        assert_eq!(flagged(&record), ["price_1"]);
        assert_eq!(record.indexes[2].key, serde_json::json!({ "category": 1, "_id": 1 }));
    }

    #[test]
    fn counts_of_restarts_add_up_and_counters_of_fresh_data_begin_again() {
        let first = IndexCounts::default().and_between(&counters(1, 7, 3), &counters(1, 107, 3));
        // Loaded afresh in between: what was counted before is gone with the old index.
        let both = first.and_between(&counters(2, 9, 0), &counters(3, 20, 5));
        let record = index_use(&[both]).remove(0);
        let used = |name: &str| record.indexes.iter().find(|index| index.name == name).map(|index| index.used);
        assert_eq!((used("category_1__id_1"), used("price_1")), (Some(120), Some(5)));
        assert!(flagged(&record).is_empty());
    }

    #[test]
    fn a_server_that_counts_nothing_proves_nothing() {
        let idle = || IndexCounts::default().and_between(&counters(1, 0, 0), &counters(1, 0, 0));
        let records = index_use(&[idle(), idle()]);
        assert!(records.iter().all(|record| record.indexes.is_empty() && record.not_counted.is_some()));
        // One model that used an index shows that the server counts, and that the other used none.
        let busy = IndexCounts::default().and_between(&counters(1, 0, 0), &counters(1, 1, 1));
        let records = index_use(&[idle(), busy]);
        assert_eq!(flagged(&records[0]), ["category_1__id_1", "price_1"]);
        assert!(flagged(&records[1]).is_empty());
    }

    #[test]
    fn shards_count_apart() {
        let answer = |shard: &str, uses: i64| doc! { "name": "a_1", "shard": shard, "accesses": { "ops": uses } };
        let of = |one: i64, other: i64| {
            let mut counts = IndexCounts::default();
            [answer("s0", one), answer("s1", other)].iter().for_each(|answer| counts.add("c", answer, &[]));
            counts
        };
        let rounds = IndexCounts::default().and_between(&of(5, 6), &of(8, 10));
        assert_eq!(rounds.in_all(), 3 + 4);
    }
}
