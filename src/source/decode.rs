//! A serde deserializer over the arena that records problems in the reader's terms and, where it can, goes on.

use std::cell::RefCell;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::access::{EntryAccess, ItemAccess, PlacedAccess, SoftAccess};
use super::choice::ChoiceAccess;
use super::fault::{self, Fault};
use super::wrappers::ask;
use super::{Arena, Entry, Node, NodeId, NodeKind, Problem, Problems};

/// Decodes a node into a type; what is wrong is recorded in `problems`. `None` says that the value as a whole is
/// broken (then at least one problem was recorded); a value may come out although there were problems in its
/// [`Soft`](super::Soft) parts, its [`List`](super::List) entries and its [`Dict`](super::Dict) entries.
///
/// Structs report every unknown field with the nearest known one and pass over it.
pub fn decode<T: DeserializeOwned>(arena: &Arena, node: NodeId, problems: &mut Problems) -> Option<T> {
    let log = Log(RefCell::new(problems));
    NodeDeserializer { arena, node, log: &log }.seeded(PhantomData).ok()
}

/// Where problems go while several deserializers are alive.
pub(super) struct Log<'p>(RefCell<&'p mut Problems>);

impl Log<'_> {
    pub(super) fn record(&self, problem: Problem) {
        self.0.borrow_mut().push(problem);
    }
}

/// Deserializes one node.
#[derive(Clone, Copy)]
pub(super) struct NodeDeserializer<'a> {
    pub(super) arena: &'a Arena,
    pub(super) node: NodeId,
    pub(super) log: &'a Log<'a>,
}

impl<'a> NodeDeserializer<'a> {
    pub(super) fn at(self, node: NodeId) -> Self {
        Self { node, ..self }
    }

    pub(super) fn this(&self) -> &'a Node {
        self.arena.node(self.node)
    }

    pub(super) fn record(&self, problem: Problem) {
        self.log.record(problem);
    }

    /// Decodes this node; whatever error comes out has been recorded.
    pub(super) fn seeded<'de, S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        self.settle(seed.deserialize(self))
    }

    /// Records a fault that does not know its place yet as a problem of this node.
    pub(super) fn settle<T>(&self, result: Result<T, Fault>) -> Result<T, Fault> {
        result.map_err(|fault| fault.record(self.log, |message| self.arena.problem(self.node, message)))
    }

    /// Records a fault that does not know its place yet as a problem of a key.
    pub(super) fn settle_key<T>(&self, entry: &Entry, result: Result<T, Fault>) -> Result<T, Fault> {
        result.map_err(|fault| fault.record(self.log, |message| self.arena.key_problem(entry, message)))
    }

    fn mismatch(&self, expected: &str) -> Fault {
        Fault::new(format!("expected {expected}, found {}", found(&self.this().kind)))
    }

    fn integer(&self, low: i128, high: i128) -> Result<i64, Fault> {
        match &self.this().kind {
            NodeKind::Int(value) if i128::from(*value) < low => {
                Err(Fault::new(format!("{value} is too small")).help(format!("at least {low}")))
            }
            NodeKind::Int(value) if i128::from(*value) > high => {
                Err(Fault::new(format!("{value} is too large")).help(format!("at most {high}")))
            }
            NodeKind::Int(value) => Ok(*value),
            _ => Err(self.mismatch("a whole number")),
        }
    }

    fn items(&self) -> Result<&'a [NodeId], Fault> {
        match &self.this().kind {
            NodeKind::Seq(items) => Ok(items),
            _ => Err(self.mismatch("a list")),
        }
    }

    fn entries(&self, expected: &str) -> Result<&'a [Entry], Fault> {
        match &self.this().kind {
            NodeKind::Map(entries) => Ok(entries),
            NodeKind::Str(text) => Err(match fault::space_missing(text) {
                Some((key, value)) => self
                    .mismatch(expected)
                    .help(format!("space missing after the colon: {}", fault::code(&format!("{key}: {value}")))),
                None => self.mismatch(expected),
            }),
            _ => Err(self.mismatch(expected)),
        }
    }

    /// The entries of a struct: unknown ones are recorded and left out.
    fn known_entries(&self, fields: &'static [&'static str], subject: Option<&str>) -> Result<Vec<&'a Entry>, Fault> {
        let expected = subject.map_or("a map".to_owned(), |subject| format!("{subject} (a map)"));
        let (known, unknown): (Vec<_>, Vec<_>) =
            self.entries(&expected)?.iter().partition(|entry| fields.contains(&entry.key.as_str()));
        for entry in unknown {
            let place = subject.map_or(String::new(), |subject| format!(" in {subject}"));
            let message = format!("unknown field {}{place}", fault::code(&entry.key));
            self.record(self.arena.key_problem(entry, message).help(fault::suggestion(&entry.key, fields)));
        }
        Ok(known)
    }
}

