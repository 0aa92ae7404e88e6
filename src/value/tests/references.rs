//! Names and paths.

use bson::{Bson, bson, doc};

use crate::value::Names;
use crate::value::testing::{Surroundings, compile, rendered};

fn page() -> Surroundings {
    let page = bson!({
        "customerId": 7,
        "orders": [
            {"_id": 1, "customerId": 10, "lines": [{"sku": "a"}, {"sku": "b"}]},
            {"_id": 2, "customerId": 20, "lines": [{"sku": "b"}, {"sku": "c"}]},
            {"_id": 3, "customerId": 10_i64},
        ],
    });
    Surroundings::named(page, Bson::Null)
}

fn from_page(text: &str) -> Bson {
    page().value(&compile(text), 0).unwrap()
}

#[test]
fn names_and_paths_find_values() {
    assert_eq!(from_page("^a.customerId"), Bson::Int32(7));
    assert_eq!(from_page("{filter: {_id: ^a.customerId}}"), bson!({"filter": {"_id": 7}}));
    assert_eq!(from_page("^b"), Bson::Null);
}

#[test]
fn what_is_missing_is_null() {
    assert_eq!(from_page("^a.nothing.at.all"), Bson::Null);
    assert_eq!(from_page("^a.customerId.deeper"), Bson::Null);
    let nobody = Surroundings { names: Names::default(), ..Surroundings::new() };
    assert_eq!(nobody.value(&compile("^a.x"), 0).unwrap(), Bson::Null);
}

#[test]
fn a_path_through_a_list_maps_flattens_keeps_order_and_drops_duplicates() {
    // 10 occurs as Int32 and as Int64: the same number.
    assert_eq!(from_page("^a.orders.customerId"), bson!([10, 20]));
    assert_eq!(from_page("^a.orders.lines.sku"), bson!(["a", "b", "c"]));
    assert_eq!(from_page("^a.orders.nothing"), bson!([]));
}

#[test]
fn a_path_to_a_list_leaves_it_as_it_is() {
    let twice = Surroundings::named(bson!({"tags": ["x", "x"]}), Bson::Null);
    assert_eq!(twice.value(&compile("^a.tags"), 0).unwrap(), bson!(["x", "x"]));
}

#[test]
fn numbers_of_rows_and_operations() {
    assert_eq!(rendered("^index", 41), Bson::Int32(41));
    assert_eq!(rendered("^index", 3_000_000_000), Bson::Int64(3_000_000_000));
    let start = bson::DateTime::parse_rfc3339_str("2025-01-01T00:00:00Z").unwrap().timestamp_millis();
    assert_eq!(rendered("^now", 1500), Bson::DateTime(bson::DateTime::from_millis(start + 1500)));
}

#[test]
fn parents_results_and_elements_are_reached() {
    let mut around = Surroundings::new();
    around.parent = doc! {"_id": 5, "owner": {"name": "Ada"}};
    around.it = bson!([{"x": 1}, {"x": 2}]);
    around.each = bson!({"id": 9});
    let template = compile("[^parent._id, ^parent.owner.name, ^it.x, ^each.id, ^parent.none]");
    assert_eq!(around.value(&template, 0).unwrap(), bson!([5, "Ada", [1, 2], 9, null]));
}

#[test]
fn slots_tell_which_names_are_needed() {
    let template = compile("{x: ^b.y, list: [{^add: [^b, 1]}, ^index]}");
    assert_eq!(template.slots(), [1]);
    assert_eq!(compile("{n: 1}").slots(), Vec::<usize>::new());
}
