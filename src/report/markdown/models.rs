//! Models one after the other: documents, indexes, and each operation's steps.

use serde_json::Value;

use super::escape::{code, escaped, fence};
use super::table::paragraph;
use crate::analysis::{Cast, engine_limited};
use crate::record::{CollectionRecord, ModelRecord, ScenarioRecord};
use crate::report::format;
use crate::report::html::index;
use crate::report::json::pretty;
use crate::report::view::operations_shown;

/// Columns of a document.
const WIDTH: usize = 90;

/// The models of a scenario, in the order shown, and how each does every operation.
pub(super) fn side_by_side(out: &mut String, scenario: &ScenarioRecord) {
    let cast = Cast::of(&scenario.models);
    let models: Vec<&ModelRecord> = cast.shown().collect();
    for model in &models {
        let title = model.title.iter().map(|title| format!(": {}", escaped(title))).collect::<String>();
        paragraph(out, &format!("{} ({}){title}", code(&model.name), model.role));
        if let Some(why) = &model.skipped {
            paragraph(out, &format!("> **Left out:** {}", escaped(why)));
        }
        model.collections.iter().for_each(|collection| self::collection(out, collection));
    }
    for operation in operations_shown(scenario) {
        for model in models.iter().filter(|model| model.operations.contains_key(operation)) {
            steps(out, scenario, model, operation);
        }
    }
}

fn collection(out: &mut String, collection: &CollectionRecord) {
    let documents = format::plural(collection.logical_documents, "document", "documents");
    let partitions =
        collection.partitions.map(|number| format!(" in {}", format::plural(number, "collection", "collections")));
    let indexes: Vec<String> = collection.indexes.iter().filter_map(index).map(|index| code(&index)).collect();
    let indexes = if indexes.is_empty() {
        "no index besides `_id`".to_owned()
    } else {
        format!("indexes {}", indexes.join(", "))
    };
    let partitions = partitions.unwrap_or_default();
    paragraph(out, &format!("Collection {}: {documents}{partitions}; {indexes}", code(&collection.name)));
    for part in [&collection.options, &collection.sample] {
        document(out, part);
    }
}

fn steps(out: &mut String, scenario: &ScenarioRecord, model: &ModelRecord, operation: &str) {
    let Some(known) = model.operations.get(operation) else { return };
    let growth =
        known.growth.iter().map(|growth| format!("; growth said to be {}", escaped(growth))).collect::<String>();
    paragraph(out, &format!("{} in {}{growth}", code(operation), code(&model.name)));
    if let Some(why) = engine_limited(scenario, model, operation) {
        paragraph(out, &format!("† {}", escaped(&why)));
    }
    known.steps.iter().for_each(|step| document(out, step));
}

fn document(out: &mut String, value: &Value) {
    if !value.is_null() {
        out.push_str(&fence("js", &pretty(value, WIDTH)));
        out.push('\n');
    }
}
