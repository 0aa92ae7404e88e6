//! Loads databases one after another and tells of it.

use futures_util::TryFutureExt as _;
use mongodb::Database;

use super::attend::Attendant;
use super::data::Size;
use super::error::RunError;
use super::event::{Event, Listener};
use super::site::Site;
use crate::guard::ClaimedDatabase;
use crate::load::{LoadError, LoadOptions, LoadProgress, LoadedModel, load_model, load_source};
use crate::plan::Plan;
use crate::words::MarkerState;

/// Loads databases of a plan.
pub(super) struct Loader<'a, 'b> {
    pub(super) plan: &'a Plan,
    pub(super) size: Size,
    pub(super) attendant: &'a Attendant<'b>,
    pub(super) listener: &'a mut dyn Listener,
}

impl Loader<'_, '_> {
    /// Loads the source.
    ///
    /// # Errors
    /// Where the data cannot be loaded as the scenario says, or the database is no longer this run's.
    pub(super) async fn source(&mut self, site: &Site<'_>, database: &ClaimedDatabase) -> Result<(), RunError> {
        let world = self.size.world(self.plan);
        let sets = &self.plan.scenario.dataset;
        let documents = sets.iter().filter_map(|set| world.count(&set.name)).sum();
        let target = "source".to_owned();
        let parity = self.size == Size::Parity;
        self.listener.hear(&Event::LoadStarted { target: target.clone(), parity, documents: Some(documents) });
        let to = for_loading(site, database);
        let loaded = {
            let options = self.options();
            let mut progress = tell_progress(self.listener, &target);
            let loading = load_source(&to, sets, world, &options, &mut progress);
            let loading = loading.map_err(|error| named(self.plan, error));
            self.attendant.attend(loading).await?
        };
        database.set_state(MarkerState::Pristine).await?;
        let seconds = loaded.seconds.get();
        self.listener.hear(&Event::LoadFinished { target, documents: loaded.documents, seconds });
        Ok(())
    }

    /// Loads a model (by its place in the scenario) from the source.
    ///
    /// # Errors
    /// As for the source.
    pub(super) async fn model(
        &mut self,
        place: usize,
        site: &Site<'_>,
        source: &ClaimedDatabase,
        database: &ClaimedDatabase,
    ) -> Result<LoadedModel, RunError> {
        let model = &self.plan.scenario.models[place];
        let world = self.size.world(self.plan);
        let target = model.name.clone();
        let parity = self.size == Size::Parity;
        self.listener.hear(&Event::LoadStarted { target: target.clone(), parity, documents: None });
        let (from, to) = (for_loading(site, source), for_loading(site, database));
        let loaded = {
            let options = self.options();
            let mut progress = tell_progress(self.listener, &target);
            let loading = load_model(&from, &to, model, world, &options, &mut progress);
            let loading = loading.map_err(|error| unsupported(self.plan, &model.name, error));
            self.attendant.attend(loading).await?
        };
        database.set_state(MarkerState::Pristine).await?;
        let (documents, seconds) = (loaded.load.documents, loaded.load.seconds.get());
        self.listener.hear(&Event::LoadFinished { target, documents, seconds });
        Ok(loaded)
    }

    /// Small databases are filled over one connection: their documents then lie in the same order each time, and what is
    /// shown of them is the same.
    fn options(&self) -> LoadOptions {
        match self.size {
            Size::Parity => LoadOptions { connections: 1, ..LoadOptions::default() },
            Size::Measured => LoadOptions::default(),
        }
    }
}

/// The database over the connections that loading has.
fn for_loading(site: &Site<'_>, claimed: &ClaimedDatabase) -> Database {
    site.client().database(claimed.name().as_str())
}

fn tell_progress<'a>(listener: &'a mut dyn Listener, target: &'a str) -> impl FnMut(LoadProgress) + Send + 'a {
    move |progress| {
        listener.hear(&Event::LoadProgress { target: target.to_owned(), documents: progress.documents });
    }
}

/// The error of loading, with the scenario's name.
fn named(plan: &Plan, source: LoadError) -> RunError {
    if source.is_server_lost() {
        return RunError::Lost { why: source.to_string() };
    }
    RunError::Load { scenario: plan.scenario.name.clone(), source: Box::new(source) }
}

/// The same of a model, which this server may not be able to hold.
fn unsupported(plan: &Plan, model: &str, source: LoadError) -> RunError {
    match source {
        LoadError::Unsupported { .. } => RunError::Unsupported {
            scenario: plan.scenario.name.clone(),
            model: model.to_owned(),
            why: source.to_string(),
        },
        other => named(plan, other),
    }
}
