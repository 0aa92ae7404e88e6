//! Runs the steps of one operation: this is what is timed.

use bson::Bson;

use super::answer::{Answer, holds_nothing};
use super::binding::StepReply;
use super::call_program::StepProgram;
use super::identity::mixed;
use super::prepare::{PreparedOperation, PreparedStep, ReadyCall, Turn};
use super::program::{ModelProgram, OperationProgram};
use super::render::{holds, unrendered};
use super::tree::Item;
use crate::backend::{Backend, Call, CallError, CallErrorKind, Keep, Reply, WriteOutcome};
use crate::server::TrafficCount;
use crate::value::{Context, Names};
use crate::words::ErrorName;

/// What an operation came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Done {
    /// Whether it reads and found nothing: no document, null, a count of 0.
    pub empty: bool,
    /// Errors that are answers, in the order met.
    pub expected: Vec<ErrorName>,
    /// What it answers, where that was to be kept and it reads.
    pub answer: Option<Answer>,
    /// Requests sent.
    pub round_trips: u32,
    /// Attempts beyond the first: of transactions, of commits, of calls that are sent again after an error.
    pub retries: u32,
    /// What its calls wrote.
    pub written: Written,
}

/// What the calls of an operation wrote, together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Documents that matched a filter of an update.
    pub matched: u64,
    /// Documents that an update changed.
    pub modified: u64,
    /// Documents inserted, by upserts too.
    pub inserted: u64,
    /// Documents deleted.
    pub deleted: u64,
}

impl Written {
    /// Adds what a call wrote.
    pub(super) fn add(&mut self, write: Option<&WriteOutcome>) {
        let Some(write) = write else { return };
        self.matched += write.matched;
        self.modified += write.modified;
        self.inserted += write.inserted + u64::from(write.upserted_id.is_some());
        self.deleted += write.deleted;
    }

    /// Documents that were written: changed, inserted or deleted.
    pub const fn documents(&self) -> u64 {
        self.modified + self.inserted + self.deleted
    }
}

impl std::ops::AddAssign for Written {
    fn add_assign(&mut self, more: Self) {
        self.matched += more.matched;
        self.modified += more.modified;
        self.inserted += more.inserted;
        self.deleted += more.deleted;
    }
}

/// A call as sent.
#[derive(Debug, Clone)]
pub struct TracedCall {
    /// The step that made it, by its place among the operation's calls in the order of the file, from 0.
    pub step: usize,
    /// The call.
    pub call: Call,
    /// The transaction that it was part of, by its place among the operation's, from 0.
    pub transaction: Option<usize>,
}

/// What an operation came to, and every call that it made.
#[derive(Debug, Clone)]
pub struct Traced {
    /// What it came to, its answer kept.
    pub done: Done,
    /// Its calls, in the order sent.
    pub calls: Vec<TracedCall>,
    /// What its backend sent and received meanwhile, where that is counted; it is the operation's alone where nothing runs
    /// beside it.
    pub traffic: Option<TrafficCount>,
}

impl ModelProgram {
    /// Sends an operation's calls, step by step, and renders what depends on replies.
    ///
    /// # Errors
    /// The first failure that the scenario does not expect, naming its step.
    pub async fn execute<B: Backend>(
        &self,
        backend: &B,
        prepared: PreparedOperation<B>,
        keep_answer: bool,
    ) -> Result<Done, CallError> {
        Execution::new(self, backend, prepared, keep_answer, None).run().await
    }

    /// Runs an operation under a number and keeps its answer and every call that it makes. Untimed work: for parity,
    /// evidence and the record.
    ///
    /// # Errors
    /// As for preparing and executing.
    pub async fn trace<B: Backend>(&self, backend: &B, operation: usize, number: u64) -> Result<Traced, CallError> {
        let prepared = self.prepare_shown(backend, operation, number, true)?;
        let mut calls = Vec::new();
        let before = backend.traffic();
        let done = Execution::new(self, backend, prepared, true, Some(&mut calls)).run().await?;
        let traffic = before.zip(backend.traffic()).map(|(before, after)| after.since(before));
        Ok(Traced { done, calls, traffic })
    }
}

