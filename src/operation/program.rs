//! A model's operations with parameters filled in, and what is known of each step before any operation runs.

use std::sync::Arc;

use bson::Bson;

use super::actor::{ActorProgram, EventProgram};
use super::call_program::{StepProgram, call_programs};
use super::tree::{Item, slots_bound, tree};
use crate::scenario::{Compiled, Model, ModelOperation, ModelPartitions, Operation, READ_COMMANDS, Scenario, StepKind};
use crate::value::{Context, Draw, Names, Parameters, RenderError, Template, World};
use crate::words::ErrorName;

/// A model's operations, ready to be prepared and executed under any number.
#[derive(Debug)]
pub struct ModelProgram {
    pub(super) world: Arc<World>,
    pub(super) partitions: ModelPartitions,
    model: String,
    ends_when: Option<ErrorName>,
    /// The names of its collections, those of partitions included.
    collections: Vec<String>,
    /// Those of the workload, then the turns of actors, then events.
    pub(super) operations: Vec<OperationProgram>,
    /// How many of them are the workload's.
    in_workload: usize,
    pub(super) actors: Vec<ActorProgram>,
    events: Vec<EventProgram>,
}

/// An operation of a workload as a model does it.
#[derive(Debug)]
pub(super) struct OperationProgram {
    pub(super) name: String,
    /// Where its arguments are drawn from; the number is the operation's.
    draw: Draw,
    arguments: Vec<(String, Template)>,
    /// Arguments and bindings together.
    pub(super) slots: usize,
    /// Its calls, inside blocks too, in the order of the file.
    pub(super) steps: Vec<StepProgram>,
    /// How they follow one another, by their places in `steps`.
    pub(super) tree: Vec<Item>,
    pub(super) result: Option<Template>,
    /// Whether it answers something.
    pub(super) reads: bool,
    /// Whether no step of it writes.
    only_reads: bool,
}

impl ModelProgram {
    /// Fills the world's parameters into the operations of a workload as a model does them. `workload` and `model` are
    /// positions in the scenario.
    ///
    /// # Errors
    /// Where a parameter does not fit its place, partitions cannot be named, or the model lacks an operation.
    pub fn new(scenario: &Scenario, workload: usize, model: usize, world: Arc<World>) -> Result<Self, RenderError> {
        let model = &scenario.models[model];
        let partitions = model.partitions(&world)?;
        let collections = partitions.collection_names(model);
        let mut operations = scenario.workloads[workload]
            .operations
            .iter()
            .map(|operation| OperationProgram::new(operation, model, &partitions, &world))
            .collect::<Result<Vec<_>, _>>()?;
        let in_workload = operations.len();
        let beside = |name: &str, does: &ModelOperation, arguments: &[&str]| {
            OperationProgram::beside(name, does, arguments, &partitions, &world)
        };
        let mut actors = Vec::new();
        for actor in &model.background {
            actors.push(ActorProgram::new(actor, operations.len(), &world)?);
            operations.push(beside(&actor.name, &actor.does, actor.trigger.arguments())?);
        }
        let mut events = Vec::new();
        for event in &model.events {
            events.push(EventProgram::new(event, operations.len()));
            operations.push(beside(&event.name, &event.does, &[])?);
        }
        let (model, ends_when) = (model.name.clone(), model.ends_when);
        Ok(Self { world, partitions, model, ends_when, collections, operations, in_workload, actors, events })
    }

    /// The names of the model's collections, those of partitions included.
    pub fn collections(&self) -> impl ExactSizeIterator<Item = &str> {
        self.collections.iter().map(String::as_str)
    }

    /// The events of the model's windows.
    pub fn events(&self) -> &[EventProgram] {
        &self.events
    }

