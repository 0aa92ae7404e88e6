//! The calls in the driver's own types.

use bson::{Bson, Document, RawDocumentBuf};
use mongodb::options::{
    AggregateOptions, CountOptions, DeleteOptions, DistinctOptions, FindOneAndReplaceOptions, FindOneAndUpdateOptions,
    FindOneOptions, FindOptions, InsertManyOptions, ReplaceOptions, UpdateModifications, UpdateOptions, WriteModel,
};
use mongodb::{Client, Database};

use super::bulk::write_models;
use super::typed::{Field, optional};
use super::{Call, CallError, Rendered};
use crate::scenario::{
    Aggregate, CountDocuments, Distinct, Find, FindOne, FindOneAndReplace, FindOneAndUpdate, InsertMany, ReplaceOne,
    RunCommand, StepKind,
};

/// The driver's options. They are as large as a kilobyte and most steps have none, so they are made only where there are
/// any.
pub(super) type Options<T> = Option<Box<T>>;

/// A call whose values have the types that the driver takes.
#[derive(Debug)]
pub(super) enum Action {
    Find(Document, Options<FindOptions>),
    FindOne(Document, Options<FindOneOptions>),
    Aggregate(Vec<Document>, Options<AggregateOptions>),
    InsertOne(RawDocumentBuf),
    InsertMany(Vec<RawDocumentBuf>, Options<InsertManyOptions>),
    UpdateOne(Document, UpdateModifications, Options<UpdateOptions>),
    UpdateMany(Document, UpdateModifications, Options<UpdateOptions>),
    ReplaceOne(Document, RawDocumentBuf, Options<ReplaceOptions>),
    DeleteOne(Document, Options<DeleteOptions>),
    DeleteMany(Document, Options<DeleteOptions>),
    FindOneAndUpdate(Document, UpdateModifications, Options<FindOneAndUpdateOptions>),
    FindOneAndReplace(Document, RawDocumentBuf, Options<FindOneAndReplaceOptions>),
    CountDocuments(Document, Options<CountOptions>),
    Distinct(String, Document, Options<DistinctOptions>),
    BulkWrite(Client, Vec<WriteModel>, Option<bool>),
    RunCommand(Database, RawDocumentBuf),
    /// A command that answers with a cursor.
    RunCursorCommand(Database, RawDocumentBuf),
}

/// Commands that answer with a cursor, whose batches are all to be received.
const CURSOR_COMMANDS: [&str; 4] = ["aggregate", "find", "listCollections", "listIndexes"];

impl Action {
    /// Reads a call's values.
    ///
    /// # Errors
    /// Where a value has the wrong type.
    pub(super) fn new(database: &Database, call: Call) -> Result<Self, CallError> {
        let at = At(call.word());
        match call {
            StepKind::Find(step) => at.find(step),
            StepKind::FindOne(step) => at.find_one(step),
            StepKind::Aggregate(step) => at.aggregate(step),
            StepKind::InsertOne(step) => Ok(Self::InsertOne(step.document)),
            StepKind::InsertMany(step) => at.insert_many(step),
            StepKind::UpdateOne(step) => {
                let update = at.field("update").update(step.update)?;
                let options = at.update_options(step.upsert, step.array_filters, step.hint, step.collation)?;
                Ok(Self::UpdateOne(at.filter(step.filter)?, update, options))
            }
            StepKind::UpdateMany(step) => {
                let update = at.field("update").update(step.update)?;
                let options = at.update_options(step.upsert, step.array_filters, step.hint, step.collation)?;
                Ok(Self::UpdateMany(at.filter(step.filter)?, update, options))
            }
            StepKind::ReplaceOne(step) => at.replace_one(step),
            StepKind::DeleteOne(step) => {
                Ok(Self::DeleteOne(at.filter(step.filter)?, at.delete_options(step.hint, step.collation)?))
            }
            StepKind::DeleteMany(step) => {
                Ok(Self::DeleteMany(at.filter(step.filter)?, at.delete_options(step.hint, step.collation)?))
            }
            StepKind::FindOneAndUpdate(step) => at.find_one_and_update(step),
            StepKind::FindOneAndReplace(step) => at.find_one_and_replace(step),
            StepKind::CountDocuments(step) => at.count_documents(step),
            StepKind::Distinct(step) => at.distinct(step),
            StepKind::BulkWrite(step) => {
                let ordered = optional(step.ordered, |value| at.field("ordered").flag(value))?;
                Ok(Self::BulkWrite(database.client().clone(), write_models(database, step.models)?, ordered))
            }
            StepKind::RunCommand(step) => at.run_command(database, step),
        }
    }
}

