//! Functions of values.

use bson::{Bson, DateTime, bson};

use crate::value::testing::{Surroundings, compile, problems, rendered};
use crate::value::{RenderError, is_true};

fn with(a: Bson, b: Bson, text: &str) -> Result<Bson, RenderError> {
    Surroundings::named(a, b).value(&compile(text), 0)
}

fn date(text: &str) -> Bson {
    Bson::DateTime(DateTime::parse_rfc3339_str(text).unwrap())
}

#[test]
fn whole_numbers_stay_whole_and_as_small_as_they_can() {
    assert_eq!(rendered("{^add: [2147483647, 1]}", 0), Bson::Int64(1 << 31));
    assert_eq!(rendered("{^sub: [{^add: [2147483647, 1]}, 1]}", 0), Bson::Int32(i32::MAX));
    assert_eq!(rendered("{^mul: [3, 4, 5]}", 0), Bson::Int32(60));
    assert_eq!(rendered("{^mod: [-7, 3]}", 0), Bson::Int32(-1));
    assert_eq!(rendered("{^add: [1, 0.5]}", 0), Bson::Double(1.5));
    assert_eq!(rendered("{^div: [7, 2]}", 0), Bson::Double(3.5));
    assert_eq!(rendered("{^floor: {^div: [-7, 2]}}", 0), Bson::Int32(-4));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let error = with(Bson::Int64(i64::MAX), Bson::Int32(1), "{total: {^add: [^a, ^b]}}").unwrap_err();
    assert_eq!(error.message, "total: ^add: 9223372036854775808 does not fit into 64 bits");
    assert!(with(Bson::Int64(i64::MIN), Bson::Int32(-1), "{^mul: [^a, ^b]}").is_err());
    assert!(with(Bson::Int32(1), Bson::Int32(0), "{^div: [^a, ^b]}").is_err());
    assert!(with(Bson::Int32(1), Bson::Int32(0), "{^mod: [^a, ^b]}").is_err());
    assert!(with(Bson::from("x"), Bson::Int32(0), "{^add: [^a, ^b]}").is_err());
    assert!(with(Bson::Double(1e300), Bson::Double(1e300), "{^mul: [^a, ^b]}").is_err());
    assert!(with(Bson::Double(1e300), Bson::Null, "{^floor: ^a}").is_err());
}

#[test]
fn dates_move_by_durations() {
    let noon = date("2025-03-01T12:00:00Z");
    assert_eq!(with(noon.clone(), Bson::Null, "{^sub: [^a, 30d]}").unwrap(), date("2025-01-30T12:00:00Z"));
    assert_eq!(with(noon.clone(), Bson::from("90m"), "{^add: [^a, ^b]}").unwrap(), date("2025-03-01T13:30:00Z"));
    assert_eq!(with(noon.clone(), Bson::Null, "{^add: [100ms, ^a]}").unwrap(), date("2025-03-01T12:00:00.1Z"));
    let earlier = date("2025-03-01T11:59:50Z");
    assert_eq!(with(noon.clone(), earlier, "{^sub: [^a, ^b]}").unwrap(), Bson::Int32(10_000));
    assert_eq!(rendered("{^mul: [10s, 3]}", 0), Bson::Int32(30_000));
    assert!(with(noon.clone(), noon, "{^add: [^a, ^b]}").is_err());
}

#[test]
fn smallest_largest_and_sum() {
    let prices = bson!([3, 1.5, null, 2]);
    assert_eq!(with(prices.clone(), Bson::Null, "{^min: ^a}").unwrap(), Bson::Double(1.5));
    assert_eq!(with(prices.clone(), Bson::Null, "{^max: ^a}").unwrap(), Bson::Int32(3));
    assert_eq!(with(prices, Bson::Null, "{^sum: ^a}").unwrap(), Bson::Double(6.5));
    assert_eq!(rendered("{^min: [5, 3, 4]}", 0), Bson::Int32(3));
    assert_eq!(rendered("{^sum: []}", 0), Bson::Int32(0));
    assert_eq!(with(bson!([]), Bson::Null, "{^max: ^a}").unwrap(), Bson::Null);
    assert!(with(bson!([1, "x"]), Bson::Null, "{^max: ^a}").is_err());
}

#[test]
fn elements_of_lists() {
    let list = bson!(["x", "y", "z"]);
    assert_eq!(
        with(
            list.clone(),
            Bson::Null,
            "[{^first: ^a}, {^at: [^a, 1]}, {^at: [^a, -1]}, {^at: [^a, 3]}, {^at: [^a, -4]}]"
        )
        .unwrap(),
        bson!(["x", "y", "z", null, null])
    );
    assert_eq!(with(list, bson!("äöü"), "[{^len: ^a}, {^len: ^b}, {^len: null}]").unwrap(), bson!([3, 3, 0]));
    assert_eq!(with(Bson::Null, Bson::Null, "[{^first: ^a}, {^at: [^a, 0]}]").unwrap(), bson!([null, null]));
    assert!(with(Bson::Int32(1), Bson::Null, "{^first: ^a}").is_err());
}

