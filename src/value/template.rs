//! A compiled value: constant BSON with places to fill in.

use std::collections::BTreeSet;
use std::path::Path;

use bson::raw::RawDocumentBuf;
use bson::{Bson, Document};

use super::compile::compile;
use super::encode::encode_document;
use super::error::RenderError;
use super::evaluate::check_size;
use super::expression::{Expression, Part, Reference, Root};
use super::frame::{Frame, budget};
use super::number::describe;
use super::operator::{DateForm, Operator, date_option};
use super::path::Path as ValuePath;
use super::scope::{Context, Parameters, Scope};
use super::world::World;
use crate::source::{Arena, NodeId, Problems};

/// A compiled value: constant BSON with places to fill in.
#[derive(Debug, Clone)]
pub struct Template {
    expression: Expression,
    /// The bytes, where the value is a constant document.
    bytes: Option<Vec<u8>>,
}

impl Template {
    /// Compiles a node. Problems (unknown names with the nearest known one, a `^` key among several, unknown generators,
    /// wrong options …) are recorded, and `None` says that there were some.
    pub fn compile(arena: &Arena, node: NodeId, scope: &Scope, problems: &mut Problems) -> Option<Self> {
        compile(arena, node, scope, problems).map(Self::of)
    }

    /// A template that always renders this value.
    pub fn constant(value: Bson) -> Self {
        Self::of(Expression::Constant(value))
    }

    /// A template that renders the element of `forEach`.
    pub(crate) fn each() -> Self {
        Self::of(Expression::Reference(Reference { root: Root::Each, path: ValuePath::default() }))
    }

    fn of(expression: Expression) -> Self {
        let bytes = expression.constant_document();
        Self { expression, bytes }
    }

    pub(crate) fn expression(&self) -> &Expression {
        &self.expression
    }

    /// The value, if nothing has to be filled in.
    pub fn as_constant(&self) -> Option<&Bson> {
        self.expression.constant()
    }

    /// The same with parameters filled in; what becomes constant is calculated and encoded now.
    ///
    /// # Errors
    /// When a parameter has no value, or a function of parameters fails.
    pub fn with_parameters(&self, parameters: &Parameters) -> Result<Self, RenderError> {
        fill(&self.expression, parameters, true).map(Self::of)
    }

    /// Renders to a BSON value (filters, pipelines, updates, conditions).
    ///
    /// # Errors
    /// When a value has the wrong type, a number does not fit, or the value grows beyond all bounds.
    pub fn value(&self, context: &Context<'_>) -> Result<Bson, RenderError> {
        let budget = budget();
        Ok(self.expression.evaluate(&Frame::of_context(context, &budget))?.into_owned())
    }

    /// Renders to raw bytes by splicing (documents to be stored).
    ///
    /// # Errors
    /// As [`value`](Self::value), and when the value is no document, or one of more than 16 MiB.
    pub fn document(&self, context: &Context<'_>) -> Result<RawDocumentBuf, RenderError> {
        let mut bytes = Vec::with_capacity(256);
        self.write_document(context, &mut bytes)?;
        Ok(raw(bytes))
    }

