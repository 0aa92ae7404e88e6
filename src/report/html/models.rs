//! Models side by side: documents, indexes, and each operation's steps.

use maud::{Markup, html as markup};
use serde_json::Value;

use crate::analysis::{Cast, engine_limited};
use crate::record::{CollectionRecord, ModelRecord, ScenarioRecord};
use crate::report::format::{self, count};
use crate::report::json::pretty;
use crate::report::view::operations_shown;

/// The models of a scenario, in the order shown.
pub(super) fn side_by_side(scenario: &ScenarioRecord) -> Markup {
    let cast = Cast::of(&scenario.models);
    let models: Vec<&ModelRecord> = cast.shown().collect();
    if models.is_empty() {
        return markup! {};
    }
    let width = columns_beside(models.len());
    let operations: Vec<&str> = operations_shown(scenario)
        .into_iter()
        .filter(|operation| models.iter().any(|model| model.operations.contains_key(*operation)))
        .collect();
    markup! {
        h3 { "Models side by side" }
        div.beside tabindex="0" role="group" aria-label="Documents and indexes of each model" {
            @for (place, model) in models.iter().enumerate() {
                article {
                    h4 { span.swatch.(format!("s{}", place % 6)) {} (model.name) (role(model)) }
                    @if let Some(title) = &model.title { p { (title) } }
                    @if let Some(why) = &model.skipped { p.warning { "Left out: " (why) } }
                    @for collection in &model.collections { (self::collection(collection, width)) }
                }
            }
        }
        @for operation in operations {
            h4.operation { (operation) }
            div.beside tabindex="0" role="group" aria-label=(format!("{operation} as each model sends it")) {
                @for (place, model) in models.iter().enumerate() { (steps(scenario, model, operation, place, width)) }
            }
        }
    }
}

/// The role beside a name, where the name does not say it.
pub(super) fn role(model: &ModelRecord) -> Markup {
    markup! { @if model.name != model.role.word() { " " span.quiet { (model.role) } } }
}

/// Columns of a document when so many models stand beside each other.
fn columns_beside(models: usize) -> usize {
    match models {
        1 => 100,
        2 => 58,
        _ => 38,
    }
}

fn collection(collection: &CollectionRecord, width: usize) -> Markup {
    let (stored, logical) = (collection.stored_documents, collection.logical_documents);
    let indexes: Vec<String> = collection.indexes.iter().filter_map(index).collect();
    markup! {
        h5 { code { (collection.name) } }
        p.quiet {
            (format::plural(logical, "document", "documents"))
            @if let Some(partitions) = collection.partitions {
                " in " (format::plural(partitions, "collection", "collections")) ", " code { (collection.name) "_…" }
            }
            @if stored != logical { ", stored as " (count(stored)) }
        }
        @if !collection.options.is_null() { p.label { "Options" } (document(&collection.options, width)) }
        @if !indexes.is_empty() {
            p.label { "Indexes besides _id" }
            ul.indexes { @for index in &indexes { li { code { (index) } } } }
        }
        @if !collection.sample.is_null() { p.label { "A document" } (document(&collection.sample, width)) }
    }
}

/// An index by its key, with the options that its key does not say; that on `_id` every collection has.
pub(in crate::report) fn index(described: &Value) -> Option<String> {
    let (Some(fields), Some(key)) = (described.as_object(), described.get("key")) else {
        return Some(pretty(described, usize::MAX));
    };
    let options: Vec<String> = fields
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "key" | "name" | "v"))
        .map(|(name, value)| format!(", {name}: {}", pretty(value, usize::MAX)))
        .collect();
    let on_id = key.as_object().is_some_and(|key| key.len() == 1 && key.contains_key("_id"));
    (!on_id || !options.is_empty()).then(|| format!("{}{}", pretty(key, usize::MAX), options.concat()))
}

fn steps(scenario: &ScenarioRecord, model: &ModelRecord, operation: &str, place: usize, width: usize) -> Markup {
    let known = model.operations.get(operation);
    markup! {
        article {
            h5 { span.swatch.(format!("s{}", place % 6)) {} (model.name) }
            @match known {
                None => p.quiet { "No such operation." },
                Some(known) => {
                    @if let Some(facts) = facts(known.growth.as_deref(), known.round_trips) { p.quiet { (facts) } }
                    @if let Some(why) = engine_limited(scenario, model, operation) { p.open { "† " (why) } }
                    @if known.steps.is_empty() { p.quiet { "No step was recorded." } }
                    @for step in &known.steps { (document(step, width)) }
                }
            }
        }
    }
}

fn facts(growth: Option<&str>, round_trips: Option<f64>) -> Option<String> {
    let growth = growth.map(|growth| format!("growth said to be {growth}"));
    let trips = round_trips.map(|trips| {
        let number = format::mean(trips);
        format!("{number} {}", if number == "1" { "round trip" } else { "round trips" })
    });
    let said: Vec<String> = growth.into_iter().chain(trips).collect();
    (!said.is_empty()).then(|| said.join(" · "))
}

fn document(value: &Value, width: usize) -> Markup {
    markup! { pre { code { (pretty(value, width)) } } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_index_is_its_key_and_what_the_key_does_not_say() {
        let described = |value: Value| index(&value);
        assert_eq!(described(json!({"v": 2, "key": {"_id": 1}, "name": "_id_"})), None);
        assert_eq!(
            described(json!({"key": {"a": 1, "b": -1}, "name": "a_1_b_-1"})).as_deref(),
            Some("{ a: 1, b: -1 }")
        );
        let unique = described(json!({"key": {"a": 1}, "name": "a_1", "unique": true}));
        assert_eq!(unique.as_deref(), Some("{ a: 1 }, unique: true"));
    }
}
