//! The options of generators and functions: closed lists, types checked where a value is constant.

use bson::Bson;

use super::call::Arguments;
use super::{Compiler, Spot};
use crate::source::nearest;
use crate::source::{Entry, NodeId, NodeKind, Span};
use crate::value::catalogue::{GeneratorDoc, OptionDoc, OptionKind};
use crate::value::date::{as_date, as_duration};
use crate::value::expression::Expression;
use crate::value::number::{as_double, as_whole, date, describe, whole};

impl Compiler<'_> {
    /// Reads a map of options, in the order of the catalogue.
    pub(super) fn options(&mut self, doc: &'static GeneratorDoc, entry: &Entry, spot: Spot) -> Option<Arguments> {
        let NodeKind::Map(given) = self.arena.kind(entry.value) else {
            let message = format!("`^{}` takes a map of options", doc.name);
            self.problem(self.arena.span(entry.value), message, Some(format!("for example `{}`", doc.example)));
            return None;
        };
        let mut arguments: Arguments = vec![None; doc.options.len()];
        let mut sound = true;
        for option in given {
            match doc.options.iter().position(|known| known.name == option.key) {
                Some(place) => {
                    let value = self.option(doc, &doc.options[place], option.value, spot.child(&option.key));
                    sound &= value.is_some();
                    arguments[place] = value.map(|value| (value, self.arena.span(option.value)));
                }
                None => {
                    sound = false;
                    self.unknown_option(doc, option);
                }
            }
        }
        for (option, argument) in doc.options.iter().zip(&arguments) {
            if option.required && argument.is_none() && !given.iter().any(|given| given.key == option.name) {
                sound = false;
                let message = format!("`^{}` lacks `{}`", doc.name, option.name);
                let help = format!("`{}` is {}; for example `{}`", option.name, option.kind.describe(), doc.example);
                self.problem(entry.key_span, message, Some(help));
            }
        }
        sound.then_some(arguments)
    }

    /// The short form: one value, which is the first option.
    pub(super) fn first_option(&mut self, doc: &'static GeneratorDoc, entry: &Entry, spot: Spot) -> Option<Arguments> {
        let mut arguments: Arguments = vec![None; doc.options.len()];
        let first = doc.options.first().expect("what has a short form has options");
        let value = self.option(doc, first, entry.value, spot.child(first.name))?;
        arguments[0] = Some((value, self.arena.span(entry.value)));
        Some(arguments)
    }

    fn unknown_option(&mut self, doc: &GeneratorDoc, option: &Entry) {
        // `{min:1}` was reported as a missing space already.
        if option.key.contains(':') && matches!(self.arena.kind(option.value), NodeKind::Null) {
            return;
        }
        let names = || doc.options.iter().map(|option| option.name);
        let help = match nearest(&option.key, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its options are {}", names().collect::<Vec<_>>().join(", ")),
        };
        self.problem(option.key_span, format!("`^{}` has no option `{}`", doc.name, option.key), Some(help));
    }

    fn option(&mut self, doc: &GeneratorDoc, option: &OptionDoc, node: NodeId, spot: Spot) -> Option<Expression> {
        match option.kind {
            OptionKind::Set => self.set_name(node),
            OptionKind::Word(words) => self.plain(doc, option, node, |text| words.contains(&text)),
            OptionKind::Name => self.plain(doc, option, node, |text| !text.is_empty() && !text.starts_with('^')),
            OptionKind::Body => {
                let it = spot.it || matches!(doc.name, "map" | "filter");
                self.value(node, Spot { it, position: true, ..spot })
            }
            kind => {
                let value = self.value(node, spot)?;
                self.typed(doc, option, kind, value, self.arena.span(node))
            }
        }
    }

    fn set_name(&mut self, node: NodeId) -> Option<Expression> {
        let span = self.arena.span(node);
        let sets = || self.scope.sets.iter().map(String::as_str);
        let NodeKind::Str(name) = self.arena.kind(node) else {
            let message = format!("the name of a set was expected, {} found", self.arena.kind(node).describe());
            self.problem(span, message, Some("for example `{^key: products}`".to_owned()));
            return None;
        };
        if sets().any(|set| set == name) {
            return Some(Expression::Constant(Bson::from(name.as_str())));
        }
        let help = match nearest(name, sets()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.scope.sets.is_empty() => {
                "no set stands before this one; a row refers to sets that stand before its own".to_owned()
            }
            None => format!("there are {}", sets().collect::<Vec<_>>().join(", ")),
        };
        self.problem(span, format!("the dataset has no set `{name}`"), Some(help));
        None
    }

    fn plain(
        &mut self,
        doc: &GeneratorDoc,
        option: &OptionDoc,
        node: NodeId,
        fits: impl Fn(&str) -> bool,
    ) -> Option<Expression> {
        if let NodeKind::Str(text) = self.arena.kind(node)
            && fits(text)
        {
            return Some(Expression::Constant(Bson::from(text.as_str())));
        }
        self.wrong_option(doc, option, self.arena.kind(node).describe().to_owned(), self.arena.span(node));
        None
    }

    fn wrong_option(&mut self, doc: &GeneratorDoc, option: &OptionDoc, found: String, span: Span) {
        let message = format!("`{}` of `^{}` must be {}, not {found}", option.name, doc.name, option.kind.describe());
        self.problem(span, message, Some(format!("for example `{}`", doc.example)));
    }

    /// Checks a constant, and brings dates and durations into their final form. What is not constant is checked when
    /// it is rendered.
    fn typed(
        &mut self,
        doc: &GeneratorDoc,
        option: &OptionDoc,
        kind: OptionKind,
        value: Expression,
        span: Span,
    ) -> Option<Expression> {
        let Some(constant) = value.constant() else {
            let written = matches!(
                (&value, kind),
                (Expression::List(_), OptionKind::List) | (Expression::Document(_), OptionKind::Map)
            );
            let container = matches!(value, Expression::List(_) | Expression::Document(_));
            if container && !written && !matches!(kind, OptionKind::Any) {
                let found = if matches!(value, Expression::List(_)) { "a list" } else { "a map" };
                self.wrong_option(doc, option, found.to_owned(), span);
                return None;
            }
            return Some(value);
        };
        let fits = match kind {
            OptionKind::Whole => as_whole(constant).is_some(),
            OptionKind::Count => as_whole(constant).is_some_and(|number| number >= 0),
            OptionKind::Number => as_double(constant).is_some(),
            OptionKind::Share => as_double(constant).is_some_and(|share| (0.0..=1.0).contains(&share)),
            OptionKind::Truth => matches!(constant, Bson::Boolean(_)),
            OptionKind::Text => matches!(constant, Bson::String(_)),
            OptionKind::List => matches!(constant, Bson::Array(_)),
            OptionKind::Map => matches!(constant, Bson::Document(_)),
            OptionKind::Date => as_date(constant).is_some(),
            OptionKind::Duration => as_duration(constant).is_some(),
            _ => true,
        };
        if !fits {
            let found = match constant {
                Bson::String(text) => format!("`{text}`"),
                number if as_double(number).is_some() => number.to_string(),
                other => describe(other).to_owned(),
            };
            self.wrong_option(doc, option, found, span);
            return None;
        }
        Some(match kind {
            OptionKind::Date => Expression::Constant(as_date(constant).map_or(Bson::Null, date)),
            OptionKind::Duration => Expression::Constant(as_duration(constant).map_or(Bson::Null, whole)),
            _ => value,
        })
    }
}
