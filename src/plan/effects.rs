//! What an operation adds to a model's data, as far as its steps tell before anything runs.
//!
//! Arguments are drawn, and what depends on them alone is rendered, for some of the operation numbers to come. What
//! depends on replies is taken as it stands: a condition holds, a list has one element. What an update by pipeline or a
//! `$merge` adds, how many documents a deleteMany or updateMany finds, and whether an upsert inserts, the steps do not
//! tell: nothing is counted for it, beside one push.

use std::collections::BTreeMap;

use bson::{Bson, Document};

use super::resolve::Plan;
use crate::scenario::{
    BlockStep, CallStep, CollectionRef, ModelOperation, ModelPartitions, Operation, Partitions, PlacedCall, StepKind,
    calls,
};
use crate::value::{Context, Draw, Names, RenderError, Template, is_true};

/// Operation numbers whose steps are looked at.
const SAMPLES: u64 = 64;

/// What grows: the documents of a collection, or the elements of an array field in them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) collection: String,
    pub(super) field: Option<String>,
}

/// What an operation adds on average.
pub(super) type Effects = BTreeMap<Place, f64>;

/// What an operation of the plan adds on average where it is done so.
pub(super) fn effects(
    plan: &Plan,
    operation: &Operation,
    done: &ModelOperation,
    partitions: &ModelPartitions,
) -> Effects {
    let mut effects = Effects::new();
    let arguments_known = operation.args.len();
    let placed = calls(&done.steps);
    let steps: Vec<_> = placed.iter().map(|placed| Rendering::new(placed, arguments_known, partitions)).collect();
    let from = plan.measured_from();
    for number in from..from + SAMPLES {
        // Arguments that cannot be rendered are found by parity, and told there.
        let Ok(names) = arguments(plan, operation, number) else { continue };
        let context = context(plan, operation, number, &names);
        steps.iter().for_each(|step| step.add_to(&mut effects, context));
    }
    effects.values_mut().for_each(|added| *added /= SAMPLES as f64);
    effects.retain(|_, added| *added != 0.0);
    effects
}

fn arguments(plan: &Plan, operation: &Operation, number: u64) -> Result<Names, RenderError> {
    let mut names = Names::default();
    for (_, template) in &operation.args {
        let value = template.value(&context(plan, operation, number, &names))?;
        names.values.push(Some(value));
    }
    Ok(names)
}

fn context<'a>(plan: &'a Plan, operation: &Operation, number: u64, names: &'a Names) -> Context<'a> {
    let draw = Draw::new(plan.seed, &format!("operation/{}", operation.name), number);
    Context { world: &plan.world, draw, index: number, parent: None, names, it: None, each: None }
}

/// A call in its blocks, and how many of its operation's names are arguments.
struct Rendering<'a> {
    step: &'a CallStep,
    blocks: &'a [&'a BlockStep],
    arguments: usize,
    partitions: &'a ModelPartitions,
}

impl<'a> Rendering<'a> {
    fn new(placed: &'a PlacedCall<'a>, arguments: usize, partitions: &'a ModelPartitions) -> Self {
        Self { step: placed.call, blocks: &placed.blocks, arguments, partitions }
    }

    /// Whether a template depends on arguments alone.
    fn is_known(&self, template: &Template) -> bool {
        template.slots().into_iter().all(|slot| slot < self.arguments)
    }

    fn add_to(&self, effects: &mut Effects, context: Context<'_>) {
        self.add_in(self.blocks, effects, context);
    }

    /// Adds what the call adds inside these blocks, each for all of its elements. That a block is repeated is not counted.
    fn add_in(&self, blocks: &[&BlockStep], effects: &mut Effects, context: Context<'_>) {
        let Some((outer, inner)) = blocks.split_first() else { return self.add_step(effects, context) };
        if !self.runs(outer.when.as_ref(), &context) {
            return;
        }
        for element in self.elements(outer.for_each.as_ref(), &context) {
            self.add_in(inner, effects, Context { each: element.as_ref().or(context.each), ..context });
        }
    }

    fn add_step(&self, effects: &mut Effects, context: Context<'_>) {
        for element in self.own_elements(&context) {
            let context = Context { each: element.as_ref().or(context.each), ..context };
            if self.runs(self.step.when.as_ref(), &context) {
                self.add_call(effects, &context);
            }
        }
    }

    /// What the call runs over: the elements of its `forEach`, or the partitions' values.
    fn own_elements(&self, context: &Context<'_>) -> Vec<Option<Bson>> {
        if let CollectionRef::EachPartition { of } = self.step.kind.collection() {
            let values = self.partitions.of(of).map(Partitions::values).unwrap_or_default();
            return values.iter().cloned().map(Some).collect();
        }
        self.elements(self.step.for_each.as_ref(), context)
    }

