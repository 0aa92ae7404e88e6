//! Scenarios loaded into databases of their own, whose steps can be explained one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bson::Bson;
use mongodb::{Client, Database};
use patternbench::backend::MongoBackend;
use patternbench::evidence::Explainer;
use patternbench::load::{LoadOptions, load_model, load_source};
use patternbench::operation::ModelProgram;
use patternbench::plan::{profile_parameters, resolve_parameters};
use patternbench::record::EvidenceRecord;
use patternbench::scenario::{Scenario, builtin, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::value::World;
use patternbench::words::{DataSize, Product, Profile};

use crate::support::{shared_server, unique_name};

/// A scenario from its text.
pub(crate) fn scenario(name: &str, text: &str) -> Arc<Scenario> {
    let text = SourceText::new(format!("{name}.yaml"), text);
    Arc::new(load_scenario(text).unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

/// A scenario of the catalogue.
pub(crate) fn of_catalogue(name: &str) -> Arc<Scenario> {
    scenario(name, builtin(name).unwrap_or_else(|| panic!("{name} is in the catalogue")))
}

/// A scenario whose models are loaded at smoke size, with some parameters changed.
pub(crate) struct Loaded {
    pub(crate) scenario: Arc<Scenario>,
    world: Arc<World>,
    databases: BTreeMap<String, Database>,
}

impl Loaded {
    pub(crate) async fn new(scenario: Arc<Scenario>, set: &[(&str, i32)]) -> Self {
        let client = many_connections().await;
        let set: Vec<_> = set.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
        let parameters = resolve_parameters(&scenario, Profile::Smoke, &set).expect("the parameters fit");
        let world = Arc::new(scenario.world(1, parameters).expect("the dataset resolves"));
        let stem = unique_name("evidence");
        let database = |name: &str| client.database(&format!("patternbench_{stem}_{name}"));
        let source = database("source");
        // One after the other, so that documents lie in the order of their rows.
        let options = LoadOptions { connections: 1, ..LoadOptions::default() };
        load_source(&source, &scenario.dataset, &world, &options, &mut |_| {}).await.expect("the source loads");
        let mut databases = BTreeMap::new();
        for model in &scenario.models {
            let target = database(&model.name);
            let loaded = load_model(&source, &target, model, &world, &options, &mut |_| {}).await;
            loaded.unwrap_or_else(|error| panic!("{}: {error}", model.name));
            databases.insert(model.name.clone(), target);
        }
        Self { scenario, world, databases }
    }

    pub(crate) fn database(&self, model: &str) -> &Database {
        &self.databases[model]
    }

    /// The program of a model, and its place among the scenario's.
    pub(crate) fn program(&self, model: &str) -> (ModelProgram, usize) {
        let place = self.scenario.models.iter().position(|known| known.name == model).expect("a model of the scenario");
        let program = ModelProgram::new(&self.scenario, 0, place, Arc::clone(&self.world));
        (program.expect("the parameters fit the steps"), place)
    }

    /// Runs an operation of the first workload under a number, and explains every step that ran.
    pub(crate) async fn run_and_explain(&self, model: &str, operation: &str, number: u64) -> Vec<EvidenceRecord> {
        self.explained(model, operation, number, true).await
    }

    /// Explains the steps of an operation that depend on its arguments alone, and runs none.
    pub(crate) async fn explain(&self, model: &str, operation: &str, number: u64) -> Vec<EvidenceRecord> {
        self.explained(model, operation, number, false).await
    }

    async fn explained(&self, model: &str, operation: &str, number: u64, run: bool) -> Vec<EvidenceRecord> {
        let (program, place) = self.program(model);
        let position = program.operations().position(|known| known == operation).expect("an operation of the workload");
        let database = self.database(model);
        let calls = match run {
            true => {
                let backend = MongoBackend::new(database.client(), database.name());
                program.trace(&backend, position, number).await.expect("the operation runs").calls
            }
            false => program.calls(position, number).expect("the arguments render"),
        };
        let none = BTreeSet::new();
        let explainer = Explainer {
            database,
            product: Product::Secantusd,
            data: DataSize::Parity,
            time_series: &none,
            limit: Duration::from_secs(60),
        };
        let done = &self.scenario.models[place].operations[operation];
        let mut found = Vec::new();
        for call in &calls {
            found.push(explainer.step(call, done).await.expect("the server is there").record);
        }
        found
    }
}

/// A client with enough connections for loading.
async fn many_connections() -> Client {
    shared_server().client(6).await.expect("the shared server answers")
}

/// The smoke value of a parameter.
pub(crate) fn smoke(scenario: &Scenario, name: &str) -> i64 {
    match profile_parameters(scenario, Profile::Smoke).get(name) {
        Some(Bson::Int32(value)) => i64::from(*value),
        other => panic!("{name} is no number: {other:?}"),
    }
}
