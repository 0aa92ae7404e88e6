//! The databases of a plan: claimed before anything is touched, loaded, loaded afresh, and in the end dropped or kept.
//! They lie on one server, or each model's on a server of its own, which then has a source database of its own too.

use std::sync::Arc;

use mongodb::Database;

use super::attend::Attendant;
use super::error::RunError;
use super::event::Listener;
use super::loader::Loader;
use super::site::Site;
use crate::guard::{ClaimedDatabase, DatabaseName, GuardError, Holds, Marker, Owner, Purpose, Reuse, claim};
use crate::load::LoadedModel;
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
pub(super) struct Databases<'a> {
    size: Size,
    /// One, or one for each model, in the order of the plan's models.
    shelves: Vec<Shelf<'a>>,
}

/// The databases on one server.
#[derive(Debug)]
struct Shelf<'a> {
    site: Arc<Site<'a>>,
    source: ClaimedDatabase,
    /// Whether the source holds its data already.
    source_is_loaded: bool,
    /// In the order of the plan's models.
    models: Vec<ClaimedDatabase>,
}

/// A model's database and where it lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'d, 'a> {
    pub(super) site: &'d Arc<Site<'a>>,
    pub(super) database: &'d ClaimedDatabase,
    source: &'d ClaimedDatabase,
}

impl Placed<'_, '_> {
    /// The database over the connections for loading and comparing.
    pub(super) fn for_loading(&self) -> Database {
        self.site.client().database(self.name())
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        self.database.name().as_str()
    }
}

/// Who claims, and what may be taken over.
#[derive(Debug, Clone)]
pub(super) struct Claimant {
    pub(super) owner: Owner,
    pub(super) reuse: Reuse,
}

impl Claimant {
    /// Claims the databases of a plan: all on one site, or of as many sites as models on each those of its model.
    /// `source`, with its data, may be this run's already, from another workload of the same scenario.
    /// Where one of them cannot be had, those claimed before are let go.
    ///
    /// # Errors
    /// Why a database may not be taken.
    pub(super) async fn claim_all<'a>(
        &self,
        plan: &Plan,
        size: Size,
        sites: &[Arc<Site<'a>>],
        mut source: Option<ClaimedDatabase>,
    ) -> Result<Databases<'a>, GuardError> {
        let names: Vec<&str> = plan.models().map(|model| model.name.as_str()).collect();
        let on_each = if sites.len() == 1 { names.len() } else { 1 };
        let mut claimed = Databases { size, shelves: Vec::new() };
        for (site, names) in sites.iter().zip(names.chunks(on_each)) {
            match self.claim_on(plan, size, site, names, source.take()).await {
                Ok(shelf) => claimed.shelves.push(shelf),
                Err(error) => {
                    claimed.give_back().await;
                    return Err(error);
                }
            }
        }
        Ok(claimed)
    }

    async fn claim_on<'a>(
        &self,
        plan: &Plan,
        size: Size,
        site: &Arc<Site<'a>>,
        models: &[&str],
        source: Option<ClaimedDatabase>,
    ) -> Result<Shelf<'a>, GuardError> {
        let is_ours_already = source.is_some();
        let source = match source {
            Some(source) => source,
            None => {
                self.claim(plan, size, site, DatabaseName::source(&plan.scenario.name, size == Size::Parity)).await?
            }
        };
        let source_is_loaded = is_ours_already || source.holds() == Holds::Pristine;
        let mut shelf = Shelf { site: Arc::clone(site), source, source_is_loaded, models: Vec::new() };
        for model in models {
            let name = Self::model_name(plan, size, model);
            match self.claim(plan, size, site, name).await {
                Ok(database) => shelf.models.push(database),
                Err(error) => {
                    shelf.give_back().await;
                    return Err(error);
                }
            }
        }
        Ok(shelf)
    }

    /// The database of a model; a control run's second copy of a model is named as such.
    fn model_name(plan: &Plan, size: Size, model: &str) -> Result<DatabaseName, GuardError> {
        let scenario = &plan.scenario.name;
        match &plan.control {
            Some(original) if size == Size::Measured && model != original => {
                DatabaseName::model(scenario, original, Purpose::Control)
            }
            _ => DatabaseName::model(scenario, model, size.purpose()),
        }
    }

    async fn claim(
        &self,
        plan: &Plan,
        size: Size,
        site: &Site<'_>,
        name: Result<DatabaseName, GuardError>,
    ) -> Result<ClaimedDatabase, GuardError> {
        let scenario = &plan.scenario;
        let marker = Marker::new(self.owner.clone(), &scenario.file_sha256, plan.seed, size.parameters(plan));
        // Small databases are dropped after use, so there are none to take over.
        let reuse = if size == Size::Parity { Reuse::Never } else { self.reuse };
        claim(site.control(), &name?, marker, reuse).await
    }
}

impl Shelf<'_> {
    /// Lets go of databases that were claimed in vain: data of an earlier run stay kept, others were empty.
    async fn give_back(self) {
        for database in self.models.into_iter().chain([self.source]) {
            let given_back = match database.holds() {
                Holds::Nothing => database.drop_database().await,
                Holds::Pristine | Holds::Used => database.keep().await,
            };
            // There is an error to report already; a database that could not be let go is found by `clean`.
            drop(given_back);
        }
    }
}

impl<'a> Databases<'a> {
    /// These databases and those, as those of two models.
    pub(super) fn beside(mut self, other: Self) -> Self {
        self.shelves.extend(other.shelves);
        self
    }

