//! The comparisons of answers: on small data before anything is measured, and after the last round.

use std::sync::Arc;

use futures_util::TryFutureExt as _;

use super::data::{Databases, Size};
use super::error::RunError;
use super::event::{Event, Listener};
use super::evidence::CountedClients;
use super::judge::FAILURES_UP_TO;
use super::request::Extent;
use super::scenario_run::{Afterwards, ScenarioRun};
use super::session::Session;
use crate::backend::MongoBackend;
use crate::operation::{ActorState, ModelProgram, TracedCall};
use crate::parity::{
    Closing, Observed, ParityError, ParityModel, ParityOutcome, compare, compare_closing, settle, stratified,
};
use crate::plan::{CalibratedPlan, Plan, ProfileTimes, Ranges};
use crate::record::ClosingParityRecord;
use crate::words::Phase;

/// Reads of the comparison after the last round that are under way at a time; there is nothing to be timed.
const CLOSING_WORKERS: usize = 4;
/// Numbers that closing parity may draw arguments under.
const CLOSING_NUMBERS: u64 = 1_000_000;

/// A model's program and where it runs.
type Subject = (Arc<ModelProgram>, MongoBackend);

impl ScenarioRun<'_, '_> {
    /// Loads the small databases, compares the models' answers on them, and drops them.
    ///
    /// # Errors
    /// Where the models answer differently or fail, or the data cannot be loaded.
    pub(super) async fn compare_small(&mut self, mut small: Databases<'_>) -> Result<(), RunError> {
        let outcome = self.compare_and_explain(&mut small).await;
        if !matches!(outcome, Err(RunError::Lost { .. })) {
            self.clean_up(small, Afterwards::Drop).await;
        }
        outcome
    }

    async fn compare_and_explain(&mut self, small: &mut Databases<'_>) -> Result<(), RunError> {
        let outcome = self.load_and_compare(small).await?;
        self.judge_small(&outcome)?;
        self.explain_small(small).await
    }

    async fn load_and_compare(&mut self, small: &mut Databases<'_>) -> Result<ParityOutcome, RunError> {
        let session = &mut *self.session;
        let loaded = small.load(self.plan, &session.attendant, session.listener).await?;
        self.small.documents =
            loaded.iter().map(|loaded| loaded.as_ref().map_or(0, |loaded| loaded.load.documents)).collect();
        if self.extent == Extent::Answers {
            self.keep_loaded(loaded);
        }
        let counted = self.session.attendant.attend(CountedClients::open(small)).await?;
        let programs = self.programs(Size::Parity.world(self.plan))?;
        let subjects: Vec<Subject> =
            programs.into_iter().zip(counted.backends(small, self.has_transactions())).collect();
        let operations = &self.plan.workload().operations;
        let samples = stratified(operations.len(), |number| self.plan.mix.operation(number), Ranges::parity());
        let models: Vec<_> = subjects.iter().map(as_parity_model).collect();
        let Session { attendant, listener, .. } = &mut *self.session;
        listener.hear(&Event::PhaseStarted { phase: Phase::Parity, length: samples.len() as u64 });
        let mut progress = tell_progress(*listener);
        let comparing = compare(operations, &models, &samples, &mut progress);
        let outcome = attendant.attend(comparing.map_err(|error| lost_or_broken(self.plan, &error))).await?;
        counted.close().await;
        Ok(outcome)
    }

    /// Keeps what was found, and says whether the models may be measured.
    fn judge_small(&mut self, outcome: &ParityOutcome) -> Result<(), RunError> {
        self.record.parity = Some(outcome.record());
        let summary = format!("{} operations, {} mismatches{}", outcome.operations, outcome.mismatches, stale(outcome));
        self.session.listener.hear(&Event::PhaseFinished { phase: Phase::Parity, summary: Some(summary) });
        self.keep_observed(&outcome.observed);
        self.refuse_disagreement(outcome, false)?;
        if outcome.failed as f64 > outcome.operations as f64 * FAILURES_UP_TO {
            return Err(RunError::FailsEverywhere {
                scenario: self.plan.scenario.name.clone(),
                failed: outcome.failed,
                operations: outcome.operations,
                failures: outcome.failures.iter().map(ToString::to_string).collect(),
            });
        }
        if let Some(field) = outcome.never_seen().next() {
            return Err(self.broken(format!(
                "`returns` of `{}` names the field `{}`, which is in no answer of any model on the small data, so nothing of \
                 it was compared; see that its name is right, or leave it out",
                field.operation, field.path
            )));
        }
        let operations = &self.plan.workload().operations;
        let too_empty: Vec<String> = outcome
            .too_empty(operations)
            .map(|(name, share)| {
                format!("`{name}` finds nothing in {:.0} % of the reads on the small data", share.get() * 100.0)
            })
            .collect();
        too_empty.into_iter().for_each(|what| self.note(None, what));
        Ok(())
    }

