//! Where a pipeline builds a document that is too large: after which stage, and from which documents.
//!
//! The server's error names neither. The documents are found by halving the range of the source's `_id`s as long as
//! one half alone fails; the stage by running longer and longer beginnings of the pipeline on what is left.

use std::time::Duration;

use bson::{Bson, Document, RawDocumentBuf, doc};
use futures_util::TryStreamExt;
use mongodb::Collection;
use tokio::time::Instant;

use super::batch::LARGEST_DOCUMENT;
use super::cause::Cause;
use super::error::StagePlace;

/// How long the search may take: it only improves a message.
const PATIENCE: Duration = Duration::from_secs(60);
/// Stages that must stand first, so that no range of `_id`s can be put before them.
const MUST_BE_FIRST: &[&str] = &["$geoNear", "$search", "$searchMeta", "$vectorSearch", "$collStats", "$indexStats"];

/// What was found out.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The stage.
    pub(super) stage: Option<StagePlace>,
    /// The documents, as a person reads it.
    pub(super) key: Option<String>,
}

/// Looks for the stage and the documents; what cannot be found within a minute (or `wait`) stays unknown.
pub(super) async fn locate(source: &Collection<RawDocumentBuf>, pipeline: &[Document], wait: Duration) -> Place {
    let until = Instant::now() + wait.min(PATIENCE);
    let search = Search { source, pipeline, until };
    let range = if search.can_be_narrowed() { search.narrow().await } else { None };
    let stage = search.stage(range.as_ref()).await;
    let key = match &range {
        Some(range) if range.rows == 1 => Some(format!("_id {} of set `{}`", shown(&range.from), source.name())),
        _ => search.largest_group(stage.as_ref(), range.as_ref()).await,
    };
    let key = key.or_else(|| range.filter(|range| range.narrowed).map(|range| range.shown(source.name())));
    Place { stage, key }
}

/// A range of the source's `_id`s, both ends included.
#[derive(Debug, Clone)]
struct IdRange {
    from: Bson,
    to: Bson,
    rows: u64,
    narrowed: bool,
}

impl IdRange {
    fn filter(&self) -> Document {
        doc! { "_id": { "$gte": self.from.clone(), "$lte": self.to.clone() } }
    }

    fn shown(&self, set: &str) -> String {
        format!("_id {} to {} of set `{set}` together", shown(&self.from), shown(&self.to))
    }
}

fn shown(id: &Bson) -> String {
    id.clone().into_relaxed_extjson().to_string()
}

struct Search<'a> {
    source: &'a Collection<RawDocumentBuf>,
    pipeline: &'a [Document],
    until: Instant,
}

impl Search<'_> {
    fn can_be_narrowed(&self) -> bool {
        let first = self.pipeline.first().and_then(|stage| stage.keys().next());
        first.is_none_or(|operator| !MUST_BE_FIRST.contains(&operator.as_str()))
    }

    /// The smallest range of `_id`s that still fails.
    async fn narrow(&self) -> Option<IdRange> {
        let rows = self.in_time(self.source.count_documents(doc! {}).into_future()).await?.ok()?;
        let from = self.nth_id(&doc! {}, 0).await?;
        let to = self.nth_id(&doc! {}, rows.checked_sub(1)?).await?;
        let mut range = IdRange { from, to, rows, narrowed: false };
        while range.rows > 1 {
            let Some(half) = self.failing_half(&range).await else { break };
            range = half;
        }
        Some(range)
    }

    /// A half of the range that fails alone; `None` where neither does.
    async fn failing_half(&self, range: &IdRange) -> Option<IdRange> {
        let lower_rows = range.rows / 2;
        let lower_end = self.nth_id(&range.filter(), lower_rows - 1).await?;
        let upper_start = self.nth_id(&range.filter(), lower_rows).await?;
        let lower = IdRange { from: range.from.clone(), to: lower_end, rows: lower_rows, narrowed: true };
        if self.is_too_large(self.pipeline, Some(&lower)).await? {
            return Some(lower);
        }
        let upper = IdRange { from: upper_start, to: range.to.clone(), rows: range.rows - lower_rows, narrowed: true };
        self.is_too_large(self.pipeline, Some(&upper)).await?.then_some(upper)
    }

    /// The first stage whose output is too large.
    async fn stage(&self, range: Option<&IdRange>) -> Option<StagePlace> {
        for length in 1..=self.pipeline.len() {
            if self.is_too_large(&self.pipeline[..length], range).await? {
                let index = length - 1;
                return Some(StagePlace { index, of: self.pipeline.len(), operator: operator(&self.pipeline[index]) });
            }
        }
        None
    }

    /// For a stage that groups: the group whose documents are largest together.
    async fn largest_group(&self, stage: Option<&StagePlace>, range: Option<&IdRange>) -> Option<String> {
        let stage = stage.filter(|stage| stage.operator == "$group")?;
        let group = self.pipeline[stage.index].get_document("$group").ok()?;
        let mut pipeline = bounded(&self.pipeline[..stage.index], range);
        pipeline.push(doc! { "$group": {
            "_id": group.get("_id")?.clone(),
            "bytes": { "$sum": { "$bsonSize": "$$ROOT" } },
        } });
        pipeline.push(doc! { "$sort": { "bytes": -1 } });
        pipeline.push(doc! { "$limit": 1 });
        let largest = self.first_answer(pipeline).await?.ok()??;
        Some(format!("group {}", shown(largest.get("_id")?)))
    }

    /// Whether these stages build a document that is too large; `None` where that could not be found out.
    async fn is_too_large(&self, stages: &[Document], range: Option<&IdRange>) -> Option<bool> {
        let mut pipeline = bounded(stages, range);
        // The size of the whole document is asked for, so that the server cannot leave unused fields out.
        pipeline.push(doc! { "$project": { "_id": 0, "bytes": { "$bsonSize": "$$ROOT" } } });
        pipeline.push(doc! { "$match": { "bytes": { "$gt": LARGEST_DOCUMENT as i64 } } });
        pipeline.push(doc! { "$limit": 1 });
        match self.first_answer(pipeline).await? {
            Ok(found) => Some(found.is_some()),
            Err(cause) => cause.may_be_too_large().then_some(true),
        }
    }

    async fn nth_id(&self, filter: &Document, number: u64) -> Option<Bson> {
        let pipeline = vec![
            doc! { "$match": filter.clone() },
            doc! { "$sort": { "_id": 1 } },
            doc! { "$skip": i64::try_from(number).ok()? },
            doc! { "$limit": 1 },
            doc! { "$project": { "_id": 1 } },
        ];
        self.first_answer(pipeline).await?.ok()??.remove("_id")
    }

    async fn first_answer(&self, pipeline: Vec<Document>) -> Option<Result<Option<Document>, Cause>> {
        let answer = async {
            let mut cursor = self.source.aggregate(pipeline).allow_disk_use(true).with_type::<Document>().await?;
            cursor.try_next().await
        };
        self.in_time(answer).await
    }

    async fn in_time<T>(&self, request: impl Future<Output = mongodb::error::Result<T>>) -> Option<Result<T, Cause>> {
        let answer = tokio::time::timeout_at(self.until, request).await.ok()?;
        Some(answer.map_err(Cause::from))
    }
}

/// The stages on a range of `_id`s.
fn bounded(stages: &[Document], range: Option<&IdRange>) -> Vec<Document> {
    range.map(|range| doc! { "$match": range.filter() }).into_iter().chain(stages.iter().cloned()).collect()
}

fn operator(stage: &Document) -> String {
    stage.keys().next().cloned().unwrap_or_default()
}
