//! The stage that measures: a server that all models share, or one for each, of which only the measured one runs.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::try_join;
use tokio::sync::Notify;

use super::attend::Attendant;
use super::crew::Crew;
use super::data::{Databases, Placed};
use super::error::RunError;
use super::event::{Event, Listener};
use super::site::Site;
use super::stage::{Observed, Stage};
use super::watchdog::Health;
use crate::clock::WallClock;
use crate::evidence;
use crate::plan::Plan;
use crate::record::HoldingsRecord;
use crate::server::ServerError;
use crate::words::MarkerState;

/// Servers on which models are measured.
#[derive(Debug)]
pub(super) struct ServerStage<'s, 'a> {
    plan: &'s Plan,
    measured: &'s Databases<'a>,
    attendant: &'s Attendant<'a>,
    /// Whether each model has a server of its own.
    isolated: bool,
    /// The connections that workers have now.
    crew: Mutex<Arc<Crew>>,
}

impl<'s, 'a> ServerStage<'s, 'a> {
    /// The stage over these databases. Where models are isolated, their servers stand still until they are entered.
    ///
    /// # Errors
    /// Where the system does not let a server stand still.
    pub(super) fn new(
        plan: &'s Plan,
        measured: &'s Databases<'a>,
        attendant: &'s Attendant<'a>,
        isolated: bool,
        crew: Arc<Crew>,
    ) -> Result<Self, ServerError> {
        let stage = Self { plan, measured, attendant, isolated, crew: Mutex::new(crew) };
        stage.pause_all()?;
        Ok(stage)
    }

    /// The server of a model, by its place among the plan's.
    pub(super) fn site(&self, contender: usize) -> &'s Arc<Site<'a>> {
        self.measured.model(contender).site
    }

    /// The connections that workers have now.
    pub(super) fn crew(&self) -> Arc<Crew> {
        Arc::clone(&self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Crew>> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives workers other connections, as many as they are, and closes those that they had.
    ///
    /// # Errors
    /// Where a server does not open so many.
    pub(super) async fn change_crew(&self, size: u32) -> Result<Arc<Crew>, RunError> {
        self.resume_all().await?;
        let new = Arc::new(self.attendant.attend(Crew::open(self.plan, self.measured, size)).await?);
        let old = std::mem::replace(&mut *self.lock(), Arc::clone(&new));
        old.close().await;
        self.pause_all()?;
        Ok(new)
    }

    /// Makes every server go on.
    ///
    /// # Errors
    /// Where one does not answer, or the user wishes to end.
    pub(super) async fn resume_all(&self) -> Result<(), RunError> {
        for site in self.measured.sites() {
            self.attendant.attend(site.resume()).await?;
        }
        Ok(())
    }

    fn pause_all(&self) -> Result<(), ServerError> {
        if !self.isolated {
            return Ok(());
        }
        self.measured.sites().try_for_each(|site| site.pause())
    }

    /// Loads a model's data anew.
    async fn reload(&self, contender: usize) -> Result<(), RunError> {
        let Placed { database, site, .. } = self.measured.model(contender);
        self.measured.load_afresh(contender, self.plan, self.attendant, &mut Deaf).await?;
        // What loading has written is not to be written to disk in the window.
        let flushing =
            async { evidence::flush(site.client()).await.map_err(|error| RunError::Lost { why: error.to_string() }) };
        self.attendant.attend(flushing).await?;
        self.attendant.attend(database.set_state(MarkerState::Used)).await
    }
}

impl Health for ServerStage<'_, '_> {
    fn lost(&self) -> impl Future<Output = String> + Send {
        self.attendant.watchdog.lost()
    }

    fn suspicion(&self) -> Arc<Notify> {
        self.attendant.watchdog.suspicion()
    }
}

impl Stage for ServerStage<'_, '_> {
    type Clock = WallClock;

    fn clock(&self) -> WallClock {
        WallClock
    }

    async fn enter(&self, contender: usize, fresh: bool) -> Result<(), RunError> {
        if self.isolated {
            let crew = self.crew();
            // Side by side: both have to find out whether the server has dropped connections while it stood still.
            let resuming = try_join(self.site(contender).resume(), crew.fill(contender));
            self.attendant.attend(resuming).await?;
        }
        if fresh { self.reload(contender).await } else { Ok(()) }
    }

    async fn begin(&self, contender: usize) {
        self.site(contender).observer().await.begin(self.crew().waits(contender)).await;
    }

    async fn end(&self, contender: usize) -> Observed {
        self.site(contender).observer().await.end(self.crew().waits(contender)).await
    }

    async fn holds(&self, contender: usize) -> Option<HoldingsRecord> {
        let placed = self.measured.model(contender);
        let model = self.plan.models().nth(contender)?;
        let collections = model.collection_names(&self.plan.world).ok()?;
        let database = placed.for_loading();
        let asking = async { Ok::<_, RunError>(evidence::holdings(&database, &collections).await.ok().flatten()) };
        self.attendant.attend(asking).await.ok().flatten()
    }

    async fn leave(&self, contender: usize) {
        if self.isolated {
            // A server that cannot be made to stand still has ended, which is noticed.
            let _ = self.site(contender).pause();
        }
    }
}

/// Reloading between windows is told to nobody: it belongs to its round.
struct Deaf;

impl Listener for Deaf {
    fn hear(&mut self, _event: &Event) {}
}
