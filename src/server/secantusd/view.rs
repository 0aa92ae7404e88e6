//! The parts of a step that the rules look at, the same for every kind of step.

use bson::{Bson, Document};

use crate::scenario::{Form, StepKind};

/// A step taken apart.
pub(super) struct View<'a> {
    pub(super) word: &'static str,
    /// The collection as the scenario has it: partitions of one are alike.
    pub(super) collection: &'a str,
    /// The filter, or the leading `$match` stages.
    pub(super) filters: Vec<&'a Document>,
    /// The stages of an aggregation.
    pub(super) stages: Vec<&'a Document>,
    pub(super) sort: Option<&'a Document>,
    /// How many documents are wanted, those that are skipped included.
    pub(super) limit: Option<u64>,
    pub(super) hinted: bool,
    pub(super) collated: bool,
    pub(super) effect: Effect,
}

/// What a step does to its collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    Inserts,
    /// Changes or deletes one document.
    WritesOne,
    /// Changes or deletes every matching document.
    WritesMany,
    /// Changes one document and returns it.
    FindsAndModifies,
}

impl Effect {
    pub(super) fn writes(self) -> bool {
        self != Self::Reads
    }
}

/// A step that wants the first few of the matching documents.
#[derive(Debug, Clone, PartialEq)]
pub struct TopN {
    /// The collection, as the database has it.
    pub collection: String,
    /// What matches; count these documents to learn whether the step is engine-limited.
    pub filter: Document,
    /// How many are wanted, those that are skipped included.
    pub limit: u64,
}

/// The top-N that a step asks for, if it does.
pub fn top_n<F: Form<Value = Bson>>(step: &StepKind<F>) -> Option<TopN> {
    let view = View::of(step);
    let filter = match view.filters.as_slice() {
        [] => Document::new(),
        [one] => (*one).clone(),
        several => bson::doc! {"$and": several.iter().map(|&filter| Bson::from(filter.clone())).collect::<Vec<_>>()},
    };
    (view.effect == Effect::Reads).then_some(())?;
    Some(TopN { collection: step.collection().name().to_owned(), filter, limit: view.limit? })
}

impl<'a> View<'a> {
    /// The views of a step: one for each write of a `bulkWrite`, one of any other.
    pub(super) fn all_of<F: Form<Value = Bson>>(step: &'a StepKind<F>) -> Vec<Self> {
        let StepKind::BulkWrite(bulk) = step else { return vec![Self::of(step)] };
        let models = bulk.models.as_array().into_iter().flatten().filter_map(Bson::as_document);
        models.filter_map(|model| Self::of_write(step.word(), model)).collect()
    }

    fn of_write(word: &'static str, model: &'a Document) -> Option<Self> {
        let (write, fields) = model.iter().next()?;
        let fields = fields.as_document()?;
        Some(Self {
            word,
            collection: fields.get_str("collection").ok()?,
            filters: fields.get_document("filter").into_iter().collect(),
            stages: Vec::new(),
            sort: None,
            limit: None,
            hinted: fields.contains_key("hint"),
            collated: fields.contains_key("collation"),
            effect: match write.as_str() {
                "insertOne" => Effect::Inserts,
                "updateMany" | "deleteMany" => Effect::WritesMany,
                _ => Effect::WritesOne,
            },
        })
    }