/// An operation while it runs.
pub(super) struct Execution<'a, B: Backend> {
    model: &'a ModelProgram,
    pub(super) program: &'a OperationProgram,
    pub(super) backend: &'a B,
    operation: usize,
    pub(super) number: u64,
    keep_answer: bool,
    trace: Option<&'a mut Vec<TracedCall>>,
    /// Arguments and bindings.
    pub(super) names: Names,
    /// What was prepared of each call.
    ready: Vec<PreparedStep<B>>,
    /// The element of the innermost block's `forEach`.
    pub(super) each: Option<Bson>,
    /// Tells the rounds of blocks apart.
    pub(super) turn: u64,
    /// The session of the transaction that is under way.
    pub(super) session: Option<B::Session>,
    pub(super) done: Done,
    /// The last reading step that ran.
    pub(super) last_read: Option<StepReply>,
}

impl<'a, B: Backend> Execution<'a, B> {
    fn new(
        model: &'a ModelProgram,
        backend: &'a B,
        prepared: PreparedOperation<B>,
        keep_answer: bool,
        trace: Option<&'a mut Vec<TracedCall>>,
    ) -> Self {
        let PreparedOperation { operation, number, names, steps } = prepared;
        Self {
            model,
            program: &model.operations[operation],
            backend,
            operation,
            number,
            keep_answer: keep_answer && model.reads(operation),
            trace,
            names,
            ready: steps,
            each: None,
            turn: 0,
            session: None,
            done: Done::default(),
            last_read: None,
        }
    }

    async fn run(mut self) -> Result<Done, CallError> {
        let program = self.program;
        for item in &program.tree {
            match item {
                Item::Call(position) => self.step(*position).await?,
                Item::Block(block) => self.block(block).await?,
            }
        }
        self.conclude()
    }

    /// Runs a call, as often as its `repeat` says.
    pub(super) async fn step(&mut self, position: usize) -> Result<(), CallError> {
        let program = self.program;
        let step = &program.steps[position];
        self.run_step(position, step).await.map_err(|error| error.at(step.place(position)))
    }

    async fn run_step(&mut self, position: usize, step: &'a StepProgram) -> Result<(), CallError> {
        let ready = std::mem::replace(&mut self.ready[position], PreparedStep::Later);
        let mut calls = match ready {
            PreparedStep::Ready(calls) => Some(calls),
            PreparedStep::Skipped => None,
            PreparedStep::Later => self.prepared_now(position, inner_turn(self.turn, 0))?,
        };
        let mut times = 0;
        while let Some(ready) = calls.take() {
            let mut replies = StepReply::default();
            for call in ready {
                self.call(position, step, call, &mut replies).await?;
            }
            let whole = self.bind(step, &replies)?;
            if step.may_answer {
                self.last_read = Some(replies);
            }
            times += 1;
            if let (Some(repeat), Some(whole)) = (&step.repeat, whole) {
                if self.with_it(Some(&whole), |context| holds(&repeat.until, context))? {
                    break;
                }
                if times == repeat.max {
                    return Err(out_of_turns(times));
                }
                calls = self.prepared_now(position, inner_turn(self.turn, times))?;
            }
        }
        Ok(())
    }

    fn prepared_now(&self, position: usize, turn: u64) -> Result<Option<Vec<ReadyCall<B>>>, CallError> {
        let keeps = self.trace.is_some() || self.program.steps[position].retry.is_some();
        let ready = |call| ReadyCall::new(self.backend, call, keeps);
        let turn = Turn { each: self.each.as_ref(), number: turn };
        self.model.calls_of(self.operation, self.number, position, &self.names, turn, ready)
    }

    async fn call(
        &mut self,
        position: usize,
        step: &StepProgram,
        ready: ReadyCall<B>,
        replies: &mut StepReply,
    ) -> Result<(), CallError> {
        let ReadyCall { mut prepared, call } = ready;
        let mut tries_left = step.retry.as_ref().map_or(0, |retry| retry.max);
        loop {
            if let (Some(trace), Some(call)) = (self.trace.as_deref_mut(), &call) {
                let transaction = step.transaction.filter(|_| self.session.is_some());
                trace.push(TracedCall { step: position, call: (**call).clone(), transaction });
            }
            let error = match self.send(prepared, self.keep(step)).await {
                Ok(reply) => {
                    self.done.round_trips += reply.round_trips;
                    self.done.written.add(reply.write.as_ref());
                    replies.add(reply);
                    return Ok(());
                }
                Err(error) => error,
            };
            self.done.round_trips += 1;
            let Some(name) = error.name() else { return Err(error) };
            let again = call.as_ref().filter(|_| tries_left > 0);
            match (&step.retry, again) {
                (Some(retry), Some(call)) if retry.on.contains(&name) => {
                    tries_left -= 1;
                    self.done.retries += 1;
                    prepared = self.backend.prepare((**call).clone())?;
                }
                _ if step.expect.contains(&name) => {
                    self.done.expected.push(name);
                    self.done.written.add(error.written.as_deref());
                    replies.add_expected(name, error.written);
                    return Ok(());
                }
                _ => return Err(error),
            }
        }
    }

