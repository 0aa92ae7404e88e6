//! Ties at a page's edge: where a limit stands, or the order is part of the answer, a sort must leave none.

use super::checker::Checker;
use crate::source::{Entry, NodeId, NodeKind, Problem, Span};

/// What is known of a stream of documents: what tells them apart, and how they are ordered.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// Sets of fields of which no two documents have the same values. The empty set: there is one document at most.
    unique: Vec<Vec<String>>,
    /// Fields that have the same value in all documents.
    fixed: Vec<String>,
    /// Fields that a stage has made: their path, and which field of before they are (a path of no field otherwise).
    made: Vec<(String, String)>,
    order: Order,
}

/// How a stream is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// In none that anybody promises.
    Arbitrary,
    /// By a sort that leaves ties; where it stands.
    Ties(Span),
    /// Each document has its place.
    Total,
}

/// Why the order matters.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reason {
    /// Only some of the documents are taken.
    Limit,
    /// Only the first document is taken.
    First,
    /// `returns` says `order: true`.
    Returned,
}

/// How far the order of a step's documents is part of the operation's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ordered {
    /// Not at all.
    No,
    /// Where the step sorts, since a `result` is built from it.
    WhereSorted,
    /// It is.
    Yes,
}

impl Reason {
    const fn words(self) -> &'static str {
        match self {
            Self::Limit => "a limit takes only some of the documents: which ones is arbitrary",
            Self::First => "only the first document is taken: which one that is is arbitrary",
            Self::Returned => "`returns` compares the order: answers would differ at random",
        }
    }
}

impl Stream {
    /// The documents of a collection in which these sets of fields are unique.
    pub(super) fn of(unique: &[Vec<String>]) -> Self {
        Self { unique: unique.to_vec(), fixed: Vec::new(), made: Vec::new(), order: Order::Arbitrary }
    }

    /// At most one document.
    fn one() -> Self {
        Self { order: Order::Total, ..Self::of(&[Vec::new()]) }
    }

    /// What is filled in later cannot be judged here: it is taken to be right.
    pub(super) fn trust(&mut self) {
        *self = Self::one();
    }

    /// The field of before that a path is.
    fn origin(&self, path: &str) -> String {
        let made = self.made.iter().find_map(|(new, old)| {
            let rest = path.strip_prefix(new.as_str())?;
            (rest.is_empty() || rest.starts_with('.')).then(|| format!("{old}{rest}"))
        });
        made.unwrap_or_else(|| path.to_owned())
    }

    /// Declares fields made anew, each with the field that it repeats, if it does.
    fn make(&mut self, fields: Vec<(String, Option<String>)>) {
        let fields: Vec<_> =
            fields.into_iter().map(|(new, old)| (new, old.map_or("\0".to_owned(), |old| self.origin(&old)))).collect();
        for (new, old) in fields {
            self.made.retain(|(earlier, _)| *earlier != new);
            self.made.insert(0, (new, old));
        }
    }

    /// Whether the given fields, with those that are the same everywhere, tell all documents apart.
    fn told_apart_by(&self, paths: &[String]) -> bool {
        let paths: Vec<String> = paths.iter().map(|path| self.origin(path)).collect();
        let known = |field: &String| match field.strip_suffix(ANY_PART) {
            Some(list) => paths.iter().any(|path| path.starts_with(list)),
            None => paths.contains(field) || self.fixed.contains(field),
        };
        self.unique.iter().any(|fields| fields.iter().all(known))
    }

    /// Groups documents: what they are grouped by tells the results apart.
    fn grouped(&mut self, by: Vec<Vec<String>>, order: Order) {
        *self = Self { order, ..Self::of(&by) };
    }

    fn unwound(&mut self, list: &str, index: Option<&str>) {
        let list = self.origin(list);
        for fields in &mut self.unique {
            fields.push(format!("{list}{ANY_PART}"));
        }
        if let Some(index) = index {
            self.made.insert(0, (index.to_owned(), list));
        }
    }
}

/// Stages that say by field what they make or remove.
const RESHAPING: &[&str] = &["$addFields", "$group", "$project", "$set"];

/// Marks, after the path of an unwound list, that any part of its elements tells them apart.
const ANY_PART: &str = ".\0";

