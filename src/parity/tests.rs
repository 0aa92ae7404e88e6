//! The canonical form and the comparison: what matters and what does not.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Decimal128, Document, bson};
use proptest::prelude::*;

use super::canonical::Canonical;
use super::difference::{Comparison, Difference, PathStep, compare_items};
use super::rules::{Apart, Rules};
use super::show::show_path;
use crate::scenario::Returns;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn in_order() -> Rules {
    Rules::new(&Returns { order: true, ..Returns::default() }, false)
}

fn as_sets() -> Rules {
    Rules::new(&Returns::default(), false)
}

fn items(values: &[Bson]) -> Vec<Canonical> {
    values.iter().map(Canonical::from).collect()
}

fn compared(rules: &Rules, left: &[Bson], right: &[Bson]) -> Comparison {
    compare_items(rules, &items(left), &items(right))
}

fn difference(rules: &Rules, left: &[Bson], right: &[Bson]) -> Difference {
    compared(rules, left, right).difference.expect("a difference")
}

fn agree(rules: &Rules, left: &[Bson], right: &[Bson]) -> bool {
    compared(rules, left, right).difference.is_none()
}

#[test]
fn the_first_differing_field_is_found_through_lists() {
    let order = |qty: i32| bson!({ "_id": 1, "lines": [{ "sku": "a", "qty": 1 }, { "sku": "b", "qty": qty }] });
    let found = difference(&in_order(), &[bson!({}), order(2)], &[bson!({}), order(3)]);
    assert_eq!((found.left_item, found.right_item), (Some(1), Some(1)));
    assert_eq!(show_path(&found.path), "lines[2].qty");
    assert_eq!((found.left, found.right), (Some(Canonical::from(&bson!(2))), Some(Canonical::from(&bson!(3)))));
}

#[test]
fn null_and_nothing_are_two_answers() {
    let found = difference(&in_order(), &[bson!({ "a": 1, "b": null })], &[bson!({ "a": 1 })]);
    assert_eq!(found.path, [PathStep::Key("b".into())]);
    assert_eq!((found.left, found.right), (Some(Canonical::Null), None));
}

#[test]
fn a_result_that_only_one_model_returns_is_told() {
    let (a, b) = (bson!({ "name": "a" }), bson!({ "name": "b" }));
    let in_order = difference(&in_order(), &[a.clone(), b.clone()], std::slice::from_ref(&a));
    assert_eq!((in_order.left_item, in_order.right_item, in_order.right), (Some(1), None, None));
    let as_sets = difference(&as_sets(), std::slice::from_ref(&b), &[a.clone(), b.clone()]);
    assert_eq!((as_sets.left_item, as_sets.right_item, as_sets.right), (None, Some(0), Some(Canonical::from(&a))));
}

#[test]
fn in_sets_a_result_is_held_against_the_one_most_like_it() {
    let product = |name: &str, price: i32, rating: f64| bson!({ "name": name, "price": price, "rating": rating });
    let left = [product("a", 1, 3.0), product("b", 2, 4.0), product("c", 3, 5.0)];
    let right = [product("c", 3, 5.0), product("b", 2, 4.5), product("a", 1, 3.0)];
    let found = difference(&as_sets(), &left, &right);
    assert_eq!((found.left_item, found.right_item, show_path(&found.path)), (Some(1), Some(1), "rating".to_owned()));
}

#[test]
fn fields_are_compared_in_the_order_declared() {
    let returns = Returns { fields: names(&["z.count", "a", "z.avg"]), ..Returns::default() };
    let rules = Rules::new(&returns, false);
    let found = difference(
        &rules,
        &[bson!({ "a": 1, "z": { "avg": 1, "count": 1 } })],
        &[bson!({ "a": 2, "z": { "avg": 2, "count": 2 } })],
    );
    assert_eq!(show_path(&found.path), "z.count");
}

#[test]
fn sets_count_how_often_a_value_stands_in_them() {
    let (a, b) = (bson!("a"), bson!("b"));
    assert!(agree(&as_sets(), &[a.clone(), b.clone(), a.clone()], &[a.clone(), a.clone(), b.clone()]));
    assert!(!agree(&as_sets(), &[a.clone(), b.clone(), a.clone()], &[a, b.clone(), b]));
}