/// What a value is, for the end of "expected …, found …".
pub(super) fn found(kind: &NodeKind) -> String {
    match kind {
        NodeKind::Bool(value) => format!("`{value}`"),
        NodeKind::Int(value) => format!("the whole number {value}"),
        NodeKind::Float(value) => format!("the number {value:?}"),
        NodeKind::Str(text) => format!("the string {}", fault::quoted(text)),
        NodeKind::Null | NodeKind::Seq(_) | NodeKind::Map(_) => kind.describe().to_owned(),
    }
}

/// How a file type calls itself (`#[serde(expecting = "…")]`), unless it is serde's own wording.
fn subject(visitor: &dyn Expected) -> Option<String> {
    let text = visitor.to_string();
    let serdes_own = ["struct ", "tuple ", "enum ", "unit "].iter().any(|prefix| text.starts_with(prefix));
    (!serdes_own).then_some(text)
}

macro_rules! integers {
    ($($method:ident $visit:ident $type:ty;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            // Casts lose nothing: the range was checked.
            let value = self.integer(<$type>::MIN as i128, i128::try_from(<$type>::MAX).unwrap_or(i128::MAX));
            self.settle(value.and_then(|value| visitor.$visit(value as $type)))
        })+
    };
}

impl<'de, 'a> Deserializer<'de> for NodeDeserializer<'a> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.settle(match &self.this().kind {
            NodeKind::Null => visitor.visit_unit(),
            NodeKind::Bool(value) => visitor.visit_bool(*value),
            NodeKind::Int(value) => match u64::try_from(*value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(*value),
            },
            NodeKind::Float(value) => visitor.visit_f64(*value),
            NodeKind::Str(text) => visitor.visit_str(text),
            NodeKind::Seq(items) => visitor.visit_seq(ItemAccess::new(self, items)),
            NodeKind::Map(entries) => visitor.visit_map(EntryAccess::new(self, entries.iter().collect())),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.settle(match &self.this().kind {
            NodeKind::Bool(value) => visitor.visit_bool(*value),
            _ => Err(self.mismatch("`true` or `false`")),
        })
    }

    integers! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.settle(match &self.this().kind {
            NodeKind::Int(value) => visitor.visit_f64(*value as f64),
            NodeKind::Float(value) => visitor.visit_f64(*value),
            _ => Err(self.mismatch("a number")),
        })
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.settle(match &self.this().kind {
            NodeKind::Str(text) => visitor.visit_str(text),
            NodeKind::Bool(_) | NodeKind::Int(_) | NodeKind::Float(_) => {
                Err(self.mismatch("a string").help("put it in quotes if text is meant"))
            }
            NodeKind::Null | NodeKind::Seq(_) | NodeKind::Map(_) => Err(self.mismatch("a string")),
        })
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.settle(match &self.this().kind {
            NodeKind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        })
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.settle(match &self.this().kind {
            NodeKind::Null => visitor.visit_unit(),
            _ => Err(self.mismatch("nothing")),
        })
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Fault> {
        self.settle(match name {
            ask::NODE => visitor.visit_u32(self.node.0),
            ask::AT => visitor.visit_seq(PlacedAccess::new(self.this().span, self)),
            ask::SOFT => visitor.visit_seq(SoftAccess::new(self)),
            _ => visitor.visit_newtype_struct(self),
        })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.settle(self.items().and_then(|items| visitor.visit_seq(ItemAccess::new(self, items))))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        self.settle(self.items().and_then(|items| match items.len() {
            given if given == length => visitor.visit_seq(ItemAccess::new(self, items)),
            given => Err(Fault::new(format!("expected a list of {length} values, found {given}"))),
        }))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let entries = self.entries("a map");
        self.settle(entries.and_then(|entries| visitor.visit_map(EntryAccess::new(self, entries.iter().collect()))))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let entries = self.known_entries(fields, subject(&visitor).as_deref());
        self.settle(entries.and_then(|entries| visitor.visit_map(EntryAccess::new(self, entries))))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.settle(ChoiceAccess::new(self, variants).and_then(|choice| visitor.visit_enum(choice)))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { bytes byte_buf }
}

/// Deserializes a key of a map.
#[derive(Clone, Copy)]
pub(super) struct KeyDeserializer<'a> {
    map: NodeDeserializer<'a>,
    entry: &'a Entry,
}

impl<'a> KeyDeserializer<'a> {
    pub(super) fn new(map: NodeDeserializer<'a>, entry: &'a Entry) -> Self {
        Self { map, entry }
    }

    /// Decodes this key; whatever error comes out has been recorded.
    pub(super) fn seeded<'de, S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        self.map.settle_key(self.entry, seed.deserialize(self))
    }
}

impl<'de, 'a> Deserializer<'de> for KeyDeserializer<'a> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str(&self.entry.key)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Fault> {
        match name {
            ask::AT => visitor.visit_seq(PlacedAccess::new(self.entry.key_span, self)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(self.entry.key.as_str().into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