#[test]
fn mapping_keeps_duplicates_where_a_path_drops_them() {
    let orders = bson!([{"total": 5}, {"total": 5}, {"total": 7}]);
    assert_eq!(with(orders.clone(), Bson::Null, "{^sum: {^map: {in: ^a, to: ^it.total}}}").unwrap(), Bson::Int32(17));
    assert_eq!(with(orders, Bson::Null, "{^sum: ^a.total}").unwrap(), Bson::Int32(12));
}

#[test]
fn mapping_and_filtering() {
    let list = bson!([{"n": 1}, {"n": 2}, {"n": 3}]);
    let mapped =
        with(list.clone(), Bson::Null, "{^map: {in: ^a, to: {square: {^mul: [^it.n, ^it.n]}, place: ^position}}}");
    assert_eq!(
        mapped.unwrap(),
        bson!([{"square": 1, "place": 0}, {"square": 4, "place": 1}, {"square": 9, "place": 2}])
    );
    let filtered = with(list, Bson::Int32(2), "{^filter: {in: ^a, where: {^not: {^eq: [^it.n, ^b]}}}}");
    assert_eq!(filtered.unwrap(), bson!([{"n": 1}, {"n": 3}]));
    assert_eq!(with(Bson::Null, Bson::Null, "{^map: {in: ^a, to: ^it}}").unwrap(), bson!([]));
}

#[test]
fn the_innermost_element_is_it() {
    let nested = bson!([[1, 2], [3]]);
    let text = "{^map: {in: ^a, to: {^map: {in: ^it, to: {^add: [^it, 10]}}}}}";
    assert_eq!(with(nested, Bson::Null, text).unwrap(), bson!([[11, 12], [13]]));
}

#[test]
fn a_range_counts_up_to_what_is_left_out() {
    assert_eq!(rendered("{^range: 3}", 0), bson!([0, 1, 2]));
    assert_eq!(with(bson!(0), Bson::Null, "{^range: ^a}").unwrap(), bson!([]));
    let days = rendered("{^map: {in: {^range: 2}, to: {^add: [{^date: 2025-01-31}, {^mul: [^it, 1d]}]}}}", 0);
    assert_eq!(days, Bson::Array(vec![date("2025-01-31T00:00:00Z"), date("2025-02-01T00:00:00Z")]));
    assert!(with(bson!(-1), Bson::Null, "{^range: ^a}").unwrap_err().message.contains("at least 0"));
    assert!(with(bson!(1_i64 << 40), Bson::Null, "{^range: ^a}").unwrap_err().message.contains("larger than"));
}

#[test]
fn field_names_can_be_calculated() {
    let (name, value) = (bson!("attr7"), bson!(5));
    assert_eq!(with(name.clone(), value.clone(), "{^object: [[^a, ^b]]}").unwrap(), bson!({"attr7": 5}));
    assert_eq!(
        with(name.clone(), value, "{x: {^object: [{k: ^a, v: {$gt: ^b}}, [z, 1]]}}").unwrap(),
        bson!({"x": {"attr7": {"$gt": 5}, "z": 1}})
    );
    let attributes = bson!([{"name": "b", "value": 2}, {"name": "a", "value": 1}]);
    let row = "{^object: {^map: {in: ^a, to: [^it.name, ^it.value]}}}";
    assert_eq!(with(attributes, Bson::Null, row).unwrap(), bson!({"b": 2, "a": 1}), "in the order of the list");
    assert_eq!(rendered("{^object: []}", 0), bson!({}));
    assert_eq!(with(Bson::Null, Bson::Null, "{^object: ^a}").unwrap(), Bson::Null);
}

#[test]
fn pairs_that_make_no_document_are_refused() {
    let refused = |pairs: Bson| with(pairs, Bson::Null, "{^object: ^a}").unwrap_err().message;
    for (pairs, part) in [
        (bson!([["a", 1], ["a", 2]]), "`a` comes twice"),
        (bson!([[7, 1]]), "must be a text, a whole number found"),
        (bson!([["a\0b", 1]]), "null character"),
        (bson!([["$where", 1]]), "begins with `$`"),
        (bson!([["a", 1], ["b"]]), "element 1 is no pair"),
        (bson!([{"k": "a", "value": 1}]), "a map of k, value found"),
        (bson!([{"k": "a", "v": 1, "w": 1}]), "is no pair"),
        (bson!(["a"]), "is no pair"),
        (bson!({"a": 1}), "a list of [key, value] pairs was expected, a map found"),
    ] {
        assert!(refused(pairs.clone()).contains(part), "{pairs}: {}", refused(pairs.clone()));
    }
    // What is constant is told where it stands.
    assert_eq!(problems("x: {^object: [[a, 1], [a, 2]]}").len(), 1);
}

