//! A model's operations with parameters filled in, and what is known of each step before any operation runs.

use std::collections::HashSet;
use std::sync::Arc;

use bson::Bson;

use super::render::WithParameters;
use crate::scenario::{Compiled, Model, ModelOperation, Operation, Scenario, Step, StepKind};
use crate::value::{Context, Draw, Names, Parameters, RenderError, Template, World};
use crate::words::ErrorName;

/// A model's operations, ready to be prepared and executed under any number.
#[derive(Debug)]
pub struct ModelProgram {
    pub(super) world: Arc<World>,
    model: String,
    ends_when: Option<ErrorName>,
    pub(super) operations: Vec<OperationProgram>,
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
    pub(super) steps: Vec<StepProgram>,
    pub(super) result: Option<Template>,
    /// Whether it answers something.
    pub(super) reads: bool,
    /// Whether no step of it writes.
    only_reads: bool,
}

/// A step of an operation.
#[derive(Debug)]
pub(super) struct StepProgram {
    pub(super) kind: StepKind<Compiled>,
    pub(super) yields: Yields,
    /// The slot of its binding, where something refers to it.
    pub(super) binding: Option<usize>,
    pub(super) when: Option<Template>,
    pub(super) for_each: Option<Template>,
    pub(super) select: Option<Template>,
    pub(super) assert: Option<Template>,
    pub(super) expect: Vec<ErrorName>,
    /// Whether its calls depend on arguments alone, so that they are rendered before the clock starts.
    pub(super) early: bool,
    /// Whether its documents can be the operation's answer: no later reading step is sure to run.
    pub(super) may_answer: bool,
}

/// What a step yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Yields {
    /// Any number of documents.
    Documents,
    /// A document or none.
    Document,
    /// A count, or a list of values.
    Value,
    /// What a write did.
    Written,
}

impl ModelProgram {
    /// Fills the world's parameters into the operations of a workload as a model does them. `workload` and `model` are
    /// positions in the scenario.
    ///
    /// # Errors
    /// Where a parameter does not fit its place, or the model lacks an operation.
    pub fn new(scenario: &Scenario, workload: usize, model: usize, world: Arc<World>) -> Result<Self, RenderError> {
        let model = &scenario.models[model];
        let operations = scenario.workloads[workload]
            .operations
            .iter()
            .map(|operation| OperationProgram::new(operation, model, &world))
            .collect::<Result<_, _>>()?;
        Ok(Self { world, model: model.name.clone(), ends_when: model.ends_when, operations })
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
        self.operations.iter().map(|operation| operation.name.as_str())
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
    fn new(operation: &Operation, model: &Model, world: &World) -> Result<Self, RenderError> {
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
        let steps = steps(done, arguments.len(), result.as_ref(), parameters)?;

        let draw = Draw::new(world.seed(), &format!("operation/{}", operation.name), 0);
        let names = Names::default();
        let context = Context { world, draw, index: 0, parent: None, names: &names, it: None, each: None };
        let only_reads = steps.iter().all(|step| !writes(&step.kind, &context));
        let bound = done.steps.iter().filter_map(|step| step.binding.as_ref()).map(|binding| binding.slot + 1);
        Ok(Self {
            name: operation.name.clone(),
            draw,
            slots: bound.max().unwrap_or(0).max(arguments.len()),
            arguments,
            steps,
            result,
            reads: operation.returns.is_some() || only_reads,
            only_reads,
        })
    }
}

/// The steps of an operation, the last first, since what a step must keep depends on those after it.
fn steps(
    operation: &ModelOperation,
    arguments: usize,
    result: Option<&Template>,
    parameters: &Parameters,
) -> Result<Vec<StepProgram>, RenderError> {
    let mut referred: HashSet<usize> = result.map(Template::slots).unwrap_or_default().into_iter().collect();
    let mut answered = result.is_some();
    let mut steps = Vec::with_capacity(operation.steps.len());
    for step in operation.steps.iter().rev() {
        let mut program = StepProgram::new(step, arguments, parameters)?;
        program.may_answer = !answered && program.kind.reads();
        answered |= program.kind.reads() && program.when.is_none();

        referred.extend(program.assert.as_ref().map(Template::slots).unwrap_or_default());
        program.binding = step.binding.as_ref().map(|binding| binding.slot).filter(|slot| referred.contains(slot));
        referred.extend(program.select.as_ref().map(Template::slots).unwrap_or_default());
        referred.extend(program.slots_before_reply());
        steps.push(program);
    }
    steps.reverse();
    Ok(steps)
}

impl StepProgram {
    fn new(step: &Step, arguments: usize, parameters: &Parameters) -> Result<Self, RenderError> {
        let kind = step.kind.map(&mut WithParameters(parameters))?;
        let mut program = Self {
            yields: Yields::of(&kind),
            kind,
            binding: None,
            when: filled(step.when.as_ref(), parameters)?,
            for_each: filled(step.for_each.as_ref(), parameters)?,
            select: filled(step.select.as_ref(), parameters)?,
            assert: filled(step.assert.as_ref(), parameters)?,
            expect: step.expect.clone(),
            early: false,
            may_answer: false,
        };
        program.early = program.slots_before_reply().into_iter().all(|slot| slot < arguments);
        Ok(program)
    }

    /// The slots that its calls depend on.
    fn slots_before_reply(&self) -> Vec<usize> {
        let mut slots = Vec::new();
        self.kind.each_template(|_, template| slots.extend(template.slots()));
        for template in [&self.when, &self.for_each].into_iter().flatten() {
            slots.extend(template.slots());
        }
        slots
    }
}

fn filled(template: Option<&Template>, parameters: &Parameters) -> Result<Option<Template>, RenderError> {
    template.map(|template| template.with_parameters(parameters)).transpose()
}

impl Yields {
    fn of(kind: &StepKind<Compiled>) -> Self {
        match kind {
            StepKind::Find(_) | StepKind::Aggregate(_) => Self::Documents,
            StepKind::FindOne(_) | StepKind::FindOneAndUpdate(_) | StepKind::FindOneAndReplace(_) => Self::Document,
            StepKind::CountDocuments(_) | StepKind::Distinct(_) => Self::Value,
            StepKind::InsertOne(_)
            | StepKind::InsertMany(_)
            | StepKind::UpdateOne(_)
            | StepKind::UpdateMany(_)
            | StepKind::ReplaceOne(_)
            | StepKind::DeleteOne(_)
            | StepKind::DeleteMany(_) => Self::Written,
        }
    }
}

/// Whether a step changes data; of a pipeline its last stage decides.
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
        _ => true,
    }
}
