//! A call as the command that the driver makes of it, for `explain`.

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::typed::{Field, optional};
use super::{Call, CallError, CallErrorKind, Rendered};
use crate::scenario::{Aggregate, BulkWrite, CountDocuments, Find, FindOne, FindOneAndReplace, FindOneAndUpdate};

impl Call {
    /// The command that the driver sends for this call, less what it adds of its own (`$db`, session, transaction
    /// number, concerns, and the database before the collections of a `bulkWrite`): what `explain` takes. Calls
    /// themselves never go this way.
    ///
    /// # Errors
    /// Where a number of documents is none, or a document to be stored is no valid BSON.
    pub fn to_command(&self) -> Result<Document, CallError> {
        let collection = self.collection().name();
        Ok(match self {
            Self::Find(step) => find(collection, step)?,
            Self::FindOne(step) => find_one(collection, step)?,
            Self::Aggregate(step) => aggregate(collection, step)?,
            Self::InsertOne(step) => {
                doc! { "insert": collection, "documents": [to_document(&step.document)?], "ordered": true }
            }
            Self::InsertMany(step) => {
                let documents = step.documents.iter().map(to_document).collect::<Result<Vec<_>, _>>()?;
                Command(doc! { "insert": collection, "documents": documents, "ordered": true })
                    .with("ordered", &step.ordered)
                    .0
            }
            Self::UpdateOne(step) => update(
                collection,
                Command(doc! { "q": step.filter.clone(), "u": step.update.clone() })
                    .with("upsert", &step.upsert)
                    .with("arrayFilters", &step.array_filters)
                    .with("hint", &step.hint)
                    .with("collation", &step.collation),
            ),
            Self::UpdateMany(step) => update(
                collection,
                Command(doc! { "q": step.filter.clone(), "u": step.update.clone(), "multi": true })
                    .with("upsert", &step.upsert)
                    .with("arrayFilters", &step.array_filters)
                    .with("hint", &step.hint)
                    .with("collation", &step.collation),
            ),
            Self::ReplaceOne(step) => update(
                collection,
                Command(doc! { "q": step.filter.clone(), "u": to_document(&step.replacement)? })
                    .with("upsert", &step.upsert)
                    .with("hint", &step.hint)
                    .with("collation", &step.collation),
            ),
            Self::DeleteOne(step) => delete(collection, &step.filter, 1, &step.hint, &step.collation),
            Self::DeleteMany(step) => delete(collection, &step.filter, 0, &step.hint, &step.collation),
            Self::FindOneAndUpdate(step) => find_one_and_update(collection, step),
            Self::FindOneAndReplace(step) => find_one_and_replace(collection, step)?,
            Self::CountDocuments(step) => count_documents(collection, step)?,
            Self::Distinct(step) => {
                let query = step.filter.clone().unwrap_or_else(|| Bson::Document(Document::new()));
                Command(doc! { "distinct": collection, "key": step.field.clone(), "query": query })
                    .with("collation", &step.collation)
                    .0
            }
            Self::BulkWrite(step) => bulk_write(step)?,
            Self::RunCommand(step) => Field::new("runCommand", "command").document(step.command.clone())?,
        })
    }
}

/// A command to which optional values are added where they are present.
struct Command(Document);

impl Command {
    fn with(mut self, key: &str, value: &Option<Bson>) -> Self {
        if let Some(value) = value.as_ref().filter(|value| !matches!(value, Bson::Null)) {
            self.0.insert(key, value.clone());
        }
        self
    }

    fn with_whole(self, step: &'static str, key: &'static str, value: &Option<Bson>) -> Result<Self, CallError> {
        let whole = whole(step, key, value)?.map(Bson::Int64);
        Ok(self.with(key, &whole))
    }
}

fn whole(step: &'static str, key: &'static str, value: &Option<Bson>) -> Result<Option<i64>, CallError> {
    optional(value.clone(), |value| Field::new(step, key).whole(value, 0, i64::MAX))
}

fn to_document(raw: &RawDocumentBuf) -> Result<Document, CallError> {
    Document::try_from(raw)
        .map_err(|error| CallError::new(CallErrorKind::Render, format!("a document is no valid BSON: {error}")))
}

fn find(collection: &str, step: &Find<Rendered>) -> Result<Document, CallError> {
    let limit = whole("find", "limit", &step.limit)?;
    // The driver asks for one more where a batch would hold exactly the limit, so that the cursor closes with it.
    let batch_size = match whole("find", "batchSize", &step.batch_size)? {
        Some(size) if Some(size) == limit => Some(size + 1),
        other => other,
    };
    Ok(Command(doc! { "find": collection, "filter": step.filter.clone() })
        .with("projection", &step.projection)
        .with("sort", &step.sort)
        .with_whole("find", "skip", &step.skip)?
        .with("limit", &limit.map(Bson::Int64))
        .with("batchSize", &batch_size.map(Bson::Int64))
        .with("hint", &step.hint)
        .with("collation", &step.collation)
        .0)
}

fn find_one(collection: &str, step: &FindOne<Rendered>) -> Result<Document, CallError> {
    Ok(Command(doc! { "find": collection, "filter": step.filter.clone(), "limit": 1_i64, "singleBatch": true })
        .with("projection", &step.projection)
        .with("sort", &step.sort)
        .with_whole("findOne", "skip", &step.skip)?
        .with("hint", &step.hint)
        .with("collation", &step.collation)
        .0)
}

