//! A document short enough to be read.

use bson::{Bson, RawDocument};
use serde_json::{Map, Value};

/// Longest string that is shown whole, in characters.
const LONGEST_STRING: usize = 60;
/// Most elements of an array that are shown.
const MOST_ELEMENTS: usize = 3;
/// Most fields of a document that are shown.
const MOST_FIELDS: usize = 40;

/// The document as relaxed Extended JSON, with long strings, binaries, arrays and documents cut; what is left out is
/// said in place.
pub(super) fn shortened(document: &RawDocument) -> Value {
    match bson::Document::try_from(document) {
        Ok(document) => shorten(Bson::Document(document)),
        Err(_malformed) => Value::Null,
    }
}

fn shorten(value: Bson) -> Value {
    match value {
        Bson::String(text) => Value::String(shorten_text(text)),
        Bson::Binary(binary) if binary.bytes.len() > LONGEST_STRING => {
            Value::String(format!("… ({} bytes)", binary.bytes.len()))
        }
        Bson::Array(elements) => shorten_array(elements),
        Bson::Document(document) => shorten_document(document),
        other => other.into_relaxed_extjson(),
    }
}

fn shorten_text(text: String) -> String {
    let length = text.chars().count();
    if length <= LONGEST_STRING {
        return text;
    }
    let start: String = text.chars().take(LONGEST_STRING - 20).collect();
    format!("{start}… ({length} characters)")
}

fn shorten_array(elements: Vec<Bson>) -> Value {
    let left_out = elements.len().saturating_sub(MOST_ELEMENTS);
    let mut shown: Vec<Value> = elements.into_iter().take(MOST_ELEMENTS).map(shorten).collect();
    if left_out > 0 {
        shown.push(Value::String(format!("… ({left_out} more)")));
    }
    Value::Array(shown)
}

fn shorten_document(document: bson::Document) -> Value {
    let left_out = document.len().saturating_sub(MOST_FIELDS);
    let mut shown: Map<String, Value> =
        document.into_iter().take(MOST_FIELDS).map(|(key, value)| (key, shorten(value))).collect();
    if left_out > 0 {
        shown.insert("…".to_owned(), Value::String(format!("({left_out} more fields)")));
    }
    Value::Object(shown)
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;
    use serde_json::json;

    use super::*;

    #[test]
    fn short_values_stay_and_long_ones_say_what_was_cut() {
        let document = rawdoc! {
            "_id": 7,
            "name": "anvil",
            "story": "é".repeat(100),
            "tags": ["a", "b", "c", "d", "e"],
            "lines": [{ "note": "x".repeat(61) }],
        };
        let expected = json!({
            "_id": 7,
            "name": "anvil",
            "story": format!("{}… (100 characters)", "é".repeat(40)),
            "tags": ["a", "b", "c", "… (2 more)"],
            "lines": [{ "note": format!("{}… (61 characters)", "x".repeat(40)) }],
        });
        assert_eq!(shortened(&document), expected);
    }

    #[test]
    fn a_wide_document_keeps_its_first_fields() {
        let mut wide = bson::RawDocumentBuf::new();
        for number in 0..45_i32 {
            let key = bson::raw::CString::try_from(format!("f{number:02}")).expect("no NUL inside");
            wide.append(key, number);
        }
        let Value::Object(shown) = shortened(&wide) else { panic!("a document is shown as one") };
        assert_eq!(shown.len(), 41);
        assert_eq!(shown["f39"], json!(39));
        assert_eq!(shown["…"], json!("(5 more fields)"));
    }
}
