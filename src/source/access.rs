//! How the arena's deserializer hands out the parts of lists, maps and wrappers.

use serde::de::value::U32Deserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess};

use super::decode::{KeyDeserializer, NodeDeserializer};
use super::fault::Fault;
use super::{Entry, NodeId, Span};

/// The items of a list.
pub(super) struct ItemAccess<'a> {
    parent: NodeDeserializer<'a>,
    items: std::slice::Iter<'a, NodeId>,
}

impl<'a> ItemAccess<'a> {
    pub(super) fn new(parent: NodeDeserializer<'a>, items: &'a [NodeId]) -> Self {
        Self { parent, items: items.iter() }
    }
}

impl<'de> SeqAccess<'de> for ItemAccess<'_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        self.items.next().map(|item| self.parent.at(*item).seeded(seed)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of a map, or the known ones of a struct.
pub(super) struct EntryAccess<'a> {
    parent: NodeDeserializer<'a>,
    entries: std::vec::IntoIter<&'a Entry>,
    value: Option<NodeId>,
}

impl<'a> EntryAccess<'a> {
    pub(super) fn new(parent: NodeDeserializer<'a>, entries: Vec<&'a Entry>) -> Self {
        Self { parent, entries: entries.into_iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for EntryAccess<'_> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(entry.value);
        KeyDeserializer::new(self.parent, entry).seeded(seed).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let value = self.value.take().ok_or_else(|| Fault::custom("a value was asked for before its key"))?;
        self.parent.at(value).seeded(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// The parts of an [`At`](super::At): first byte, end, value.
pub(super) struct PlacedAccess<D> {
    start: Option<u32>,
    end: Option<u32>,
    value: Option<D>,
}

impl<D> PlacedAccess<D> {
    pub(super) fn new(span: Span, value: D) -> Self {
        Self { start: Some(span.start), end: Some(span.end), value: Some(value) }
    }
}

impl<'de, D: Deserializer<'de, Error = Fault>> SeqAccess<'de> for PlacedAccess<D> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if let Some(offset) = self.start.take().or_else(|| self.end.take()) {
            let offset: U32Deserializer<Fault> = offset.into_deserializer();
            return seed.deserialize(offset).map(Some);
        }
        self.value.take().map(|value| seed.deserialize(value)).transpose()
    }
}

/// The one part of a [`Soft`](super::Soft): the value, or nothing when it is broken (its problem is then recorded).
pub(super) struct SoftAccess<'a>(Option<NodeDeserializer<'a>>);

impl<'a> SoftAccess<'a> {
    pub(super) fn new(node: NodeDeserializer<'a>) -> Self {
        Self(Some(node))
    }
}

impl<'de> SeqAccess<'de> for SoftAccess<'_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        Ok(self.0.take().and_then(|node| node.seeded(seed).ok()))
    }
}
