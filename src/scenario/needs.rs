//! What a model needs of a server beyond what every server has, told from its declaration.

use std::collections::BTreeSet;

use bson::Bson;

use super::index::IndexDefinition;
use super::step::StepKind;
use super::tree::calls;
use super::types::{Collection, Index, Model};

/// Something that not every server has, or not with an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// Transactions over several documents. A model does without them where there are none: its steps are then sent one
    /// after the other, as all models' are.
    Transactions,
    /// Writes to several collections in one request.
    BulkWrite,
    /// Change streams, which drive an actor of the model.
    ChangeStreams,
    /// An index over every field (`$**`), or every field below a path.
    WildcardIndex,
    /// An index over hashes.
    HashedIndex,
    /// An index over words.
    TextIndex,
    /// Time series collections.
    TimeSeries,
}

impl Need {
    /// Whether a model cannot be measured without it.
    pub fn is_indispensable(self) -> bool {
        self != Self::Transactions
    }

    /// What it is, as a person reads it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Transactions => "transactions",
            Self::BulkWrite => "bulkWrite",
            Self::ChangeStreams => "change streams",
            Self::WildcardIndex => "a wildcard index",
            Self::HashedIndex => "a hashed index",
            Self::TextIndex => "a text index",
            Self::TimeSeries => "a time series collection",
        }
    }
}

/// What a model needs: for its collections, its operations, its actors and its events.
pub fn needs(model: &Model) -> BTreeSet<Need> {
    let mut needs: BTreeSet<Need> = model.collections.iter().flat_map(of_collection).collect();
    if model.needs_change_streams() {
        needs.insert(Need::ChangeStreams);
    }
    let actors = model.background.iter().map(|actor| &actor.does);
    let beside = actors.chain(model.events.iter().map(|event| &event.does));
    for placed in model.operations.values().chain(beside).flat_map(|operation| calls(&operation.steps)) {
        if placed.in_transaction() {
            needs.insert(Need::Transactions);
        }
        if matches!(placed.call.kind, StepKind::BulkWrite(_)) {
            needs.insert(Need::BulkWrite);
        }
    }
    needs
}

fn of_collection(collection: &Collection) -> impl Iterator<Item = Need> {
    let options = collection.options.as_ref().and_then(|options| options.as_constant()).and_then(Bson::as_document);
    let time_series = options.is_some_and(|options| options.contains_key("timeseries")).then_some(Need::TimeSeries);
    // A calculated key is refused by the server where it has no such index.
    let written = collection.indexes.iter().filter_map(|index| match index {
        IndexDefinition::Written(index) => Some(index),
        IndexDefinition::Computed(_) => None,
    });
    written.flat_map(of_index).chain(time_series)
}

fn of_index(index: &Index) -> impl Iterator<Item = Need> {
    index.key.iter().filter_map(|(field, direction)| match direction {
        Bson::String(kind) if kind == "hashed" => Some(Need::HashedIndex),
        Bson::String(kind) if kind == "text" => Some(Need::TextIndex),
        _ if field == "$**" || field.ends_with(".$**") => Some(Need::WildcardIndex),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::*;

    fn of(key: Document) -> Vec<Need> {
        of_index(&Index { key, options: Document::new() }).collect()
    }

    #[test]
    fn the_key_of_an_index_tells_its_kind() {
        assert_eq!(of(doc! {"tenant": 1, "at": -1}), []);
        assert_eq!(of(doc! {"where": "2dsphere"}), [], "every server has those");
        assert_eq!(of(doc! {"$**": 1}), [Need::WildcardIndex]);
        assert_eq!(of(doc! {"attributes.$**": 1}), [Need::WildcardIndex]);
        assert_eq!(of(doc! {"tenant": 1, "id": "hashed"}), [Need::HashedIndex]);
        assert_eq!(of(doc! {"body": "text"}), [Need::TextIndex]);
    }
}