/// Whether a step has any of these options.
macro_rules! given {
    ($step:ident: $($field:ident),+) => {
        $($step.$field.is_some())||+
    };
}

/// Makes the driver's options where any are given.
fn options<T>(given: bool, make: impl FnOnce() -> Result<T, CallError>) -> Result<Options<T>, CallError> {
    Ok(given.then(make).transpose()?.map(Box::new))
}

/// The step whose values are read, by its name.
#[derive(Debug, Clone, Copy)]
struct At(&'static str);

impl At {
    const fn field(self, key: &'static str) -> Field {
        Field::new(self.0, key)
    }

    fn filter(self, value: Bson) -> Result<Document, CallError> {
        self.field("filter").document(value)
    }

    fn find(self, step: Find<Rendered>) -> Result<Action, CallError> {
        let limit = self.field("limit");
        let options = options(given!(step: projection, sort, skip, limit, batch_size, hint, collation), || {
            Ok(FindOptions::builder()
                .projection(optional(step.projection, |value| self.field("projection").document(value))?)
                .sort(optional(step.sort, |value| self.field("sort").document(value))?)
                .skip(optional(step.skip, |value| self.field("skip").skip(value))?)
                .limit(optional(step.limit, |value| limit.whole(value, 0, i64::MAX))?)
                .batch_size(optional(step.batch_size, |value| self.field("batchSize").batch_size(value))?)
                .hint(optional(step.hint, |value| self.field("hint").hint(value))?)
                .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                .build())
        })?;
        Ok(Action::Find(self.filter(step.filter)?, options))
    }

    fn find_one(self, step: FindOne<Rendered>) -> Result<Action, CallError> {
        let options = options(given!(step: projection, sort, skip, hint, collation), || {
            Ok(FindOneOptions::builder()
                .projection(optional(step.projection, |value| self.field("projection").document(value))?)
                .sort(optional(step.sort, |value| self.field("sort").document(value))?)
                .skip(optional(step.skip, |value| self.field("skip").skip(value))?)
                .hint(optional(step.hint, |value| self.field("hint").hint(value))?)
                .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                .build())
        })?;
        Ok(Action::FindOne(self.filter(step.filter)?, options))
    }

    fn aggregate(self, step: Aggregate<Rendered>) -> Result<Action, CallError> {
        let options = options(given!(step: batch_size, allow_disk_use, hint, collation, let_vars), || {
            Ok(AggregateOptions::builder()
                .batch_size(optional(step.batch_size, |value| self.field("batchSize").batch_size(value))?)
                .allow_disk_use(optional(step.allow_disk_use, |value| self.field("allowDiskUse").flag(value))?)
                .hint(optional(step.hint, |value| self.field("hint").hint(value))?)
                .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                .let_vars(optional(step.let_vars, |value| self.field("let").document(value))?)
                .build())
        })?;
        Ok(Action::Aggregate(self.field("pipeline").documents(step.pipeline)?, options))
    }

    fn insert_many(self, step: InsertMany<Rendered>) -> Result<Action, CallError> {
        if step.documents.is_empty() {
            return Err(self.field("documents").wrong("a list of at least one document", "an empty list"));
        }
        let options = options(given!(step: ordered), || {
            Ok(InsertManyOptions::builder()
                .ordered(optional(step.ordered, |value| self.field("ordered").flag(value))?)
                .build())
        })?;
        Ok(Action::InsertMany(step.documents, options))
    }

    fn update_options(
        self,
        upsert: Option<Bson>,
        array_filters: Option<Bson>,
        hint: Option<Bson>,
        collation: Option<Bson>,
    ) -> Result<Options<UpdateOptions>, CallError> {
        let any = [&upsert, &array_filters, &hint, &collation].into_iter().any(Option::is_some);
        options(any, || {
            Ok(UpdateOptions::builder()
                .upsert(optional(upsert, |value| self.field("upsert").flag(value))?)
                .array_filters(optional(array_filters, |value| self.field("arrayFilters").documents(value))?)
                .hint(optional(hint, |value| self.field("hint").hint(value))?)
                .collation(optional(collation, |value| self.field("collation").collation(value))?)
                .build())
        })
    }

    fn delete_options(self, hint: Option<Bson>, collation: Option<Bson>) -> Result<Options<DeleteOptions>, CallError> {
        options(hint.is_some() || collation.is_some(), || {
            Ok(DeleteOptions::builder()
                .hint(optional(hint, |value| self.field("hint").hint(value))?)
                .collation(optional(collation, |value| self.field("collation").collation(value))?)
                .build())
        })
    }

    /// A whole document, without update operators.
    fn replacement(self, document: RawDocumentBuf) -> Result<RawDocumentBuf, CallError> {
        match document.iter().next() {
            Some(Ok((key, _))) if key.as_str().starts_with('$') => Err(self
                .field("replacement")
                .wrong("a whole document", &format_args!("one with the update operator `{}`", key.as_str()))),
            _ => Ok(document),
        }
    }

    fn replace_one(self, step: ReplaceOne<Rendered>) -> Result<Action, CallError> {
        let options = options(given!(step: upsert, hint, collation), || {
            Ok(ReplaceOptions::builder()
                .upsert(optional(step.upsert, |value| self.field("upsert").flag(value))?)
                .hint(optional(step.hint, |value| self.field("hint").hint(value))?)
                .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                .build())
        })?;
        Ok(Action::ReplaceOne(self.filter(step.filter)?, self.replacement(step.replacement)?, options))
    }

    fn find_one_and_update(self, step: FindOneAndUpdate<Rendered>) -> Result<Action, CallError> {
        let returned = self.field("returnDocument");
        let options =
            options(given!(step: projection, sort, upsert, return_document, array_filters, hint, collation), || {
                Ok(FindOneAndUpdateOptions::builder()
                    .projection(optional(step.projection, |value| self.field("projection").document(value))?)
                    .sort(optional(step.sort, |value| self.field("sort").document(value))?)
                    .upsert(optional(step.upsert, |value| self.field("upsert").flag(value))?)
                    .return_document(optional(step.return_document, |value| returned.return_document(value))?)
                    .array_filters(optional(step.array_filters, |value| self.field("arrayFilters").documents(value))?)
                    .hint(optional(step.hint, |value| self.field("hint").hint(value))?)
                    .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                    .build())
            })?;
        let update = self.field("update").update(step.update)?;
        Ok(Action::FindOneAndUpdate(self.filter(step.filter)?, update, options))
    }

    fn find_one_and_replace(self, step: FindOneAndReplace<Rendered>) -> Result<Action, CallError> {
        let returned = self.field("returnDocument");
        let options = options(given!(step: projection, sort, upsert, return_document, hint, collation), || {
            Ok(FindOneAndReplaceOptions::builder()
                .projection(optional(step.projection, |value| self.field("projection").document(value))?)
                .sort(optional(step.sort, |value| self.field("sort").document(value))?)
                .upsert(optional(step.upsert, |value| self.field("upsert").flag(value))?)
                .return_document(optional(step.return_document, |value| returned.return_document(value))?)
                .hint(optional(step.hint, |value| self.field("hint").hint(value))?)
                .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                .build())
        })?;
        Ok(Action::FindOneAndReplace(self.filter(step.filter)?, self.replacement(step.replacement)?, options))
    }

    fn count_documents(self, step: CountDocuments<Rendered>) -> Result<Action, CallError> {
        let options = options(given!(step: skip, limit, hint, collation), || {
            let limit = optional(step.limit, |value| self.field("limit").whole(value, 1, i64::MAX))?;
            Ok(CountOptions::builder()
                .skip(optional(step.skip, |value| self.field("skip").skip(value))?)
                .limit(limit.map(i64::unsigned_abs))
                .hint(optional(step.hint, |value| self.field("hint").hint(value))?)
                .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                .build())
        })?;
        Ok(Action::CountDocuments(self.filter(step.filter)?, options))
    }

    fn run_command(self, database: &Database, step: RunCommand<Rendered>) -> Result<Action, CallError> {
        let command = self.field("command").document(step.command)?;
        let name = command.keys().next().map(String::as_str).unwrap_or_default();
        let opens_cursor = CURSOR_COMMANDS.contains(&name);
        let raw = RawDocumentBuf::try_from(&command)
            .map_err(|error| self.field("command").wrong("a valid document", &format_args!("none: {error}")))?;
        let action = if opens_cursor { Action::RunCursorCommand } else { Action::RunCommand };
        Ok(action(database.clone(), raw))
    }

    fn distinct(self, step: Distinct<Rendered>) -> Result<Action, CallError> {
        let options = options(given!(step: collation), || {
            Ok(DistinctOptions::builder()
                .collation(optional(step.collation, |value| self.field("collation").collation(value))?)
                .build())
        })?;
        let filter = optional(step.filter, |value| self.filter(value))?.unwrap_or_default();
        Ok(Action::Distinct(self.field("key").text(step.field)?, filter, options))
    }
}