#[test]
fn texts() {
    let text = Bson::from("Q&A (1+1)");
    assert_eq!(with(text.clone(), Bson::Null, "{^lower: ^a}").unwrap(), Bson::from("q&a (1+1)"));
    assert_eq!(
        with(text.clone(), Bson::Null, "{^concat: ['^^', {^escapeRegex: ^a}, $]}").unwrap(),
        Bson::from(r"^Q&A \(1\+1\)$")
    );
    assert_eq!(with(text, Bson::Null, "{^split: [^a, ' ']}").unwrap(), bson!(["Q&A", "(1+1)"]));
    assert_eq!(
        with(Bson::Null, Bson::Null, "[{^lower: ^a}, {^concat: [x, ^a]}, {^split: [^a, x]}]").unwrap(),
        bson!([null, null, null])
    );
    assert_eq!(rendered("{^concat: [[1], [2, 3]]}", 0), bson!([1, 2, 3]));
    assert!(with(Bson::Int32(1), Bson::Null, "{^concat: [x, ^a]}").unwrap_err().message.contains("^format"));
}

#[test]
fn conditions() {
    assert_eq!(with(Bson::Int32(1), Bson::Int64(1), "{^eq: [^a, ^b]}").unwrap(), Bson::Boolean(true));
    assert_eq!(with(bson!({"x": 1}), bson!({"x": 1.0}), "{^eq: [^a, ^b]}").unwrap(), Bson::Boolean(true));
    assert_eq!(with(bson!("1"), bson!(1), "{^eq: [^a, ^b]}").unwrap(), Bson::Boolean(false));
    assert_eq!(rendered("[{^lt: [1, 1.5]}, {^lt: [b, a]}]", 0), bson!([true, false]));
    assert!(with(bson!("1"), bson!(1), "{^lt: [^a, ^b]}").is_err());
    assert_eq!(
        rendered("[{^and: [1, true]}, {^and: [1, 0]}, {^or: [null, 0]}, {^or: [0, x]}, {^not: null}]", 0),
        bson!([true, false, false, true, true])
    );
    // The last 64-bit numbers differ although they are the same as doubles.
    assert_eq!(with(Bson::Int64(i64::MAX), Bson::Int64(i64::MAX - 1), "{^lt: [^b, ^a]}").unwrap(), Bson::Boolean(true));
}

#[test]
fn truth_is_as_in_mongodb() {
    for holds in [bson!([]), bson!(""), bson!({}), bson!(-1), bson!(0.1)] {
        assert!(is_true(&holds), "{holds}");
    }
    for fails in [Bson::Null, bson!(false), bson!(0), bson!(0.0), Bson::Int64(0)] {
        assert!(!is_true(&fails), "{fails}");
    }
}

#[test]
fn only_the_branch_that_counts_is_made() {
    let text = "{^if: {if: {^eq: [^a, 0]}, then: none, else: {^div: [10, ^a]}}}";
    assert_eq!(with(Bson::Int32(0), Bson::Null, text).unwrap(), Bson::from("none"));
    assert_eq!(with(Bson::Int32(4), Bson::Null, text).unwrap(), Bson::Double(2.5));
    assert_eq!(with(Bson::Int32(0), Bson::Null, "{^and: [^a, {^div: [1, ^a]}]}").unwrap(), Bson::Boolean(false));
}

#[test]
fn formats_fill_in_and_fill_up() {
    assert_eq!(rendered("{^format: 'Brand {index}'}", 5), Bson::from("Brand 5"));
    assert_eq!(rendered("{^format: '{{{index:04}}}'}", 42), Bson::from("{0042}"));
    let around = Surroundings::named(bson!({"city": "Łódź", "n": 1.5}), date("2025-01-01T00:00:00Z"));
    let template = compile("{^format: {text: '{a.city}/{a.n}/{b}/{x:02}', values: {x: {^add: [^index, 1]}}}}");
    let wanted = Bson::from("Łódź/1.5/2025-01-01T00:00:00.000Z/04");
    assert_eq!(around.value(&template, 3).unwrap(), wanted);
    let uuid = rendered("{^format: '{uuid}'}", 0);
    assert_eq!(uuid.as_str().unwrap().len(), 36);
    let listed = Surroundings::named(bson!([1]), Bson::Null);
    assert!(
        listed.value(&compile("{^format: '{a}'}"), 0).unwrap_err().message.contains("a list has no place in a text")
    );
}
