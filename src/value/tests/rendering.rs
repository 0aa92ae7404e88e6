//! Documents written by splicing are, byte for byte, what the driver writes of the same values.

use std::collections::HashSet;

use bson::raw::RawDocumentBuf;
use bson::spec::BinarySubtype;
use bson::{
    Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, Regex, Timestamp, bson, doc, oid::ObjectId,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::value::encode::encode_document;
use crate::value::testing::{Surroundings, compile};

/// Values that stand in a file as they are.
fn literal() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|number: f64| json!({"$numberDouble": number.to_string()})),
        "[a-zA-Z0-9 äß☃]{0,20}".prop_map(Value::from),
        Just(json!("^^caret")),
        Just(json!({"$date": "2024-02-29T12:00:00Z"})),
        Just(json!({"$oid": "0123456789abcdef01234567"})),
        Just(json!({"$numberDecimal": "12.50"})),
        Just(json!({"$binary": {"base64": "AQID", "subType": "00"}})),
    ]
}

/// Values that are filled in.
fn filled() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::sample::select(vec![
            "^index",
            "^now",
            "^a",
            "^b",
            "^a.x",
            "^a.list.n",
            "^parent.p",
            "^objectId",
            "^uuid",
            "^bool",
            "^double"
        ])
        .prop_map(Value::from),
        (any::<i32>(), 0..1000i64).prop_map(|(min, span)| json!({"^int": {"min": min, "max": i64::from(min) + span}})),
        (0..300u32).prop_map(|bytes| json!({"^text": {"bytes": bytes}})),
        (0..5u32).prop_map(|count| json!({"^words": count})),
        Just(json!({"^decimal": {"min": 1, "max": 500}})),
        Just(json!({"^date": {"from": "2024-01-01", "to": "2025-01-01"}})),
        Just(json!({"^key": {"of": "books", "zipf": 0.9}})),
        Just(json!({"^key": "buyers"})),
        Just(json!({"^row": "books"})),
        Just(json!({"^format": "n={index:04} {a.x}"})),
        Just(json!({"^add": ["^index", 2147483640]})),
        Just(json!({"^mul": ["^index", 1.5]})),
        Just(json!({"^filter": {"in": "^a.list", "where": {"^lt": ["^it.n", 2]}}})),
    ]
}

fn key() -> impl Strategy<Value = String> {
    "[a-zA-Z_$.ä][a-zA-Z0-9_.ä]{0,8}"
        .prop_filter("one-key maps of Extended JSON are values", |key| !key.starts_with('$'))
}

/// `^object` of these fields, its pairs in both forms; of equal keys the first alone, since two are an error.
fn object(fields: Vec<(String, Value)>) -> Value {
    let mut seen = HashSet::new();
    let fields = fields.into_iter().filter(|(key, _)| seen.insert(key.clone()));
    let pairs = fields.enumerate().map(|(place, (key, value))| match place % 2 {
        0 => json!([key, value]),
        _ => json!({"k": key, "v": value}),
    });
    json!({"^object": pairs.collect::<Vec<_>>()})
}

/// Templates of any shape.
fn template() -> impl Strategy<Value = Value> {
    prop_oneof![literal(), filled()].prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            3 => prop::collection::vec((key(), inner.clone()), 0..5).prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
            2 => prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            1 => (inner.clone(), 0..12u32).prop_map(|(of, count)| json!({"^array": {"of": of, "count": count}})),
            1 => (inner.clone(), 1..4u32).prop_map(|(of, count)| json!({"^repeat": {"of": of, "count": count}})),
            1 => prop::collection::vec(inner.clone(), 1..4).prop_map(|of| json!({"^choose": of})),
            2 => prop::collection::vec((key(), inner.clone()), 0..4).prop_map(object),
            1 => inner.clone().prop_map(|to| json!({"^map": {"in": "^a.list", "to": [to, "^it.n", "^position"]}})),
            1 => (inner.clone(), inner).prop_map(|(then, other)| json!({"^if": {"if": "^bool", "then": then, "else": other}})),
        ]
    })
}

fn surroundings() -> Surroundings {
    let mut around = Surroundings::named(
        bson!({"x": "ünï", "list": [{"n": 1}, {"n": 2}, {"n": 1.5}]}),
        Bson::RegularExpression(Regex::try_from_parts("^a", "i").unwrap()),
    );
    around.parent = doc! {"p": [1, {"q": 2_i64}]};
    around
}

/// Regular expressions lose nothing; the constructor only checks for null characters.
trait RegexParts: Sized {
    fn try_from_parts(pattern: &str, options: &str) -> Option<Self>;
}

