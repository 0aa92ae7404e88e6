//! Which names are legal.

use super::checker::Checker;
use crate::scenario::partition::LONGEST_COLLECTION_NAME;
use crate::source::{Problem, Span};
use crate::value::is_reserved;

/// The longest name of a database that MongoDB takes.
const LONGEST_DATABASE_NAME: usize = 63;
/// The longest suffix of a database of ours.
const LONGEST_SUFFIX: usize = "_control".len();
/// The name of the database that holds the facts.
const SOURCE: &str = "source";

/// Whether a scenario or model can have this name.
fn is_slug(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Whether templates can refer to this name.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

impl Checker<'_> {
    /// Checks the name of the scenario, which is its file's.
    pub(super) fn scenario_name(&mut self, name: &str) {
        if !is_slug(name) {
            self.report(
                Problem::new(Span::default(), format!("the file's name, `{name}`, cannot name a scenario"))
                    .help("name it with small letters, digits and hyphens, such as `product-list-page.yaml`"),
            );
        }
    }

    /// Checks the name of a model.
    pub(super) fn model_name(&mut self, place: Span, name: &str, scenario: &str) {
        let longest = format!("patternbench_{scenario}_{name}").len() + LONGEST_SUFFIX;
        if !is_slug(name) {
            self.report(
                Problem::new(place, format!("`{name}` cannot name a model"))
                    .help("use small letters, digits and hyphens: the name becomes part of a database's"),
            );
        } else if name == SOURCE {
            self.report(
                Problem::new(place, format!("`{SOURCE}` is no name for a model: the database of the facts has it"))
                    .help("name the model for its layout, such as `embedded`"),
            );
        } else if longest > LONGEST_DATABASE_NAME {
            let over = longest - LONGEST_DATABASE_NAME;
            self.report(
                Problem::new(place, format!("`{name}` makes the database's name {over} characters too long"))
                    .help("shorten the model's name or the file's"),
            );
        }
    }

    /// Checks the name of an operation.
    pub(super) fn operation_name(&mut self, place: Span, name: &str) {
        if name == "all" {
            self.report(
                Problem::new(place, "`all` is no name for an operation: it means the whole mix")
                    .help("name the operation for what the application does, such as `list_page`"),
            );
        } else if !is_identifier(name) {
            self.report(
                Problem::new(place, format!("`{name}` cannot name an operation"))
                    .help("use letters, digits and `_`, such as `list_page`"),
            );
        }
    }

    /// Checks the name of a set or a collection.
    pub(super) fn collection_name(&mut self, place: Span, name: &str) {
        let fault = if name.is_empty() {
            Some("is empty")
        } else if name.len() > LONGEST_COLLECTION_NAME {
            Some("is too long")
        } else if name.starts_with("system.") {
            Some("begins with `system.`, which the server keeps for itself")
        } else if name.starts_with('_') {
            Some("begins with `_`, which patternbench keeps for itself")
        } else if name.contains(['$', '\0']) || name.starts_with('.') || name.ends_with('.') {
            Some("holds a character that MongoDB refuses there")
        } else if name.starts_with('^') {
            Some("begins with `^`, which marks references")
        } else {
            None
        };
        if let Some(fault) = fault {
            self.report(
                Problem::new(place, format!("the collection name `{name}` {fault}"))
                    .help("use letters, digits and `_`, such as `order_lines`"),
            );
        }
    }

    /// Checks the name of a parameter, argument or binding, which templates refer to as `^name`. `taken` are the names
    /// that already mean something where it stands.
    pub(super) fn reference_name<'n>(
        &mut self,
        place: Span,
        what: &str,
        name: &str,
        taken: impl IntoIterator<Item = &'n str>,
    ) {
        if !is_identifier(name) {
            self.report(
                Problem::new(place, format!("`{name}` cannot name {what}"))
                    .help("use letters, digits and `_`, beginning with a letter"),
            );
        } else if is_reserved(name) {
            self.report(
                Problem::new(
                    place,
                    format!("`{name}` cannot name {what}: `^{name}` is a generator, function or reference"),
                )
                .help("choose another name"),
            );
        } else if taken.into_iter().any(|other| other == name) {
            self.report(
                Problem::new(
                    place,
                    format!("`{name}` is taken: one name is only one of parameter, argument and binding"),
                )
                .help("choose another name, so that a reader knows what it refers to"),
            );
        }
    }
}
