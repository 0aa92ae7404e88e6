//! Stories of ties: where a limit stands, or the order is compared, a sort must end in something unique.

use crate::{expect, only_problem, problems, shop};

const FIND: &str = "find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}";
const PIPELINE: &str = "                - $match: {customerId: ^customer}
                - $sort: {total: -1, _id: 1}
                - $limit: 10
                - $lookup: {from: customers, localField: customerId, foreignField: _id, as: customer}
";

/// The shop with other stages, one on each line.
fn pipeline(stages: &[&str]) -> String {
    let stages: String = stages.iter().map(|stage| format!("                - {stage}\n")).collect();
    shop(PIPELINE, &stages)
}

#[track_caller]
fn accepted(stages: &[&str]) {
    assert_eq!(problems(&pipeline(stages)), [], "{stages:?}");
}

#[track_caller]
fn refused(stages: &[&str], place: &str, message: &str) {
    let told = only_problem(&pipeline(stages));
    assert_eq!(told.0, place, "{told:?}");
    assert!(told.1.contains(message), "{told:?}");
}

#[test]
fn a_find_with_a_limit_sorts_by_something_unique() {
    let sorted = |sort: &str| FIND.replace("sort: {total: -1, _id: 1}", sort);
    expect(FIND, &sorted("sort: {total: -1}"), "{total: -1}", "leaves ties, and a limit", "`_id: 1`");
    expect(FIND, &sorted("skip: 0"), "find", "has no sort", "`{price: 1, _id: 1}`");
    for fine in ["sort: {_id: 1}", "sort: {total: -1, number: 1}", "sort: {number: -1}", "sort: ^customer"] {
        assert_eq!(problems(&shop(FIND, &sorted(fine))), [], "{fine}");
    }
}

#[test]
fn without_a_limit_the_sort_counts_only_where_the_order_is_compared() {
    let unlimited = FIND.replace("sort: {total: -1, _id: 1}, limit: 10", "sort: {total: -1}");
    expect(FIND, &unlimited, "{total: -1}", "`returns` compares the order", "`_id: 1`");
    let unordered = shop(FIND, &unlimited).replace(", order: true", "");
    assert_eq!(problems(&unordered), []);
    let one = FIND
        .replace("sort: {total: -1, _id: 1}, limit: 10", "limit: 1")
        .replace("customerId: ^customer", "_id: ^customer");
    assert_eq!(problems(&shop(FIND, &one)), [], "there is only one document of that _id");
}

#[test]
fn the_first_of_several_is_told_by_a_sort_without_ties() {
    let first = "findOne: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1}}";
    expect(FIND, first, "{total: -1}", "this sort leaves ties", "");
    assert_eq!(problems(&shop(FIND, &first.replace("total: -1", "total: -1, number: 1"))), []);
}

#[test]
fn fields_of_a_unique_index_tell_documents_apart_together_with_what_the_filter_fixes() {
    // Within a customer, `number` is unique: the filter fixes the customer.
    let unique = |options: &str| {
        let indexes = format!("indexes: [{{key: {{customerId: 1, number: 1}}, {options}}}]\n    operations");
        shop(
            "indexes: [{key: {customerId: 1, total: -1, _id: 1}}, {key: {number: 1}, unique: true}]\n    operations",
            &indexes,
        )
        .replace(FIND, &FIND.replace("sort: {total: -1, _id: 1}", "sort: {number: -1}"))
    };
    assert_eq!(problems(&unique("unique: true")), []);
    for weak in ["unique: false", "unique: true, sparse: true", "unique: true, partialFilterExpression: {total: 1}"] {
        let (place, message, _) = only_problem(&unique(weak));
        assert_eq!(place, "{number: -1}");
        assert!(message.contains("leaves ties"), "{weak}: {message}");
    }
}

#[test]
fn the_last_sort_before_a_limit_counts() {
    let matched = "$match: {customerId: ^customer}";
    accepted(&[matched, "$sort: {total: -1}", "$sort: {number: 1}", "$limit: 10"]);
    refused(&[matched, "$sort: {number: 1}", "$sort: {total: -1}", "$limit: 10"], "{total: -1}", "a limit");
    refused(&[matched, "$limit: 10", "$sort: {_id: 1}"], "$limit", "has no sort");
    refused(&[matched, "$sort: {total: -1}"], "{total: -1}", "`returns` compares the order");
    refused(&[matched], "aggregate", "this `aggregate` has no sort");
}

