//! Which filters the embedded server cannot answer from an index that mongod would use.
//!
//! It bounds an index by equality and by `$eq $gt $gte $lt $lte $in`, and by nothing beside them: an operator document
//! with any other operator in it, and a filter with `$and`, `$or` or `$expr` among its keys, does not use an index at
//! all (but for an `$or` whose every branch does). Ranges of `_id` scan.

use bson::{Bson, Document};

/// Operators that bound an index here.
const BOUNDING: [&str; 6] = ["$eq", "$gt", "$gte", "$lt", "$lte", "$in"];
/// Operators that mongod answers with tight bounds, beside others too.
const TIGHT_ON_MONGOD: [&str; 3] = ["$elemMatch", "$all", "$regex"];
/// Operators that mongod answers from an index, but with bounds so wide that another predicate serves better.
const WIDE_ON_MONGOD: [&str; 4] = ["$exists", "$ne", "$nin", "$not"];

/// The key documents of a collection's indexes, that on `_id` aside.
pub(super) type Indexes<'a> = &'a [Document];

/// What of the filter scans here and would not on mongod, in words; `None` when both do alike.
pub(super) fn unbounded(filter: &Document, indexes: Indexes<'_>) -> Option<String> {
    let logical = filter.keys().find(|key| key.starts_with('$'));
    if let Some(key) = logical {
        let alike = is_union(filter, indexes) || !could_use_index(filter, indexes);
        return (!alike).then(|| format!("`{key}` at the top of a filter"));
    }
    let bounded = is_bounded(filter, indexes);
    filter.iter().find_map(|(path, predicate)| scans(path, predicate, filter, indexes, bounded))
}

fn scans(path: &str, predicate: &Bson, filter: &Document, indexes: Indexes<'_>, bounded: bool) -> Option<String> {
    if path == "_id" {
        return (!bounded && operators(predicate).any(|operator| ["$gt", "$gte", "$lt", "$lte"].contains(&operator)))
            .then(|| "a range of `_id`".to_owned());
    }
    if !indexes.iter().any(|index| reaches(index, filter, path)) {
        return None;
    }
    if matches!(predicate, Bson::RegularExpression(_)) {
        return Some(format!("a regular expression on `{path}`"));
    }
    let found = operators(predicate)
        .find(|operator| TIGHT_ON_MONGOD.contains(operator) || (!bounded && WIDE_ON_MONGOD.contains(operator)))?;
    Some(format!("`{found}` on `{path}`"))
}

/// Whether an index is bounded here by one of the filter's own fields.
fn is_bounded(filter: &Document, indexes: Indexes<'_>) -> bool {
    filter.iter().any(|(path, predicate)| {
        is_bounding(predicate)
            && ((path == "_id" && is_points(predicate)) || indexes.iter().any(|index| leads(index, path)))
    })
}

/// Whether the whole filter is an `$or` of branches that each bound an index, alone or inside an `$and`: such unions use
/// their indexes here.
fn is_union(filter: &Document, indexes: Indexes<'_>) -> bool {
    let branches_bound = |document: &Document| {
        document.get_array("$or").is_ok_and(|branches| {
            branches.iter().all(|branch| {
                branch
                    .as_document()
                    .is_some_and(|branch| is_bounded(branch, indexes) && !branch.keys().any(|key| key.starts_with('$')))
            })
        })
    };
    let inside = filter.get_array("$and").is_ok_and(|parts| {
        parts.iter().filter_map(Bson::as_document).any(|part| part.len() == 1 && branches_bound(part))
    });
    branches_bound(filter) || inside
}

/// Whether mongod could use an index for any part of the filter, however deep.
fn could_use_index(filter: &Document, indexes: Indexes<'_>) -> bool {
    filter.iter().any(|(key, value)| match (key.as_str(), value) {
        ("$and" | "$or", Bson::Array(parts)) => {
            parts.iter().filter_map(Bson::as_document).any(|part| could_use_index(part, indexes))
        }
        ("$expr", expression) => mentions_indexed(expression, indexes),
        (path, _) => path == "_id" || indexes.iter().any(|index| leads(index, path)),
    })
}

fn mentions_indexed(expression: &Bson, indexes: Indexes<'_>) -> bool {
    match expression {
        Bson::String(text) => {
            text.strip_prefix('$').is_some_and(|path| path == "_id" || indexes.iter().any(|index| leads(index, path)))
        }
        Bson::Array(parts) => parts.iter().any(|part| mentions_indexed(part, indexes)),
        Bson::Document(parts) => parts.values().any(|part| mentions_indexed(part, indexes)),
        _ => false,
    }
}

/// Whether mongod could bound the index by this field: it leads, or every field before it is in the filter too. The
/// fields inside a list count for the list.
fn reaches(index: &Document, filter: &Document, path: &str) -> bool {
    for key in index.keys() {
        if key == path || key.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')) {
            return true;
        }
        if !filter.contains_key(key) {
            return false;
        }
    }
    false
}

fn leads(index: &Document, path: &str) -> bool {
    index.keys().next().is_some_and(|first| first == path)
}

/// Whether a predicate bounds an index here.
pub(super) fn is_bounding(predicate: &Bson) -> bool {
    match predicate {
        Bson::RegularExpression(_) => false,
        Bson::Document(_) if is_operators(predicate) => operators(predicate).all(|name| BOUNDING.contains(&name)),
        _ => true,
    }
}

/// Whether a predicate names single values.
pub(super) fn is_points(predicate: &Bson) -> bool {
    is_bounding(predicate) && operators(predicate).all(|operator| operator == "$eq" || operator == "$in")
}

fn is_operators(predicate: &Bson) -> bool {
    predicate.as_document().is_some_and(|document| document.keys().next().is_some_and(|key| key.starts_with('$')))
}

fn operators(predicate: &Bson) -> impl Iterator<Item = &str> {
    let document = predicate.as_document().filter(|_| is_operators(predicate));
    document.into_iter().flat_map(Document::keys).map(String::as_str)
}