    /// What `forEach` runs over; a single unknown element where replies decide it, or where there is none.
    fn elements(&self, list: Option<&Template>, context: &Context<'_>) -> Vec<Option<Bson>> {
        match list.filter(|list| self.is_known(list)).map(|list| list.value(context)) {
            Some(Ok(Bson::Array(elements))) => elements.into_iter().map(Some).collect(),
            Some(Ok(Bson::Null)) => Vec::new(),
            _ => vec![None],
        }
    }

    fn runs(&self, when: Option<&Template>, context: &Context<'_>) -> bool {
        let condition = when.filter(|when| self.is_known(when));
        condition.and_then(|when| when.value(context).ok()).is_none_or(|value| is_true(&value))
    }

    fn add_call(&self, effects: &mut Effects, context: &Context<'_>) {
        let collection = self.step.kind.collection().declared();
        let mut add = |field: Option<&str>, added: f64| add_at(effects, collection, field, added);
        let mut push = |update: &Template| {
            let update = update.value(context).ok();
            let pushes = update.as_ref().and_then(Bson::as_document).map(pushes).unwrap_or_default();
            pushes.into_iter().for_each(|(field, elements)| add(Some(field), elements));
        };
        match &self.step.kind {
            StepKind::InsertOne(_) => add(None, 1.0),
            StepKind::InsertMany(step) => add(None, self.length(&step.documents, context)),
            StepKind::DeleteOne(_) => add(None, -1.0),
            StepKind::UpdateOne(step) => push(&step.update),
            StepKind::UpdateMany(step) => push(&step.update),
            StepKind::FindOneAndUpdate(step) => push(&step.update),
            StepKind::BulkWrite(step) => {
                let models = step.models.value(context).ok();
                let models = models.as_ref().and_then(Bson::as_array).into_iter().flatten();
                models.filter_map(Bson::as_document).for_each(|model| add_bulk_write(effects, model));
            }
            _ => {}
        }
    }

    fn length(&self, list: &Template, context: &Context<'_>) -> f64 {
        let list = Some(list).filter(|list| self.is_known(list)).and_then(|list| list.value(context).ok());
        list.as_ref().and_then(Bson::as_array).map_or(1.0, |list| list.len() as f64)
    }
}

fn add_at(effects: &mut Effects, collection: &str, field: Option<&str>, added: f64) {
    let place = Place { collection: collection.to_owned(), field: field.map(str::to_owned) };
    *effects.entry(place).or_default() += added;
}

/// What a write of a bulk write adds.
fn add_bulk_write(effects: &mut Effects, model: &Document) {
    let Some((word, Bson::Document(fields))) = model.iter().next() else { return };
    let Ok(collection) = fields.get_str("collection") else { return };
    match word.as_str() {
        "insertOne" => add_at(effects, collection, None, 1.0),
        "deleteOne" => add_at(effects, collection, None, -1.0),
        "updateOne" | "updateMany" => {
            let pushed = fields.get_document("update").map(pushes).unwrap_or_default();
            pushed.into_iter().for_each(|(field, elements)| add_at(effects, collection, Some(field), elements));
        }
        _ => {}
    }
}

/// The fields to which an update adds elements, and how many. A `$slice` keeps its array at a length.
fn pushes(update: &Document) -> Vec<(&str, f64)> {
    let of_operator = |operator: &str| update.get_document(operator).ok().into_iter().flatten();
    let pushed = of_operator("$push").chain(of_operator("$addToSet"));
    pushed
        .filter_map(|(field, value)| match value.as_document() {
            Some(modifiers) if modifiers.contains_key("$slice") => None,
            Some(modifiers) if modifiers.contains_key("$each") => {
                // A list that replies decide renders null.
                let elements = modifiers.get_array("$each").map_or(1.0, |list| list.len() as f64);
                Some((field.as_str(), elements))
            }
            _ => Some((field.as_str(), 1.0)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    #[test]
    fn a_push_adds_its_elements_unless_it_keeps_the_array_at_a_length() {
        let update = doc! {
            "$push": {"one": {"a": 1}, "three": {"$each": [1, 2, 3], "$sort": 1}, "last": {"$each": [1], "$slice": -20}},
            "$addToSet": {"set": 5, "unknown": {"$each": Bson::Null}},
            "$inc": {"count": 1},
        };
        let expected = [("one", 1.0), ("three", 3.0), ("set", 1.0), ("unknown", 1.0)];
        assert_eq!(pushes(&update), expected);
    }
}
