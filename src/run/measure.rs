//! Calibration, rounds and the comparison after them, once for each restart: each begins with fresh data, and on fresh
//! servers where patternbench started them.

use std::sync::Arc;

use super::bench::{Bench, Contender, Measured};
use super::crew::Crew;
use super::data::{Databases, Placed};
use super::driven::Driven;
use super::error::RunError;
use super::note::keep;
use super::probe::Prober;
use super::scenario_run::{Afterwards, ScenarioRun};
use super::server_stage::ServerStage;
use crate::backend::MongoBackend;
use crate::evidence::IndexCounts;
use crate::operation::{ActorState, ModelProgram};
use crate::plan::CalibratedPlan;

/// How a model does its operations on a server.
type ServerWork = Driven<MongoBackend>;

/// What one restart hands on to the next.
struct Course {
    programs: Vec<Arc<ModelProgram>>,
    /// Where each model's actors stand between windows.
    actors: Vec<Arc<ActorState>>,
    contenders: Vec<Contender<ServerWork>>,
    /// How much each round runs, once it is known.
    calibrated: Option<CalibratedPlan>,
    /// Whether the server has transactions.
    has_transactions: bool,
    /// What the restarts so far have used of the models' indexes; `None` where that cannot be told.
    index_use: Option<Vec<IndexCounts>>,
}

impl Course {
    /// How each model does its operations over these connections.
    fn works(&self, measured: &Databases<'_>, crew: &Crew) -> Vec<ServerWork> {
        let works = measured.models().zip(self.programs.iter().zip(&self.actors)).enumerate();
        let work = |(position, (placed, (program, state))): (usize, (Placed<'_, '_>, (&Arc<_>, &Arc<_>)))| {
            Driven::over(crew, position, placed.name(), program, state, self.has_transactions)
        };
        works.map(work).collect()
    }

    /// Gives the models other ways to their operations. Those that are still in the comparison are level with each other
    /// again, over fresh data.
    fn man(&mut self, works: Vec<ServerWork>, models: &[usize]) {
        if self.contenders.is_empty() {
            self.contenders = models.iter().zip(works).map(|(place, work)| Contender::new(*place, work)).collect();
            return;
        }
        for (contender, work) in self.contenders.iter_mut().zip(works) {
            contender.work = work;
            contender.behind = !contender.stands;
        }
    }
}

