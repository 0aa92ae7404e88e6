//! A command as sent, laid out for reading, with what is long cut.

use bson::{Bson, Document};

/// Longer strings are cut.
const LONGEST_TEXT: usize = 60;
/// What is left of strings that are cut.
const CUT_TEXT: usize = 40;
/// Longer lists of values are cut; stages of a pipeline all stay.
const LONGEST_LIST: usize = 8;
/// What is left of lists that are cut.
const CUT_LIST: usize = 3;
/// What fits on a line stands on one.
const WIDTH: usize = 110;

/// The command as a mongo shell would take it, but for what is cut.
pub(super) fn shown(command: &Document) -> String {
    laid_out(&Bson::Document(command.clone()), 0)
}

fn laid_out(value: &Bson, indent: usize) -> String {
    let line = on_one_line(value);
    let (open, close, parts) = match value {
        _ if indent + line.chars().count() <= WIDTH => return line,
        Bson::Document(fields) => {
            let field = |(key, value): (&String, &Bson)| format!("{}: {}", name(key), laid_out(value, indent + 2));
            ('{', '}', fields.iter().map(field).collect())
        }
        Bson::Array(elements) => ('[', ']', cut(elements, |element| laid_out(element, indent + 2))),
        _ => return line,
    };
    let (inside, outside) = (" ".repeat(indent + 2), " ".repeat(indent));
    let parts: Vec<String> = parts.into_iter().map(|part| format!("{inside}{part}")).collect();
    format!("{open}\n{}\n{outside}{close}", parts.join(",\n"))
}

fn on_one_line(value: &Bson) -> String {
    match value {
        Bson::Document(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", name(key), on_one_line(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Bson::Array(elements) => format!("[{}]", cut(elements, on_one_line).join(", ")),
        Bson::String(text) => quoted(text),
        Bson::DateTime(date) => {
            let date = date.try_to_rfc3339_string().unwrap_or_else(|_| date.timestamp_millis().to_string());
            format!("ISODate({date:?})")
        }
        Bson::ObjectId(id) => format!("ObjectId(\"{id}\")"),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST_TEXT {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(CUT_TEXT).collect();
    format!("{:?}", format!("{start}… ({length} characters)"))
}

/// A field's name, in quotes where it would be no name otherwise.
fn name(key: &str) -> String {
    let is_name = !key.is_empty()
        && !key.starts_with(|first: char| first.is_ascii_digit())
        && key.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '$'));
    if is_name { key.to_owned() } else { format!("{key:?}") }
}

fn cut(elements: &[Bson], mut show: impl FnMut(&Bson) -> String) -> Vec<String> {
    let is_stage = |element: &Bson| {
        element.as_document().and_then(|stage| stage.keys().next()).is_some_and(|first| first.starts_with('$'))
    };
    if elements.len() <= LONGEST_LIST || elements.iter().all(is_stage) {
        return elements.iter().map(show).collect();
    }
    let more = format!("… {} more", elements.len() - CUT_LIST);
    elements.iter().take(CUT_LIST).map(&mut show).chain([more]).collect()
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn what_is_short_stays_on_a_line_and_what_is_long_is_cut() {
        let ids: Vec<i32> = (0..20).collect();
        let command = doc! {"find": "users", "filter": {"_id": {"$in": ids}}, "sort": {"a.b": -1}};
        assert_eq!(
            shown(&command),
            r#"{find: "users", filter: {_id: {$in: [0, 1, 2, … 17 more]}}, sort: {"a.b": -1}}"#
        );
        let story = doc! {"insert": "stories", "documents": [{"text": "x".repeat(400)}], "ordered": true, "more": "y".repeat(50)};
        let expected = format!(
            "{{\n  insert: \"stories\",\n  documents: [{{text: \"{}… (400 characters)\"}}],\n  ordered: true,\n  more: \"{}\"\n}}",
            "x".repeat(40),
            "y".repeat(50)
        );
        assert_eq!(shown(&story), expected);
    }

    #[test]
    fn every_stage_of_a_pipeline_stays() {
        let stages: Vec<Document> = (0..12).map(|number| doc! {"$limit": number}).collect();
        assert_eq!(shown(&doc! {"aggregate": "a", "pipeline": stages}).matches("$limit").count(), 12);
    }
}
