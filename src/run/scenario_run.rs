//! One scenario under one workload, from claiming its databases to dropping them.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{FutureExt as _, TryFutureExt as _};

use super::data::{Databases, Size};
use super::error::RunError;
use super::evidence::SmallEvidence;
use super::limits::CallsByOperation;
use super::note::note;
use super::request::Extent;
use super::session::Session;
use crate::evidence;
use crate::guard::ClaimedDatabase;
use crate::load::LoadedModel;
use crate::operation::ModelProgram;
use crate::plan::Plan;
use crate::record::{CacheRecord, ScenarioRecord};
use crate::units::Bytes;
use crate::value::World;
use crate::words::{Isolation, Profile};

/// What becomes of the data after a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// They go.
    Drop,
    /// The models' go, the source is wanted again.
    KeepSource,
    /// They stay for later runs.
    Keep,
    /// No other scenario follows: they go, with their server where it goes.
    End,
}

impl Afterwards {
    /// The same when no other scenario follows after all.
    const fn at_the_end(self) -> Self {
        match self {
            Self::Keep => Self::Keep,
            Self::Drop | Self::KeepSource | Self::End => Self::End,
        }
    }
}

/// A scenario under a workload while it runs.
pub(super) struct ScenarioRun<'s, 'a> {
    pub(super) session: &'s mut Session<'a>,
    pub(super) plan: &'s Plan,
    pub(super) record: &'s mut ScenarioRecord,
    pub(super) extent: Extent,
    /// The first call of each step, by model and operation, as parity saw them.
    pub(super) observed: BTreeMap<String, CallsByOperation>,
    /// What explaining on the small data has shown.
    pub(super) small: SmallEvidence,
}