impl RegexParts for Regex {
    fn try_from_parts(pattern: &str, options: &str) -> Option<Self> {
        Some(Self { pattern: pattern.try_into().ok()?, options: options.try_into().ok()? })
    }
}

proptest! {
    #[test]
    fn a_spliced_document_is_what_the_driver_would_write(template in template(), number in 0..5000u64) {
        let text = json!({"root": template, "after": 1}).to_string();
        let (template, around) = (compile(&text), surroundings());
        let spliced = around.document(&template, number).unwrap();
        let Bson::Document(value) = around.value(&template, number).unwrap() else { panic!("a document") };
        let wanted = RawDocumentBuf::try_from(&value).unwrap();
        prop_assert_eq!(spliced.as_bytes(), wanted.as_bytes());
        // And it reads back, to the last byte.
        prop_assert_eq!(Document::try_from(&*spliced).unwrap(), value);
    }

    #[test]
    fn an_object_of_pairs_is_the_document_that_has_them_as_fields(document in document()) {
        let pairs = document.iter().enumerate().map(|(place, (key, value))| match place % 2 {
            0 => bson!([key, value.clone()]),
            _ => bson!({"v": value.clone(), "k": key}),
        });
        let around = Surroundings::named(Bson::Array(pairs.collect()), Bson::Null);
        let made = around.document(&compile("{^object: ^a}"), 0).unwrap();
        let wanted = RawDocumentBuf::try_from(&document).unwrap();
        prop_assert_eq!(made.as_bytes(), wanted.as_bytes());
    }

    #[test]
    fn every_type_is_encoded_as_the_driver_encodes_it(document in document()) {
        let mut bytes = Vec::new();
        encode_document(&document, &mut bytes);
        let wanted = RawDocumentBuf::try_from(&document).unwrap();
        prop_assert_eq!(bytes, wanted.as_bytes());
    }
}

/// Documents of every type that BSON has.
fn document() -> impl Strategy<Value = Document> {
    let leaf = prop_oneof![
        any::<f64>().prop_filter("NaN equals nothing", |number| !number.is_nan()).prop_map(Bson::Double),
        ".{0,12}".prop_map(Bson::String),
        any::<bool>().prop_map(Bson::Boolean),
        Just(Bson::Null),
        any::<i32>().prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        any::<i64>().prop_map(|millis| Bson::DateTime(DateTime::from_millis(millis))),
        any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(ObjectId::from_bytes(bytes))),
        any::<[u8; 16]>().prop_map(|bytes| Bson::Decimal128(Decimal128::from_bytes(bytes))),
        (any::<u32>(), any::<u32>()).prop_map(|(time, increment)| Bson::Timestamp(Timestamp { time, increment })),
        (
            prop::sample::select(vec![BinarySubtype::Generic, BinarySubtype::BinaryOld, BinarySubtype::Uuid]),
            any::<Vec<u8>>()
        )
            .prop_map(|(subtype, bytes)| Bson::Binary(Binary { subtype, bytes })),
        Just(Bson::RegularExpression(Regex::try_from_parts("^a.*", "imx").unwrap())),
        Just(Bson::JavaScriptCode("1 + 1".to_owned())),
        Just(Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code: "x".to_owned(), scope: doc! {"x": 1} })),
        Just(Bson::Symbol("s".to_owned())),
        Just(Bson::Undefined),
        Just(Bson::MinKey),
        Just(Bson::MaxKey),
    ];
    let value = leaf.prop_recursive(3, 30, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Bson::Array),
            prop::collection::vec((key(), inner), 0..6).prop_map(|fields| Bson::Document(fields.into_iter().collect())),
        ]
    });
    prop::collection::vec((key(), value), 0..8).prop_map(|fields| fields.into_iter().collect())
}

#[test]
fn a_constant_document_is_encoded_once_and_right() {
    let around = Surroundings::new();
    let constant = around.document(&compile("{a: 1, b: [x, {c: null}], d: {}}"), 0).unwrap();
    assert_eq!(constant, RawDocumentBuf::try_from(&doc! {"a": 1, "b": ["x", {"c": null}], "d": {}}).unwrap());
}

#[test]
fn a_buffer_is_used_again_for_the_next_document() {
    let (around, template) = (Surroundings::new(), compile("{n: ^index}"));
    let mut buffer = vec![1, 2, 3];
    for number in 0..3 {
        template.write_document(&around.context(number), &mut buffer).unwrap();
        assert_eq!(buffer, around.document(&template, number).unwrap().as_bytes());
    }
}
