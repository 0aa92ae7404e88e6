//! Filters and updates: operators by name, and what would make answers depend on the clock or on chance.

use super::checker::{Checker, suggestion};
use super::order::EXTENDED_JSON;
use crate::source::{NodeId, NodeKind, Problem};

impl Checker<'_> {
    /// Checks the operators of a filter.
    pub(super) fn filter(&mut self, filter: NodeId) {
        for entry in self.plain_map(filter).unwrap_or_default() {
            match entry.key.as_str() {
                "$and" | "$or" | "$nor" => {
                    self.items(entry.value).unwrap_or_default().iter().for_each(|part| self.filter(*part));
                }
                key if TOP_OPERATORS.contains(&key) => {}
                key if key.starts_with('$') => {
                    let known = ["$and", "$or", "$nor"].iter().chain(TOP_OPERATORS).copied().collect::<Vec<_>>();
                    let help = if CONDITIONS.contains(&key) {
                        format!("it belongs to a field, such as `{{price: {{{key}: …}}}}`")
                    } else {
                        suggestion(key, &known)
                    };
                    self.report(
                        Problem::new(entry.key_span, format!("a filter has no operator `{key}` here")).help(help),
                    );
                }
                _ => self.condition(entry.value),
            }
        }
    }

    /// Checks a field's condition.
    fn condition(&mut self, condition: NodeId) {
        let entries = self.plain_map(condition).unwrap_or_default();
        let writes_a_value = matches!(entries, [only] if EXTENDED_JSON.contains(&only.key.as_str()));
        if writes_a_value {
            return;
        }
        for entry in entries.iter().filter(|entry| entry.key.starts_with('$')) {
            match entry.key.as_str() {
                "$not" => self.condition(entry.value),
                "$elemMatch" => {
                    let inner = self.plain_map(entry.value).unwrap_or_default();
                    if inner.iter().all(|inner| CONDITIONS.contains(&inner.key.as_str())) {
                        self.condition(entry.value);
                    } else {
                        self.filter(entry.value);
                    }
                }
                key if CONDITIONS.contains(&key) => {}
                key => self.report(
                    Problem::new(entry.key_span, format!("unknown operator `{key}` in a filter"))
                        .help(suggestion(key, CONDITIONS)),
                ),
            }
        }
    }

    /// Checks an update: operators, or a pipeline.
    pub(super) fn update(&mut self, update: NodeId) {
        if let Some(stages) = self.items(update) {
            return self.update_pipeline(stages);
        }
        if self.plain_map(update).is_some_and(<[_]>::is_empty) {
            self.report_node(update, "this update changes nothing", "such as `{$set: {status: paid}}`");
        }
        for entry in self.plain_map(update).unwrap_or_default() {
            match entry.key.as_str() {
                "$currentDate" => self.report(
                    Problem::new(
                        entry.key_span,
                        "`$currentDate` reads the wall clock: models could not give the same answer",
                    )
                    .help("set the field to an argument that holds `^now`"),
                ),
                key if UPDATE_OPERATORS.contains(&key) => self.array_modifiers(key, entry.value),
                key if key.starts_with('$') => self.report(
                    Problem::new(entry.key_span, format!("unknown update operator `{key}`"))
                        .help(suggestion(key, UPDATE_OPERATORS)),
                ),
                key => self.report(
                    Problem::new(entry.key_span, format!("`{key}` stands in an update without an operator"))
                        .help(format!("write `$set: {{{key}: …}}`, or use `replaceOne` for a whole document")),
                ),
            }
        }
    }

    fn array_modifiers(&mut self, operator: &str, fields: NodeId) {
        let known: &[&str] = match operator {
            "$push" => &["$each", "$position", "$slice", "$sort"],
            "$addToSet" => &["$each"],
            _ => return,
        };
        for field in self.plain_map(fields).unwrap_or_default() {
            let modifiers = self.plain_map(field.value).unwrap_or_default();
            let writes_a_value = matches!(modifiers, [only] if EXTENDED_JSON.contains(&only.key.as_str()));
            for entry in modifiers.iter().filter(|entry| entry.key.starts_with('$') && !writes_a_value) {
                if !known.contains(&entry.key.as_str()) {
                    self.report(
                        Problem::new(entry.key_span, format!("`{operator}` has no modifier `{}`", entry.key))
                            .help(suggestion(&entry.key, known)),
                    );
                }
            }
        }
    }

    /// Checks that nothing in the node depends on the wall clock or on chance.
    pub(super) fn repeatable(&mut self, node: NodeId) {
        match self.arena.kind(node) {
            NodeKind::Str(text) if matches!(text.as_str(), "$$NOW" | "$$CLUSTER_TIME") => self.report_node(
                node,
                format!("`{text}` reads the wall clock: models could not give the same answer"),
                "use an argument that holds `^now`",
            ),
            NodeKind::Seq(items) => items.iter().for_each(|item| self.repeatable(*item)),
            NodeKind::Map(entries) => {
                for entry in entries {
                    if matches!(entry.key.as_str(), "$rand" | "$sampleRate") {
                        self.report(
                            Problem::new(
                                entry.key_span,
                                format!("`{}` draws at random: models could not give the same answer", entry.key),
                            )
                            .help("draw with an argument such as `{^int: {min: 1, max: 5}}`"),
                        );
                    }
                    self.repeatable(entry.value);
                }
            }
            _ => {}
        }
    }
}

/// Operators that stand in a filter's place of a field, besides `$and`, `$or` and `$nor`.
const TOP_OPERATORS: &[&str] = &["$expr", "$text", "$where", "$comment", "$jsonSchema", "$sampleRate"];

/// Operators of a field's condition.
const CONDITIONS: &[&str] = &[
    "$eq",
    "$ne",
    "$gt",
    "$gte",
    "$lt",
    "$lte",
    "$in",
    "$nin",
    "$not",
    "$exists",
    "$type",
    "$mod",
    "$regex",
    "$options",
    "$all",
    "$elemMatch",
    "$size",
    "$bitsAllClear",
    "$bitsAllSet",
    "$bitsAnyClear",
    "$bitsAnySet",
    "$geoIntersects",
    "$geoWithin",
    "$near",
    "$nearSphere",
    "$maxDistance",
    "$minDistance",
];

/// Update operators.
const UPDATE_OPERATORS: &[&str] = &[
    "$set",
    "$unset",
    "$inc",
    "$mul",
    "$min",
    "$max",
    "$rename",
    "$setOnInsert",
    "$push",
    "$pull",
    "$pullAll",
    "$addToSet",
    "$pop",
    "$bit",
];