#[test]
fn a_tolerance_is_for_its_field_alone() {
    let rules = |order| {
        let tolerance = [("stats.avg".to_owned(), 1e-9)].into();
        Rules::new(&Returns { order, tolerance, ..Returns::default() }, false)
    };
    let group = |avg: f64, sum: f64| bson!({ "stats": [{ "avg": avg, "sum": sum }] });
    for rules in [rules(true), rules(false)] {
        assert!(agree(&rules, &[group(0.1 + 0.2, 1.0)], &[group(0.3, 1.0)]));
        assert!(!agree(&rules, &[group(0.300_000_1, 1.0)], &[group(0.3, 1.0)]));
        assert!(!agree(&rules, &[group(0.3, 0.1 + 0.2)], &[group(0.3, 0.3)]));
    }
}

#[test]
fn within_a_tolerance_sets_pair_their_elements() {
    let tolerance = [("avg".to_owned(), 0.01)].into();
    let rules = Rules::new(&Returns { tolerance, ..Returns::default() }, false);
    let avg = |avg: f64| bson!({ "avg": avg });
    assert!(agree(&rules, &[avg(2.0), avg(1.0), avg(1.009)], &[avg(1.0), avg(2.01), avg(1.018)]));
    assert!(!agree(&rules, &[avg(2.0), avg(1.0), avg(1.0)], &[avg(1.0), avg(2.0), avg(2.0)]));
}

#[test]
fn declared_fields_are_counted_apart() {
    let returns = Returns {
        snapshot: names(&["customer.name"]),
        eventual: names(&["likes"]),
        last_write: names(&["bio"]),
        ..Returns::default()
    };
    let (sequential, concurrent) = (Rules::new(&returns, false), Rules::new(&returns, true));
    let user = |name: &str, likes: i32, bio: &str| bson!({ "customer": { "name": name }, "likes": likes, "bio": bio });
    let seen = |rules: &Rules, other: Bson| {
        let comparison = compared(rules, &[user("x", 1, "y")], &[other]);
        (comparison.difference.map(|found| show_path(&found.path)), comparison.apart.into_iter().collect::<Vec<_>>())
    };
    assert_eq!(seen(&sequential, user("other", 1, "y")), (None, vec![Apart::Snapshot]));
    assert_eq!(seen(&sequential, user("x", 2, "y")), (Some("likes".to_owned()), vec![]), "compared once up to date");
    assert_eq!(seen(&concurrent, user("x", 1, "other")), (None, vec![Apart::LastWrite]));
    assert_eq!(seen(&sequential, user("x", 1, "other")), (Some("bio".to_owned()), vec![]));
    // A list or document in such a field is one value: that it differs inside counts too.
    let found = compared(&concurrent, &[bson!({ "bio": { "a": [1, 2] } })], &[bson!({ "bio": { "a": [1, 3] } })]);
    assert_eq!(found.apart.into_iter().collect::<Vec<_>>(), [Apart::LastWrite]);
    let found = compared(&concurrent, &[bson!({ "bio": "y" })], &[bson!({})]);
    assert_eq!((found.difference, found.apart.len()), (None, 1), "there is nothing to read before the first write");
}

#[test]
fn where_the_order_of_arrival_decides_only_numbers_of_results_count() {
    let rules = Rules::new(&Returns { order_dependent: true, ..Returns::default() }, true);
    assert!(agree(&rules, &[bson!({ "a": 1 })], &[bson!({ "a": 2 })]));
    let found = difference(&rules, &[bson!({ "a": 1 })], &[]);
    assert_eq!((found.left_item, found.left), (None, Some(Canonical::from(&bson!(1)))));
}

/// Any value that an answer may hold.
fn value() -> impl Strategy<Value = Bson> {
    let leaf = prop_oneof![
        Just(Bson::Null),
        any::<bool>().prop_map(Bson::Boolean),
        (-50..50_i32).prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        (-50..50_i32).prop_map(|number| Bson::Double(f64::from(number) / 4.0)),
        any::<f64>().prop_map(Bson::Double),
        "[a-c]{0,2}".prop_map(Bson::String),
        (0..100_i64).prop_map(|millis| Bson::DateTime(DateTime::from_millis(millis))),
        any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(ObjectId::from_bytes(bytes))),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Bson::Array),
            prop::collection::vec(("[a-d]", inner), 0..5)
                .prop_map(|fields| Bson::Document(fields.into_iter().collect::<Document>())),
        ]
    })
}