    /// Compares reads once more, now that all models have done the same operations under load. Models that left are
    /// named and not compared.
    ///
    /// # Errors
    /// Where the models have diverged.
    pub(super) async fn compare_after_rounds(
        &mut self,
        measured: &Databases<'_>,
        standing: &[usize],
        actors: &[Arc<ActorState>],
        calibrated: &CalibratedPlan,
    ) -> Result<(), RunError> {
        let subjects = self.subjects(measured)?;
        for place in standing {
            let model = as_parity_model(&subjects[*place]);
            let settling = settle(&model, &actors[*place]);
            self.session.attendant.attend(settling.map_err(|error| lost_or_broken(self.plan, &error))).await?;
        }
        let models: Vec<_> = standing.iter().map(|place| as_parity_model(&subjects[*place])).collect();
        if models.len() < 2 {
            let why = "the answers after the last round were not compared: fewer than two models are left";
            self.note(None, why.to_owned());
            return Ok(());
        }
        let from = calibrated.closing_from(self.plan);
        let stands = |position: &usize| standing.contains(position);
        let left = self.plan.models().enumerate().filter(|(position, _)| !stands(position));
        let closing = Closing {
            numbers: from..from + CLOSING_NUMBERS,
            workers: CLOSING_WORKERS,
            patience: ProfileTimes::of(self.plan.profile).closing_patience,
            left: left.map(|(_, model)| model.name.clone()).collect(),
        };
        let operations = &self.plan.workload().operations;
        let outcome = {
            let Session { attendant, listener, .. } = &mut *self.session;
            listener.hear(&Event::PhaseStarted { phase: Phase::ClosingParity, length: 0 });
            let mut progress = tell_progress(*listener);
            let comparing = compare_closing(operations, &models, &closing, &mut progress);
            attendant.attend(comparing.map_err(|error| lost_or_broken(self.plan, &error))).await?
        };
        self.keep_closing(outcome.closing_record());
        let summary = format!("{} reads, {} mismatches", outcome.operations, outcome.mismatches);
        self.session.listener.hear(&Event::PhaseFinished { phase: Phase::ClosingParity, summary: Some(summary) });
        self.refuse_disagreement(&outcome, true)
    }

    /// Adds what was compared after the last round of a restart.
    fn keep_closing(&mut self, found: ClosingParityRecord) {
        let Some(all) = &mut self.record.closing_parity else {
            self.record.closing_parity = Some(found);
            return;
        };
        all.operations += found.operations;
        all.mismatches += found.mismatches;
        all.last_write_differences += found.last_write_differences;
        let more = found.not_compared.into_iter().filter(|model| !all.not_compared.contains(model));
        all.not_compared.extend(more.collect::<Vec<_>>());
    }

    fn refuse_disagreement(&self, outcome: &ParityOutcome, closing: bool) -> Result<(), RunError> {
        if outcome.agrees() {
            return Ok(());
        }
        Err(RunError::Disagreement {
            scenario: self.plan.scenario.name.clone(),
            closing,
            mismatches: outcome.mismatches,
            operations: outcome.operations,
            diffs: outcome.diffs.iter().map(ToString::to_string).collect(),
        })
    }

    fn subjects(&self, databases: &Databases<'_>) -> Result<Vec<Subject>, RunError> {
        let programs = self.programs(&self.plan.world)?;
        let has_transactions = self.has_transactions();
        let backends = databases
            .models()
            .map(|placed| MongoBackend::new(placed.site.client(), placed.name()).with_transactions(has_transactions));
        Ok(programs.into_iter().zip(backends).collect())
    }

    /// Steps as sent, and requests and bytes per operation.
    fn keep_observed(&mut self, observed: &[Observed]) {
        for seen in observed {
            let model = self.record.models.iter_mut().find(|model| model.name == seen.model);
            let Some(operation) = model.and_then(|model| model.operations.get_mut(&seen.operation)) else { continue };
            operation.round_trips = seen.mean_round_trips();
            operation.bytes_sent = seen.mean_sent();
            operation.bytes_received = seen.mean_received();
            self.observed.entry(seen.model.clone()).or_default().insert(seen.operation.clone(), seen.calls.clone());
            operation.steps = shown_as_sent(&seen.calls);
        }
    }
}

/// Calls as the commands that were sent; the first of a transaction begins it, and after its last stands its commit. A
/// call that cannot be shown as a command was sent all the same.
fn shown_as_sent(calls: &[TracedCall]) -> Vec<serde_json::Value> {
    let mut shown = Vec::new();
    for (place, traced) in calls.iter().enumerate() {
        let Ok(mut command) = traced.call.to_command() else { continue };
        let differs = |other: Option<&TracedCall>| other.is_none_or(|other| other.transaction != traced.transaction);
        let before = place.checked_sub(1).and_then(|before| calls.get(before));
        if traced.transaction.is_some() {
            if differs(before) {
                command.insert("startTransaction", true);
            }
            command.insert("autocommit", false);
        }
        shown.push(bson::Bson::Document(command).into_relaxed_extjson());
        if traced.transaction.is_some() && differs(calls.get(place + 1)) {
            shown.push(serde_json::json!({"commitTransaction": 1, "autocommit": false}));
        }
    }
    shown
}

/// How often reads returned something older than what an actor had still to bring up to date.
fn stale(outcome: &ParityOutcome) -> String {
    let told = outcome.staleness.iter().filter_map(|(model, staleness)| {
        let share = staleness.share()?.get() * 100.0;
        Some(format!(", {share:.1} % of {} reads older in {model}", staleness.reads))
    });
    told.collect()
}

fn as_parity_model((program, backend): &Subject) -> ParityModel<'_, MongoBackend> {
    ParityModel { program, backend }
}

fn tell_progress<'a>(listener: &'a mut dyn Listener) -> impl FnMut(u64) + Send + 'a {
    move |done| listener.hear(&Event::PhaseProgress { done })
}

fn lost_or_broken(plan: &Plan, error: &ParityError) -> RunError {
    match error {
        ParityError::Lost { .. } => RunError::Lost { why: error.to_string() },
        ParityError::Arguments { .. } | ParityError::Beside { .. } => {
            RunError::Scenario { scenario: plan.scenario.name.clone(), why: error.to_string() }
        }
    }
}
