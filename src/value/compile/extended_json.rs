//! One-key Extended JSON.

use base64::Engine;
use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, Decimal128, Uuid};

use super::Compiler;
use crate::source::{Entry, NodeId, NodeKind};
use crate::value::date::{date_or_error, parse_date};
use crate::value::number::date;

const KEYS: &[(&str, &str)] = &[
    ("$date", "a date such as \"2025-01-31T10:00:00Z\"; for a date that is not constant write {^date: …}"),
    ("$oid", "24 hexadecimal digits"),
    ("$numberLong", "a whole number of 64 bits"),
    ("$numberInt", "a whole number of 32 bits"),
    ("$numberDouble", "a number"),
    ("$numberDecimal", "a decimal number, as text"),
    ("$binary", "{base64: \"…\", subType: \"00\"}"),
    ("$uuid", "a UUID such as \"c8edabc3-f738-4ca3-b68d-ab92a91478a3\""),
];

/// Whether a map with this only key is a value of Extended JSON.
pub(super) fn is_known(key: &str) -> bool {
    KEYS.iter().any(|(known, _)| *known == key)
}

impl Compiler<'_> {
    pub(super) fn extended_json(&mut self, entry: &Entry) -> Option<Bson> {
        let value = self.converted(&entry.key, entry.value);
        if value.is_none() {
            let right = KEYS.iter().find(|(key, _)| *key == entry.key).map_or("", |(_, right)| right);
            let span = self.arena.span(entry.value);
            self.problem(span, format!("this is no value for `{}`", entry.key), Some(format!("it takes {right}")));
        }
        value
    }

    fn converted(&self, key: &str, node: NodeId) -> Option<Bson> {
        match key {
            "$date" => self.date_value(node),
            "$oid" => ObjectId::parse_str(self.plain_text(node)?).ok().map(Bson::ObjectId),
            "$numberLong" => self.number_text(node)?.parse().ok().map(Bson::Int64),
            "$numberInt" => self.number_text(node)?.parse().ok().map(Bson::Int32),
            "$numberDouble" => match self.number_text(node)?.as_str() {
                "Infinity" => Some(Bson::Double(f64::INFINITY)),
                "-Infinity" => Some(Bson::Double(f64::NEG_INFINITY)),
                number => number.parse().ok().map(Bson::Double),
            },
            "$numberDecimal" => self.number_text(node)?.parse::<Decimal128>().ok().map(Bson::Decimal128),
            "$binary" => self.binary(node),
            _ => Uuid::parse_str(self.plain_text(node)?).ok().map(|uuid| Bson::Binary(Binary::from(uuid))),
        }
    }

    fn plain_text(&self, node: NodeId) -> Option<&str> {
        if let NodeKind::Str(text) = self.arena.kind(node) { Some(text) } else { None }
    }

    fn number_text(&self, node: NodeId) -> Option<String> {
        match self.arena.kind(node) {
            NodeKind::Str(text) => Some(text.clone()),
            NodeKind::Int(number) => Some(number.to_string()),
            NodeKind::Float(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn date_value(&self, node: NodeId) -> Option<Bson> {
        if let Some(long) = self.arena.get(node, "$numberLong") {
            return self.number_text(long)?.parse().ok().map(date);
        }
        match self.arena.kind(node) {
            NodeKind::Str(text) => parse_date(text).map(date),
            NodeKind::Int(millis) => date_or_error(&Bson::Int64(*millis)).ok().map(date),
            _ => None,
        }
    }

    fn binary(&self, node: NodeId) -> Option<Bson> {
        let text = self.plain_text(self.arena.get(node, "base64")?)?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
        let subtype = match self.arena.get(node, "subType") {
            Some(subtype) => u8::from_str_radix(&self.number_text(subtype)?, 16).ok()?,
            None => 0,
        };
        Some(Bson::Binary(Binary { subtype: BinarySubtype::from(subtype), bytes }))
    }
}
