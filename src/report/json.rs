//! Documents and steps as people write them: short ones on one line, long ones spread out.

use serde_json::Value;

/// The value over as few lines as stay readable: objects and arrays that fit into `width` columns stay on one line.
pub(super) fn pretty(value: &Value, width: usize) -> String {
    let mut out = String::new();
    write(&mut out, value, width, 0, 0);
    out
}

/// `indent` columns lead a line inside; `used` columns of the present line are taken already.
fn write(out: &mut String, value: &Value, width: usize, indent: usize, used: usize) {
    let short = inline(value);
    let nested = match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    };
    if !nested || used + short.chars().count() <= width {
        out.push_str(&short);
        return;
    }
    let inside = indent + 2;
    match value {
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                start(out, place, inside);
                write(out, item, width, inside, inside);
            }
            end(out, indent, ']');
        }
        Value::Object(fields) if fields.len() == 1 => {
            // A stage or operator: its name stays beside what it holds.
            for (key, field) in fields {
                let before = format!("{{ {}: ", key_text(key));
                out.push_str(&before);
                write(out, field, width, indent, used + before.chars().count());
                out.push_str(" }");
            }
        }
        Value::Object(fields) => {
            out.push('{');
            for (place, (key, field)) in fields.iter().enumerate() {
                start(out, place, inside);
                let name = format!("{}: ", key_text(key));
                out.push_str(&name);
                write(out, field, width, inside, inside + name.chars().count());
            }
            end(out, indent, '}');
        }
        scalar => out.push_str(&inline(scalar)),
    }
}

fn start(out: &mut String, place: usize, indent: usize) {
    out.push_str(if place == 0 { "\n" } else { ",\n" });
    out.extend(std::iter::repeat_n(' ', indent));
}

fn end(out: &mut String, indent: usize, bracket: char) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push(bracket);
}

fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(key, field)| format!("{}: {}", key_text(key), inline(field))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// A key as the shell takes it: quoted only where it must be.
fn key_text(key: &str) -> String {
    let plain = !key.is_empty()
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    if plain { key.to_owned() } else { Value::from(key).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_documents_stay_on_one_line() {
        assert_eq!(pretty(&json!({"_id": 1, "a.b": [1, 2]}), 76), r#"{ _id: 1, "a.b": [1, 2] }"#);
        assert_eq!(pretty(&json!({}), 76), "{}");
    }

    #[test]
    fn long_ones_are_spread_with_short_parts_kept_together() {
        let long = "x".repeat(70);
        let text = pretty(&json!({"name": long, "price": {"amount": 3}}), 76);
        assert_eq!(text, format!("{{\n  name: \"{long}\",\n  price: {{ amount: 3 }}\n}}"));
    }

    #[test]
    fn a_stage_keeps_its_name_beside_what_it_holds() {
        let text = pretty(&json!([{"$set": {"name": "amber lamp stand", "price": 3}}]), 24);
        assert_eq!(text, "[\n  { $set: {\n    name: \"amber lamp stand\",\n    price: 3\n  } }\n]");
    }

    #[test]
    fn deep_nesting_is_shown_as_it_is() {
        let mut value = json!(1);
        for _ in 0..100 {
            value = json!([value]);
        }
        assert!(pretty(&value, 76).ends_with(']'));
    }
}
