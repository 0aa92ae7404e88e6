//! Strings that begin with `^`.

use super::{Compiler, Spot};
use crate::source::Span;
use crate::source::nearest;
use crate::value::catalogue::{Argument, Group, generator_doc, generator_docs};
use crate::value::expression::{Call, Expression, Reference, Root};
use crate::value::operator::Operator;
use crate::value::path::Path;

impl Compiler<'_> {
    /// Compiles `name.path` (the text behind the `^`).
    pub(super) fn reference(&mut self, text: &str, span: Span, spot: Spot) -> Option<Expression> {
        let (name, path) = text.split_once('.').map_or((text, None), |(name, path)| (name, Some(path)));
        if !is_name(name) {
            let help = "a reference reads `^name` or `^name.field`; text that begins with `^`, such as a regular expression, is written `^^…`";
            self.problem(span, format!("`^{text}` is no reference"), Some(help.to_owned()));
            return None;
        }
        let path = path.map_or(Some(Path::default()), |path| self.path(name, path, span))?;
        let root = match generator_doc(name) {
            Some(doc) if doc.group == Group::Reference => self.fixed_root(name, span, spot)?,
            Some(_) => return self.bare_generator(name, &path, span, spot),
            None => self.named_root(name, span)?,
        };
        Some(Expression::Reference(Reference { root, path }))
    }

    fn path(&mut self, name: &str, path: &str, span: Span) -> Option<Path> {
        let wrong = path.split('.').find(|key| key.is_empty() || key.bytes().all(|byte| byte.is_ascii_digit()));
        match wrong {
            None => Some(Path::parse(path)),
            Some("") => {
                self.problem(span, format!("the path in `^{name}.{path}` has an empty part"), None);
                None
            }
            Some(number) => {
                let help = format!(
                    "an element of a list is taken by {{^at: [^{name}, {number}]}}; a path goes through all elements"
                );
                self.problem(span, format!("`{number}` in `^{name}.{path}` is no field name"), Some(help));
                None
            }
        }
    }

    fn fixed_root(&mut self, name: &str, span: Span, spot: Spot) -> Option<Root> {
        let (root, known, place) = match name {
            "index" => (Root::Index, self.scope.index, "in rows of the dataset and in arguments"),
            "position" => (Root::Position, spot.position, "in rows of `children` and within ^array, ^map and ^filter"),
            "parent" => (Root::Parent, self.scope.parent, "in rows of `children`"),
            "now" => (Root::Now, self.scope.draws, "in rows of the dataset and in arguments"),
            "it" => (Root::It, spot.it, "within ^map and ^filter and in a step's `select`"),
            _ => (Root::Each, self.scope.each, "in a step with `forEach`"),
        };
        if !known {
            self.problem(span, format!("`^{name}` is not known here"), Some(format!("it is known {place}")));
        }
        known.then_some(root)
    }

    /// A generator as a plain string: fine where it needs no options.
    fn bare_generator(&mut self, name: &str, path: &Path, span: Span, spot: Spot) -> Option<Expression> {
        let doc = generator_doc(name).expect("the caller found it");
        if !matches!(doc.form, Argument::None | Argument::AllOptional) {
            let help = format!("for example `{}`; a literal `^` is written `^^`", doc.example);
            self.problem(span, format!("`^{name}` needs something to work on"), Some(help));
            return None;
        }
        if !path.is_empty() {
            self.problem(span, format!("`^{name}` makes a plain value, which has no fields"), None);
            return None;
        }
        if !self.may_draw(doc, span) {
            return None;
        }
        let operator = Operator::named(name).expect("every generator of the catalogue has an operator");
        let arguments = vec![None; doc.options.len()].into();
        Some(Expression::Call(Box::new(Call { operator, place: spot.child(name).place, arguments })))
    }

    fn named_root(&mut self, name: &str, span: Span) -> Option<Root> {
        if let Some(slot) = self.scope.names.iter().position(|known| known == name) {
            return Some(Root::Slot(slot));
        }
        if self.scope.parameters.iter().any(|known| known == name) {
            return Some(Root::Parameter(name.into()));
        }
        let help = self.known_names(name);
        self.problem(span, format!("`^{name}` is not known here"), Some(help));
        None
    }

    fn known_names(&self, name: &str) -> String {
        let named = || self.scope.names.iter().chain(&self.scope.parameters).map(String::as_str);
        let bare = generator_docs().filter(|doc| matches!(doc.form, Argument::None | Argument::AllOptional));
        let literal = "a literal `^`, as in a regular expression, is written `^^`";
        match nearest(name, named().chain(bare.map(|doc| doc.name))) {
            Some(near) => format!("did you mean `^{near}`? ({literal})"),
            None if named().next().is_none() => format!("no arguments or parameters are known here; {literal}"),
            None => format!("known are {}; {literal}", listed(named())),
        }
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`^{name}`")).collect::<Vec<_>>().join(", ")
}

/// Letters, digits, `_` and `-`, not beginning with a digit or `-`.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
