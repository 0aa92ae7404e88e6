//! Indexes: keys and options, written out or known once parameters are.

use bson::{Bson, Document};

use super::checker::Checker;
use super::parameters::Parameters;
use crate::scenario::file::IndexFile;
use crate::scenario::index::{ComputedIndexes, IndexDefinition, is_direction, key_of};
use crate::scenario::types::Index;
use crate::source::{At, List, NodeId, NodeRef};
use crate::value::{Scope, Template};

impl Checker<'_> {
    /// Checks indexes.
    pub(super) fn indexes(&mut self, file: &List<At<IndexFile>>, parameters: &Parameters) -> Vec<IndexDefinition> {
        file.0.iter().filter_map(|index| self.index(index, parameters)).collect()
    }

    fn index(&mut self, file: &At<IndexFile>, parameters: &Parameters) -> Option<IndexDefinition> {
        let mut options = Document::new();
        // Where there are indexes to tell apart, their names may be filled in.
        let is_filled_in = |key: NodeRef| self.items(key.0).is_some() || self.is_filled_in(key.0);
        let is_computed = file.value.for_each.is_some() || file.value.key.is_some_and(is_filled_in);
        for (name, node) in index_options(&file.value).filter(|(name, _)| !(is_computed && *name == "name")) {
            if let Some(value) = self.constant(node, &format!("`{name}`")) {
                self.index_option(name, node, &value);
                options.insert(name, value);
            }
        }
        let Some(key) = file.value.key else {
            self.missing(file.span, "key", "an index", "such as `{key: {productId: 1}}`");
            return None;
        };
        if is_computed {
            return self.computed_indexes(file, key.0, options, parameters);
        }
        let fields = self.written_key(key.0)?;
        Some(IndexDefinition::Written(Index { key: fields, options }))
    }

    /// An index key that is written out.
    fn written_key(&mut self, key: NodeId) -> Option<Document> {
        let fields = self.document(key, "an index key")?;
        if fields.is_empty() {
            self.report_node(key, "an index key names at least one field", "such as `{productId: 1}`");
        }
        for entry in self.arena.entries(key).to_vec() {
            if !fields.get(&entry.key).is_some_and(is_direction) {
                self.report_node(
                    entry.value,
                    format!("the index on `{}` has no direction that MongoDB knows", entry.key),
                    "1 ascending, -1 descending, or `text`, `hashed`, `2d`, `2dsphere`",
                );
            }
        }
        Some(fields)
    }

    /// Indexes that are known once parameters are. What is constant is judged here already.
    fn computed_indexes(
        &mut self,
        file: &At<IndexFile>,
        key: NodeId,
        options: Document,
        parameters: &Parameters,
    ) -> Option<IndexDefinition> {
        let outer = Scope { parameters: parameters.names.clone(), ..Scope::default() };
        let scope = Scope { each: file.value.for_each.is_some(), ..outer.clone() };
        let for_each = file.value.for_each.map(|node| self.list_over_parameters("forEach", node.0, &outer));
        let name = file.value.name.map(|node| self.template(node.0, &scope));
        let template = self.template(key, &scope);
        if let Some(constant) = template.as_ref().and_then(Template::as_constant)
            && let Err(error) = key_of(constant.clone())
        {
            self.report_node(
                key,
                error.message,
                "such as `[[category, 1], [price, -1]]`, or `{category: 1, price: -1}`",
            );
        }
        let computed = ComputedIndexes {
            for_each: for_each.map_or(Some(None), |list| list.map(Some))?,
            key: template?,
            name: name.map_or(Some(None), |name| name.map(Some))?,
            options,
        };
        Some(self.written_after_all(key, computed))
    }

    /// Pairs in which nothing is filled in are an index as any other.
    fn written_after_all(&self, key: NodeId, computed: ComputedIndexes) -> IndexDefinition {
        let ComputedIndexes { for_each: None, key: template, name: None, options } = &computed else {
            return IndexDefinition::Computed(Box::new(computed));
        };
        match template.as_constant().filter(|_| self.items(key).is_some()).map(|key| key_of(key.clone())) {
            Some(Ok(key)) => IndexDefinition::Written(Index { key, options: options.clone() }),
            _ => IndexDefinition::Computed(Box::new(computed)),
        }
    }

    /// A list over parameters, which may be filled in.
    pub(super) fn list_over_parameters(&mut self, what: &str, node: NodeId, scope: &Scope) -> Option<Template> {
        let is_filled_in = self.is_filled_in(node);
        if self.items(node).is_none() && !is_filled_in {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("`{what}` takes a list, found {found}"),
                "write the list, or fill it in: `^names`, `{^range: ^tenants}`",
            );
        }
        let template = self.template(node, scope)?;
        let constant = template.as_constant().filter(|_| is_filled_in);
        if let Some(constant) = constant.filter(|value| !matches!(value, Bson::Array(_))) {
            self.report_node(node, format!("`{what}` must be a list, but is {constant}"), "such as `{^range: 8}`");
        }
        Some(template)
    }

    fn index_option(&mut self, name: &str, node: NodeId, value: &Bson) {
        let (fits, wanted) = match name {
            "unique" | "sparse" | "hidden" => (matches!(value, Bson::Boolean(_)), "`true` or `false`"),
            "name" => (matches!(value, Bson::String(_)), "a string"),
            "expireAfterSeconds" => (matches!(value, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_)), "a number"),
            _ => (matches!(value, Bson::Document(_)), "a map"),
        };
        if !fits {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("`{name}` takes {wanted}, found {found}"),
                "as in the `createIndexes` command",
            );
        }
    }
}

fn index_options(file: &IndexFile) -> impl Iterator<Item = (&'static str, NodeId)> {
    [
        ("name", file.name),
        ("unique", file.unique),
        ("sparse", file.sparse),
        ("hidden", file.hidden),
        ("partialFilterExpression", file.partial_filter_expression),
        ("expireAfterSeconds", file.expire_after_seconds),
        ("collation", file.collation),
        ("wildcardProjection", file.wildcard_projection),
        ("weights", file.weights),
    ]
    .into_iter()
    .filter_map(|(name, node)| node.map(|node| (name, node.0)))
}
