//! Templates of a step filled in: once with parameters, then for each operation with arguments and bindings.

use bson::{Bson, Document, RawDocumentBuf};

use super::identity::Place;
use crate::backend::{Call, CallError, CallErrorKind, Rendered};
use crate::scenario::{CollectionRef, Compiled, MapFields, ModelPartitions, StepKind, partition_name};
use crate::value::{Context, Parameters, RenderError, Template, is_true};

/// Fills in parameters.
pub(super) struct WithParameters<'a>(pub(super) &'a Parameters);

impl MapFields<Compiled, Compiled> for WithParameters<'_> {
    type Error = RenderError;

    /// A step over every partition runs for each of their values, which `^each` then is.
    fn collection(&mut self, collection: &CollectionRef, _reads: bool) -> Result<CollectionRef, RenderError> {
        Ok(match collection {
            CollectionRef::Partition { of, value } => {
                CollectionRef::Partition { of: of.clone(), value: Box::new(value.with_parameters(self.0)?) }
            }
            CollectionRef::EachPartition { of } => {
                CollectionRef::Partition { of: of.clone(), value: Box::new(Template::each()) }
            }
            other => other.clone(),
        })
    }

    fn value(&mut self, value: &Template) -> Result<Template, RenderError> {
        value.with_parameters(self.0)
    }

    fn document(&mut self, document: &Template) -> Result<Template, RenderError> {
        document.with_parameters(self.0)
    }

    fn documents(&mut self, documents: &Template) -> Result<Template, RenderError> {
        documents.with_parameters(self.0)
    }
}

/// A step's call, rendered; documents that it inserts get their identity by their place.
pub(super) fn render(
    kind: &StepKind<Compiled>,
    context: &Context<'_>,
    place: Place,
    partitions: &ModelPartitions,
) -> Result<Call, CallError> {
    // A replacement keeps the identity of what it replaces and must bring none of its own.
    let inserts = matches!(kind, StepKind::InsertOne(_) | StepKind::InsertMany(_));
    let mut call = kind.map(&mut Rendering { context, place: inserts.then_some(place), partitions })?;
    if let StepKind::BulkWrite(step) = &mut call {
        identify_inserts(&mut step.models, place);
    }
    Ok(call)
}

/// Gives the documents that a bulk write inserts their identities.
fn identify_inserts(models: &mut Bson, place: Place) {
    let models = models.as_array_mut().into_iter().flatten().filter_map(Bson::as_document_mut);
    for (position, model) in models.enumerate() {
        let insert = model.get_document_mut("insertOne").ok();
        let Some(document) = insert.and_then(|insert| insert.get_document_mut("document").ok()) else { continue };
        if !document.contains_key("_id") {
            let mut identified = Document::from_iter([("_id".to_owned(), Bson::ObjectId(place.identity(position)))]);
            identified.extend(std::mem::take(document));
            *document = identified;
        }
    }
}

struct Rendering<'a> {
    context: &'a Context<'a>,
    place: Option<Place>,
    partitions: &'a ModelPartitions,
}

/// The partition that a value belongs to. Where there is none, a read finds nothing, as in any collection that does not
/// exist; a write would make a collection that the scenario does not have, and is refused.
fn partition(partitions: &ModelPartitions, of: &str, value: &Bson, reads: bool) -> Result<CollectionRef, CallError> {
    let name = match partitions.of(of).and_then(|partitions| partitions.name_of(value)) {
        Some(name) => name.to_owned(),
        None if reads => partition_name(of, value).map_err(unrendered)?,
        None => {
            let message = format!(
                "`{of}` has no partition for {value}, and a write must not make one; name the value in `values` of \
                 `partitionBy`"
            );
            return Err(CallError::new(CallErrorKind::Render, message));
        }
    };
    Ok(CollectionRef::Found { of: of.to_owned(), name })
}

impl Rendering<'_> {
    fn identified(&self, document: RawDocumentBuf, position: usize) -> RawDocumentBuf {
        match self.place {
            Some(place) => place.identified(document, position),
            None => document,
        }
    }
}

impl MapFields<Compiled, Rendered> for Rendering<'_> {
    type Error = CallError;

    fn collection(&mut self, collection: &CollectionRef, reads: bool) -> Result<CollectionRef, CallError> {
        match collection {
            CollectionRef::Partition { of, value } => partition(self.partitions, of, &self.value(value)?, reads),
            other => Ok(other.clone()),
        }
    }

    fn value(&mut self, value: &Template) -> Result<Bson, CallError> {
        value.value(self.context).map_err(unrendered)
    }

    fn document(&mut self, document: &Template) -> Result<RawDocumentBuf, CallError> {
        Ok(self.identified(document.document(self.context).map_err(unrendered)?, 0))
    }

    fn documents(&mut self, documents: &Template) -> Result<Vec<RawDocumentBuf>, CallError> {
        let documents = documents.documents(self.context).map_err(unrendered)?;
        Ok(documents.into_iter().enumerate().map(|(position, document)| self.identified(document, position)).collect())
    }
}

/// Whether a condition holds.
pub(super) fn holds(condition: &Template, context: &Context<'_>) -> Result<bool, CallError> {
    condition.value(context).map(|value| is_true(&value)).map_err(unrendered)
}

/// The elements that `forEach` renders; null, which a reference to something absent renders, has none.
pub(super) fn elements(list: &Template, context: &Context<'_>) -> Result<Vec<Bson>, CallError> {
    match list.value(context).map_err(unrendered)? {
        Bson::Array(elements) => Ok(elements),
        Bson::Null => Ok(Vec::new()),
        other => {
            Err(CallError::new(CallErrorKind::Render, format!("`forEach` must render a list, but renders {other}")))
        }
    }
}

/// A value that could not be rendered, as a failure of the call.
pub(super) fn unrendered(error: RenderError) -> CallError {
    CallError::new(CallErrorKind::Render, error.to_string())
}
