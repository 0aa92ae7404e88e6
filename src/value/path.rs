//! Paths into documents and lists.

use std::borrow::Cow;
use std::collections::HashSet;

use bson::Bson;

use super::number::identity;

/// Keys to follow from a value, outermost first; empty for the value itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Path(Box<[Box<str>]>);

impl Path {
    /// Reads `a.b.c`; an empty text is the empty path.
    pub(crate) fn parse(text: &str) -> Self {
        if text.is_empty() { Self::default() } else { Self(text.split('.').map(Box::from).collect()) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// First key and the path below it.
    pub(crate) fn split_first(&self) -> Option<(&str, PathRef<'_>)> {
        self.0.split_first().map(|(first, rest)| (first.as_ref(), PathRef(rest)))
    }

    pub(crate) fn as_ref(&self) -> PathRef<'_> {
        PathRef(&self.0)
    }
}

/// A borrowed [`Path`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathRef<'p>(&'p [Box<str>]);

impl PathRef<'_> {
    /// Follows the path. What is missing is null. A path *through* a list maps over its elements, flattens, keeps
    /// order, drops duplicates, and leaves out elements that lack the field.
    pub(crate) fn follow<'v>(self, value: &'v Bson) -> Cow<'v, Bson> {
        let mut value = value;
        for (depth, key) in self.0.iter().enumerate() {
            match value {
                Bson::Document(document) => match document.get(key.as_ref()) {
                    Some(inner) => value = inner,
                    None => return Cow::Owned(Bson::Null),
                },
                Bson::Array(list) => return Cow::Owned(Bson::Array(PathRef(&self.0[depth..]).gather(list))),
                _ => return Cow::Owned(Bson::Null),
            }
        }
        Cow::Borrowed(value)
    }

    /// [`follow`](Self::follow) for a value that is owned.
    pub(crate) fn follow_owned(self, value: Bson) -> Bson {
        if self.0.is_empty() { value } else { self.follow(&value).into_owned() }
    }

    fn gather(self, list: &[Bson]) -> Vec<Bson> {
        let mut found = Vec::new();
        self.collect(list, &mut found);
        let mut seen = HashSet::new();
        found.into_iter().filter(|value| seen.insert(identity(value))).cloned().collect()
    }

    fn collect<'v>(self, list: &'v [Bson], found: &mut Vec<&'v Bson>) {
        list.iter().for_each(|element| self.collect_one(element, found));
    }

    fn collect_one<'v>(self, value: &'v Bson, found: &mut Vec<&'v Bson>) {
        match (self.0.split_first(), value) {
            (_, Bson::Array(list)) => self.collect(list, found),
            (None, _) => found.push(value),
            (Some((key, rest)), Bson::Document(document)) => {
                if let Some(inner) = document.get(key.as_ref()) {
                    PathRef(rest).collect_one(inner, found);
                }
            }
            (Some(_), _) => {}
        }
    }
}