    /// The actors beside the model's operations.
    pub fn actors(&self) -> &[ActorProgram] {
        &self.actors
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The error that ends the model's run as a result rather than a failure.
    pub fn ends_when(&self) -> Option<ErrorName> {
        self.ends_when
    }

    /// The operations' names, in the order of the workload; positions in it name an operation below.
    pub fn operations(&self) -> impl ExactSizeIterator<Item = &str> {
        self.operations[..self.in_workload].iter().map(|operation| operation.name.as_str())
    }

    /// Whether an operation answers something: its workload says what it returns, or it does nothing but read.
    pub fn reads(&self, operation: usize) -> bool {
        self.operations[operation].reads
    }

    /// Whether an operation leaves the data as they are.
    pub fn only_reads(&self, operation: usize) -> bool {
        self.operations[operation].only_reads
    }

    /// The names of an operation's arguments, in the order of their values.
    pub fn argument_names(&self, operation: usize) -> impl ExactSizeIterator<Item = &str> {
        self.operations[operation].arguments.iter().map(|(name, _)| name.as_str())
    }

    /// An operation's arguments under a number: a pure function of seed, operation and number, the same for all models.
    ///
    /// # Errors
    /// Where an argument cannot be rendered.
    pub fn arguments(&self, operation: usize, number: u64) -> Result<Names, RenderError> {
        let program = &self.operations[operation];
        let mut names = Names { values: Vec::with_capacity(program.slots) };
        for (_, template) in &program.arguments {
            let value = template.value(&self.context(operation, number, &names))?;
            names.values.push(Some(value));
        }
        Ok(names)
    }

    /// What templates of an operation see.
    pub(super) fn context<'a>(&'a self, operation: usize, number: u64, names: &'a Names) -> Context<'a> {
        let draw = Draw { number, ..self.operations[operation].draw };
        Context { world: &self.world, draw, index: number, parent: None, names, it: None, each: None }
    }
}

impl OperationProgram {
    fn new(
        operation: &Operation,
        model: &Model,
        partitions: &ModelPartitions,
        world: &World,
    ) -> Result<Self, RenderError> {
        let done = model.operations.get(&operation.name).ok_or_else(|| RenderError {
            message: format!("model {} does not say how it does {}", model.name, operation.name),
        })?;
        let parameters = world.parameters();
        let arguments = operation
            .args
            .iter()
            .map(|(name, template)| Ok((name.clone(), template.with_parameters(parameters)?)))
            .collect::<Result<Vec<_>, RenderError>>()?;
        let result = filled(done.result.as_ref(), parameters)?;
        let steps = call_programs(done, arguments.len(), partitions, parameters)?;
        let tree = tree(&done.steps, parameters)?;

        let draw = Draw::new(world.seed(), &format!("operation/{}", operation.name), 0);
        let names = Names::default();
        let context = Context { world, draw, index: 0, parent: None, names: &names, it: None, each: None };
        let only_reads = steps.iter().all(|step| !writes(&step.kind, &context));
        let bound = slots_bound(&done.steps).into_iter().map(|slot| slot + 1);
        Ok(Self {
            name: operation.name.clone(),
            draw,
            slots: bound.max().unwrap_or(0).max(arguments.len()),
            arguments,
            steps,
            tree,
            result,
            reads: operation.returns.is_some() || only_reads,
            only_reads,
        })
    }
}

impl OperationProgram {
    /// What an actor does in a turn, or what happens at an event: its arguments are given, not drawn.
    fn beside(
        name: &str,
        does: &ModelOperation,
        arguments: &[&str],
        partitions: &ModelPartitions,
        world: &World,
    ) -> Result<Self, RenderError> {
        let parameters = world.parameters();
        let result = filled(does.result.as_ref(), parameters)?;
        let bound = slots_bound(&does.steps).into_iter().map(|slot| slot + 1);
        Ok(Self {
            name: name.to_owned(),
            draw: Draw::new(world.seed(), &format!("beside/{name}"), 0),
            slots: bound.max().unwrap_or(0).max(arguments.len()),
            arguments: Vec::new(),
            steps: call_programs(does, arguments.len(), partitions, parameters)?,
            tree: tree(&does.steps, parameters)?,
            reads: result.is_some(),
            result,
            only_reads: false,
        })
    }
}

pub(super) fn filled(template: Option<&Template>, parameters: &Parameters) -> Result<Option<Template>, RenderError> {
    template.map(|template| template.with_parameters(parameters)).transpose()
}

/// Whether a step changes data; of a pipeline its last stage decides, of a command its name.
fn writes(kind: &StepKind<Compiled>, context: &Context<'_>) -> bool {
    match kind {
        StepKind::Find(_) | StepKind::FindOne(_) | StepKind::CountDocuments(_) | StepKind::Distinct(_) => false,
        StepKind::Aggregate(step) => {
            // Which stage stands last never depends on arguments that are absent here.
            let pipeline = step.pipeline.value(context).ok();
            let last = pipeline.as_ref().and_then(Bson::as_array).and_then(|stages| stages.last());
            let last = last.and_then(Bson::as_document);
            last.is_some_and(|stage| stage.contains_key("$out") || stage.contains_key("$merge"))
        }
        // An aggregation is taken to write: its pipeline is looked at where it is a step of its own.
        StepKind::RunCommand(step) => {
            let name = step.command.first_key();
            name.is_none_or(|name| name == "aggregate" || !READ_COMMANDS.contains(&name))
        }
        _ => true,
    }
}
