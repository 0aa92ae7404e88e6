//! What can be done before the clock starts: arguments drawn, calls rendered and turned into the driver's types.

use bson::Bson;

use super::execute::TracedCall;
use super::identity::Place;
use super::program::ModelProgram;
use super::render::{elements, holds, render, unrendered};
use crate::backend::{Backend, Call, CallError};
use crate::value::Names;

/// An operation ready to be executed once.
#[derive(Debug)]
pub struct PreparedOperation<B: Backend> {
    pub(super) operation: usize,
    pub(super) number: u64,
    /// Arguments, then places for bindings.
    pub(super) names: Names,
    pub(super) steps: Vec<PreparedStep<B>>,
}

#[derive(Debug)]
pub(super) enum PreparedStep<B: Backend> {
    /// Its condition does not hold.
    Skipped,
    /// Its calls, one for each element of `forEach`.
    Ready(Vec<ReadyCall<B>>),
    /// It depends on replies.
    Later,
}

/// A call ready to be sent; the call itself is kept only where it is to be shown or may be sent again.
#[derive(Debug)]
pub(super) struct ReadyCall<B: Backend> {
    pub(super) prepared: B::Prepared,
    pub(super) call: Option<Box<Call>>,
}

impl<B: Backend> ReadyCall<B> {
    pub(super) fn new(backend: &B, call: Call, keep: bool) -> Result<Self, CallError> {
        let kept = keep.then(|| Box::new(call.clone()));
        Ok(Self { prepared: backend.prepare(call)?, call: kept })
    }
}

/// Where in the loops around a step it is rendered.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn<'a> {
    /// The element of the innermost block's `forEach`.
    pub(super) each: Option<&'a Bson>,
    /// Tells the rounds of loops apart, for the identities of documents; 0 outside of loops and in their first round.
    pub(super) number: u64,
}

impl<B: Backend> PreparedOperation<B> {
    /// The operation, by its position in the workload.
    pub fn operation(&self) -> usize {
        self.operation
    }

    /// The number that its arguments were drawn under.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl ModelProgram {
    /// Draws an operation's arguments and prepares every call that depends on them alone.
    ///
    /// # Errors
    /// Where a value cannot be rendered or has a type that the driver does not take: kind `Render`, naming the step.
    pub fn prepare<B: Backend>(
        &self,
        backend: &B,
        operation: usize,
        number: u64,
    ) -> Result<PreparedOperation<B>, CallError> {
        self.prepare_shown(backend, operation, number, false)
    }

    /// The same, and the calls are kept to be shown.
    pub(super) fn prepare_shown<B: Backend>(
        &self,
        backend: &B,
        operation: usize,
        number: u64,
        show: bool,
    ) -> Result<PreparedOperation<B>, CallError> {
        let names = self.arguments(operation, number).map_err(unrendered)?;
        self.prepare_named(backend, operation, number, names, show)
    }

    /// The same with arguments that are given.
    pub(super) fn prepare_named<B: Backend>(
        &self,
        backend: &B,
        operation: usize,
        number: u64,
        mut names: Names,
        show: bool,
    ) -> Result<PreparedOperation<B>, CallError> {
        let program = &self.operations[operation];
        names.values.resize(program.slots, None);
        let steps = program
            .steps
            .iter()
            .enumerate()
            .map(|(position, step)| {
                if !step.early {
                    return Ok(PreparedStep::Later);
                }
                let ready = |call| ReadyCall::new(backend, call, show || step.retry.is_some());
                match self.calls_of(operation, number, position, &names, Turn::default(), ready) {
                    Ok(Some(calls)) => Ok(PreparedStep::Ready(calls)),
                    Ok(None) => Ok(PreparedStep::Skipped),
                    Err(error) => Err(error.at(step.place(position))),
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(PreparedOperation { operation, number, names, steps })
    }

    /// The calls of an operation that are known before it runs: those that depend on no reply. Nothing is sent.
    ///
    /// # Errors
    /// Where a value cannot be rendered.
    pub fn calls(&self, operation: usize, number: u64) -> Result<Vec<TracedCall>, CallError> {
        let program = &self.operations[operation];
        let mut names = self.arguments(operation, number).map_err(unrendered)?;
        names.values.resize(program.slots, None);
        let mut known = Vec::new();
        for (position, step) in program.steps.iter().enumerate().filter(|(_, step)| step.early) {
            let calls = self.calls_of(operation, number, position, &names, Turn::default(), Ok);
            let calls = calls.map_err(|error| error.at(step.place(position)))?.unwrap_or_default();
            let traced = |call| TracedCall { step: position, call, transaction: step.transaction };
            known.extend(calls.into_iter().map(traced));
        }
        Ok(known)
    }

    /// What `make` makes of the calls of a step, one for each element of `forEach`; `None` where its condition holds for
    /// none of them.
    pub(super) fn calls_of<T>(
        &self,
        operation: usize,
        number: u64,
        position: usize,
        names: &Names,
        turn: Turn<'_>,
        mut make: impl FnMut(Call) -> Result<T, CallError>,
    ) -> Result<Option<Vec<T>>, CallError> {
        let step = &self.operations[operation].steps[position];
        let mut context = self.context(operation, number, names);
        context.each = turn.each;
        let list = step.for_each.as_ref().map(|list| elements(list, &context)).transpose()?;
        let count = list.as_ref().map_or(1, Vec::len);
        let mut calls = Vec::with_capacity(count);
        for element in 0..count {
            context.each = list.as_ref().map_or(turn.each, |list| Some(&list[element]));
            let runs = step.when.as_ref().map_or(Ok(true), |when| holds(when, &context))?;
            if runs {
                let place = Place { seed: self.world.seed(), number, step: position, turn: turn.number, element };
                calls.push(make(render(&step.kind, &context, place, &self.partitions)?)?);
            }
        }
        let skipped = calls.is_empty() && count > 0;
        Ok((!skipped).then_some(calls))
    }
}
