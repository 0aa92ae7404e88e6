//! The join of an application: two finds and a hash table.

use bson::{Bson, bson};

use crate::value::testing::{Surroundings, compile, problems};

fn orders() -> Bson {
    bson!([
        {"_id": 1, "customerId": 10, "total": 5},
        {"_id": 2, "customerId": 20_i64, "total": 6},
        {"_id": 3, "customerId": 10, "total": 7},
        {"_id": 4, "customerId": 99, "total": 8},
        {"_id": 5, "total": 9},
    ])
}

fn customers() -> Bson {
    bson!([{"_id": 20, "name": "Bo", "city": "Lund"}, {"_id": 10, "name": "Ann", "city": "Oslo"}])
}

fn joined(left: Bson, right: Bson, options: &str) -> Bson {
    Surroundings::named(left, right)
        .value(&compile(&format!("{{^join: {{left: ^a, right: ^b, {options}}}}}")), 0)
        .unwrap()
}

#[test]
fn each_order_gets_its_customer_in_a_field() {
    let wanted = bson!([
        {"_id": 1, "customerId": 10, "total": 5, "customer": {"name": "Ann"}},
        {"_id": 2, "customerId": 20_i64, "total": 6, "customer": {"name": "Bo"}},
        {"_id": 3, "customerId": 10, "total": 7, "customer": {"name": "Ann"}},
        {"_id": 4, "customerId": 99, "total": 8},
        {"_id": 5, "total": 9},
    ]);
    assert_eq!(joined(orders(), customers(), "leftKey: customerId, as: customer, fields: [name]"), wanted);
}

#[test]
fn without_a_field_the_match_is_mixed_in_and_the_left_side_stands() {
    let first = joined(orders(), customers(), "leftKey: customerId, unmatched: drop");
    assert_eq!(first.as_array().unwrap().len(), 3);
    assert_eq!(
        first.as_array().unwrap()[0],
        bson!({"_id": 1, "customerId": 10, "total": 5, "name": "Ann", "city": "Oslo"})
    );
}

#[test]
fn a_list_of_keys_collects_matches_in_its_order() {
    let product = bson!([{"_id": "p", "partIds": [2, 1, 2, 7]}]);
    let parts = bson!([{"_id": 1}, {"_id": 2}]);
    let wanted = bson!([{"_id": "p", "partIds": [2, 1, 2, 7], "parts": [{"_id": 2}, {"_id": 1}]}]);
    assert_eq!(joined(product, parts, "leftKey: partIds, as: parts, many: true"), wanted);
}

#[test]
fn all_matches_are_taken_or_the_first() {
    let posts = bson!([{"_id": 1}, {"_id": 2}]);
    let comments = bson!([{"post": 1, "n": 1}, {"post": 1, "n": 2}]);
    let many =
        joined(posts.clone(), comments.clone(), "leftKey: _id, rightKey: post, as: comments, many: true, fields: [n]");
    assert_eq!(many, bson!([{"_id": 1, "comments": [{"n": 1}, {"n": 2}]}, {"_id": 2, "comments": []}]));
    let one = joined(posts, comments, "leftKey: _id, rightKey: post, as: comment, fields: [n]");
    assert_eq!(one, bson!([{"_id": 1, "comment": {"n": 1}}, {"_id": 2}]));
}

#[test]
fn keys_may_lie_deep_and_be_named_alike() {
    let left = bson!([{"k": {"id": 1}}]);
    let right = bson!([{"k": {"id": 1}, "v": 2}]);
    assert_eq!(joined(left, right, "on: k.id, as: m, fields: [v]"), bson!([{"k": {"id": 1}, "m": {"v": 2}}]));
}

#[test]
fn nothing_joined_is_nothing() {
    assert_eq!(joined(Bson::Null, customers(), "leftKey: customerId, as: customer"), bson!([]));
    assert_eq!(joined(bson!([{"x": null}]), bson!([{"_id": null}]), "leftKey: x, as: y"), bson!([{"x": null}]));
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let wrong = |options: &str| problems(&format!("{{^join: {{left: ^a, right: ^b, {options}}}}}"));
    assert!(wrong("as: customer")[0].contains("lacks the key"));
    assert!(wrong("on: id, leftKey: x")[0].contains("`on` stands for both keys"));
    assert!(wrong("on: id, many: true")[0].contains("`many` needs `as`"));
    assert!(wrong("on: id, unmatched: forget")[0].contains("one of keep, drop"));
    assert!(wrong("on: ^a.id")[0].contains("a field name or path"));
}