impl<'a> ScenarioRun<'_, 'a> {
    /// Compares answers on the small data, loads the measured ones, and measures, restart by restart. What a restart has
    /// measured is in the record, whatever becomes of the next.
    ///
    /// # Errors
    /// Why it did not come to its planned end.
    pub(super) async fn measure(&mut self, small: Databases<'a>, measured: &mut Databases<'a>) -> Result<(), RunError> {
        self.compare_small(small).await?;
        if self.session.is_isolated() {
            self.session.pause_main()?;
        }
        self.load_first(measured).await?;
        self.tell_processes(0);
        let programs = self.programs(&self.plan.world)?;
        let has_transactions = self.has_transactions();
        let index_use = Some(vec![IndexCounts::default(); self.plan.models.len()]);
        let actors = programs.iter().map(|program| Arc::new(ActorState::new(program))).collect();
        let mut course =
            Course { programs, actors, contenders: Vec::new(), calibrated: None, has_transactions, index_use };
        if self.session.prober.is_some() {
            self.offer_rates(measured, &mut course).await?;
            self.record.complete = true;
            return Ok(());
        }
        for restart in 0..self.plan.restarts {
            if restart > 0 && !self.start_over(restart, measured, &course).await? {
                break;
            }
            let before = self.count_index_use(measured).await?;
            course.actors.iter().for_each(|state| state.forget_changes());
            let Measured { calibrated, standing } = self.measure_rounds(restart, measured, &mut course).await?;
            course.index_use = self.add_index_use(before, measured, course.index_use.take()).await?;
            // Whoever took the databases meanwhile has changed what was measured.
            measured.mark_used().await?;
            self.compare_after_rounds(measured, &standing, &course.actors, &calibrated).await?;
            course.calibrated = Some(calibrated);
        }
        self.record.complete = true;
        Ok(())
    }

    /// Adds what the indexes were used for since, to what they were used for in the restarts before.
    async fn add_index_use(
        &mut self,
        before: Option<Vec<IndexCounts>>,
        measured: &Databases<'a>,
        so_far: Option<Vec<IndexCounts>>,
    ) -> Result<Option<Vec<IndexCounts>>, RunError> {
        let (Some(before), Some(so_far)) = (before, so_far) else { return Ok(None) };
        let Some(after) = self.count_index_use(measured).await? else { return Ok(None) };
        let models = so_far.into_iter().zip(before.iter().zip(&after));
        let in_all: Vec<_> = models.map(|(so_far, (before, after))| so_far.and_between(before, after)).collect();
        self.keep_index_use(&in_all);
        Ok(Some(in_all))
    }

    /// Provides fresh data for another restart, and fresh servers where patternbench started them. Answers whether there is
    /// anything left to measure.
    async fn start_over(
        &mut self,
        restart: u32,
        measured: &mut Databases<'a>,
        course: &Course,
    ) -> Result<bool, RunError> {
        let left = |contender: &Contender<_>| contender.stands && self.plan.sizes_rounds(contender.place);
        if !course.contenders.iter().any(left) {
            let what = format!("nothing was measured from restart {} on: no model is left to compare", restart + 1);
            self.note(None, what);
            return Ok(false);
        }
        if self.session.main.server.is_ours() {
            self.renew(measured).await?;
            let session = &mut *self.session;
            measured.load(self.plan, &session.attendant, session.listener).await?;
        } else {
            self.load_again(measured).await?;
        }
        self.flush(measured).await?;
        measured.mark_used().await?;
        self.tell_processes(restart);
        Ok(true)
    }

    /// Replaces the servers, with all data, by fresh ones.
    async fn renew(&mut self, measured: &mut Databases<'a>) -> Result<(), RunError> {
        let data = measured.take();
        if self.session.is_isolated() || self.session.main_ends() {
            drop(data);
        } else {
            // Its caller keeps the server.
            self.clean_up(data, Afterwards::Drop).await;
        }
        self.session.renew().await?;
        *measured = self.claim_measured(None).await?;
        Ok(())
    }

    /// Loads all models anew from the source.
    async fn load_again(&mut self, measured: &Databases<'a>) -> Result<(), RunError> {
        let session = &mut *self.session;
        for position in 0..self.plan.models.len() {
            measured.load_afresh(position, self.plan, &session.attendant, session.listener).await?;
        }
        Ok(())
    }

    /// Keeps which servers a restart is measured on.
    fn tell_processes(&mut self, restart: u32) {
        if self.plan.restarts == 1 && !self.session.is_isolated() {
            return;
        }
        let of_restart = format!("restart {} of {}", restart + 1, self.plan.restarts);
        for site in self.session.sites() {
            let what = match site.server.process_id() {
                Some(process) => format!("{of_restart}: fresh data on a server of its own (process {process})"),
                None => format!(
                    "{of_restart}: fresh data; the server went on, since only one that patternbench starts can be restarted"
                ),
            };
            keep(self.record, site.tenant(), what);
        }
    }

    /// Finds out what can be observed while the servers answer, and tells once what cannot.
    async fn try_observers(&mut self, restart: u32, measured: &Databases<'a>) -> Result<(), RunError> {
        let mut notes = Vec::new();
        for site in measured.sites() {
            let trying = async { Ok::<_, RunError>(site.observer().await.note()) };
            notes.extend(self.session.attendant.attend(trying).await?);
        }
        notes.dedup();
        if restart == 0 {
            notes.into_iter().for_each(|note| self.note(None, note));
        }
        Ok(())
    }

    /// Offers the models whatever rates the prober asks for, in place of rounds.
    async fn offer_rates(&mut self, measured: &Databases<'a>, course: &mut Course) -> Result<(), RunError> {
        let isolated = self.session.is_isolated();
        self.try_observers(0, measured).await?;
        let session = &mut *self.session;
        let Some(prober) = session.prober.as_deref_mut() else { return Ok(()) };
        let attendant = &session.attendant;
        let crew = Arc::new(attendant.attend(Crew::open(self.plan, measured, self.plan.concurrency)).await?);
        course.man(course.works(measured, &crew), &self.plan.models);
        let stage = ServerStage::new(self.plan, measured, attendant, isolated, crew)?;
        let contenders = std::mem::take(&mut course.contenders);
        let interrupt = attendant.interrupt.clone();
        let mut bench = Bench::new(self.plan, contenders, interrupt, &stage, session.listener, self.record);
        let outcome = probe_on(&mut bench, prober, course, measured).await;
        if outcome.is_ok() {
            stage.resume_all().await?;
        }
        if outcome.is_ok() || !isolated {
            stage.crew().close().await;
        }
        outcome
    }

    /// Calibrates, or warms up once the plan is known, and runs the rounds of a restart.
    async fn measure_rounds(
        &mut self,
        restart: u32,
        measured: &Databases<'a>,
        course: &mut Course,
    ) -> Result<Measured, RunError> {
        let isolated = self.session.is_isolated();
        self.try_observers(restart, measured).await?;
        let session = &mut *self.session;
        let attendant = &session.attendant;
        let crew = Arc::new(attendant.attend(Crew::open(self.plan, measured, self.plan.concurrency)).await?);
        course.man(course.works(measured, &crew), &self.plan.models);
        let stage = ServerStage::new(self.plan, measured, attendant, isolated, crew)?;
        let contenders = std::mem::take(&mut course.contenders);
        let interrupt = attendant.interrupt.clone();
        let mut bench = Bench::new(self.plan, contenders, interrupt, &stage, session.listener, self.record);
        let outcome = run_restart(&mut bench, restart, course, measured).await;
        course.contenders = bench.contenders;
        if outcome.is_ok() {
            stage.resume_all().await?;
        }
        if outcome.is_ok() || !isolated {
            stage.crew().close().await;
        }
        outcome
    }
}

