//! The databases of a scenario: claimed before anything is touched, loaded, and in the end dropped or kept.

use std::sync::Arc;

use mongodb::{Client, Database};

use super::attend::Attendant;
use super::error::RunError;
use super::event::{Event, Listener};
use crate::guard::{ClaimedDatabase, DatabaseName, GuardError, Holds, Marker, Owner, Purpose, Reuse, claim};
use crate::load::{LoadError, LoadOptions, LoadProgress, LoadedModel, load_model, load_source};
use crate::plan::Plan;
use crate::value::{Parameters, World};
use crate::words::MarkerState;

/// Which databases: the measured ones, or the small ones on which answers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Measured,
    Parity,
}

impl Size {
    fn purpose(self) -> Purpose {
        match self {
            Self::Measured => Purpose::Measured,
            Self::Parity => Purpose::Parity,
        }
    }

    fn parameters(self, plan: &Plan) -> &Parameters {
        match self {
            Self::Measured => &plan.parameters,
            Self::Parity => &plan.parity_parameters,
        }
    }

    pub(super) fn world(self, plan: &Plan) -> &Arc<World> {
        match self {
            Self::Measured => &plan.world,
            Self::Parity => &plan.parity_world,
        }
    }
}

/// The databases of a plan, all of them this run's.
#[derive(Debug)]
pub(super) struct Databases {
    size: Size,
    source: ClaimedDatabase,
    /// Whether the source holds its data already.
    source_is_loaded: bool,
    /// In the order of the plan's models.
    pub(super) models: Vec<ClaimedDatabase>,
}

/// Who claims, and what may be taken over.
#[derive(Debug, Clone)]
pub(super) struct Claimant {
    pub(super) client: Client,
    pub(super) owner: Owner,
    pub(super) reuse: Reuse,
}

impl Claimant {
    /// Claims the databases of a plan; `source`, with its data, may be this run's already, from another workload of the
    /// same scenario.
    /// Where one of them cannot be had, those claimed before are let go.
    ///
    /// # Errors
    /// Why a database may not be taken.
    pub(super) async fn claim_all(
        &self,
        plan: &Plan,
        size: Size,
        source: Option<ClaimedDatabase>,
    ) -> Result<Databases, GuardError> {
        let is_ours_already = source.is_some();
        let mut claimed = match source {
            Some(source) => vec![source],
            None => vec![self.claim(plan, size, &Self::source_name(plan, size)?).await?],
        };
        for model in plan.models() {
            let name = DatabaseName::model(&plan.scenario.name, &model.name, size.purpose());
            let taken = match name {
                Ok(name) => self.claim(plan, size, &name).await,
                Err(error) => Err(error),
            };
            match taken {
                Ok(database) => claimed.push(database),
                Err(error) => {
                    give_back(claimed).await;
                    return Err(error);
                }
            }
        }
        let source = claimed.remove(0);
        let source_is_loaded = is_ours_already || source.holds() == Holds::Pristine;
        Ok(Databases { size, source, source_is_loaded, models: claimed })
    }

    fn source_name(plan: &Plan, size: Size) -> Result<DatabaseName, GuardError> {
        DatabaseName::source(&plan.scenario.name, size == Size::Parity)
    }

    async fn claim(&self, plan: &Plan, size: Size, name: &DatabaseName) -> Result<ClaimedDatabase, GuardError> {
        let scenario = &plan.scenario;
        let marker = Marker::new(self.owner.clone(), &scenario.file_sha256, plan.seed, size.parameters(plan));
        // Small databases are dropped after use, so there are none to take over.
        let reuse = if size == Size::Parity { Reuse::Never } else { self.reuse };
        claim(&self.client, name, marker, reuse).await
    }
}

/// Lets go of databases that were claimed in vain: data of an earlier run stay kept, others were empty.
async fn give_back(claimed: Vec<ClaimedDatabase>) {
    for database in claimed {
        let given_back = match database.holds() {
            Holds::Nothing => database.drop_database().await,
            Holds::Pristine | Holds::Used => database.keep().await,
        };
        // There is an error to report already; a database that could not be let go is found by `clean`.
        drop(given_back);
    }
}

impl Databases {
    /// Loads what is not there yet. Answers, for each model, what was loaded; `None` where kept data are taken.
    ///
    /// # Errors
    /// Where the data cannot be loaded as the scenario says, or a database is no longer this run's.
    pub(super) async fn load(
        &mut self,
        plan: &Plan,
        client: &Client,
        attendant: &Attendant<'_>,
        listener: &mut dyn Listener,
    ) -> Result<Vec<Option<LoadedModel>>, RunError> {
        let mut loader = Loader { plan, size: self.size, client, attendant, listener };
        if !self.source_is_loaded {
            self.source.clear().await?;
            loader.source(&self.source).await?;
            self.source_is_loaded = true;
        }
        let mut loaded = Vec::new();
        for (place, database) in plan.models.iter().zip(&self.models) {
            loaded.push(match database.holds() {
                Holds::Pristine => None,
                Holds::Used => {
                    database.clear().await?;
                    Some(loader.model(*place, &self.source, database).await?)
                }
                Holds::Nothing => Some(loader.model(*place, &self.source, database).await?),
            });
        }
        Ok(loaded)
    }

