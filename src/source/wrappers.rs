//! Types for the fields of file types: values with their places, and values that decoding survives.
//!
//! serde offers no way to ask a deserializer for a place or for a second try, so each wrapper asks for a newtype of a
//! name of its own, which the arena's deserializer knows.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{NodeId, Span};

/// Names under which the wrappers ask the arena's deserializer for what serde cannot ask.
pub(super) mod ask {
    pub(crate) const NODE: &str = "$patternbench::source::NodeRef";
    pub(crate) const AT: &str = "$patternbench::source::At";
    pub(crate) const SOFT: &str = "$patternbench::source::Soft";
}

/// A node of the arena, to be looked at later (a template, a step).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeRef(pub NodeId);

/// A value and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// A value that may be broken: its problem is recorded, and decoding goes on with `None`.
///
/// `Option<Soft<T>>` with `#[serde(default)]` tells an absent value (`None`) from a broken one (`Some(Soft(None))`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Soft<T>(pub Option<T>);

/// A list whose broken entries are recorded and left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct List<T>(pub Vec<T>);

/// A map in the order of the file; entries with broken values are recorded and left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dict<T>(pub Vec<DictEntry<T>>);

/// An entry of a [`Dict`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DictEntry<T> {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: T,
}

impl<T> Default for Soft<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Default for Dict<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Dict<T> {
    /// The entry of that key.
    pub fn get(&self, key: &str) -> Option<&DictEntry<T>> {
        self.0.iter().find(|entry| entry.key == key)
    }
}

impl<'de> Deserialize<'de> for NodeRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NodeVisitor;

        impl Visitor<'_> for NodeVisitor {
            type Value = NodeRef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node of a scenario file")
            }

            fn visit_u32<E>(self, id: u32) -> Result<NodeRef, E> {
                Ok(NodeRef(NodeId(id)))
            }
        }

        deserializer.deserialize_newtype_struct(ask::NODE, NodeVisitor)
    }
}

/// The visitor of a wrapper.
struct WrapperVisitor<W>(PhantomData<W>);

const FOREIGN: &str = "the arena's deserializer gives every part that a wrapper asks for";

fn part<'de, A: SeqAccess<'de>, P: Deserialize<'de>>(parts: &mut A) -> Result<P, A::Error> {
    parts.next_element()?.ok_or_else(|| A::Error::custom(FOREIGN))
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for WrapperVisitor<At<T>> {
    type Value = At<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value with its place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<At<T>, A::Error> {
        let (start, end) = (part(&mut parts)?, part(&mut parts)?);
        Ok(At { value: part(&mut parts)?, span: Span::new(start, end) })
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for WrapperVisitor<Soft<T>> {
    type Value = Soft<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Soft<T>, A::Error> {
        Ok(Soft(parts.next_element()?))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for WrapperVisitor<List<T>> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(Soft(item)) = items.next_element()? {
            list.extend(item);
        }
        Ok(List(list))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for WrapperVisitor<Dict<T>> {
    type Value = Dict<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Dict<T>, A::Error> {
        let mut dict = Vec::new();
        while let Some((At { value: key, span: key_span }, Soft(value))) = entries.next_entry()? {
            dict.extend(value.map(|value| DictEntry { key, key_span, value }));
        }
        Ok(Dict(dict))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(ask::AT, WrapperVisitor::<Self>(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Soft<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(ask::SOFT, WrapperVisitor::<Self>(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(WrapperVisitor::<Self>(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Dict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WrapperVisitor::<Self>(PhantomData))
    }
}

/// In JSON Schema a wrapper is what it wraps: never a definition of its own, but a reference to that of the inner type.
macro_rules! schema_of {
    ($Wrapper:ident => $inner:ty) => {
        impl<T: JsonSchema> JsonSchema for $Wrapper<T> {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                <$inner>::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                format!("{}<{}>", stringify!($Wrapper), <$inner>::schema_id()).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                generator.subschema_for::<$inner>()
            }
        }
    };
}

schema_of!(At => T);
schema_of!(Soft => T);
schema_of!(List => Vec<T>);
schema_of!(Dict => std::collections::BTreeMap<String, T>);

impl JsonSchema for NodeRef {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnyValue".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}