/// Calibrates, unless that is known from before, and offers rates over as many connections as that takes.
async fn probe_on<'a>(
    bench: &mut Bench<'_, ServerWork, ServerStage<'_, 'a>>,
    prober: &mut dyn Prober,
    course: &Course,
    measured: &Databases<'a>,
) -> Result<(), RunError> {
    let done = bench.begin_probing(prober).await?;
    let workers = prober.workers();
    if workers != bench.stage.crew().size() {
        let crew = bench.stage.change_crew(workers).await?;
        for (contender, work) in course.works(measured, &crew).into_iter().enumerate() {
            bench.set_work(contender, work);
        }
    }
    bench.probe(prober, done, true).await
}

/// Runs calibration and rounds, each over exactly as many connections as it has workers.
async fn run_restart<'a>(
    bench: &mut Bench<'_, ServerWork, ServerStage<'_, 'a>>,
    restart: u32,
    course: &Course,
    measured: &Databases<'a>,
) -> Result<Measured, RunError> {
    let calibrated = bench.calibrate(restart, course.calibrated.as_ref()).await?;
    let stage = bench.stage;
    if calibrated.workers() != stage.crew().size() {
        let crew = stage.change_crew(calibrated.workers()).await?;
        for (contender, work) in course.works(measured, &crew).into_iter().enumerate() {
            bench.set_work(contender, work);
        }
    }
    bench.rounds(restart, &calibrated).await?;
    Ok(Measured { calibrated, standing: bench.standing() })
}