#[test]
fn groups_are_told_apart_by_what_they_are_grouped_by() {
    let by_total = "$group: {_id: $total, count: {$sum: 1}}";
    accepted(&[by_total, "$sort: {_id: 1}", "$limit: 10"]);
    accepted(&[by_total, "$project: {_id: 0, total: $_id, count: 1}", "$sort: {count: 1, total: 1}", "$limit: 3"]);
    refused(&[by_total, "$sort: {count: -1}", "$limit: 3"], "{count: -1}", "leaves ties");
    refused(&["$sort: {_id: 1}", by_total], "aggregate", "has no sort");
    let by_two = "$group: {_id: {c: $customerId, n: $number}, total: {$sum: $total}}";
    accepted(&[by_two, "$sort: {_id.n: 1, _id.c: 1}"]);
    refused(&[by_two, "$sort: {_id.n: 1}"], "{_id.n: 1}", "leaves ties");
    accepted(&["$group: {_id: null, total: {$sum: $total}}"]);
    accepted(&["$match: {total: 5}", "$count: orders"]);
    refused(&["$sortByCount: $total"], "$sortByCount", "leaves ties");
}

#[test]
fn an_unwound_list_keeps_its_order_but_repeats_the_id() {
    let unwound = "$unwind: $lines";
    accepted(&["$match: {_id: 5}", unwound]);
    accepted(&["$match: {_id: 5}", unwound, "$limit: 10"]);
    refused(&[unwound, "$sort: {_id: 1}", "$limit: 10"], "{_id: 1}", "leaves ties");
    accepted(&[unwound, "$sort: {_id: 1, lines.sku: 1}", "$limit: 10"]);
    accepted(&["$unwind: {path: $lines, includeArrayIndex: i}", "$sort: {_id: 1, i: 1}", "$limit: 10"]);
    accepted(&[unwound, "$replaceRoot: {newRoot: $lines}", "$sort: {_id: 1}", "$limit: 10"]);
}

#[test]
fn a_field_that_is_made_anew_is_not_unique_any_more() {
    refused(
        &["$set: {number: {$mod: [$number, 10]}}", "$sort: {number: 1}", "$limit: 10"],
        "{number: 1}",
        "leaves ties",
    );
    refused(&["$project: {_id: $total, total: 1}", "$sort: {_id: 1}", "$limit: 10"], "{_id: 1}", "leaves ties");
    accepted(&["$set: {nr: $number}", "$sort: {nr: 1}", "$limit: 10"]);
    accepted(&["$project: {number: 1, total: 1}", "$sort: {number: 1}", "$limit: 10"]);
    refused(&["$unset: number", "$sort: {number: 1}", "$limit: 10"], "{number: 1}", "leaves ties");
}

#[test]
fn pipelines_inside_stages_are_checked_too() {
    let lookup = |limit: &str| {
        format!("$lookup: {{from: customers, localField: customerId, foreignField: _id, pipeline: [{limit}], as: c}}")
    };
    refused(&["$sort: {_id: 1}", &lookup("{$sort: {name: 1}}, {$limit: 1}")], "{name: 1}", "a limit");
    accepted(&["$sort: {_id: 1}", &lookup("{$sort: {name: 1, _id: 1}}, {$limit: 1}")]);
    refused(&["$facet: {top: [{$sort: {total: 1}}, {$limit: 3}]}"], "{total: 1}", "a limit");
    let union = "$unionWith: {coll: customers, pipeline: [{$sort: {_id: 1}}, {$limit: 5}]}";
    accepted(&[union, "$sort: {total: 1, _id: 1}"]);
    refused(&["$sort: {_id: 1}", union], "aggregate", "has no sort");
}

#[test]
fn where_a_result_is_built_only_sorts_that_there_are_are_judged() {
    let steps = |sort: &str| {
        shop(
            &format!("          - {FIND}\n"),
            &format!(
                "          - find: {{collection: orders, filter: {{}}{sort}, as: found}}\n        result: ^found\n"
            ),
        )
    };
    assert_eq!(problems(&steps("")), []);
    assert_eq!(problems(&steps(", sort: {_id: 1}")), []);
    assert_eq!(only_problem(&steps(", sort: {total: 1}")).0, "{total: 1}");
}

#[test]
fn what_is_filled_in_later_is_taken_to_be_right() {
    accepted(&["^customer", "$limit: 10"]);
    let whole = format!("              pipeline:\n{PIPELINE}");
    assert_eq!(problems(&shop(&whole, "              pipeline: ^customer\n")), []);
}
