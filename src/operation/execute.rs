//! Runs the steps of one operation: this is what is timed.

use bson::Bson;

use super::answer::{Answer, holds_nothing};
use super::binding::StepReply;
use super::prepare::{PreparedOperation, PreparedStep, ReadyCall};
use super::program::{ModelProgram, StepProgram};
use super::render::{holds, unrendered};
use crate::backend::{Backend, Call, CallError, CallErrorKind, Keep};
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
}

/// A call as sent.
#[derive(Debug, Clone)]
pub struct TracedCall {
    /// The step that made it, from 0.
    pub step: usize,
    /// The call.
    pub call: Call,
}

/// What an operation came to, and every call that it made.
#[derive(Debug, Clone)]
pub struct Traced {
    /// What it came to, its answer kept.
    pub done: Done,
    /// Its calls, in the order sent.
    pub calls: Vec<TracedCall>,
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
        Execution::new(self, backend, &prepared, keep_answer, None).run(prepared).await
    }

    /// Runs an operation under a number and keeps its answer and every call that it makes. Untimed work: for parity,
    /// evidence and the record.
    ///
    /// # Errors
    /// As for preparing and executing.
    pub async fn trace<B: Backend>(&self, backend: &B, operation: usize, number: u64) -> Result<Traced, CallError> {
        let prepared = self.prepare_shown(backend, operation, number, true)?;
        let mut calls = Vec::new();
        let done = Execution::new(self, backend, &prepared, true, Some(&mut calls)).run(prepared).await?;
        Ok(Traced { done, calls })
    }
}

/// An operation while it runs.
struct Execution<'a, B> {
    program: &'a ModelProgram,
    backend: &'a B,
    operation: usize,
    number: u64,
    keep_answer: bool,
    trace: Option<&'a mut Vec<TracedCall>>,
    done: Done,
    /// The last reading step that ran.
    last_read: Option<StepReply>,
}

impl<'a, B: Backend> Execution<'a, B> {
    fn new(
        program: &'a ModelProgram,
        backend: &'a B,
        prepared: &PreparedOperation<B>,
        keep_answer: bool,
        trace: Option<&'a mut Vec<TracedCall>>,
    ) -> Self {
        Self {
            program,
            backend,
            operation: prepared.operation,
            number: prepared.number,
            keep_answer: keep_answer && program.reads(prepared.operation),
            trace,
            done: Done::default(),
            last_read: None,
        }
    }

    async fn run(mut self, prepared: PreparedOperation<B>) -> Result<Done, CallError> {
        let mut names = prepared.names;
        for (position, ready) in prepared.steps.into_iter().enumerate() {
            let step = &self.program.operations[self.operation].steps[position];
            self.step(position, step, ready, &mut names).await.map_err(|error| error.at(step.place(position)))?;
        }
        self.conclude(&names)
    }

    async fn step(
        &mut self,
        position: usize,
        step: &StepProgram,
        ready: PreparedStep<B>,
        names: &mut Names,
    ) -> Result<(), CallError> {
        let calls = match ready {
            PreparedStep::Ready(calls) => calls,
            PreparedStep::Skipped => return Ok(()),
            PreparedStep::Later => match self.prepared_now(position, names)? {
                Some(calls) => calls,
                None => return Ok(()),
            },
        };
        let mut replies = StepReply::default();
        for call in calls {
            self.call(position, step, call, &mut replies).await?;
        }
        self.bind(step, &replies, names)?;
        if step.may_answer {
            self.last_read = Some(replies);
        }
        Ok(())
    }

    fn prepared_now(&self, position: usize, names: &Names) -> Result<Option<Vec<ReadyCall<B>>>, CallError> {
        let ready = |call| ReadyCall::new(self.backend, call, self.trace.is_some());
        self.program.calls_of(self.operation, self.number, position, names, ready)
    }

    async fn call(
        &mut self,
        position: usize,
        step: &StepProgram,
        call: ReadyCall<B>,
        replies: &mut StepReply,
    ) -> Result<(), CallError> {
        if let (Some(trace), Some(shown)) = (self.trace.as_deref_mut(), call.shown) {
            trace.push(TracedCall { step: position, call: *shown });
        }
        match self.backend.execute(call.prepared, self.keep(step)).await {
            Ok(reply) => {
                self.done.round_trips += reply.round_trips;
                replies.add(reply);
                Ok(())
            }
            Err(error) => match error.name().filter(|name| step.expect.contains(name)) {
                Some(name) => {
                    self.done.round_trips += 1;
                    self.done.expected.push(name);
                    replies.add_expected(name, error.written);
                    Ok(())
                }
                None => Err(error),
            },
        }
    }

    /// Documents are copied out of replies only where something looks at them.
    fn keep(&self, step: &StepProgram) -> Keep {
        if self.keep_answer && step.may_answer || step.binding.is_some() || step.assert.is_some() {
            Keep::Documents
        } else {
            Keep::Nothing
        }
    }

    /// Gives the step's name its value, and holds the step to what it asserts.
    fn bind(&self, step: &StepProgram, replies: &StepReply, names: &mut Names) -> Result<(), CallError> {
        if step.binding.is_none() && step.assert.is_none() {
            return Ok(());
        }
        let whole = replies.bound(step.yields, step.for_each.is_some())?;
        if let Some(slot) = step.binding {
            names.values[slot] = Some(match (&step.select, &step.assert) {
                (Some(select), _) => {
                    self.with_it(&whole, names, |context| select.value(context).map_err(unrendered))?
                }
                (None, Some(_)) => whole.clone(),
                (None, None) => {
                    names.values[slot] = Some(whole);
                    return Ok(());
                }
            });
        }
        match &step.assert {
            Some(assert) if !self.with_it(&whole, names, |context| holds(assert, context))? => {
                Err(CallError::new(CallErrorKind::Assert, "what it asserts does not hold"))
            }
            _ => Ok(()),
        }
    }

    fn with_it<T>(&self, it: &Bson, names: &Names, render: impl FnOnce(&Context<'_>) -> T) -> T {
        let mut context = self.program.context(self.operation, self.number, names);
        context.it = Some(it);
        render(&context)
    }

    /// Builds the answer.
    fn conclude(mut self, names: &Names) -> Result<Done, CallError> {
        let program = &self.program.operations[self.operation];
        if let Some(result) = &program.result {
            // Rendered even where nobody keeps it: joining on the client is part of what the operation costs.
            let context = self.program.context(self.operation, self.number, names);
            let value = result.value(&context).map_err(|error| unrendered(error).at("result"))?;
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
