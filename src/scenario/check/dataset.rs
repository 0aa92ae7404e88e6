//! The dataset: sets of rows, and what they belong to.

use bson::Bson;

use super::checker::{Checker, given};
use super::parameters::Parameters;
use crate::scenario::file::{ChildrenFile, ClassFile, ClassesFile, SetFile};
use crate::scenario::index::IndexDefinition;
use crate::scenario::types::{DataSet, Index};
use crate::source::{At, Dict, NodeId, NodeKind, NodeRef, Problem, Soft, Span};
use crate::value::{ChildCount, Population, Scope, Template};

/// Shares of classes may miss 1 by this much, for rounding.
const SHARE_SLACK: f64 = 1e-6;

/// The dataset of a file.
#[derive(Debug, Default)]
pub(super) struct Dataset {
    /// Names of all sets, also of broken ones.
    pub(super) names: Vec<String>,
    /// Those that are fine.
    pub(super) sets: Vec<DataSet>,
}

impl Checker<'_> {
    /// Checks the dataset.
    pub(super) fn dataset(&mut self, file: &Dict<Soft<SetFile>>, parameters: &Parameters) -> Dataset {
        let mut dataset = Dataset::default();
        for entry in &file.0 {
            self.collection_name(entry.key_span, &entry.key);
            if let Some(set) = &entry.value.0 {
                let all: Vec<&str> = file.0.iter().map(|entry| entry.key.as_str()).collect();
                let earlier = Earlier { sets: &dataset.names, all: &all, parameters };
                let checked = self.set(&entry.key, entry.key_span, set, &earlier);
                dataset.sets.extend(checked);
            }
            dataset.names.push(entry.key.clone());
        }
        dataset
    }

    fn set(&mut self, name: &str, place: Span, file: &SetFile, earlier: &Earlier<'_>) -> Option<DataSet> {
        let population = self.population(name, place, file, earlier);
        let is_child = file.children.is_some();
        let document = file.document.map(|node| self.row(name, node.0, is_child, earlier));
        if file.file.is_none() && document.is_none() {
            self.missing(
                place,
                "document",
                &format!("set `{name}`"),
                "such as `document: {_id: ^index, name: {^words: 3}}`",
            );
            return None;
        }
        let indexes = match given(&file.indexes) {
            Some(indexes) => self.indexes(indexes, earlier.parameters),
            None => file.document.map(|node| self.default_indexes(node.0)).unwrap_or_default(),
        };
        Some(DataSet { name: name.to_owned(), population: population?, document: document.flatten(), indexes })
    }

    /// How many rows there are: exactly one of `count`, `children` and `file` says so.
    fn population(&mut self, name: &str, place: Span, file: &SetFile, earlier: &Earlier<'_>) -> Option<Population> {
        let sources = [
            ("count", file.count.map(|node| self.arena.span(node.0))),
            ("children", given(&file.children).map(|children| children.span)),
            ("file", given(&file.file).map(|path| path.span)),
        ];
        let given_ones: Vec<_> = sources.iter().filter_map(|(key, span)| span.map(|span| (*key, span))).collect();
        if let [(first, first_span), (second, span), ..] = given_ones[..] {
            self.report(
                Problem::new(span, format!("set `{name}` has both `{first}` and `{second}`"))
                    .help("keep the one that says how many rows there are")
                    .note(first_span, format!("`{first}` stands here")),
            );
        }
        self.beside_file(file);
        if let Some(children) = given(&file.children) {
            self.children(children, earlier)
        } else if let Some(path) = given(&file.file) {
            let first = file.first.map(|node| self.count("first", node.0, &earlier.counts(false)));
            Some(Population::File { path: path.value.clone().into(), first: first.flatten() })
        } else if let Some(count) = file.count {
            self.count("count", count.0, &earlier.counts(false)).map(Population::Count)
        } else {
            if file.children.is_none() && file.file.is_none() {
                self.missing(
                    place,
                    "count",
                    &format!("set `{name}`"),
                    "such as `count: 1000`, or `children: {of: …, count: …}`",
                );
            }
            None
        }
    }

    fn beside_file(&mut self, file: &SetFile) {
        match (&file.file, file.document, file.first) {
            (Some(_), Some(document), _) => self.report_node(
                document.0,
                "`document` stands beside `file`, whose lines are the documents",
                "keep one of the two",
            ),
            (None, _, Some(first)) => {
                self.report_node(first.0, "`first` needs `file`", "use `count` to say how many rows there are");
            }
            _ => {}
        }
    }

    fn children(&mut self, file: &At<ChildrenFile>, earlier: &Earlier<'_>) -> Option<Population> {
        let of = given(&file.value.of);
        match of {
            Some(of) if earlier.all.contains(&of.value.as_str()) && !earlier.has(&of.value) => self.report(
                Problem::new(
                    of.span,
                    format!("`{}` stands later in the file: children need parents before them", of.value),
                )
                .help("move the parents' set up, before this one"),
            ),
            Some(of) if !earlier.has(&of.value) => {
                self.unknown(of.span, "set", &of.value, earlier.sets.iter().map(String::as_str));
            }
            None if file.value.of.is_none() => {
                self.missing(file.span, "of", "`children`", "such as `children: {of: products, count: 20}`");
            }
            _ => {}
        }
        let Some(count) = file.value.count else {
            self.missing(file.span, "count", "`children`", "such as `children: {of: products, count: 20}`");
            return None;
        };
        let count = self.child_count(count, earlier);
        Some(Population::Children { of: of?.value.clone(), count: count? })
    }

    fn child_count(&mut self, node: NodeRef, earlier: &Earlier<'_>) -> Option<ChildCount> {
        if self.arena.get(node.0, "classes").is_none() {
            return self.count("count", node.0, &earlier.counts(true)).map(ChildCount::Each);
        }
        let classes = self.decode::<ClassesFile>(node.0)?;
        let classes = given(&classes.classes)?;
        let shares: f64 = classes.value.0.iter().filter_map(|class| given(&class.value.share)).map(|at| at.value).sum();
        let checked: Vec<_> = classes.value.0.iter().map(|class| self.class(class, earlier)).collect();
        self.class_names(&classes.value.0);
        if classes.value.0.is_empty() {
            let help = "such as `[{share: 0.9, count: 5}, {share: 0.1, count: 100, name: busy}]`";
            self.report(Problem::new(classes.span, "there is no class").help(help));
        } else if (shares - 1.0).abs() > SHARE_SLACK {
            let told = format!("{shares:.6}");
            let told = told.trim_end_matches('0').trim_end_matches('.');
            self.report(
                Problem::new(classes.span, format!("the shares of the classes add up to {told}, not to 1"))
                    .help("give every parent a class"),
            );
        }
        checked.into_iter().collect::<Option<Vec<_>>>().map(ChildCount::Classes)
    }

    /// A name tells classes apart: rows are drawn from a class by it.
    fn class_names(&mut self, classes: &[At<ClassFile>]) {
        let names: Vec<_> = classes.iter().filter_map(|class| given(&class.value.name)).collect();
        for (place, name) in names.iter().enumerate() {
            if let Some(first) = names[..place].iter().find(|earlier| earlier.value == name.value) {
                self.report(
                    Problem::new(name.span, format!("a second class is called `{}`", name.value))
                        .help("name each class differently, or leave the name out")
                        .note(first.span, "the first is here"),
                );
            }
        }
    }

    /// A number of rows. What is written as a plain value is judged here, what is calculated when it is known.
    fn count(&mut self, key: &str, node: NodeId, scope: &Scope) -> Option<Template> {
        let template = self.template(node, scope)?;
        match template.as_constant() {
            None | Some(Bson::Int32(0..) | Bson::Int64(0..)) => Some(template),
            Some(value) => {
                let message = format!("`{key}` must be a whole number of at least 0, not {value}");
                self.report_node(node, message, "such as `1000`, or a parameter such as `^products`");
                None
            }
        }
    }

    fn class(&mut self, file: &At<ClassFile>, earlier: &Earlier<'_>) -> Option<(f64, Template, Option<String>)> {
        let help = "such as `{share: 0.001, count: 20000, name: bestseller}`";
        if file.value.share.is_none() {
            self.missing(file.span, "share", "a class", help);
        }
        if let Some(share) = given(&file.value.share)
            && !(0.0..=1.0).contains(&share.value)
        {
            self.report(Problem::new(share.span, "a share lies between 0 and 1").help(help));
        }
        let Some(count) = file.value.count else {
            self.missing(file.span, "count", "a class", help);
            return None;
        };
        let count = self.count("count", count.0, &earlier.counts(true))?;
        Some((given(&file.value.share)?.value, count, given(&file.value.name).map(|name| name.value.clone())))
    }

    fn row(&mut self, name: &str, node: NodeId, is_child: bool, earlier: &Earlier<'_>) -> Option<Template> {
        match self.plain_map(node) {
            None => {
                let found = self.arena.kind(node).describe();
                self.report_node(
                    node,
                    format!("a row is a map, found {found}"),
                    "such as `{_id: ^index, name: {^words: 3}}`",
                );
            }
            Some(_) if self.arena.get(node, "_id").is_none() => self.report_node(
                node,
                format!("a row of `{name}` has no `_id`: `^key` and the models refer to rows by it"),
                "add `_id: ^index`",
            ),
            Some(_) => self.row_key(name, node),
        }
        let scope = Scope {
            parameters: earlier.parameters.names.clone(),
            sets: earlier.sets.to_vec(),
            index: true,
            parent: is_child,
            draws: true,
            ..Scope::default()
        };
        self.template(node, &scope)
    }

    /// Every server refuses a list as `_id`.
    fn row_key(&mut self, name: &str, document: NodeId) {
        let Some(key) = self.arena.get(document, "_id") else { return };
        if matches!(self.arena.kind(key), NodeKind::Seq(_)) {
            let message = format!("the `_id` of a row of `{name}` is a list, which MongoDB refuses");
            self.report_node(key, message, "use a number, a text or a map, such as `_id: ^index`");
        }
    }

    /// One index for each field that refers to a row of another set.
    fn default_indexes(&self, document: NodeId) -> Vec<IndexDefinition> {
        let mut fields = Vec::new();
        self.referring_fields(document, "", &mut fields);
        let index = |field| Index { key: bson::doc! { field: 1 }, options: bson::Document::new() };
        fields.into_iter().map(|field| index(field).into()).collect()
    }

    fn referring_fields(&self, document: NodeId, prefix: &str, fields: &mut Vec<String>) {
        for entry in self.plain_map(document).unwrap_or_default() {
            let path = format!("{prefix}{}", entry.key);
            let refers = match self.arena.kind(entry.value) {
                NodeKind::Str(text) => text.starts_with("^parent.") || text == "^key",
                NodeKind::Map(_) => self.arena.get(entry.value, "^key").is_some(),
                _ => false,
            };
            if refers && path != "_id" {
                fields.push(path);
            } else {
                self.referring_fields(entry.value, &format!("{path}."), fields);
            }
        }
    }
}

/// What a set can refer to.
struct Earlier<'e> {
    /// Sets that stand before it.
    sets: &'e [String],
    /// All sets.
    all: &'e [&'e str],
    parameters: &'e Parameters,
}

impl Earlier<'_> {
    fn has(&self, set: &str) -> bool {
        self.sets.iter().any(|earlier| earlier == set)
    }

    /// Where numbers of rows are compiled: for each parent, a number may be drawn and depend on the parent.
    fn counts(&self, per_parent: bool) -> Scope {
        Scope {
            parameters: self.parameters.names.clone(),
            sets: if per_parent { self.sets.to_vec() } else { Vec::new() },
            index: per_parent,
            parent: per_parent,
            draws: per_parent,
            ..Scope::default()
        }
    }
}