impl<'a> ScenarioRun<'_, 'a> {
    /// Carries the plan out. Whatever happens, the record holds what was measured, and the data are dropped or kept
    /// where the server can still be asked to.
    ///
    /// # Errors
    /// Why it did not come to its planned end.
    pub(super) async fn carry_out(mut self, afterwards: Afterwards) -> Result<(), RunError> {
        self.tell_lack_of_transactions();
        if self.extent == Extent::Answers {
            let small = self.claim_small().await?;
            self.compare_small(small).await?;
            self.record.complete = true;
            return Ok(());
        }
        let provided = match self.provide_cache().await {
            Ok(()) => self.isolate().await,
            Err(error) => Err(error),
        };
        let outcome = match provided {
            Ok(()) => {
                self.keep_cache();
                self.carry_out_on(afterwards).await
            }
            Err(error) => Err(error),
        };
        if !self.session.is_isolated() {
            return outcome;
        }
        let reunited = self.session.reunite().await;
        outcome.and(reunited)
    }

    /// Provides servers with the cache that the plan asks for, where patternbench starts them.
    async fn provide_cache(&mut self) -> Result<(), RunError> {
        let wanted = self.plan.cache_bytes;
        if let Some(why) = wanted.and_then(|bytes| self.session.main.server.refuses_cache(bytes)) {
            return Err(self.broken(why));
        }
        self.session.provide_cache(wanted, self.plan.isolation == Isolation::Shared).await
    }

    /// Keeps which cache the servers have where a certain one was asked for, and tells where it is another.
    fn keep_cache(&mut self) {
        let Some(asked) = self.plan.cache_bytes.map(Bytes::new) else { return };
        let servers = || self.session.sites().iter().map(|site| &site.server);
        let set = servers().all(|server| server.is_ours());
        let granted = servers().filter_map(|server| server.facts().told_cache).next();
        self.record.plan.cache = Some(CacheRecord { asked, granted, set });
        let mebibytes = |bytes: Bytes| format!("{} MiB", bytes.get() >> 20);
        let other = granted.filter(|granted| *granted != asked).map(mebibytes);
        match (set, other) {
            (false, _) => self.note(
                None,
                format!(
                    "the cache of {} that was asked for could not be set: patternbench did not start this server",
                    mebibytes(asked)
                ),
            ),
            (true, Some(other)) => {
                self.note(None, format!("a cache of {} was asked for, and the server has {other}", mebibytes(asked)));
            }
            (true, None) => {}
        }
    }

    /// Gives each model a server of its own, where the plan or the server wants it and it can be had.
    async fn isolate(&mut self) -> Result<(), RunError> {
        let facts = self.session.main.server.facts();
        let disturbed = facts.models_disturb_each_other() && self.plan.profile != Profile::Smoke;
        if self.plan.isolation == Isolation::Shared && !(disturbed && self.session.main.server.is_ours()) {
            return Ok(());
        }
        if !self.session.main.server.is_ours() {
            self.record.plan.isolation = Isolation::Shared;
            let what = "its models were to have a server process each, which needs servers that patternbench starts: they \
                        share the one that was named";
            self.note(None, what.to_owned());
            return Ok(());
        }
        self.record.plan.isolation = Isolation::Process;
        let models: Vec<String> = self.plan.models().map(|model| model.name.clone()).collect();
        self.session.isolate(&models).await
    }

    /// Carries the plan out where its models are measured.
    async fn carry_out_on(&mut self, afterwards: Afterwards) -> Result<(), RunError> {
        // All databases are claimed before any is touched.
        let small = self.claim_small().await?;
        let source = self.session.source.take();
        let mut measured = match self.claim_measured(source).await {
            Ok(measured) => measured,
            Err(refused) => {
                self.clean_up(small, Afterwards::Drop).await;
                return Err(refused);
            }
        };
        let outcome = self.measure(small, &mut measured).await;
        match &outcome {
            // Servers that models have for their own take the data with them, and asking one that is gone would only take
            // time.
            _ if self.session.is_isolated() => {}
            Err(RunError::Lost { .. }) => {}
            // What is left is tried again, from the same source.
            Err(RunError::Unsupported { .. }) => self.clean_up(measured, Afterwards::KeepSource).await,
            Err(error) if error.ends_the_run() => self.clean_up(measured, afterwards.at_the_end()).await,
            _ => self.clean_up(measured, afterwards).await,
        }
        outcome
    }

    async fn claim_small(&self) -> Result<Databases<'a>, RunError> {
        let main = std::slice::from_ref(&self.session.main);
        Ok(self.session.claimant.claim_all(self.plan, Size::Parity, main, None).await?)
    }

    /// Claims the databases to be measured, where the models are now.
    ///
    /// # Errors
    /// Why one may not be taken.
    pub(super) async fn claim_measured(&self, source: Option<ClaimedDatabase>) -> Result<Databases<'a>, RunError> {
        let claimant = &self.session.claimant;
        let measured = claimant.claim_all(self.plan, Size::Measured, self.session.sites(), source).await?;
        if self.session.is_isolated() {
            measured.keep_silent();
        }
        Ok(measured)
    }

    /// Loads the data, and keeps what they take.
    ///
    /// # Errors
    /// Where they cannot be loaded as the scenario says, or a server is lost.
    pub(super) async fn load_first(&mut self, measured: &mut Databases<'a>) -> Result<(), RunError> {
        let session = &mut *self.session;
        let loaded = measured.load(self.plan, &session.attendant, session.listener).await?;
        self.keep_loaded(loaded);
        self.keep_storage(measured).await?;
        self.mark_engine_limited(measured).await?;
        self.explain_measured(measured).await?;
        Ok(measured.mark_used().await?)
    }

    /// The programs of the plan's models, in its order.
    pub(super) fn programs(&self, world: &Arc<World>) -> Result<Vec<Arc<ModelProgram>>, RunError> {
        let plan = self.plan;
        let program = |place: &usize| {
            ModelProgram::new(&plan.scenario, plan.workload_index, *place, Arc::clone(world)).map(Arc::new)
        };
        plan.models.iter().map(program).collect::<Result<_, _>>().map_err(|error| self.broken(error))
    }

    /// The scenario cannot be carried out as written.
    pub(super) fn broken(&self, why: impl std::fmt::Display) -> RunError {
        RunError::Scenario { scenario: self.plan.scenario.name.clone(), why: why.to_string() }
    }

    pub(super) fn keep_loaded(&mut self, loaded: Vec<Option<LoadedModel>>) {
        let mut notes = Vec::new();
        for (model, loaded) in self.record.models.iter_mut().zip(loaded) {
            match loaded {
                Some(loaded) => {
                    model.load = Some(loaded.load);
                    model.collections = loaded.collections;
                    notes.extend(loaded.notes.into_iter().map(|note| (model.name.clone(), note)));
                }
                None => notes.push((model.name.clone(), "takes data that an earlier run kept".to_owned())),
            }
        }
        for (model, note) in notes {
            self.note(Some(&model), note);
        }
    }

    /// The storage bill. A server that does not tell it leaves the figures out.
    async fn keep_storage(&mut self, measured: &Databases<'_>) -> Result<(), RunError> {
        if !self.flush(measured).await? {
            self.note(None, "this server does not write its data to disk on demand: sizes may be too small".to_owned());
        }
        let product = self.session.main.server.facts().product;
        for (position, model) in self.plan.models().enumerate() {
            let collections = model.collection_names(&self.plan.world).map_err(|error| self.broken(error))?;
            let collections = collections.iter().map(String::as_str);
            // Hundreds of partitions would drown the others.
            let whole = model.unpartitioned();
            let database = measured.model(position).for_loading();
            let asking = async {
                let bill = evidence::storage(&database, collections, product).await?;
                let sizes = evidence::sizes(&database, whole, product).await?;
                Ok::<_, evidence::EvidenceError>((bill, sizes))
            };
            match self.session.attendant.attend(asking.map(Ok::<_, RunError>)).await? {
                Ok((bill, sizes)) => {
                    let model = &mut self.record.models[position];
                    let cache = measured.model(position).site.server.facts().cache_bytes;
                    model.storage = Some(evidence::beside_cache(bill, cache));
                    model.sizes = sizes;
                }
                Err(error) if error.is_server_lost() => return Err(RunError::Lost { why: error.to_string() }),
                Err(error) => self.note(Some(&model.name), format!("no storage bill: {error}")),
            }
        }
        Ok(())
    }

    /// Has the servers write their data to disk. Answers whether all do so on demand.
    ///
    /// # Errors
    /// Where one is lost.
    pub(super) async fn flush(&self, measured: &Databases<'_>) -> Result<bool, RunError> {
        let mut all = true;
        for site in measured.sites() {
            let flushing = evidence::flush(site.client()).map_err(|error| RunError::Lost { why: error.to_string() });
            all &= self.session.attendant.attend(flushing).await?;
        }
        Ok(all)
    }

    /// Drops, keeps or leaves data. What cannot be dropped is told, and found later by `clean`.
    pub(super) async fn clean_up(&mut self, mut data: Databases<'_>, afterwards: Afterwards) {
        let outcome = match afterwards {
            Afterwards::End if self.session.main_ends() => Ok(()),
            Afterwards::End | Afterwards::Drop => data.drop_all(false).await.map(drop),
            Afterwards::KeepSource => data.drop_all(true).await.map(|source| self.session.source = source),
            Afterwards::Keep => data.keep_all().await,
        };
        if let Err(left) = outcome {
            self.note(None, format!("data were left on the server ({left}); `patternbench clean` drops them"));
        }
    }

    /// Keeps something that happened in the record, and tells it.
    pub(super) fn note(&mut self, model: Option<&str>, what: String) {
        note(self.session.listener, self.record, model, what);
    }
}