fn aggregate(collection: &str, step: &Aggregate<Rendered>) -> Result<Document, CallError> {
    let mut cursor = Command(Document::new());
    if !step.stores_result() {
        cursor = cursor.with_whole("aggregate", "batchSize", &step.batch_size)?;
    }
    Ok(Command(doc! { "aggregate": collection, "pipeline": step.pipeline.clone(), "cursor": cursor.0 })
        .with("allowDiskUse", &step.allow_disk_use)
        .with("hint", &step.hint)
        .with("collation", &step.collation)
        .with("let", &step.let_vars)
        .0)
}

impl Aggregate<Rendered> {
    /// Whether the pipeline ends by storing its result (`$out`, `$merge`), which makes it a write.
    pub fn stores_result(&self) -> bool {
        let last_stage = self.pipeline.as_array().and_then(|stages| stages.last()).and_then(Bson::as_document);
        last_stage.is_some_and(|stage| stage.contains_key("$out") || stage.contains_key("$merge"))
    }
}

fn update(collection: &str, statement: Command) -> Document {
    doc! { "update": collection, "updates": [statement.0], "ordered": true }
}

fn delete(collection: &str, filter: &Bson, limit: i32, hint: &Option<Bson>, collation: &Option<Bson>) -> Document {
    let statement =
        Command(doc! { "q": filter.clone(), "limit": limit }).with("hint", hint).with("collation", collation);
    doc! { "delete": collection, "deletes": [statement.0], "ordered": true }
}

/// Whether the document after the change is asked for, in the command's words.
fn new_document(returned: &Option<Bson>) -> Option<Bson> {
    returned.as_ref().and_then(Bson::as_str).map(|word| Bson::Boolean(word == "after"))
}

fn find_one_and_update(collection: &str, step: &FindOneAndUpdate<Rendered>) -> Document {
    Command(doc! { "findAndModify": collection, "query": step.filter.clone(), "update": step.update.clone() })
        .with("sort", &step.sort)
        .with("new", &new_document(&step.return_document))
        .with("upsert", &step.upsert)
        .with("arrayFilters", &step.array_filters)
        .with("fields", &step.projection)
        .with("hint", &step.hint)
        .with("collation", &step.collation)
        .0
}

fn find_one_and_replace(collection: &str, step: &FindOneAndReplace<Rendered>) -> Result<Document, CallError> {
    let replacement = to_document(&step.replacement)?;
    Ok(Command(doc! { "findAndModify": collection, "query": step.filter.clone(), "update": replacement })
        .with("sort", &step.sort)
        .with("new", &new_document(&step.return_document))
        .with("upsert", &step.upsert)
        .with("fields", &step.projection)
        .with("hint", &step.hint)
        .with("collation", &step.collation)
        .0)
}

/// The driver counts by an aggregation.
fn count_documents(collection: &str, step: &CountDocuments<Rendered>) -> Result<Document, CallError> {
    let mut pipeline = vec![doc! { "$match": step.filter.clone() }];
    if let Some(skip) = whole("countDocuments", "skip", &step.skip)? {
        pipeline.push(doc! { "$skip": skip });
    }
    if let Some(limit) = whole("countDocuments", "limit", &step.limit)? {
        pipeline.push(doc! { "$limit": limit });
    }
    pipeline.push(doc! { "$group": { "_id": 1, "n": { "$sum": 1 } } });
    Ok(Command(doc! { "aggregate": collection, "pipeline": pipeline, "cursor": {} })
        .with("hint", &step.hint)
        .with("collation", &step.collation)
        .0)
}

/// The driver sends the writes of a list with their collections by number.
fn bulk_write(step: &BulkWrite<Rendered>) -> Result<Document, CallError> {
    let mut collections: Vec<String> = Vec::new();
    let mut operations = Vec::new();
    for model in Field::new("bulkWrite", "models").documents(step.models.clone())? {
        let Some((word, Bson::Document(fields))) = model.into_iter().next() else { continue };
        let collection = fields.get_str("collection").unwrap_or_default();
        let number = collections.iter().position(|known| known == collection).unwrap_or_else(|| {
            collections.push(collection.to_owned());
            collections.len() - 1
        });
        operations.push(bulk_operation(&word, i32::try_from(number).unwrap_or(i32::MAX), &fields));
    }
    let namespaces: Vec<Document> = collections.into_iter().map(|collection| doc! { "ns": collection }).collect();
    let command = doc! { "bulkWrite": 1, "ordered": true, "errorsOnly": true, "nsInfo": namespaces, "ops": operations };
    Ok(Command(command).with("ordered", &step.ordered).0)
}

fn bulk_operation(word: &str, collection: i32, fields: &Document) -> Document {
    let is_many = word.ends_with("Many");
    let of = |key: &str| fields.get(key).cloned().unwrap_or(Bson::Null);
    let operation = match word {
        "insertOne" => doc! { "insert": collection, "document": of("document") },
        "deleteOne" | "deleteMany" => doc! { "delete": collection, "multi": is_many, "filter": of("filter") },
        _ => {
            let change = if word == "replaceOne" { of("replacement") } else { of("update") };
            doc! { "update": collection, "multi": is_many, "filter": of("filter"), "updateMods": change }
        }
    };
    ["arrayFilters", "collation", "hint", "upsert"]
        .into_iter()
        .fold(Command(operation), |command, key| command.with(key, &fields.get(key).cloned()))
        .0
}