    pub(super) fn of<F: Form<Value = Bson>>(step: &'a StepKind<F>) -> Self {
        let bare = |effect| Self {
            word: step.word(),
            collection: step.collection().declared(),
            filters: Vec::new(),
            stages: Vec::new(),
            sort: None,
            limit: None,
            hinted: false,
            collated: false,
            effect,
        };
        let with = |effect, filter: &'a Bson, hint: &Option<Bson>, collation: &Option<Bson>| Self {
            filters: filter.as_document().into_iter().collect(),
            hinted: hint.is_some(),
            collated: collation.is_some(),
            ..bare(effect)
        };
        match step {
            StepKind::Find(step) => Self {
                sort: sorting(&step.sort),
                limit: wanted(&step.limit, &step.skip),
                ..with(Effect::Reads, &step.filter, &step.hint, &step.collation)
            },
            StepKind::FindOne(step) => Self {
                sort: sorting(&step.sort),
                limit: Some(1 + step.skip.as_ref().and_then(whole).unwrap_or(0)),
                ..with(Effect::Reads, &step.filter, &step.hint, &step.collation)
            },
            StepKind::Aggregate(step) => Self {
                hinted: step.hint.is_some(),
                collated: step.collation.is_some(),
                ..bare(Effect::Reads).with_pipeline(&step.pipeline)
            },
            StepKind::InsertOne(_) | StepKind::InsertMany(_) => bare(Effect::Inserts),
            StepKind::UpdateOne(step) => with(Effect::WritesOne, &step.filter, &step.hint, &step.collation),
            StepKind::ReplaceOne(step) => with(Effect::WritesOne, &step.filter, &step.hint, &step.collation),
            StepKind::DeleteOne(step) => with(Effect::WritesOne, &step.filter, &step.hint, &step.collation),
            StepKind::UpdateMany(step) => with(Effect::WritesMany, &step.filter, &step.hint, &step.collation),
            StepKind::DeleteMany(step) => with(Effect::WritesMany, &step.filter, &step.hint, &step.collation),
            StepKind::FindOneAndUpdate(step) => {
                with(Effect::FindsAndModifies, &step.filter, &step.hint, &step.collation)
            }
            StepKind::FindOneAndReplace(step) => {
                with(Effect::FindsAndModifies, &step.filter, &step.hint, &step.collation)
            }
            StepKind::CountDocuments(step) => Self {
                limit: wanted(&step.limit, &step.skip),
                ..with(Effect::Reads, &step.filter, &step.hint, &step.collation)
            },
            StepKind::Distinct(step) => Self {
                filters: step.filter.iter().filter_map(Bson::as_document).collect(),
                collated: step.collation.is_some(),
                ..bare(Effect::Reads)
            },
            // Its writes have views of their own.
            StepKind::BulkWrite(_) => bare(Effect::WritesOne),
            StepKind::RunCommand(_) => bare(Effect::Reads),
        }
    }

    /// Reads what the beginning of a pipeline has in common with a find: `$match` …, `$sort`, `$skip`, `$limit`.
    fn with_pipeline(mut self, pipeline: &'a Bson) -> Self {
        self.stages = pipeline.as_array().into_iter().flatten().filter_map(Bson::as_document).collect();
        let mut rest = self.stages.as_slice();
        while let Some((filter, tail)) = leading(rest, "$match") {
            self.filters.extend(filter.as_document());
            rest = tail;
        }
        if let Some((sort, tail)) = leading(rest, "$sort") {
            self.sort = sort.as_document();
            rest = tail;
        }
        let skipped = leading(rest, "$skip").map_or(0, |(skip, tail)| {
            rest = tail;
            whole(skip).unwrap_or(0)
        });
        self.limit = leading(rest, "$limit").and_then(|(limit, _)| whole(limit)).map(|limit| limit + skipped);
        self
    }
}

/// The value of the first stage if it is that stage, and the stages behind it.
fn leading<'a, 's>(stages: &'s [&'a Document], name: &str) -> Option<(&'a Bson, &'s [&'a Document])> {
    let (first, rest) = stages.split_first()?;
    Some((first.get(name)?, rest))
}

fn sorting(sort: &Option<Bson>) -> Option<&Document> {
    sort.as_ref().and_then(Bson::as_document).filter(|sort| !sort.is_empty())
}

fn wanted(limit: &Option<Bson>, skip: &Option<Bson>) -> Option<u64> {
    let limit = limit.as_ref().and_then(whole).filter(|&limit| limit > 0)?;
    Some(limit + skip.as_ref().and_then(whole).unwrap_or(0))
}

/// A whole number that is not negative.
pub(super) fn whole(value: &Bson) -> Option<u64> {
    match value {
        Bson::Int32(number) => u64::try_from(*number).ok(),
        Bson::Int64(number) => u64::try_from(*number).ok(),
        Bson::Double(number) if *number >= 0.0 && number.fract() == 0.0 => Some(*number as u64),
        _ => None,
    }
}
