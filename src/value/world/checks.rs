//! What can be found wrong in a dataset before a row is made: rows that need each other in a circle, fields that a
//! parent does not have, more pairs than there are.

use std::collections::HashMap;

use bson::Bson;

use super::{Origin, SetId, World};
use crate::source::nearest;
use crate::value::error::WorldError;
use crate::value::expression::{Call, Expression, Found, Reference, Root};
use crate::value::operator::Operator;

/// A row's field, or (without name) the whole row.
type Part = (usize, Option<String>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Done,
}

/// Looks at what each field of each set is made from, down to the ground. Needs no counts.
pub(super) fn circles(world: &World) -> Result<(), WorldError> {
    let mut states = HashMap::new();
    (0..world.sets.len()).try_for_each(|set| visit(world, (set, None), &mut states))
}

/// Counts pairs. Needs all counts.
pub(super) fn pairs(world: &World) -> Result<(), WorldError> {
    (0..world.sets.len()).map(SetId).try_for_each(|set| enough_pairs(world, set))
}

/// Rows of a set take a pair each, and no pair may come twice.
fn enough_pairs(world: &World, set: SetId) -> Result<(), WorldError> {
    let mut short = None;
    let rows = world.rows(set);
    if let Some(document) = &world.set(set).document {
        document.visit(&mut |expression| {
            if let Expression::Call(call) = expression
                && let Operator::Pairs = call.operator
                && let (Some(left), Some(right)) = (named_set(world, call, 0), named_set(world, call, 1))
            {
                let pairs = world.rows(left).saturating_mul(world.rows(right));
                let taken = named_set(world, call, 3).map_or(0, |after| world.rows(after));
                if rows.saturating_add(taken) > pairs {
                    short = Some((left, right, pairs, taken));
                }
            }
        });
    }
    let Some((left, right, pairs, taken)) = short else { return Ok(()) };
    let taken = if taken > 0 { format!(", of which {taken} are taken") } else { String::new() };
    let (left, right) = (world.name(left), world.name(right));
    let message = format!("{rows} rows want a pair of their own, but `{left}` × `{right}` has {pairs}{taken}");
    Err(WorldError::of_set(world.name(set), message))
}

/// The set that an option of a call names.
fn named_set(world: &World, call: &Call, place: usize) -> Option<SetId> {
    let name = call.arguments.get(place)?.as_ref()?.constant().and_then(Bson::as_str)?;
    world.set_id(name)
}

fn visit(world: &World, part: Part, states: &mut HashMap<Part, State>) -> Result<(), WorldError> {
    match states.get(&part) {
        Some(State::Done) => return Ok(()),
        Some(State::Open) => {
            let field = part.1.map_or(String::new(), |field| format!(" (field `{field}`)"));
            let message = format!("its rows are made from themselves{field}: follow ^key, ^row, ^pairs and ^parent");
            return Err(WorldError::of_set(&world.sets[part.0].name, message));
        }
        None => states.insert(part.clone(), State::Open),
    };
    for needed in needs(world, &part)? {
        visit(world, needed, states)?;
    }
    states.insert(part, State::Done);
    Ok(())
}

/// The parts of rows that a part is made from.
fn needs(world: &World, (set, field): &Part) -> Result<Vec<Part>, WorldError> {
    let Some(document) = &world.sets[*set].document else { return Ok(Vec::new()) };
    let expression = match (document, field) {
        (Expression::Document(fields), Some(field)) => match fields.get(field) {
            Some(Found::Dynamic(expression)) => expression,
            Some(Found::Constant(_)) | None => return Ok(Vec::new()),
        },
        _ => document,
    };
    let mut needed = Vec::new();
    let mut failed = None;
    expression.visit(&mut |expression| match expression {
        Expression::Call(call) => needed.extend(needs_of_call(world, call)),
        Expression::Reference(reference) if reference.root == Root::Parent => {
            match needs_of_parent(world, SetId(*set), reference) {
                Ok(part) => needed.extend(part),
                Err(error) => failed = Some(error),
            }
        }
        _ => {}
    });
    failed.map_or(Ok(needed), Err)
}

fn needs_of_call(world: &World, call: &Call) -> Vec<Part> {
    let set = |place: usize| named_set(world, call, place).map(|set| set.0);
    let key = |place: usize| set(place).map(|set| (set, Some("_id".to_owned())));
    match call.operator {
        Operator::Key => key(0).into_iter().collect(),
        Operator::Row => set(0).map(|set| (set, None)).into_iter().collect(),
        Operator::Pairs => [key(0), key(1)].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

fn needs_of_parent(world: &World, set: SetId, reference: &Reference) -> Result<Option<Part>, WorldError> {
    let Origin::Children { of, .. } = world.set(set).origin else { return Ok(None) };
    let Some((field, _)) = reference.path.split_first() else { return Ok(Some((of.0, None))) };
    if let Some(Expression::Document(fields)) = &world.set(of).document
        && field != "_id"
        && fields.get(field).is_none()
    {
        let near =
            nearest(field, fields.keys()).map_or(String::new(), |near| format!("; did you mean `^parent.{near}`?"));
        let message = format!("`^parent.{field}`: rows of `{}` have no field `{field}`{near}", world.name(of));
        return Err(WorldError::of_set(world.name(set), message));
    }
    Ok(Some((of.0, Some(field.to_owned()))))
}