    /// Marks the models as written to.
    ///
    /// # Errors
    /// Where one of them is no longer this run's.
    pub(super) async fn mark_used(&self) -> Result<(), GuardError> {
        for database in &self.models {
            database.set_state(MarkerState::Used).await?;
        }
        Ok(())
    }

    /// Drops the models' databases, and the source's unless it is wanted for another workload.
    ///
    /// # Errors
    /// The first database that could not be dropped; the others are dropped all the same.
    pub(super) async fn drop_all(self, keep_source: bool) -> Result<Option<ClaimedDatabase>, GuardError> {
        let mut outcome = Ok(());
        let (source, dropped) = match keep_source && self.source_is_loaded {
            true => (Some(self.source), None),
            false => (None, Some(self.source)),
        };
        for database in self.models.into_iter().chain(dropped) {
            outcome = outcome.and(database.drop_database().await);
        }
        outcome.map(|()| source)
    }

    /// Leaves all databases for later runs.
    ///
    /// # Errors
    /// The first database that is no longer this run's; the others are kept all the same.
    pub(super) async fn keep_all(self) -> Result<(), GuardError> {
        let mut outcome = Ok(());
        for database in self.models.into_iter().chain([self.source]) {
            outcome = outcome.and(database.keep().await);
        }
        outcome
    }
}

/// Loads databases one after another and tells of it.
struct Loader<'a, 'b> {
    plan: &'a Plan,
    size: Size,
    client: &'a Client,
    attendant: &'a Attendant<'b>,
    listener: &'a mut dyn Listener,
}

impl Loader<'_, '_> {
    async fn source(&mut self, database: &ClaimedDatabase) -> Result<(), RunError> {
        let world = self.size.world(self.plan);
        let sets = &self.plan.scenario.dataset;
        let documents = sets.iter().filter_map(|set| world.count(&set.name)).sum();
        let target = "source".to_owned();
        let parity = self.size == Size::Parity;
        self.listener.hear(&Event::LoadStarted { target: target.clone(), parity, documents: Some(documents) });
        let to = self.database(database);
        let loaded = {
            let options = LoadOptions::default();
            let mut progress = tell_progress(self.listener, &target);
            let loading = load_source(&to, sets, world, &options, &mut progress);
            self.attendant.attend(named(self.plan, loading)).await?
        };
        database.set_state(MarkerState::Pristine).await?;
        let seconds = loaded.seconds.get();
        self.listener.hear(&Event::LoadFinished { target, documents: loaded.documents, seconds });
        Ok(())
    }

    async fn model(
        &mut self,
        place: usize,
        source: &ClaimedDatabase,
        database: &ClaimedDatabase,
    ) -> Result<LoadedModel, RunError> {
        let model = &self.plan.scenario.models[place];
        let world = self.size.world(self.plan);
        let target = model.name.clone();
        let parity = self.size == Size::Parity;
        self.listener.hear(&Event::LoadStarted { target: target.clone(), parity, documents: None });
        let (from, to) = (self.database(source), self.database(database));
        let loaded = {
            let options = LoadOptions::default();
            let mut progress = tell_progress(self.listener, &target);
            let loading = load_model(&from, &to, model, world, &options, &mut progress);
            self.attendant.attend(named(self.plan, loading)).await?
        };
        database.set_state(MarkerState::Pristine).await?;
        let (documents, seconds) = (loaded.load.documents, loaded.load.seconds.get());
        self.listener.hear(&Event::LoadFinished { target, documents, seconds });
        Ok(loaded)
    }

    /// The database over the connections that loading has.
    fn database(&self, claimed: &ClaimedDatabase) -> Database {
        self.client.database(claimed.name().as_str())
    }
}

fn tell_progress<'a>(listener: &'a mut dyn Listener, target: &'a str) -> impl FnMut(LoadProgress) + Send + 'a {
    move |progress| {
        listener.hear(&Event::LoadProgress { target: target.to_owned(), documents: progress.documents });
    }
}

/// Loading, with the scenario's name in its error.
async fn named<T>(plan: &Plan, loading: impl Future<Output = Result<T, LoadError>>) -> Result<T, RunError> {
    loading.await.map_err(|source| {
        if source.is_server_lost() {
            return RunError::Lost { why: source.to_string() };
        }
        RunError::Load { scenario: plan.scenario.name.clone(), source: Box::new(source) }
    })
}
