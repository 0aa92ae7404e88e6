//! A strict reader of markup: every element closed in order, every attribute quoted, every `<` and `&` meant.

use std::collections::BTreeMap;

/// An opening tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
    /// Text right after the tag, up to the next one, entities as they stand.
    pub(crate) text: String,
    /// Names of the elements around it, the outermost first.
    pub(crate) inside: Vec<String>,
}

/// Elements that HTML never closes.
const VOID: [&str; 6] = ["meta", "link", "br", "hr", "col", "wbr"];

/// Elements whose content is no markup.
const RAW: [&str; 1] = ["style"];

/// What a document of XML may begin with.
const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Every element of a document in order.
///
/// # Panics
/// Where the document is not well-formed, with the place.
pub(crate) fn elements(document: &str) -> Vec<Element> {
    let mut found: Vec<Element> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = document.strip_prefix(XML).unwrap_or(document);
    loop {
        let until = rest.find('<').unwrap_or(rest.len());
        let (text, tail) = rest.split_at(until);
        check_entities(text);
        if let Some(last) = found.last_mut().filter(|last| last.text.is_empty()) {
            last.text = text.to_owned();
        }
        if tail.is_empty() {
            break;
        }
        if let Some(doctype) = tail.strip_prefix("<!DOCTYPE html>") {
            assert!(found.is_empty(), "a doctype stands at the beginning");
            rest = doctype;
            continue;
        }
        let end = tail.find('>').unwrap_or_else(|| panic!("no end of tag: {}", near(tail)));
        let tag = &tail[1..end];
        rest = &tail[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            assert_eq!(last.as_deref(), Some(name), "closed out of order: {}", near(tail));
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let element = parsed(tag, open.clone());
        if RAW.contains(&element.name.as_str()) {
            let close = format!("</{}>", element.name);
            let until = rest.find(&close).unwrap_or_else(|| panic!("no {close}"));
            rest = &rest[until + close.len()..];
        } else if !closed && !VOID.contains(&element.name.as_str()) {
            open.push(element.name.clone());
        }
        found.push(element);
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    found
}

fn parsed(tag: &str, inside: Vec<String>) -> Element {
    let name_end = tag.find(char::is_whitespace).unwrap_or(tag.len());
    let (name, mut rest) = tag.split_at(name_end);
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    assert!(name.starts_with(char::is_alphabetic) && name.chars().all(fits), "no name of an element: {name:?}");
    let mut attributes = BTreeMap::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let name_end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, tail) = rest.split_at(name_end);
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric() || "-:".contains(c)),
            "no name of an attribute: {name:?}"
        );
        let value;
        (value, rest) = match tail.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').unwrap_or_else(|| panic!("no closing quote: {}", near(tail))),
            None => ("", tail),
        };
        check_entities(value);
        assert!(!value.contains('<'), "`<` in an attribute");
        assert!(attributes.insert(name.to_owned(), value.to_owned()).is_none(), "attribute {name} twice in {tag}");
    }
    Element { name: name.to_owned(), attributes, text: String::new(), inside }
}

fn check_entities(text: &str) {
    for part in text.split('&').skip(1) {
        let entity = part.split(';').next().unwrap_or_default();
        assert!(
            part.contains(';') && ["lt", "gt", "amp", "quot", "apos"].contains(&entity),
            "`&` that begins no entity: {}",
            near(part)
        );
    }
    let odd = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert_eq!(odd, None, "a control character");
}

fn near(text: &str) -> String {
    text.chars().take(60).collect()
}
