//! Stories of the JSON Schema: it accepts what the parser accepts, and the parser knows all that it offers.

use std::cell::Cell;

use patternbench::scenario::{builtin, builtin_names, load_scenario, scenario_schema, starter};
use patternbench::source::{Arena, NodeId, NodeKind, SourceText, parse};
use serde_json::{Map, Value, json};

use crate::SHOP;

/// A file as JSON.
fn as_json(arena: &Arena, node: NodeId) -> Value {
    match arena.kind(node) {
        NodeKind::Null => Value::Null,
        NodeKind::Bool(value) => json!(value),
        NodeKind::Int(value) => json!(value),
        NodeKind::Float(value) => json!(value),
        NodeKind::Str(value) => json!(value),
        NodeKind::Seq(items) => items.iter().map(|item| as_json(arena, *item)).collect(),
        NodeKind::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), as_json(arena, entry.value))).collect::<Map<_, _>>().into()
        }
    }
}

fn json_of(text: &str) -> Value {
    let parsed = parse(SourceText::new("shop.yaml", text)).expect("this is YAML");
    as_json(&parsed.file.arena, parsed.file.arena.root().expect("it holds something"))
}

/// What the schema has against a text.
fn objections(text: &str) -> Vec<String> {
    let validator = jsonschema::draft202012::new(&scenario_schema()).expect("the schema is one");
    validator.iter_errors(&json_of(text)).map(|error| format!("{}: {error}", error.instance_path)).collect()
}

#[test]
fn the_schema_is_one() {
    assert!(jsonschema::draft202012::meta::is_valid(&scenario_schema()));
}

#[test]
fn scenarios_without_mistakes_satisfy_the_schema() {
    for name in builtin_names() {
        assert_eq!(objections(builtin(name).unwrap()), Vec::<String>::new(), "{name}");
    }
    assert_eq!(objections(&starter("mine")), Vec::<String>::new());
    assert_eq!(objections(SHOP), Vec::<String>::new());
}

#[test]
fn the_schema_objects_to_mistakes_of_form() {
    let mistakes = [
        ("format: 1", "format: 2"),
        ("title: A shop's orders", "titel: A shop's orders"),
        ("role: pattern", "role: patern"),
        ("metric: p95", "metric: p96"),
        ("sort: {total: -1, _id: 1}, limit: 10", "sort: {total: -1, _id: 1}, limt: 10"),
        ("sort: {total: -1, _id: 1}, limit: 10", "sort: {total: -1, _id: 1}, limit: ten"),
        ("insertOne: {collection: orders, document: ^placed}", "insertOne: {document: ^placed}"),
        ("insertOne: {collection: orders, document: ^placed}", "insertOn: {collection: orders, document: ^placed}"),
        ("growth: log", "growth: logarithmic"),
        ("insertOne: {collection: orders, document: ^placed}", "transaction: {step: []}"),
        ("insertOne: {collection: orders, document: ^placed}", "do: {steps: [{insertOn: {}}]}"),
        (
            "insertOne: {collection: orders, document: ^placed}",
            "bulkWrite: {models: [{insertMany: {collection: orders}}]}",
        ),
    ];
    for (right, wrong) in mistakes {
        assert_ne!(objections(&crate::shop(right, wrong)), Vec::<String>::new(), "{wrong}");
    }
}

/// Steps hold steps, and these hold the writes of a `bulkWrite`; deeper there is nothing new.
const CHOICES_DEEP: u32 = 2;

/// Every object that the schema describes, all of its properties filled in, as a file that has each of them once.
struct Filler<'s> {
    schema: &'s Value,
    /// How many lists of choices are being filled in, one inside the other: blocks of steps hold steps.
    depth: Cell<u32>,
}

impl Filler<'_> {
    fn resolved<'v>(&'v self, schema: &'v Value) -> &'v Value {
        match schema["$ref"].as_str() {
            Some(path) => self.schema.pointer(path.trim_start_matches('#')).expect("references resolve"),
            None => schema,
        }
    }

    /// The alternatives of a schema: of several the ones that describe objects come first.
    fn alternatives<'v>(&'v self, schema: &'v Value) -> Vec<&'v Value> {
        let schema = self.resolved(schema);
        match schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            Some(alternatives) => {
                let mut all: Vec<&Value> =
                    alternatives.iter().flat_map(|alternative| self.alternatives(alternative)).collect();
                all.sort_by_key(|alternative| alternative["properties"].as_object().is_none_or(Map::is_empty));
                all
            }
            None => vec![schema],
        }
    }

    fn value(&self, schema: &Value) -> Value {
        let schema = self.alternatives(schema)[0];
        if let Some(value) = schema.get("const").or(schema["enum"].get(0)) {
            return value.clone();
        }
        if let Some(first) = schema["prefixItems"].as_array() {
            return first.iter().map(|item| self.value(item)).collect();
        }
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let further = schema["additionalProperties"].as_object().map(|_| ("more", &schema["additionalProperties"]));
        match schema["type"].as_str().or(schema["type"][0].as_str()) {
            Some("object") => {
                let known = properties.iter().map(|(name, schema)| (name.as_str(), schema));
                known
                    .chain(further)
                    .map(|(name, schema)| (name.to_owned(), self.value(schema)))
                    .collect::<Map<_, _>>()
                    .into()
            }
            Some("array") if schema["items"] == Value::Null => json!([]),
            Some("array") => self.items(&schema["items"]).into(),
            Some("string") => json!("text"),
            Some("boolean") => json!(true),
            Some("integer" | "number") => json!(1),
            _ => json!({}),
        }
    }

    /// One element for each choice, where an element is a choice of one key.
    fn items(&self, schema: &Value) -> Vec<Value> {
        let resolved = self.alternatives(schema)[0];
        match resolved["properties"].as_object() {
            Some(choices) if resolved["maxProperties"] == 1 => {
                if self.depth.get() == CHOICES_DEEP {
                    return Vec::new();
                }
                self.depth.set(self.depth.get() + 1);
                let filled = choices.iter().map(|(name, schema)| json!({ name: self.value(schema) })).collect();
                self.depth.set(self.depth.get() - 1);
                filled
            }
            _ => vec![self.value(schema)],
        }
    }
}

#[test]
fn every_property_of_the_schema_is_known_to_the_parser() {
    let schema = scenario_schema();
    let text = Filler { schema: &schema, depth: Cell::new(0) }.value(&schema).to_string();
    let mut names: Vec<String> = Vec::new();
    property_names(&schema, &mut names);
    for name in &names {
        assert!(text.contains(&format!("{name:?}:")), "{name} is filled in: {text}");
    }
    let (_, problems) = load_scenario(SourceText::new("shop.yaml", text)).unwrap_err();
    let unknown = ["unknown field", "has no field", "unknown step", "unknown collection option", "not supported yet"];
    for problem in problems.in_order() {
        // What `fields` of `returns` does not name is another matter.
        let is_unknown =
            unknown.iter().any(|words| problem.message.contains(words) && !problem.message.contains("`fields`"));
        assert!(!is_unknown, "{problem:?}");
    }
}

/// The names of all properties that the schema describes.
fn property_names(schema: &Value, names: &mut Vec<String>) {
    if let Some(properties) = schema["properties"].as_object() {
        names.extend(properties.keys().cloned());
    }
    match schema {
        Value::Object(entries) => entries.values().for_each(|inner| property_names(inner, names)),
        Value::Array(items) => items.iter().for_each(|inner| property_names(inner, names)),
        _ => {}
    }
}
