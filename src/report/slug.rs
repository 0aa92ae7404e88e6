//! Names of others as parts of file names and tags.

use std::collections::{BTreeMap, BTreeSet};

/// Longest part of a name, in characters: five of them still make the name of a file.
const LONGEST: usize = 40;

/// The text with letters, digits, `_` and `-` of ASCII alone, shortened; anything else becomes `-`.
pub(super) fn slug(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        if plain.len() == LONGEST {
            break;
        }
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => plain.push(c),
            _ if !plain.ends_with('-') => plain.push('-'),
            _ => {}
        }
    }
    let plain = plain.trim_matches('-');
    if plain.is_empty() { "x".to_owned() } else { plain.to_owned() }
}

/// Gives each thing a name of its own, whatever becomes of its parts.
#[derive(Debug, Default)]
pub(super) struct Slugs {
    /// In lower case: some file systems do not tell case apart.
    taken: BTreeSet<String>,
    given: BTreeMap<Vec<String>, String>,
}

impl Slugs {
    /// The slugs of the parts with a character between them; a name that other parts have already gets a number. The
    /// same parts get the same name again.
    pub(super) fn name(&mut self, parts: &[&str], between: char) -> String {
        let key: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        if let Some(known) = self.given.get(&key) {
            return known.clone();
        }
        let joined = parts.iter().map(|part| slug(part)).collect::<Vec<_>>().join(&between.to_string());
        let numbered = (2_u64..).map(|number| format!("{joined}-{number}"));
        let mut names = std::iter::once(joined.clone()).chain(numbered);
        let free =
            names.find(|name| !self.taken.contains(&name.to_ascii_lowercase())).unwrap_or_else(|| joined.clone());
        self.taken.insert(free.to_ascii_lowercase());
        self.given.insert(key, free.clone());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_harmless_and_keep_what_tells_them_apart() {
        assert_eq!(slug("list_page"), "list_page");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("=HYPERLINK(\"x\"), now"), "HYPERLINK-x-now");
        assert_eq!(slug("\u{202E}日本語"), "x");
        assert_eq!(slug(&"n".repeat(10_000)).len(), LONGEST);
    }

    #[test]
    fn different_things_have_different_names_and_the_same_one_keeps_its_own() {
        let mut slugs = Slugs::default();
        assert_eq!(slugs.name(&["a b", "read"], '.'), "a-b.read");
        assert_eq!(slugs.name(&["a-b", "read"], '.'), "a-b.read-2");
        assert_eq!(slugs.name(&["A-B", "read"], '.'), "A-B.read-3");
        assert_eq!(slugs.name(&["a b", "read"], '.'), "a-b.read");
    }
}
