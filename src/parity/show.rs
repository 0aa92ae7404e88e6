//! Values as a person reads them: as JSON, shortened, with what matters kept in sight.

use bson::oid::ObjectId;
use bson::{Bson, DateTime};

use super::canonical::Canonical;
use super::difference::PathStep;

/// Characters of a string that are shown.
const TEXT: usize = 60;
/// Elements of a list that are shown.
const ELEMENTS: usize = 3;
/// Fields of a document that are shown.
const FIELDS: usize = 12;
/// Levels of nesting that are shown, away from the place in focus.
const DEPTH: usize = 3;

/// A value as JSON on one line, shortened everywhere but on the way to the place in focus.
pub(super) fn show(value: &Canonical, focus: &[PathStep]) -> String {
    let mut text = String::new();
    write(&mut text, value, Some(focus), 0);
    text
}

/// A rendered value, likewise.
pub(super) fn show_bson(value: &Bson) -> String {
    show(&Canonical::from(value), &[])
}

/// A path as people write it: `lines[2].qty`, elements counted from 1.
pub(super) fn show_path(path: &[PathStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Key(key) if text.is_empty() => text.push_str(key),
            PathStep::Key(key) => {
                text.push('.');
                text.push_str(key);
            }
            PathStep::Index(index) => text.push_str(&format!("[{}]", index + 1)),
        }
    }
    text
}

fn write(text: &mut String, value: &Canonical, focus: Option<&[PathStep]>, depth: usize) {
    match value {
        Canonical::Null => text.push_str("null"),
        Canonical::Bool(flag) => text.push_str(&flag.to_string()),
        Canonical::Number(number) => text.push_str(&number.to_string()),
        Canonical::Text(string) => write_text(text, string),
        Canonical::Date(millis) => text.push_str(&date(*millis)),
        Canonical::Id(bytes) => text.push_str(&format!("ObjectId({})", ObjectId::from_bytes(*bytes))),
        Canonical::Binary(_, bytes) => text.push_str(&format!("({} bytes)", bytes.len())),
        Canonical::Other(shown) => write_text(text, shown),
        Canonical::List(elements) if elements.is_empty() => text.push_str("[]"),
        Canonical::Map(entries) if entries.is_empty() => text.push_str("{}"),
        Canonical::List(_) if depth >= DEPTH && focus.is_none_or(<[_]>::is_empty) => text.push_str("[…]"),
        Canonical::Map(_) if depth >= DEPTH && focus.is_none_or(<[_]>::is_empty) => text.push_str("{…}"),
        Canonical::List(elements) => {
            let in_focus = match focus.and_then(<[_]>::first) {
                Some(PathStep::Index(index)) => Some(*index),
                _ => None,
            };
            let shown = |(index, element)| (in_focus == Some(index), String::new(), element);
            write_members(text, ('[', ']'), ELEMENTS, elements.iter().enumerate().map(shown), focus, depth);
        }
        Canonical::Map(entries) => {
            let in_focus = match focus.and_then(<[_]>::first) {
                Some(PathStep::Key(key)) => Some(key.as_str()),
                _ => None,
            };
            let shown = entries.iter().map(|(key, value)| (in_focus == Some(key), format!("{key:?}: "), value));
            write_members(text, ('{', '}'), FIELDS, shown, focus, depth);
        }
    }
}

/// Writes the first members and the one in focus; gaps are marked.
fn write_members<'a>(
    text: &mut String,
    (open, close): (char, char),
    most: usize,
    members: impl Iterator<Item = (bool, String, &'a Canonical)>,
    focus: Option<&[PathStep]>,
    depth: usize,
) {
    text.push(open);
    let mut left_out = 0;
    for (index, (in_focus, label, value)) in members.enumerate() {
        if index >= most && !in_focus {
            left_out += 1;
            continue;
        }
        if index > 0 {
            text.push_str(", ");
        }
        if left_out > 0 {
            text.push_str(&format!("… {left_out} more, "));
            left_out = 0;
        }
        text.push_str(&label);
        write(text, value, focus.filter(|_| in_focus).map(|focus| &focus[1..]), depth + 1);
    }
    if left_out > 0 {
        text.push_str(&format!(", … {left_out} more"));
    }
    text.push(close);
}

fn write_text(text: &mut String, string: &str) {
    let length = string.chars().count();
    if length <= TEXT {
        text.push_str(&format!("{string:?}"));
    } else {
        let start: String = string.chars().take(TEXT).collect();
        text.push_str(&format!("{:?} ({length} characters)", format!("{start}…")));
    }
}

fn date(millis: i64) -> String {
    DateTime::from_millis(millis).try_to_rfc3339_string().unwrap_or_else(|_| format!("date({millis})"))
}

#[cfg(test)]
mod tests {
    use bson::bson;

    use super::*;

    #[test]
    fn long_values_are_shortened_and_the_place_in_focus_stays() {
        let value = Canonical::from(&bson!({
            "lines": [1, 2, 3, 4, 5, { "qty": 6 }, 7, 8],
            "name": "x".repeat(100),
        }));
        let shown = show(&value, &[PathStep::Key("lines".into()), PathStep::Index(5), PathStep::Key("qty".into())]);
        let name = format!("\"{}…\" (100 characters)", "x".repeat(60));
        assert_eq!(shown, format!("{{\"lines\": [1, 2, 3, … 2 more, {{\"qty\": 6}}, … 2 more], \"name\": {name}}}"));
    }

    #[test]
    fn a_deep_place_in_focus_is_shown_to_its_end() {
        let value = Canonical::from(&bson!({ "a": { "b": { "c": { "d": { "e": 1 } } } } }));
        assert_eq!(show(&value, &[]), "{\"a\": {\"b\": {\"c\": {…}}}}");
        let focus: Vec<_> = "abcde".chars().map(|key| PathStep::Key(key.to_string())).collect();
        assert_eq!(show(&value, &focus), "{\"a\": {\"b\": {\"c\": {\"d\": {\"e\": 1}}}}}");
    }

    #[test]
    fn values_of_different_types_read_differently() {
        let id = ObjectId::from_bytes([0xab; 12]);
        for (value, shown) in [
            (bson!("5"), "\"5\"".to_owned()),
            (bson!(5), "5".to_owned()),
            (bson!(DateTime::from_millis(0)), "1970-01-01T00:00:00Z".to_owned()),
            (bson!(id), format!("ObjectId({})", "ab".repeat(12))),
            (bson!([]), "[]".to_owned()),
        ] {
            assert_eq!(show_bson(&value), shown);
        }
    }

    #[test]
    fn paths_count_elements_from_one() {
        let path = [PathStep::Key("lines".into()), PathStep::Index(1), PathStep::Key("qty".into())];
        assert_eq!(show_path(&path), "lines[2].qty");
    }
}
