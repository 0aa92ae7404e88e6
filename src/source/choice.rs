//! A choice between variants (an externally tagged enum): `naive`, or `find: {…}` as the only key of a map.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor};

use super::decode::{NodeDeserializer, found};
use super::fault::{self, Fault};
use super::{Entry, NodeKind};

/// What was chosen.
pub(super) struct ChoiceAccess<'a> {
    node: NodeDeserializer<'a>,
    chosen: Chosen<'a>,
}

/// How it was written.
#[derive(Clone, Copy)]
enum Chosen<'a> {
    Alone(&'a str),
    WithValue(&'a Entry),
}

impl<'a> ChoiceAccess<'a> {
    pub(super) fn new(node: NodeDeserializer<'a>, variants: &'static [&'static str]) -> Result<Self, Fault> {
        let chosen = match &node.this().kind {
            NodeKind::Str(name) => Chosen::Alone(name),
            NodeKind::Map(entries) => Chosen::WithValue(only(node, entries, variants)?),
            other => return Err(Fault::new(format!("expected {}, found {}", one_of(variants), found(other)))),
        };
        Ok(Self { node, chosen })
    }

    fn name(&self) -> &'a str {
        match self.chosen {
            Chosen::Alone(name) => name,
            Chosen::WithValue(entry) => &entry.key,
        }
    }

    /// Records a fault of the choice itself.
    fn settle<T>(&self, result: Result<T, Fault>) -> Result<T, Fault> {
        match self.chosen {
            Chosen::Alone(_) => self.node.settle(result),
            Chosen::WithValue(entry) => self.node.settle_key(entry, result),
        }
    }

    fn value(&self) -> Result<NodeDeserializer<'a>, Fault> {
        match self.chosen {
            Chosen::WithValue(entry) => Ok(self.node.at(entry.value)),
            Chosen::Alone(name) => self.settle(Err(Fault::new(format!("{} needs a value", fault::code(name)))
                .help(format!("write {}", fault::code(&format!("{name}: …")))))),
        }
    }
}

/// The entry whose key is a variant, else the first; all others are recorded.
fn only<'a>(
    node: NodeDeserializer<'a>,
    entries: &'a [Entry],
    variants: &'static [&'static str],
) -> Result<&'a Entry, Fault> {
    let is_variant = |entry: &Entry| variants.contains(&entry.key.as_str());
    let Some(chosen) = entries.iter().find(|entry| is_variant(entry)).or(entries.first()) else {
        return Err(Fault::new(format!("expected {} as the only key, found an empty map", one_of(variants))));
    };
    for entry in entries.iter().filter(|entry| !std::ptr::eq(*entry, chosen)) {
        let (key, name) = (fault::code(&entry.key), fault::code(&chosen.key));
        let help = match is_variant(entry) {
            true => format!("make {key} an entry of its own"),
            false => format!("if it belongs to {name}, move it inside the braces of {name}"),
        };
        let message = format!("{key} stands beside {name}, which must be the only key here");
        let problem = node.arena.key_problem(entry, message).help(help);
        node.record(problem.note(chosen.key_span, format!("{name} stands here")));
    }
    Ok(chosen)
}

/// The variants as the end of "expected …".
fn one_of(variants: &[&str]) -> String {
    match variants {
        [only] => fault::code(only),
        _ => format!("one of {}", fault::names(variants)),
    }
}

impl<'de> EnumAccess<'de> for ChoiceAccess<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        let name: StrDeserializer<'_, Fault> = self.name().into_deserializer();
        let variant = self.settle(seed.deserialize(name))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for ChoiceAccess<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        let Chosen::WithValue(entry) = self.chosen else { return Ok(()) };
        let value = self.node.at(entry.value);
        match &value.this().kind {
            NodeKind::Null => Ok(()),
            kind => {
                let message = format!("{} takes no value, found {}", fault::code(&entry.key), found(kind));
                value.settle(Err(Fault::new(message)))
            }
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        self.value()?.seeded(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        self.value()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        self.value()?.deserialize_struct("", fields, visitor)
    }
}
