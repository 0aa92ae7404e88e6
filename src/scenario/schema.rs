//! The JSON Schema of scenario files, from the types that read them and the tables of steps.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::check::{BULK_WRITES, CREATE_OPTIONS, EXTRAS, STATES, Shape};
use super::file::{
    ClassesFile, DoFile, MixFile, OperationFile, PartitionFile, RepeatFile, RetryFile, ScenarioFile, TransactionFile,
};
use super::step::{Compiled, FieldKind, StepKind};
use crate::words::{Block, ErrorName};

/// The JSON Schema (draft 2020-12) of scenario files, for editors and other programs.
pub fn scenario_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<ScenarioFile>();
    schema.insert("title".to_owned(), json!("patternbench scenario"));
    schema.to_value()
}

/// A type that exists for its schema alone.
macro_rules! form {
    ($(#[$about:meta])* $Form:ident, $generator:ident => $schema:expr) => {
        $(#[$about])*
        pub(super) enum $Form {}

        impl JsonSchema for $Form {
            fn schema_name() -> Cow<'static, str> {
                stringify!($Form).into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

form! {
    /// What is known only when it is rendered: a reference, a generator or a function.
    FilledIn, _generator => json_schema!({
        "description": "A reference (`^name`, `^page.customerId`), or a generator or function (`{^int: {min: 1, max: 5}}`).",
        "anyOf": [
            {"type": "string", "pattern": r"^\^[^^]"},
            {
                "type": "object",
                "patternProperties": {r"^\^[^^]": true},
                "additionalProperties": false,
                "minProperties": 1,
                "maxProperties": 1,
            },
        ],
    })
}

form! {
    /// A mix of operations.
    WorkloadForm, generator => json_schema!({
        "description": "A mix of operations by name.",
        "type": "object",
        "properties": {"state": {
            "description": "What becomes of the data over the run: `reload` loads them anew for every round, `growing` lets them \
                            grow. Left out, the plan decides by how much they grow.",
            "enum": STATES.iter().map(|state| state.word()).collect::<Vec<_>>(),
        }},
        "additionalProperties": generator.subschema_for::<MixFile>(),
        "minProperties": 1,
    })
}

form! {
    /// How many children a parent has.
    ChildCountForm, generator => json_schema!({
        "anyOf": [
            {"type": "integer", "minimum": 0},
            generator.subschema_for::<FilledIn>(),
            generator.subschema_for::<ClassesFile>(),
        ],
    })
}

form! {
    /// How a model does an operation.
    OperationForm, generator => json_schema!({
        "anyOf": [
            {"type": "array", "items": generator.subschema_for::<StepForm>(), "minItems": 1},
            generator.subschema_for::<OperationFile>(),
        ],
    })
}

form! {
    /// A list that may be filled in.
    ListForm, generator => json_schema!({
        "anyOf": [{"type": "array"}, generator.subschema_for::<FilledIn>()],
    })
}

form! {
    /// By what a collection is partitioned.
    PartitionForm, generator => json_schema!({
        "anyOf": [
            {"description": "The path of the field.", "type": "string", "pattern": r"^[^^$]"},
            generator.subschema_for::<PartitionFile>(),
        ],
    })
}

form! {
    /// The key of an index.
    IndexKeyForm, generator => json_schema!({
        "anyOf": [
            {"type": "object"},
            generator.subschema_for::<FilledIn>(),
            {"type": "array", "minItems": 1, "items": {"anyOf": [
                {"type": "array", "minItems": 2, "maxItems": 2},
                generator.subschema_for::<FilledIn>(),
            ]}},
        ],
    })
}

form! {
    /// The collection that a step addresses.
    CollectionForm, generator => json_schema!({
        "description": "a collection of the model, or a partition of a partitioned one",
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "partition": {
                        "description": "the value whose partition is meant, or `all`: the call is made once for each, which `^each` names",
                        "anyOf": [{"type": ["string", "number"]}, generator.subschema_for::<FilledIn>()],
                    },
                    "of": {
                        "description": "which partitioned collection, where the model has several",
                        "type": "string",
                    },
                },
                "required": ["partition"],
                "additionalProperties": false,
            },
        ],
    })
}

form! {
    /// An aggregation pipeline.
    PipelineForm, generator => json_schema!({
        "description": "An aggregation pipeline: stages such as `{$match: {…}}`.",
        "anyOf": [
            generator.subschema_for::<FilledIn>(),
            {"type": "array", "items": {"anyOf": [
                generator.subschema_for::<FilledIn>(),
                {"type": "object", "minProperties": 1, "maxProperties": 1, "propertyNames": {"pattern": r"^\$"}},
            ]}},
        ],
    })
}

form! {
    /// Options of a collection.
    CollectionOptions, _generator => {
        let properties: Map<String, Value> =
            CREATE_OPTIONS.iter().map(|option| ((*option).to_owned(), Value::Bool(true))).collect();
        json_schema!({
            "description": "Options of the `create` command.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

form! {
    /// How many times.
    CountForm, generator => json_schema!({
        "anyOf": [{"type": "integer", "minimum": 1}, generator.subschema_for::<FilledIn>()],
    })
}

form! {
    /// One step: the call's name as the only key, all else inside its braces.
    StepForm, generator => {
        let mut steps: Map<String, Value> = StepKind::<Compiled>::WORDS
            .iter()
            .map(|word| ((*word).to_owned(), call(word, generator)))
            .collect();
        for block in Block::ALL {
            let schema = match block {
                Block::Transaction => generator.subschema_for::<TransactionFile>(),
                Block::Do => generator.subschema_for::<DoFile>(),
            };
            steps.insert(block.word().to_owned(), schema.to_value());
        }
        json_schema!({
            "description": "One call of the driver, or a block of steps; extras (`as`, `when` …) stand inside the braces.",
            "type": "object",
            "properties": steps,
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        })
    }
}

/// The schema of what stands inside a call's braces.
fn call(word: &str, generator: &mut SchemaGenerator) -> Value {
    let fields = StepKind::<Compiled>::fields(word).unwrap_or_default();
    let mut properties = Map::new();
    let mut required = Vec::new();
    if !StepKind::<Compiled>::WITHOUT_COLLECTION.contains(&word) {
        required.push("collection");
        properties.insert("collection".to_owned(), generator.subschema_for::<CollectionForm>().to_value());
    }
    for field in fields {
        let mut schema = match (word, field.key) {
            ("bulkWrite", "models") => models(generator),
            _ => shape(Shape::of(field.key), generator),
        };
        schema.insert("description".to_owned(), json!(field.about));
        properties.insert(field.key.to_owned(), Value::Object(schema));
        if field.kind != FieldKind::Optional {
            required.push(field.key);
        }
    }
    for extra in EXTRAS {
        properties.insert((*extra).to_owned(), extra_schema(extra, generator));
    }
    json!({
        "description": StepKind::<Compiled>::about(word),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of the writes of a `bulkWrite`.
fn models(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let writes: Map<String, Value> = BULK_WRITES
        .iter()
        .map(|word| {
            let mut write = call(word, generator);
            // Extras are the whole call's.
            if let Some(properties) = write["properties"].as_object_mut() {
                properties.retain(|key, _| !EXTRAS.contains(&key.as_str()));
            }
            ((*word).to_owned(), write)
        })
        .collect();
    let write = json!({
        "type": "object",
        "properties": writes,
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
    });
    let mut schema = Map::new();
    let list = json!({"type": "array", "items": write});
    schema.insert("anyOf".to_owned(), json!([list, generator.subschema_for::<FilledIn>()]));
    schema
}

fn shape(shape: Shape, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let written = match shape {
        Shape::Map => json!({"type": "object"}),
        Shape::List => json!({"type": "array"}),
        Shape::Pipeline => generator.subschema_for::<PipelineForm>().to_value(),
        Shape::MapOrList => json!({"type": ["object", "array"]}),
        Shape::MapOrText => json!({"type": ["object", "string"]}),
        Shape::Text => json!({"type": "string"}),
        Shape::Whole => json!({"type": "integer", "minimum": 0}),
        Shape::Truth => json!({"type": "boolean"}),
        Shape::BeforeOrAfter => json!({"enum": ["before", "after"]}),
    };
    let mut schema = Map::new();
    schema.insert("anyOf".to_owned(), json!([written, generator.subschema_for::<FilledIn>()]));
    schema
}

fn extra_schema(extra: &str, generator: &mut SchemaGenerator) -> Value {
    match extra {
        "as" => json!({"description": "a name for its result", "type": "string"}),
        "when" => json!({"description": "makes the call only if this is true"}),
        "expect" => json!({
            "description": "errors that are answers",
            "type": "array",
            "items": generator.subschema_for::<ErrorName>(),
        }),
        "select" => json!({"description": "what to keep of its result, which `^it` names"}),
        "forEach" => json!({
            "description": "makes the call once for each element of this list, which `^each` names",
            "anyOf": [{"type": "array"}, generator.subschema_for::<FilledIn>()],
        }),
        "retry" => generator.subschema_for::<RetryFile>().to_value(),
        "repeat" => generator.subschema_for::<RepeatFile>().to_value(),
        _ => json!({"description": "fails the operation unless this is true"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_the_table_has_its_fields_in_the_schema() {
        let schema = scenario_schema();
        for word in StepKind::<Compiled>::WORDS {
            let call = &schema["$defs"]["StepForm"]["properties"][word];
            for field in StepKind::<Compiled>::fields(word).unwrap() {
                assert_eq!(call["properties"][field.key]["description"], field.about, "{word}.{}", field.key);
            }
            let addresses = !StepKind::<Compiled>::WITHOUT_COLLECTION.contains(word);
            assert_eq!(call["required"][0] == "collection", addresses, "{word}");
        }
    }

    #[test]
    fn closed_vocabularies_are_shared_definitions() {
        let schema = scenario_schema();
        assert_eq!(schema["$defs"]["ModelFile"]["properties"]["role"]["$ref"], "#/$defs/Role");
    }
}
