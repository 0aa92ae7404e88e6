//! What an operation adds to a model's data, as far as its steps tell before anything runs.
//!
//! Arguments are drawn, and what depends on them alone is rendered, for some of the operation numbers to come. What
//! depends on replies is taken as it stands: a condition holds, a list has one element. What an update by pipeline or a
//! `$merge` adds, how many documents a deleteMany or updateMany finds, and whether an upsert inserts, the steps do not
//! tell: nothing is counted for it, beside one push.

use std::collections::BTreeMap;

use bson::{Bson, Document};

use super::resolve::Plan;
use crate::scenario::{ModelOperation, Operation, Step, StepKind};
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
pub(super) fn effects(plan: &Plan, operation: &Operation, done: &ModelOperation) -> Effects {
    let mut effects = Effects::new();
    let steps: Vec<_> = done.steps.iter().map(|step| Rendering { step, arguments: operation.args.len() }).collect();
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

/// A step, and how many of its operation's names are arguments.
struct Rendering<'a> {
    step: &'a Step,
    arguments: usize,
}

impl Rendering<'_> {
    /// Whether a template depends on arguments alone.
    fn is_known(&self, template: &Template) -> bool {
        template.slots().into_iter().all(|slot| slot < self.arguments)
    }

    fn add_to(&self, effects: &mut Effects, context: Context<'_>) {
        for element in self.elements(&context) {
            let context = Context { each: element.as_ref(), ..context };
            if self.runs(&context) {
                self.add_call(effects, &context);
            }
        }
    }

    /// What `forEach` runs over; a single unknown element where replies decide it.
    fn elements(&self, context: &Context<'_>) -> Vec<Option<Bson>> {
        match self.step.for_each.as_ref().filter(|list| self.is_known(list)).map(|list| list.value(context)) {
            Some(Ok(Bson::Array(elements))) => elements.into_iter().map(Some).collect(),
            Some(Ok(Bson::Null)) => Vec::new(),
            _ => vec![None],
        }
    }

    fn runs(&self, context: &Context<'_>) -> bool {
        let condition = self.step.when.as_ref().filter(|when| self.is_known(when));
        condition.and_then(|when| when.value(context).ok()).is_none_or(|value| is_true(&value))
    }

    fn add_call(&self, effects: &mut Effects, context: &Context<'_>) {
        let mut add = |field: Option<&str>, added: f64| {
            let place =
                Place { collection: self.step.kind.collection().name().to_owned(), field: field.map(str::to_owned) };
            *effects.entry(place).or_default() += added;
        };
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
            _ => {}
        }
    }

    fn length(&self, list: &Template, context: &Context<'_>) -> f64 {
        let list = Some(list).filter(|list| self.is_known(list)).and_then(|list| list.value(context).ok());
        list.as_ref().and_then(Bson::as_array).map_or(1.0, |list| list.len() as f64)
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
