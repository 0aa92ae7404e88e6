//! Creating collections, sharding them, building their indexes.

use bson::{Document, doc};
use futures_util::{StreamExt as _, TryStreamExt as _};
use mongodb::Database;

use super::error::LoadError;
use super::options::LoadOptions;
use super::timed::timed;
use crate::scenario::Index;

/// Creates a collection with these options.
///
/// # Errors
/// [`LoadError::Unsupported`] where the server does not have what the options ask for; else as the server says, also where
/// the collection exists with other options.
pub(super) async fn collection(
    database: &Database,
    name: &str,
    options: &Document,
    load: &LoadOptions,
) -> Result<(), LoadError> {
    let mut command = doc! { "create": name };
    command.extend(options.clone());
    let doing = || format!("creating collection `{name}` of database `{}`", database.name());
    let created = timed(load.pipeline_wait, doing, database.run_command(command)).await;
    created.map(drop).map_err(LoadError::while_making)
}

/// Creates collections with these options, several at a time.
///
/// # Errors
/// As for one of them.
pub(super) async fn all(
    database: &Database,
    names: &[String],
    options: &Document,
    load: &LoadOptions,
) -> Result<(), LoadError> {
    // A list, since a future must not hold the closure.
    let creating: Vec<_> = names.iter().map(|name| collection(database, name, options, load)).collect();
    futures_util::stream::iter(creating).buffer_unordered(load.writers()).try_collect().await
}

/// Builds the same indexes on collections, several at a time.
///
/// # Errors
/// As for one of them.
pub(super) async fn indexes_of_all(
    database: &Database,
    names: &[String],
    built: &[Index],
    load: &LoadOptions,
) -> Result<(), LoadError> {
    let building: Vec<_> = names.iter().map(|name| indexes(database, name, built, load)).collect();
    futures_util::stream::iter(building).buffer_unordered(load.writers()).try_collect().await
}

/// Shards a new collection where the server is a mongos; elsewhere there is nothing to do.
///
/// # Errors
/// As the server says.
pub(super) async fn shard(
    database: &Database,
    name: &str,
    key: &Document,
    load: &LoadOptions,
) -> Result<(), LoadError> {
    let doing = || format!("sharding collection `{name}` of database `{}`", database.name());
    let admin = database.client().database("admin");
    let hello = timed(load.pipeline_wait, doing, admin.run_command(doc! { "hello": 1 })).await?;
    if hello.get_str("msg").ok() != Some("isdbgrid") {
        return Ok(());
    }
    timed(load.pipeline_wait, doing, admin.run_command(doc! { "enableSharding": database.name() })).await?;
    let namespace = format!("{}.{name}", database.name());
    let command = doc! { "shardCollection": namespace, "key": key.clone() };
    timed(load.pipeline_wait, doing, admin.run_command(command)).await.map(drop)
}

/// Builds the indexes of a collection, all in one command.
///
/// # Errors
/// [`LoadError::Unsupported`] where the server has no such index; else as it says: a unique index over equal keys.
pub(super) async fn indexes(
    database: &Database,
    collection: &str,
    indexes: &[Index],
    load: &LoadOptions,
) -> Result<(), LoadError> {
    if indexes.is_empty() {
        return Ok(());
    }
    let specifications: Vec<Document> = indexes.iter().map(specification).collect();
    let doing = || {
        let names: Vec<_> = specifications.iter().filter_map(|index| index.get_str("name").ok()).collect();
        format!("indexing collection `{collection}` of database `{}` ({})", database.name(), names.join(", "))
    };
    let command = doc! { "createIndexes": collection, "indexes": specifications.clone() };
    let indexed = timed(load.pipeline_wait, doing, database.run_command(command)).await;
    indexed.map(drop).map_err(LoadError::while_making)
}

/// An index as the `createIndexes` command takes it.
fn specification(index: &Index) -> Document {
    let mut specification = doc! { "key": index.key.clone() };
    specification.extend(index.options.clone());
    if !specification.contains_key("name") {
        specification.insert("name", index.name());
    }
    specification
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_keeps_its_options_and_gets_the_name_that_drivers_give() {
        let index = Index { key: doc! { "category._id": 1, "price": -1, "at": "2dsphere" }, options: doc! {} };
        assert_eq!(specification(&index).get_str("name").ok(), Some("category._id_1_price_-1_at_2dsphere"));

        let named = Index { key: doc! { "a": 1 }, options: doc! { "unique": true, "name": "only" } };
        assert_eq!(specification(&named), doc! { "key": { "a": 1 }, "unique": true, "name": "only" });
    }
}
