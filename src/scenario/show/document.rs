//! A document, shortened for reading.

use bson::{Bson, Document};

/// Longer strings are cut. A sample that loading has shortened already stays as it is.
const LONGEST_TEXT: usize = 60;
/// What is left of strings that are cut.
const CUT_TEXT: usize = 40;
/// Of longer lists only the first elements are shown; those of a shortened sample fit.
const ELEMENTS: usize = 4;

/// The document over several lines, its long strings and lists cut.
pub(super) fn shown(document: &Document) -> String {
    let mut lines = Vec::new();
    fields(document, 0, &mut lines);
    lines.join("\n")
}

fn fields(document: &Document, depth: usize, lines: &mut Vec<String>) {
    for (key, value) in document {
        field(&format!("{}{key}:", "  ".repeat(depth)), value, depth, lines);
    }
}

fn field(head: &str, value: &Bson, depth: usize, lines: &mut Vec<String>) {
    match value {
        Bson::Document(inner) if !inner.is_empty() => {
            lines.push(head.to_owned());
            fields(inner, depth + 1, lines);
        }
        Bson::Array(elements) if !elements.is_empty() => {
            lines.push(head.to_owned());
            let indent = "  ".repeat(depth + 1);
            for element in elements.iter().take(ELEMENTS) {
                match element {
                    Bson::Document(inner) => lines.push(format!("{indent}- {}", line(inner))),
                    other => lines.push(format!("{indent}- {}", scalar(other))),
                }
            }
            if elements.len() > ELEMENTS {
                lines.push(format!("{indent}… {} more", elements.len() - ELEMENTS));
            }
        }
        other => lines.push(format!("{head} {}", scalar(other))),
    }
}

/// A document on one line.
fn line(document: &Document) -> String {
    let fields: Vec<String> = document.iter().map(|(key, value)| format!("{key}: {}", scalar(value))).collect();
    format!("{{{}}}", fields.join(", "))
}

fn scalar(value: &Bson) -> String {
    match value {
        Bson::String(text) if text.chars().count() > LONGEST_TEXT => {
            let cut: String = text.chars().take(CUT_TEXT).collect();
            format!("{cut}… ({} characters)", text.chars().count())
        }
        Bson::String(text) => text.clone(),
        Bson::DateTime(date) => date.try_to_rfc3339_string().unwrap_or_else(|_| date.timestamp_millis().to_string()),
        Bson::ObjectId(id) => format!("ObjectId {id}"),
        Bson::Document(inner) => line(inner),
        Bson::Array(elements) => format!("[{} elements]", elements.len()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn long_strings_and_lists_are_cut_and_nesting_is_kept() {
        let document = doc! {
            "_id": 7,
            "brand": {"name": "Acme"},
            "story": "x".repeat(400),
            "reviews": [{"rating": 5, "tags": ["a"]}, {"rating": 4}, {"rating": 3}, {"rating": 2}, {"rating": 1}],
            "none": null,
        };
        let expected = format!(
            "_id: 7\nbrand:\n  name: Acme\nstory: {}… (400 characters)\nreviews:\n  - {{rating: 5, tags: [1 elements]}}\n  - {{rating: 4}}\n  - {{rating: 3}}\n  - {{rating: 2}}\n  … 1 more\nnone: null",
            "x".repeat(CUT_TEXT)
        );
        assert_eq!(shown(&document), expected);
    }
}
