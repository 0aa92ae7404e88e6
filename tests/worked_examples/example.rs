//! A scenario whose models are loaded and asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use bson::{Bson, Document, doc};
use patternbench::backend::MongoBackend;
use patternbench::load::{LoadOptions, load_model, load_source};
use patternbench::operation::{Answer, Done, ModelProgram};
use patternbench::scenario::load_scenario;
use patternbench::source::{SourceText, show};

use crate::support;

/// A scenario, each of its models loaded into a database of its own.
pub(crate) struct Example {
    models: Vec<LoadedModel>,
}

/// A model of the example.
pub(crate) struct LoadedModel {
    program: ModelProgram,
    backend: MongoBackend,
}

impl Example {
    /// Checks a scenario's text as a user's file is checked, and loads its models.
    pub(crate) async fn load(text: &str) -> Self {
        let scenario = load_scenario(SourceText::new("example.yaml", text)).unwrap_or_else(|(text, problems)| {
            panic!("{}", show(&text, &problems, false));
        });
        let world = Arc::new(scenario.world(1, BTreeMap::new()).expect("the dataset resolves"));

        let options = LoadOptions { connections: 2, ..LoadOptions::default() };
        let source = support::database("example-source").await;
        load_source(&source, &scenario.dataset, &world, &options, &mut |_| {}).await.expect("loads the facts");
        let mut models = Vec::new();
        for (position, model) in scenario.models.iter().enumerate() {
            let database = support::database("example").await;
            load_model(&source, &database, model, &world, &options, &mut |_| {}).await.expect("loads the model");
            let program = ModelProgram::new(&scenario, 0, position, Arc::clone(&world)).expect("parameters fit");
            let backend = MongoBackend::new(database.client(), database.name());
            models.push(LoadedModel { program, backend });
        }
        Self { models }
    }

    /// All models, the naive one first.
    pub(crate) fn models(&self) -> &[LoadedModel] {
        &self.models
    }

    /// The model of that name.
    pub(crate) fn model(&self, name: &str) -> &LoadedModel {
        self.models.iter().find(|model| model.name() == name).expect("a model of the example")
    }
}

impl LoadedModel {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.program.model()
    }

    /// Runs an operation under a number.
    pub(crate) async fn run(&self, operation: &str, number: u64) -> Done {
        let place = self.program.operations().position(|known| known == operation).expect("an operation");
        let prepared = self.program.prepare(&self.backend, place, number).expect("renders");
        let done = self.program.execute(&self.backend, prepared, true).await;
        done.unwrap_or_else(|error| panic!("{operation} of {}: {error}", self.name()))
    }

    /// What an operation answers under a number.
    pub(crate) async fn answer(&self, operation: &str, number: u64) -> Vec<Document> {
        match self.run(operation, number).await.answer.expect("it reads") {
            Answer::Documents(documents) => {
                documents.iter().map(|raw| Document::try_from(raw).expect("a valid document")).collect()
            }
            Answer::Value(Bson::Array(elements)) => {
                elements.into_iter().map(|element| element.as_document().expect("a document").clone()).collect()
            }
            Answer::Value(value) => vec![value.as_document().expect("a document").clone()],
        }
    }

    /// The documents that a collection holds, in the order of a field.
    pub(crate) async fn stored(&self, collection: &str, order: &str) -> Vec<Document> {
        let collection = self.backend.database().collection(collection);
        let mut cursor = collection.find(doc! {}).sort(doc! { order: 1 }).await.expect("finds");
        let mut documents = Vec::new();
        while cursor.advance().await.expect("reads") {
            documents.push(cursor.deserialize_current().expect("a document"));
        }
        documents
    }
}