fn answer() -> impl Strategy<Value = Vec<Bson>> {
    prop::collection::vec(value(), 0..5)
}

/// The same value with its keys in another order and its numbers in other types.
fn disguised(value: &Bson) -> Bson {
    match value {
        Bson::Document(document) => {
            let mut fields: Vec<_> = document.iter().collect();
            fields.reverse();
            Bson::Document(fields.into_iter().map(|(key, value)| (key.clone(), disguised(value))).collect())
        }
        Bson::Array(elements) => Bson::Array(elements.iter().map(disguised).collect()),
        Bson::Int32(number) => Bson::Double(f64::from(*number)),
        Bson::Int64(number) => Bson::Decimal128(number.to_string().parse::<Decimal128>().expect("a decimal")),
        Bson::Double(number) if number.fract() == 0.0 && number.abs() < 1e9 => Bson::Int64(*number as i64),
        other => other.clone(),
    }
}

fn leaves(value: &Bson) -> usize {
    match value {
        Bson::Document(document) => document.values().map(leaves).sum::<usize>().max(1),
        Bson::Array(elements) => elements.iter().map(leaves).sum::<usize>().max(1),
        _ => 1,
    }
}

/// The same value with its `chosen`th leaf replaced by something that stands nowhere else.
fn altered(value: &Bson, chosen: &mut usize) -> Bson {
    let below = leaves(value);
    if *chosen >= below {
        *chosen -= below;
        return value.clone();
    }
    match value {
        Bson::Document(document) if !document.is_empty() => {
            Bson::Document(document.iter().map(|(key, value)| (key.clone(), altered(value, chosen))).collect())
        }
        Bson::Array(elements) if !elements.is_empty() => {
            Bson::Array(elements.iter().map(|element| altered(element, chosen)).collect())
        }
        _ => {
            *chosen = usize::MAX;
            Bson::String("altered".to_owned())
        }
    }
}

proptest! {
    #[test]
    fn every_answer_agrees_with_itself(answer in answer()) {
        for rules in [in_order(), as_sets()] {
            prop_assert!(agree(&rules, &answer, &answer));
        }
    }

    #[test]
    fn agreement_has_no_direction(left in answer(), right in answer()) {
        for rules in [in_order(), as_sets()] {
            prop_assert_eq!(agree(&rules, &left, &right), agree(&rules, &right, &left));
        }
    }

    #[test]
    fn the_order_of_keys_and_the_types_of_numbers_do_not_matter(answer in answer()) {
        let other: Vec<_> = answer.iter().map(disguised).collect();
        prop_assert_eq!(items(&answer), items(&other));
        for rules in [in_order(), as_sets()] {
            prop_assert!(agree(&rules, &answer, &other));
        }
    }

    #[test]
    fn anything_else_matters(answer in prop::collection::vec(value(), 1..5), choice in any::<prop::sample::Index>()) {
        let mut chosen = choice.index(answer.iter().map(leaves).sum());
        let other: Vec<_> = answer.iter().map(|item| altered(item, &mut chosen)).collect();
        for rules in [in_order(), as_sets()] {
            prop_assert!(!agree(&rules, &answer, &other));
        }
    }

    #[test]
    fn a_result_more_or_less_matters(answer in answer(), more in value()) {
        let mut longer = answer.clone();
        longer.push(more);
        for rules in [in_order(), as_sets()] {
            prop_assert!(!agree(&rules, &answer, &longer));
        }
    }

    #[test]
    fn order_matters_where_it_is_declared_and_nowhere_else(
        (answer, shuffled) in answer().prop_flat_map(|answer| (Just(answer.clone()), Just(answer).prop_shuffle())),
    ) {
        prop_assert!(agree(&as_sets(), &answer, &shuffled));
        prop_assert!(agree(&as_sets(), &[Bson::Array(answer.clone())], &[Bson::Array(shuffled.clone())]));
        prop_assert_eq!(agree(&in_order(), &answer, &shuffled), items(&answer) == items(&shuffled));
    }
}
