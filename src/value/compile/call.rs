//! Maps whose only key begins with `^`.

use bson::Bson;

use super::{Compiler, Spot, marked};
use crate::source::nearest;
use crate::source::{Entry, NodeId, NodeKind, Span};
use crate::value::catalogue::{Argument, GeneratorDoc, Group, generator_doc, generator_docs};
use crate::value::date::parse_duration;
use crate::value::expression::{Call, Expression};
use crate::value::number::whole;
use crate::value::operator::{DateForm, Operator};
use crate::value::template::evaluate_constant;

/// The arguments of a call, and where each was written.
pub(super) type Arguments = Vec<Option<(Expression, Span)>>;

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: &str, entry: &Entry, spot: Spot) -> Option<Expression> {
        let doc = self.call_doc(name, entry)?;
        let drawn = self.may_draw(doc, entry.key_span);
        let spot = spot.child(&entry.key);
        let operator = Operator::named(name).expect("every generator and function of the catalogue has an operator");
        if let Operator::Format(_) = operator {
            return self.format(entry, doc, spot);
        }
        let arguments = self.arguments(doc, entry, spot)?;
        let operator = self.checked(operator, doc, entry, &arguments)?;
        if !drawn || !self.may_series(&operator, &arguments, entry.key_span) {
            return None;
        }
        let arguments = arguments.into_iter().map(|argument| argument.map(|(value, _)| value)).collect();
        self.folded(Call { operator, place: spot.place, arguments }, entry)
    }

    fn call_doc(&mut self, name: &str, entry: &Entry) -> Option<&'static GeneratorDoc> {
        match generator_doc(name) {
            Some(doc) if doc.form != Argument::None => Some(doc),
            Some(doc) => {
                let help = format!("for example `{}`", doc.example);
                self.problem(entry.key_span, format!("`^{name}` stands alone, as a plain string"), Some(help));
                None
            }
            None => {
                let known = self.scope.names.iter().chain(&self.scope.parameters).any(|known| known == name);
                let help = if known {
                    format!("the name is known: write it as a plain string, `^{name}`")
                } else if let Some(near) = nearest(name, callable()) {
                    format!("did you mean `^{near}`?")
                } else {
                    format!("there are {}", callable().collect::<Vec<_>>().join(", "))
                };
                self.problem(entry.key_span, format!("there is no generator or function `^{name}`"), Some(help));
                None
            }
        }
    }

    /// Whether a generator may stand here; records the problem if not.
    pub(super) fn may_draw(&mut self, doc: &GeneratorDoc, span: Span) -> bool {
        // A constant date is no draw; other forms are checked when the form is known.
        let fine = self.scope.draws || doc.group != Group::Generator || doc.name == "date";
        if !fine {
            self.no_draws(doc.name, span);
        }
        fine
    }

    fn no_draws(&mut self, name: &str, span: Span) {
        let help = "values are drawn in rows of the dataset and in arguments: give the operation an argument, and refer to that";
        self.problem(span, format!("`^{name}` cannot draw a value here"), Some(help.to_owned()));
    }

    fn may_series(&mut self, operator: &Operator, arguments: &Arguments, span: Span) -> bool {
        let Operator::Date(form) = operator else { return true };
        let counted = arguments.get(crate::value::operator::date_option::BY).is_some_and(Option::is_some);
        let fine = match form {
            DateForm::Value => true,
            DateForm::Series if counted => true,
            DateForm::Series => self.scope.index,
            DateForm::Between | DateForm::NearNow => self.scope.draws,
        };
        if !fine {
            self.no_draws("date", span);
        }
        fine
    }

    fn arguments(&mut self, doc: &'static GeneratorDoc, entry: &Entry, spot: Spot) -> Option<Arguments> {
        match doc.form {
            Argument::None => Some(Vec::new()),
            Argument::Options => self.options(doc, entry, spot),
            Argument::OptionsOrFirst | Argument::AllOptional => {
                if self.is_options(entry.value) {
                    self.options(doc, entry, spot)
                } else {
                    self.first_option(doc, entry, spot)
                }
            }
            Argument::One => self.positional(doc, &[entry.value], spot),
            Argument::Values => match self.arena.kind(entry.value) {
                NodeKind::Seq(elements) => self.positional(doc, elements, spot),
                _ => self.positional(doc, &[entry.value], spot),
            },
            Argument::List(least, most) => match self.arena.kind(entry.value) {
                NodeKind::Seq(elements) if (least..=most).contains(&elements.len()) => {
                    self.positional(doc, elements, spot)
                }
                _ => {
                    let how_many = match (least, most) {
                        (least, most) if least == most => format!("{least} values"),
                        (least, _) => format!("at least {least} {}", if least == 1 { "value" } else { "values" }),
                    };
                    let help = format!("for example `{}`", doc.example);
                    let span = self.arena.span(entry.value);
                    self.problem(span, format!("`^{}` takes a list of {how_many}", doc.name), Some(help));
                    None
                }
            },
        }
    }

    /// A map of options, rather than a value that is a map.
    fn is_options(&self, node: NodeId) -> bool {
        let NodeKind::Map(entries) = self.arena.kind(node) else { return false };
        !matches!(&entries[..], [only] if marked(&only.key).is_some() || only.key.starts_with('$'))
    }

    fn positional(&mut self, doc: &GeneratorDoc, nodes: &[NodeId], spot: Spot) -> Option<Arguments> {
        let values: Vec<_> = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                let value = self.value(*node, spot.element(index))?;
                let span = self.arena.span(*node);
                self.quantity(doc, value, span).map(|value| Some((value, span)))
            })
            .collect();
        values.into_iter().collect()
    }

    /// Durations in arithmetic become milliseconds; other constant texts have no business there.
    fn quantity(&mut self, doc: &GeneratorDoc, value: Expression, span: Span) -> Option<Expression> {
        let arithmetic = matches!(doc.name, "add" | "sub" | "mul" | "div" | "mod");
        match value.constant() {
            Some(Bson::String(text)) if arithmetic => match parse_duration(text) {
                Some(millis) => Some(Expression::Constant(whole(millis))),
                None => {
                    let help = "a duration reads 100ms, 10s, 5m, 1h or 30d; a date is written {^date: 2025-01-31}";
                    self.problem(span, format!("`{text}` is neither a number nor a duration"), Some(help.to_owned()));
                    None
                }
            },
            _ => Some(value),
        }
    }

    /// Functions of constants are calculated at once.
    pub(super) fn folded(&mut self, call: Call, entry: &Entry) -> Option<Expression> {
        let constant = call.arguments.iter().flatten().all(|argument| argument.constant().is_some());
        let function = call.operator.is_function();
        let call = Expression::Call(Box::new(call));
        if !constant || !function {
            return Some(call);
        }
        match evaluate_constant(&call) {
            Ok(value) => Some(Expression::Constant(value)),
            Err(error) => {
                self.problem(entry.key_span, error.message, None);
                None
            }
        }
    }
}

/// What a map can call.
fn callable() -> impl Iterator<Item = &'static str> {
    generator_docs().filter(|doc| doc.form != Argument::None).map(|doc| doc.name)
}