    async fn send(&mut self, prepared: B::Prepared, keep: Keep) -> Result<Reply, CallError> {
        match &mut self.session {
            None => self.backend.execute(prepared, keep).await,
            Some(session) => self.backend.execute_in(session, prepared, keep).await,
        }
    }

    /// Documents are copied out of replies only where something looks at them.
    fn keep(&self, step: &StepProgram) -> Keep {
        let is_looked_at = step.binding.is_some() || step.assert.is_some() || step.repeat.is_some();
        if self.keep_answer && step.may_answer || is_looked_at { Keep::Documents } else { Keep::Nothing }
    }

    /// Gives the step's name its value, and holds the step to what it asserts. Answers its whole result, where `repeat`
    /// asks for it.
    fn bind(&mut self, step: &StepProgram, replies: &StepReply) -> Result<Option<Bson>, CallError> {
        if step.binding.is_none() && step.assert.is_none() && step.repeat.is_none() {
            return Ok(None);
        }
        let whole = replies.bound(step.yields, step.for_each.is_some())?;
        if let Some(slot) = step.binding {
            self.names.values[slot] = Some(match &step.select {
                Some(select) => self.with_it(Some(&whole), |context| select.value(context).map_err(unrendered))?,
                None if step.assert.is_some() || step.repeat.is_some() => whole.clone(),
                None => {
                    self.names.values[slot] = Some(whole);
                    return Ok(None);
                }
            });
        }
        match &step.assert {
            Some(assert) if !self.with_it(Some(&whole), |context| holds(assert, context))? => Err(broken_assertion()),
            _ => Ok(Some(whole)),
        }
    }

    /// A number of the operation's own, from the run's seed.
    pub(super) fn random_seed(&self) -> u64 {
        mixed(self.model.world.seed() ^ mixed(self.number))
    }

    /// Renders something where the operation stands now.
    pub(super) fn with_it<T>(&self, it: Option<&Bson>, render: impl FnOnce(&Context<'_>) -> T) -> T {
        let mut context = self.model.context(self.operation, self.number, &self.names);
        context.it = it;
        context.each = self.each.as_ref();
        render(&context)
    }

    /// Builds the answer.
    fn conclude(mut self) -> Result<Done, CallError> {
        let program = self.program;
        if let Some(result) = &program.result {
            // Rendered even where nobody keeps it: joining on the client is part of what the operation costs.
            let value =
                self.with_it(None, |context| result.value(context)).map_err(|error| unrendered(error).at("result"))?;
            self.done.empty = program.reads && holds_nothing(&value);
            self.done.answer = self.keep_answer.then_some(Answer::Value(value));
        } else if program.reads {
            self.done.empty = self.last_read.as_ref().is_none_or(StepReply::is_empty);
            let answer = || self.last_read.map_or(Answer::Documents(Vec::new()), StepReply::into_answer);
            self.done.answer = self.keep_answer.then(answer);
        }
        Ok(self.done)
    }
}

/// The number of a round inside another's: different for all rounds of all loops around a step, 0 for the first of all.
pub(super) fn inner_turn(outer: u64, round: u32) -> u64 {
    if outer == 0 && round == 0 { 0 } else { mixed(mixed(outer) ^ mixed(u64::from(round) + 1)) }
}

/// What a step asserts does not hold.
pub(super) fn broken_assertion() -> CallError {
    CallError::new(CallErrorKind::Assert, "what it asserts does not hold")
}

/// The condition of `repeat` does not hold after the last of its times.
pub(super) fn out_of_turns(times: u32) -> CallError {
    let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
    let message = format!("it ran {times}, which is all that `repeat` allows, and its condition still does not hold");
    CallError::new(CallErrorKind::Assert, message)
}