    /// Renders into a buffer, whose content is replaced (on error by a part of the document).
    ///
    /// # Errors
    /// As [`document`](Self::document).
    pub fn write_document(&self, context: &Context<'_>, out: &mut Vec<u8>) -> Result<(), RenderError> {
        out.clear();
        if let Some(bytes) = &self.bytes {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        let budget = budget();
        write_document(&self.expression, &Frame::of_context(context, &budget), out)
    }

    /// Renders a list of documents to be stored.
    ///
    /// # Errors
    /// As [`document`](Self::document), and when the value is no list.
    pub fn documents(&self, context: &Context<'_>) -> Result<Vec<RawDocumentBuf>, RenderError> {
        match self.value(context)? {
            Bson::Array(list) => list.iter().map(document_of).collect(),
            other => Err(RenderError::new(format!("a list of documents was expected, {} found", describe(&other)))),
        }
    }

    /// Whether its value goes on with the number of the row or operation, as a clock does: it refers to `^index` or `^now`,
    /// or counts off dates. What is drawn, an identity too, is not meant.
    pub fn follows_number(&self) -> bool {
        let mut follows = false;
        self.expression.visit(&mut |expression| {
            follows |= match expression {
                Expression::Reference(reference) => matches!(reference.root, Root::Index | Root::Now),
                Expression::Call(call) => match call.operator {
                    Operator::Date(DateForm::NearNow) => true,
                    Operator::Date(DateForm::Series) => call.arguments[date_option::BY].is_none(),
                    _ => false,
                },
                _ => false,
            };
        });
        follows
    }

    /// The name of its first field, where it is written as a document.
    pub fn first_key(&self) -> Option<&str> {
        match &self.expression {
            Expression::Constant(Bson::Document(document)) => document.keys().next().map(String::as_str),
            Expression::Document(fields) => match fields.parts.first()? {
                Part::Constant { fields, .. } => fields.first().map(|(key, _)| key.as_str()),
                Part::Field { key, .. } => Some(key),
            },
            _ => None,
        }
    }

    /// The slots of the names (arguments and bindings) that are referred to, in order.
    pub fn slots(&self) -> Vec<usize> {
        let mut slots = BTreeSet::new();
        self.expression.visit(&mut |expression| {
            if let Expression::Reference(reference) = expression
                && let Root::Slot(slot) = reference.root
            {
                slots.insert(slot);
            }
        });
        slots.into_iter().collect()
    }
}

/// Writes an expression's document into an empty buffer.
pub(crate) fn write_document(expression: &Expression, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), RenderError> {
    match expression {
        Expression::Document(fields) => fields.write(frame, out)?,
        other => match &*other.evaluate(frame)? {
            Bson::Document(document) => encode_document(document, out),
            other => return Err(RenderError::new(format!("a document was expected, {} found", describe(other)))),
        },
    }
    check_size(out)
}

fn document_of(value: &Bson) -> Result<RawDocumentBuf, RenderError> {
    let Bson::Document(document) = value else {
        return Err(RenderError::new(format!("a list of documents was expected, {} found in it", describe(value))));
    };
    encoded(document)
}

/// A document's bytes, checked for size.
pub(crate) fn encoded(document: &Document) -> Result<RawDocumentBuf, RenderError> {
    let mut bytes = Vec::new();
    encode_document(document, &mut bytes);
    check_size(&bytes)?;
    Ok(raw(bytes))
}

pub(crate) fn raw(bytes: Vec<u8>) -> RawDocumentBuf {
    RawDocumentBuf::from_bytes(bytes).expect("rendering writes the length and the terminator")
}

/// The value of an expression in which nothing has to be filled in.
pub(crate) fn evaluate_constant(expression: &Expression) -> Result<Bson, RenderError> {
    let world = World::new(0, Parameters::new(), Vec::new(), Path::new("")).expect("no sets, no errors");
    let budget = budget();
    Ok(expression.evaluate(&Frame::bare(&world, &budget))?.into_owned())
}

/// Fills in parameters. A function of them that fails is an error where it would be reached for certain (`strict`), and
/// is left as it is in a branch that may never be taken.
fn fill(expression: &Expression, parameters: &Parameters, strict: bool) -> Result<Expression, RenderError> {
    if let Expression::Reference(reference) = expression {
        let Root::Parameter(name) = &reference.root else { return Ok(expression.clone()) };
        let value = parameters.get(&**name);
        let value = value.ok_or_else(|| RenderError::new(format!("the parameter `{name}` has no value")))?;
        return Ok(Expression::Constant(reference.path.as_ref().follow(value).into_owned()));
    }
    let lazy = matches!(expression, Expression::Call(call) if call.operator.is_lazy());
    let filled = expression.try_map_children(&mut |child| fill(child, parameters, strict && !lazy))?;
    let Expression::Call(call) = &filled else { return Ok(filled) };
    if !call.operator.is_function() || call.arguments.iter().flatten().any(|value| value.constant().is_none()) {
        return Ok(filled);
    }
    match evaluate_constant(&filled) {
        Ok(value) => Ok(Expression::Constant(value)),
        Err(_) if !strict => Ok(filled),
        Err(error) => Err(error),
    }
}
