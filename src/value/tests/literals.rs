//! Plain values, and what protects them from being taken for references.

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, bson};

use crate::value::testing::{compile, rendered};

#[test]
fn constants_are_known_without_rendering() {
    let template = compile("{a: 1, b: [x, true, null], c: {d: 1.5}}");
    assert_eq!(template.as_constant(), Some(&bson!({"a": 1, "b": ["x", true, null], "c": {"d": 1.5}})));
}

#[test]
fn whole_numbers_are_int32_where_they_fit() {
    let all = "[2147483647, 2147483648, -2147483648, -2147483649, 1.0, 1e3]";
    let wanted = vec![
        Bson::Int32(i32::MAX),
        Bson::Int64(1 << 31),
        Bson::Int32(i32::MIN),
        Bson::Int64(-(1 << 31) - 1),
        Bson::Double(1.0),
        Bson::Double(1000.0),
    ];
    assert_eq!(rendered(all, 0), Bson::Array(wanted));
}

#[test]
fn dates_are_texts_unless_said_otherwise() {
    assert_eq!(rendered("2025-01-01", 0), Bson::from("2025-01-01"));
    let date = Bson::DateTime(DateTime::parse_rfc3339_str("2025-01-01T00:00:00Z").unwrap());
    assert_eq!(rendered("{^date: 2025-01-01}", 0), date);
    assert_eq!(rendered("{$date: '2025-01-01T00:00:00Z'}", 0), date);
}

#[test]
fn doubled_carets_are_literal_ones() {
    assert_eq!(rendered("{$regex: '^^abc'}", 0), bson!({"$regex": "^abc"}));
    assert_eq!(rendered("{'^^key': '^^'}", 0), bson!({"^key": "^"}));
}

#[test]
fn operators_and_field_paths_of_mongodb_stay_as_they_are() {
    let pipeline = "[{$match: {a.b: {$gte: 1}}}, {$group: {_id: $customer, n: {$sum: 1}}}]";
    let wanted = bson!([{"$match": {"a.b": {"$gte": 1}}}, {"$group": {"_id": "$customer", "n": {"$sum": 1}}}]);
    assert_eq!(rendered(pipeline, 0), wanted);
}

#[test]
fn extended_json_is_converted() {
    let id = "0123456789abcdef01234567";
    assert_eq!(rendered(&format!("{{$oid: '{id}'}}"), 0), Bson::ObjectId(ObjectId::parse_str(id).unwrap()));
    assert_eq!(rendered("{$numberLong: '5'}", 0), Bson::Int64(5));
    assert_eq!(rendered("{$numberLong: 5}", 0), Bson::Int64(5));
    assert_eq!(rendered("{$numberInt: '5'}", 0), Bson::Int32(5));
    assert_eq!(rendered("{$numberDouble: '5'}", 0), Bson::Double(5.0));
    assert_eq!(rendered("{$numberDecimal: '1.50'}", 0), Bson::Decimal128("1.50".parse().unwrap()));
    assert_eq!(rendered("{$date: {$numberLong: '-1'}}", 0), Bson::DateTime(DateTime::from_millis(-1)));
    let bytes = Binary { subtype: BinarySubtype::UserDefined(0x80), bytes: vec![1, 2, 3] };
    assert_eq!(rendered("{$binary: {base64: AQID, subType: '80'}}", 0), Bson::Binary(bytes));
    let uuid = rendered("{$uuid: c8edabc3-f738-4ca3-b68d-ab92a91478a3}", 0);
    assert!(matches!(uuid, Bson::Binary(Binary { subtype: BinarySubtype::Uuid, .. })));
}
