//! The writes of a `bulkWrite`, as the driver takes them.

use bson::{Array, Bson, Document};
use mongodb::options::{
    DeleteManyModel, DeleteOneModel, Hint, InsertOneModel, ReplaceOneModel, UpdateManyModel, UpdateOneModel, WriteModel,
};
use mongodb::{Database, Namespace};

use super::CallError;
use super::typed::Field;

/// Reads the writes of a `bulkWrite` on a database.
///
/// # Errors
/// Where one is none, or a value of it has the wrong type.
pub(super) fn write_models(database: &Database, models: Bson) -> Result<Vec<WriteModel>, CallError> {
    let field = Field::new("bulkWrite", "models");
    let models = field.documents(models)?;
    if models.is_empty() {
        return Err(field.wrong("a list of at least one write", "an empty list"));
    }
    models.into_iter().map(|model| write_model(database, model)).collect()
}

fn write_model(database: &Database, model: Document) -> Result<WriteModel, CallError> {
    let field = Field::new("bulkWrite", "models");
    let mut entries = model.into_iter();
    let (Some((word, Bson::Document(fields))), None) = (entries.next(), entries.next()) else {
        return Err(field.wrong("a list of writes, each a map with one key", "a list with something else"));
    };
    let fields = Fields { database, fields };
    match word.as_str() {
        "insertOne" => fields.insert_one(),
        "updateOne" => fields.update_one(),
        "updateMany" => fields.update_many(),
        "replaceOne" => fields.replace_one(),
        "deleteOne" => fields.delete_one(),
        "deleteMany" => fields.delete_many(),
        other => {
            Err(field
                .wrong("a list of inserts, updates, replacements and deletes", &format_args!("one with `{other}`")))
        }
    }
}

/// The fields of a write, which are taken out one by one.
struct Fields<'a> {
    database: &'a Database,
    fields: Document,
}

impl Fields<'_> {
    fn insert_one(mut self) -> Result<WriteModel, CallError> {
        let model = InsertOneModel::builder().namespace(self.namespace()?);
        Ok(model.document(self.document("document")?).build().into())
    }

    fn update_one(mut self) -> Result<WriteModel, CallError> {
        let model = UpdateOneModel::builder().namespace(self.namespace()?).filter(self.document("filter")?);
        let update = field("update").update(self.required("update"))?;
        let options = self.options()?;
        Ok(model
            .update(update)
            .array_filters(options.array_filters)
            .collation(options.collation)
            .hint(options.hint)
            .upsert(options.upsert)
            .build()
            .into())
    }

    fn update_many(mut self) -> Result<WriteModel, CallError> {
        let model = UpdateManyModel::builder().namespace(self.namespace()?).filter(self.document("filter")?);
        let update = field("update").update(self.required("update"))?;
        let options = self.options()?;
        Ok(model
            .update(update)
            .array_filters(options.array_filters)
            .collation(options.collation)
            .hint(options.hint)
            .upsert(options.upsert)
            .build()
            .into())
    }

    fn replace_one(mut self) -> Result<WriteModel, CallError> {
        let model = ReplaceOneModel::builder().namespace(self.namespace()?).filter(self.document("filter")?);
        let replacement = self.document("replacement")?;
        if let Some(operator) = replacement.keys().next().filter(|key| key.starts_with('$')) {
            let found = format!("one with the update operator `{operator}`");
            return Err(field("replacement").wrong("a whole document", found.as_str()));
        }
        let options = self.options()?;
        Ok(model
            .replacement(replacement)
            .collation(options.collation)
            .hint(options.hint)
            .upsert(options.upsert)
            .build()
            .into())
    }

    fn delete_one(mut self) -> Result<WriteModel, CallError> {
        let model = DeleteOneModel::builder().namespace(self.namespace()?).filter(self.document("filter")?);
        let options = self.options()?;
        Ok(model.collation(options.collation).hint(options.hint).build().into())
    }

    fn delete_many(mut self) -> Result<WriteModel, CallError> {
        let model = DeleteManyModel::builder().namespace(self.namespace()?).filter(self.document("filter")?);
        let options = self.options()?;
        Ok(model.collation(options.collation).hint(options.hint).build().into())
    }

    /// The collection, in the model's own database.
    fn namespace(&mut self) -> Result<Namespace, CallError> {
        let collection = field("collection").text(self.required("collection"))?;
        Ok(Namespace { db: self.database.name().to_owned(), coll: collection })
    }

    fn required(&mut self, key: &str) -> Bson {
        self.fields.remove(key).unwrap_or(Bson::Null)
    }

    fn document(&mut self, key: &'static str) -> Result<Document, CallError> {
        field(key).document(self.required(key))
    }

    fn given(&mut self, key: &str) -> Option<Bson> {
        self.fields.remove(key).filter(|value| !matches!(value, Bson::Null))
    }

    fn options(&mut self) -> Result<WriteOptions, CallError> {
        let filters = self.given("arrayFilters").map(|value| field("arrayFilters").documents(value)).transpose()?;
        let collation = self.given("collation");
        // Read as a collation, so that an unknown setting is found, and sent as it is written.
        collation.clone().map(|value| field("collation").collation(value)).transpose()?;
        let hint = self.given("hint").map(|value| field("hint").hint(value)).transpose()?;
        Ok(WriteOptions {
            array_filters: filters.map(|filters| filters.into_iter().map(Bson::Document).collect()),
            collation: collation.and_then(|value| value.as_document().cloned()),
            hint: hint.map(|hint| match hint {
                Hint::Name(name) => Bson::String(name),
                Hint::Keys(keys) => Bson::Document(keys),
                _ => Bson::Null,
            }),
            upsert: self.given("upsert").map(|value| field("upsert").flag(value)).transpose()?,
        })
    }
}

/// What a write may have besides.
struct WriteOptions {
    array_filters: Option<Array>,
    collation: Option<Document>,
    hint: Option<Bson>,
    upsert: Option<bool>,
}

const fn field(key: &'static str) -> Field {
    Field::new("a write of bulkWrite", key)
}