impl Checker<'_> {
    /// The stream after a filter: equality on fields fixes them.
    pub(super) fn filtered(&self, stream: &mut Stream, filter: NodeId) {
        for entry in self.plain_map(filter).unwrap_or_default() {
            if !entry.key.starts_with('$') && self.is_equality(entry.value) {
                let field = stream.origin(&entry.key);
                stream.fixed.push(field);
            }
        }
        if stream.told_apart_by(&[]) {
            stream.order = Order::Total;
        }
    }

    /// Whether a filter's condition on a field is equality with one value. (A calculated document names no operator.)
    pub(super) fn is_equality(&self, condition: NodeId) -> bool {
        match self.arena.kind(condition) {
            NodeKind::Map(entries) => match &entries[..] {
                [only] => only.key == "$eq" || !only.key.starts_with('$') || EXTENDED_JSON.contains(&only.key.as_str()),
                _ => !entries.iter().any(|entry| entry.key.starts_with('$')),
            },
            NodeKind::Seq(_) => false,
            _ => true,
        }
    }

    /// The stream after a sort.
    pub(super) fn sorted(&self, stream: &mut Stream, sort: NodeId) {
        let Some(entries) = self.plain_map(sort) else {
            stream.trust();
            return;
        };
        let paths: Vec<String> = entries.iter().map(|entry| entry.key.clone()).collect();
        stream.order = if stream.told_apart_by(&paths) { Order::Total } else { Order::Ties(self.arena.span(sort)) };
    }

    /// Records it if the stream has no total order where one is needed; `place` and `what` say by what.
    pub(super) fn needs_order(&mut self, stream: &mut Stream, reason: Reason, place: Span, what: &str) {
        match std::mem::replace(&mut stream.order, Order::Total) {
            Order::Total => {}
            Order::Ties(sort) => self.report(
                Problem::new(sort, format!("this sort leaves ties, and {}", reason.words()))
                    .help("end the sort in a unique field, such as `_id: 1`"),
            ),
            Order::Arbitrary => self.report(
                Problem::new(place, format!("{what} has no sort, and {}", reason.words()))
                    .help("sort by fields that end in a unique one, such as `{price: 1, _id: 1}`"),
            ),
        }
    }

    /// Records it if a step's answer has no total order where it needs one.
    pub(super) fn needs_order_of_answer(&mut self, stream: &mut Stream, ordered: Ordered, place: Span, what: &str) {
        let judged = match ordered {
            Ordered::No => false,
            Ordered::WhereSorted => matches!(stream.order, Order::Ties(_)),
            Ordered::Yes => true,
        };
        if judged {
            self.needs_order(stream, Reason::Returned, place, what);
        }
    }

    /// The stream after a stage of a pipeline; limits are checked on the way.
    pub(super) fn flow(&mut self, stream: &mut Stream, stage: &Entry) {
        let body = stage.value;
        if self.is_filled_in(body) && RESHAPING.contains(&stage.key.as_str()) {
            // Which fields it makes is calculated.
            return stream.trust();
        }
        match stage.key.as_str() {
            "$match" => self.filtered(stream, body),
            "$sort" => self.sorted(stream, body),
            "$limit" => {
                self.needs_order(stream, Reason::Limit, stage.key_span, "what `$limit` cuts");
                if matches!(self.arena.kind(body), NodeKind::Int(1)) {
                    stream.unique = vec![Vec::new()];
                }
            }
            "$group" => self.grouped(stream, body),
            "$bucket" | "$bucketAuto" => stream.grouped(vec![vec!["_id".to_owned()]], Order::Total),
            "$sortByCount" => stream.grouped(vec![vec!["_id".to_owned()]], Order::Ties(stage.key_span)),
            "$count" | "$facet" => *stream = Stream::one(),
            "$unwind" => {
                let path = self.text(body).or_else(|| self.text(self.arena.get(body, "path")?));
                let index = self.arena.get(body, "includeArrayIndex").and_then(|node| self.text(node));
                stream.unwound(path.unwrap_or_default().trim_start_matches('$'), index);
            }
            // What `_id` is then, only the author knows; documents of one kind have one each.
            "$replaceRoot" | "$replaceWith" => stream.grouped(vec![vec!["_id".to_owned()]], stream.order),
            "$unionWith" => stream.grouped(vec![vec!["_id".to_owned()]], Order::Arbitrary),
            "$project" | "$set" | "$addFields" | "$unset" => {
                let made = self.made_by(&stage.key, body);
                stream.make(made);
            }
            "$lookup" | "$graphLookup" => {
                let made = self.arena.get(body, "as").and_then(|node| self.text(node));
                stream.make(made.map(|made| (made.to_owned(), None)).into_iter().collect());
            }
            "$setWindowFields" => stream.order = Order::Arbitrary,
            // Refused as such.
            "$sample" => stream.order = Order::Total,
            "$geoNear" | "$search" | "$vectorSearch" => stream.order = Order::Ties(stage.key_span),
            _ => {}
        }
    }

    fn grouped(&self, stream: &mut Stream, body: NodeId) {
        let Some(by) = self.arena.get(body, "_id") else { return };
        let id = || "_id".to_owned();
        match self.arena.kind(by) {
            NodeKind::Str(text) if text.starts_with(['$', '^']) => stream.grouped(vec![vec![id()]], Order::Arbitrary),
            NodeKind::Map(entries) => {
                let mut unique = vec![vec![id()]];
                if !entries.iter().any(|entry| entry.key.starts_with(['$', '^'])) {
                    unique.push(entries.iter().map(|entry| format!("_id.{}", entry.key)).collect());
                }
                stream.grouped(unique, Order::Arbitrary);
            }
            _ => *stream = Stream::one(),
        }
    }

    /// The fields that a stage makes or removes, each with the field that it repeats.
    fn made_by(&self, stage: &str, body: NodeId) -> Vec<(String, Option<String>)> {
        if stage == "$unset" {
            let removed = self.items(body).map_or(vec![body], <[NodeId]>::to_vec);
            return removed.iter().filter_map(|node| self.text(*node)).map(|path| (path.to_owned(), None)).collect();
        }
        let entries = self.plain_map(body).unwrap_or_default();
        entries
            .iter()
            .filter(|entry| stage != "$project" || !self.is_kept(entry.value))
            .map(|entry| {
                let repeated = self.text(entry.value).and_then(|text| text.strip_prefix('$'));
                (entry.key.clone(), repeated.filter(|path| !path.starts_with('$')).map(str::to_owned))
            })
            .collect()
    }

    /// Whether a projection takes the field as it is.
    fn is_kept(&self, value: NodeId) -> bool {
        match self.arena.kind(value) {
            NodeKind::Bool(kept) => *kept,
            NodeKind::Int(kept) => *kept != 0,
            NodeKind::Map(entries) => {
                !entries.is_empty()
                    && entries.iter().all(|entry| !entry.key.starts_with(['$', '^']) && self.is_kept(entry.value))
            }
            _ => false,
        }
    }
}

/// Keys that, alone in a map, write a value and no operator.
pub(super) const EXTENDED_JSON: &[&str] = &["$date", "$oid", "$numberLong", "$numberDecimal", "$binary", "$uuid"];
