//! The fields of a call: there or missing, of the kind that they take, compiled.

use super::checker::{Checker, list};
use super::pipeline::Known;
use super::steps::Call;
use crate::scenario::step::{CollectionRef, Compiled, FieldSource, FieldSpec, StepKind};
use crate::source::NodeId;
use crate::value::{Scope, Template};

/// Reads the fields of a call from its node.
pub(super) struct Fields<'c, 'a, 's> {
    pub(super) checker: &'c mut Checker<'a>,
    pub(super) call: Call,
    pub(super) scope: &'s Scope,
    pub(super) known: &'s Known,
    /// Whether it has a `forEach`.
    pub(super) iterates: bool,
}

impl Fields<'_, '_, '_> {
    fn node(&mut self, key: &str) -> Option<NodeId> {
        self.checker.arena.get(self.call.body, key)
    }

    fn present(&mut self, spec: &FieldSpec) -> Option<NodeId> {
        let node = self.node(spec.key);
        if node.is_none() {
            let of = format!("`{}`", self.call.word);
            self.checker.missing(self.call.span, spec.key, &of, &format!("`{}` says {}", spec.key, spec.about));
        }
        node
    }

    fn compiled(&mut self, spec: &FieldSpec, node: NodeId) -> Option<Template> {
        let fits = self.checker.shape(spec.key, node);
        let template = self.checker.template(node, self.scope);
        template.filter(|_| fits)
    }
}

impl FieldSource<Compiled> for Fields<'_, '_, '_> {
    fn collection(&mut self) -> Option<CollectionRef> {
        match self.call.word {
            "bulkWrite" => return self.checker.bulk_collection(self.call.body),
            "runCommand" => return self.checker.command_collection(self.call.body),
            _ => {}
        }
        let Some(node) = self.node("collection") else {
            let of = format!("`{}`", self.call.word);
            self.checker.missing(self.call.span, "collection", &of, "name a collection of the model");
            return None;
        };
        if self.checker.plain_map(node).is_some() {
            return self.checker.partition_ref(node, self.known, self.scope, self.iterates);
        }
        self.checker.collection_named(node, self.known)
    }

    fn required(&mut self, spec: &'static FieldSpec) -> Option<Template> {
        let node = self.present(spec)?;
        self.compiled(spec, node)
    }

    fn optional(&mut self, spec: &'static FieldSpec) -> Option<Option<Template>> {
        match self.node(spec.key) {
            Some(node) => self.compiled(spec, node).map(Some),
            None => Some(None),
        }
    }

    fn document(&mut self, spec: &'static FieldSpec) -> Option<Template> {
        self.required(spec)
    }

    fn documents(&mut self, spec: &'static FieldSpec) -> Option<Template> {
        self.required(spec)
    }
}

/// The fields of a call, for a person who needs to know them.
pub(super) fn fields_of(word: &str) -> String {
    format!("its fields: {}", list(&field_names(word)))
}

/// The names of a call's fields, `collection` first where it has one.
pub(super) fn field_names(word: &str) -> Vec<&'static str> {
    let collection = Some("collection").filter(|_| !StepKind::<Compiled>::WITHOUT_COLLECTION.contains(&word));
    let fields = StepKind::<Compiled>::fields(word).unwrap_or_default().iter().map(|spec| spec.key);
    collection.into_iter().chain(fields).collect()
}

impl Checker<'_> {
    /// The collection that a node names: one of the model's.
    pub(super) fn collection_named(&mut self, node: NodeId, known: &Known) -> Option<CollectionRef> {
        match self.text(node) {
            Some(name) if !self.is_filled_in(node) => {
                if known.partitioned().any(|partitioned| partitioned == name) {
                    self.names_partitioned(node, name);
                    return None;
                }
                if !known.has(name) {
                    let place = self.arena.span(node);
                    self.unknown(place, "collection", name, known.names());
                    return None;
                }
                Some(CollectionRef::Named(name.to_owned()))
            }
            _ => {
                let found = self.arena.kind(node).describe();
                let message = format!("`collection` takes the name of a collection, found {found}");
                self.report_node(node, message, "write the name itself, so that the file can be checked");
                None
            }
        }
    }
}