    /// The databases of two shelves apart again.
    pub(super) fn apart(mut self) -> [Self; 2] {
        let rest = self.shelves.split_off(self.shelves.len().min(1));
        [Self { size: self.size, shelves: self.shelves }, Self { size: self.size, shelves: rest }]
    }

    /// The source, if it holds its data; the models' databases are left where they are.
    pub(super) fn into_source(self) -> Option<ClaimedDatabase> {
        self.shelves.into_iter().filter(|shelf| shelf.source_is_loaded).map(|shelf| shelf.source).next()
    }

    async fn give_back(self) {
        for shelf in self.shelves {
            shelf.give_back().await;
        }
    }

    /// Loads what is not there yet. Answers, for each model, what was loaded; `None` where kept data are taken.
    ///
    /// # Errors
    /// Where the data cannot be loaded as the scenario says, or a database is no longer this run's.
    pub(super) async fn load(
        &mut self,
        plan: &Plan,
        attendant: &Attendant<'_>,
        listener: &mut dyn Listener,
    ) -> Result<Vec<Option<LoadedModel>>, RunError> {
        let mut loader = Loader { plan, size: self.size, attendant, listener };
        let mut places = plan.models.iter();
        let mut loaded = Vec::new();
        for shelf in &mut self.shelves {
            if !shelf.source_is_loaded {
                attendant.attend(shelf.source.clear()).await?;
                loader.source(&shelf.site, &shelf.source).await?;
                shelf.source_is_loaded = true;
            }
            for (database, place) in shelf.models.iter().zip(places.by_ref()) {
                loaded.push(match database.holds() {
                    Holds::Pristine => None,
                    Holds::Used => {
                        attendant.attend(database.clear()).await?;
                        Some(loader.model(*place, &shelf.site, &shelf.source, database).await?)
                    }
                    Holds::Nothing => Some(loader.model(*place, &shelf.site, &shelf.source, database).await?),
                });
            }
        }
        Ok(loaded)
    }

    /// Loads a model (by its place among the plan's) anew from the source.
    ///
    /// # Errors
    /// As for loading.
    pub(super) async fn load_afresh(
        &self,
        position: usize,
        plan: &Plan,
        attendant: &Attendant<'_>,
        listener: &mut dyn Listener,
    ) -> Result<(), RunError> {
        let Placed { site, database, source } = self.model(position);
        attendant.attend(database.set_state(MarkerState::Loading)).await?;
        attendant.attend(database.clear()).await?;
        let mut loader = Loader { plan, size: self.size, attendant, listener };
        loader.model(plan.models[position], site, source, database).await.map(drop)
    }

    /// A model's database, by its place among the plan's models.
    pub(super) fn model(&self, position: usize) -> Placed<'_, 'a> {
        self.models().nth(position).expect("every model of the plan has a database")
    }

    /// The databases, in the order of the plan's models.
    pub(super) fn models(&self) -> impl Iterator<Item = Placed<'_, 'a>> {
        self.shelves.iter().flat_map(|shelf| {
            let placed = |database| Placed { site: &shelf.site, database, source: &shelf.source };
            shelf.models.iter().map(placed)
        })
    }

    /// The servers, each once: one, or one for each of the plan's models.
    pub(super) fn sites(&self) -> impl Iterator<Item = &Arc<Site<'a>>> {
        self.shelves.iter().map(|shelf| &shelf.site)
    }

    /// Marks the models as written to.
    ///
    /// # Errors
    /// Where one of them is no longer this run's.
    pub(super) async fn mark_used(&self) -> Result<(), GuardError> {
        for placed in self.models() {
            placed.database.set_state(MarkerState::Used).await?;
        }
        Ok(())
    }

    /// The databases, with none left behind.
    pub(super) fn take(&mut self) -> Self {
        Self { size: self.size, shelves: std::mem::take(&mut self.shelves) }
    }

    /// Ends the signs of life: on servers that stand still at times, and that no other run can know of.
    pub(super) fn keep_silent(&self) {
        for shelf in &self.shelves {
            shelf.models.iter().chain([&shelf.source]).for_each(ClaimedDatabase::keep_silent);
        }
    }

    /// Drops the models' databases, and the source's unless it is wanted for another workload.
    ///
    /// # Errors
    /// The first database that could not be dropped; the others are dropped all the same.
    pub(super) async fn drop_all(&mut self, keep_source: bool) -> Result<Option<ClaimedDatabase>, GuardError> {
        let mut outcome = Ok(());
        let mut kept = None;
        for shelf in self.shelves.drain(..) {
            let (source, dropped) = match keep_source && shelf.source_is_loaded {
                true => (Some(shelf.source), None),
                false => (None, Some(shelf.source)),
            };
            for database in shelf.models.into_iter().chain(dropped) {
                outcome = outcome.and(database.drop_database().await);
            }
            kept = source;
        }
        outcome.map(|()| kept)
    }

    /// Leaves all databases for later runs.
    ///
    /// # Errors
    /// The first database that is no longer this run's; the others are kept all the same.
    pub(super) async fn keep_all(&mut self) -> Result<(), GuardError> {
        let mut outcome = Ok(());
        for shelf in self.shelves.drain(..) {
            for database in shelf.models.into_iter().chain([shelf.source]) {
                outcome = outcome.and(database.keep().await);
            }
        }
        outcome
    }
}
