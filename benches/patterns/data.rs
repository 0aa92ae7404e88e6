//! A scenario's data on databases of its own, and what is sent to them.

use std::sync::Arc;

use patternbench::backend::MongoBackend;
use patternbench::guard::{self, ClaimedDatabase, DatabaseName, Marker, Owner, Purpose, Reuse};
use patternbench::load::{LoadOptions, load_model, load_source};
use patternbench::operation::ModelProgram;
use patternbench::plan::Plan;
use patternbench::scenario::{Model, Need, needs};
use patternbench::server::RunningServer;
use patternbench::words::MarkerState;

use crate::or_stop;
use crate::selection::tell;

/// A scenario's first workload on databases of its own.
pub(crate) struct Loaded {
    plan: Plan,
    source: ClaimedDatabase,
    models: Vec<LoadedModel>,
}

struct LoadedModel {
    /// Its place in the scenario.
    place: usize,
    program: ModelProgram,
    backend: MongoBackend,
    database: ClaimedDatabase,
    /// Whether operations have written to it since it was loaded.
    is_used: bool,
}

impl Loaded {
    /// Loads what a plan needs of every model that the server is able to bear.
    pub(crate) async fn of(server: &RunningServer, plan: &Plan) -> Self {
        let scenario = &plan.scenario;
        let pool = u32::try_from(LoadOptions::default().connections + 1).expect("a handful of connections");
        let client = or_stop(server.client(pool).await);
        let owner = Owner::this_process("cargo-bench");
        let claim = async |name: DatabaseName| {
            let marker = Marker::new(owner.clone(), &scenario.file_sha256, plan.seed, &plan.parameters);
            or_stop(guard::claim(&client, &name, marker, Reuse::Never).await)
        };
        let source = claim(or_stop(DatabaseName::source(&scenario.name, false))).await;
        let loading = LoadOptions::default();
        or_stop(load_source(source.database(), &scenario.dataset, &plan.world, &loading, &mut |_| {}).await);
        let has_transactions = server.facts().lacks(Need::Transactions).is_none();
        let mut loaded = Self { plan: plan.clone(), source, models: Vec::new() };
        for &place in &plan.models {
            let model = &scenario.models[place];
            if let Some(why) = lacks(server, model) {
                tell(&format!("{}/*/{}: left out: {why}", scenario.name, model.name));
                continue;
            }
            let name = DatabaseName::model(&scenario.name, &model.name, Purpose::Measured);
            let database = claim(or_stop(name)).await;
            let backend = MongoBackend::new(&client, database.name().as_str()).with_transactions(has_transactions);
            let program = program(plan, place);
            let backend = backend.for_windows(program.collections());
            loaded.models.push(LoadedModel { place, program, backend, database, is_used: true });
        }
        loaded
    }

    /// How many models there are.
    pub(crate) fn models(&self) -> usize {
        self.models.len()
    }

    /// The name of a model.
    pub(crate) fn model(&self, place: usize) -> &str {
        self.models[place].program.model()
    }

    /// What is sent for a model, and through what.
    pub(crate) fn driven(&self, place: usize) -> (&ModelProgram, &MongoBackend) {
        let model = &self.models[place];
        (&model.program, &model.backend)
    }

    /// The first operation number that is measured.
    pub(crate) fn measured_from(&self) -> u64 {
        self.plan.measured_from()
    }

    /// Whether an operation leaves the data as they are.
    pub(crate) fn only_reads(&self, place: usize, operation: usize) -> bool {
        self.models[place].program.only_reads(operation)
    }

    /// Says that operations write to a model.
    pub(crate) fn use_up(&mut self, place: usize) {
        self.models[place].is_used = true;
    }

    /// Makes sure that a model's data are as loaded.
    pub(crate) async fn make_pristine(&mut self, place: usize) {
        let model = &mut self.models[place];
        if !model.is_used {
            return;
        }
        let (source, database) = (self.source.database(), &model.database);
        or_stop(database.set_state(MarkerState::Loading).await);
        or_stop(database.clear().await);
        let described = &self.plan.scenario.models[model.place];
        let loading = LoadOptions::default();
        or_stop(load_model(source, database.database(), described, &self.plan.world, &loading, &mut |_| {}).await);
        model.is_used = false;
    }

    /// Drops everything.
    pub(crate) async fn drop_databases(self) {
        for database in self.models.into_iter().map(|model| model.database).chain([self.source]) {
            or_stop(database.drop_database().await);
        }
    }
}

/// Why a server is not able to bear a model, if it is not.
fn lacks(server: &RunningServer, model: &Model) -> Option<String> {
    let lacking = |need: Need| Some(format!("it needs {}: {}", need.words(), server.facts().lacks(need)?));
    needs(model).into_iter().filter(|need| need.is_indispensable()).find_map(lacking)
}

/// The operations of every model of a plan.
pub(crate) fn programs(plan: &Plan) -> Vec<ModelProgram> {
    plan.models.iter().map(|place| program(plan, *place)).collect()
}

fn program(plan: &Plan, place: usize) -> ModelProgram {
    or_stop(ModelProgram::new(&plan.scenario, plan.workload_index, place, Arc::clone(&plan.world)))
}
