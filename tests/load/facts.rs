//! A small dataset with closed forms, and the databases it is loaded into.

use std::path::Path;
use std::sync::Arc;

use bson::{Bson, Document, RawDocumentBuf, doc};
use futures_util::TryStreamExt;
use mongodb::{Client, Database};
use patternbench::load::{LoadError, LoadOptions, LoadProgress, LoadedModel, load_model, load_source};
use patternbench::record::LoadRecord;
use patternbench::scenario::{Collection, DataSet, Index, IndexDefinition, Model};
use patternbench::server::RunningServer;
use patternbench::source::{Problems, SourceText, parse};
use patternbench::value::{Parameters, Population, Scope, Template, World};
use patternbench::words::Role;

use crate::support::{shared_server, unique_name};

pub(crate) const PRODUCTS: u64 = 1_000;
pub(crate) const REVIEWS: u64 = 5_000;

/// A template as a scenario file would write it.
pub(crate) fn template(yaml: &str, scope: &Scope) -> Template {
    let parsed = parse(SourceText::new("test.yaml", yaml)).expect("the test's YAML is well-formed");
    let root = parsed.file.arena.root().expect("the test's YAML is not empty");
    let mut problems = Problems::default();
    let template = Template::compile(&parsed.file.arena, root, scope, &mut problems);
    template.unwrap_or_else(|| panic!("`{yaml}` does not compile: {problems:?}"))
}

/// A set of so many rows.
pub(crate) fn set(name: &str, rows: u64, document: &str) -> DataSet {
    let scope = Scope { index: true, draws: true, ..Scope::default() };
    DataSet {
        name: name.to_owned(),
        population: Population::Count(Template::constant(Bson::Int64(rows as i64))),
        document: Some(template(document, &scope)),
        indexes: Vec::new(),
    }
}

/// An index without options.
pub(crate) fn index(key: Document) -> IndexDefinition {
    Index { key, options: doc! {} }.into()
}

/// A collection made from a set through these stages.
pub(crate) fn collection(name: &str, from: &str, pipeline: &str) -> Collection {
    Collection {
        name: name.to_owned(),
        from: Some(from.to_owned()),
        pipeline: Some(template(pipeline, &Scope::default())),
        indexes: Vec::new(),
        partitioning: None,
        options: None,
        shard_key: None,
    }
}

/// Options of a collection.
pub(crate) fn options(yaml: &str) -> Option<Template> {
    Some(template(yaml, &Scope::default()))
}

/// A model of these collections.
pub(crate) fn model(collections: Vec<Collection>) -> Model {
    Model {
        name: "pattern".to_owned(),
        role: Role::Pattern,
        title: None,
        collections,
        operations: Default::default(),
        ends_when: None,
        background: Vec::new(),
        events: Vec::new(),
    }
}

/// Products in seven groups (group = _id mod 7), and five reviews of each product: review i speaks of product
/// i mod 1,000 and gives i mod 5.
pub(crate) fn shop() -> Vec<DataSet> {
    let mut reviews =
        set("reviews", REVIEWS, "{_id: ^index, productId: {^mod: [^index, 1000]}, rating: {^mod: [^index, 5]}}");
    reviews.indexes = vec![index(doc! { "productId": 1 })];
    vec![
        set(
            "products",
            PRODUCTS,
            "{_id: ^index, name: {^format: 'Product {index}'}, group: {^mod: [^index, 7]}, tags: [a, b, c, d, e]}",
        ),
        reviews,
    ]
}

/// The dataset with its sizes known.
pub(crate) fn world(sets: &[DataSet]) -> Arc<World> {
    let specs = sets.iter().map(DataSet::spec).collect();
    Arc::new(World::new(7, Parameters::new(), specs, Path::new(".")).expect("the test's dataset resolves"))
}

/// A client of the shared server with as many connections as any of these tests asks for.
pub(crate) async fn many_connections() -> Client {
    shared_server().client(12).await.expect("the shared server answers")
}

/// Ends a server of one's own at once, as a crash would.
pub(crate) fn kill(server: &RunningServer) {
    let process = server.process_id().expect("a server of one's own has a process");
    let process = nix::unistd::Pid::from_raw(i32::try_from(process).expect("process numbers fit"));
    // It may have ended by an earlier call.
    let _ = nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL);
}

/// A dataset, and databases of its own to load it into.
pub(crate) struct Shop {
    pub(crate) sets: Vec<DataSet>,
    pub(crate) world: Arc<World>,
    pub(crate) source: Database,
    pub(crate) target: Database,
    pub(crate) options: LoadOptions,
}

impl Shop {
    pub(crate) fn new(client: &Client, sets: Vec<DataSet>) -> Self {
        let name = unique_name("load");
        Self {
            world: world(&sets),
            sets,
            source: client.database(&format!("patternbench_{name}_source")),
            target: client.database(&format!("patternbench_{name}_pattern")),
            options: LoadOptions { connections: 3, ..LoadOptions::default() },
        }
    }

    pub(crate) async fn load_source(&self) -> Result<LoadRecord, LoadError> {
        load_source(&self.source, &self.sets, &self.world, &self.options, &mut |_| {}).await
    }

    pub(crate) async fn load_model(&self, model: &Model) -> Result<LoadedModel, LoadError> {
        self.load_model_hearing(model, &mut |_| {}).await
    }

    pub(crate) async fn load_model_hearing(
        &self,
        model: &Model,
        hear: &mut (dyn FnMut(LoadProgress) + Send),
    ) -> Result<LoadedModel, LoadError> {
        load_model(&self.source, &self.target, model, &self.world, &self.options, hear).await
    }

    /// The source loaded, the model tried: its error.
    pub(crate) async fn refusal(&self, model: &Model) -> LoadError {
        self.load_source().await.expect("the source loads");
        self.load_model(model).await.expect_err("the model must not load")
    }
}

/// All documents of a collection, by `_id`.
pub(crate) async fn all(database: &Database, collection: &str) -> Vec<RawDocumentBuf> {
    let cursor = database.collection::<RawDocumentBuf>(collection).find(doc! {}).sort(doc! { "_id": 1 }).await;
    cursor.expect("find works").try_collect().await.expect("all batches arrive")
}

/// The keys of a collection's indexes, in alphabetical order.
pub(crate) async fn index_keys(database: &Database, collection: &str) -> Vec<Document> {
    let cursor = database.collection::<Document>(collection).list_indexes().await.expect("indexes are listed");
    let indexes: Vec<_> = cursor.try_collect().await.expect("all batches arrive");
    let mut keys: Vec<Document> = indexes.into_iter().map(|index| index.keys).collect();
    keys.sort_by_key(Document::to_string);
    keys
}
