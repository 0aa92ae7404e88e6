//! Stories of mistakes: each is told at its place, with what would be right, and all of them in one go.

use patternbench::scenario::load_scenario;
use patternbench::source::{SourceText, show};

use crate::{expect, only_problem, problems, shop};

/// A file with ten different mistakes.
const TEN: &str = "format: 1
title: Newest orders
parameters:
  orders: {default: 1000, smok: 50}
dataset:
  customers: {count: 100, document: {_id: ^index, name: {^words: 2}}}
  orders:
    count: ^orders
    document: {_id: ^index, customerId: {^key: customer}, total: {^int: {min: 1, max: 500}}}
models:
  naive:
    role: naive
    collections:
      orders: {from: orders, indexes: [{key: {customerId:1}}]}
    operations:
      newest:
        growth: linear in order
        steps:
          - aggregate:
              collection: orders
              pipeline: [{$match: {customerId: ^custmer}}, {$sort: {total: -1}}, {$limit: 10}]
      place:
        - insertOn: {collection: orders, document: ^order}
  copied:
    role: pattern
    collections:
      orders: {from: orders}
    operations:
      newest:
        growth: constant
        steps:
          - find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}
            as: found
      place:
        - insertOne: {collection: order, document: ^order}
workload:
  newest: {weight: 9, args: {customer: {^key: customers}}, returns: {fields: [total]}}
  place: {weight: 1, args: {order: {_id: ^objectId, customerId: {^key: customers}, total: 1}}}
";

/// Where a text begins in the file with ten mistakes: line and column from 1.
fn place(marked: &str) -> (usize, usize) {
    let found: Vec<usize> = TEN.match_indices(marked).map(|(offset, _)| offset).collect();
    let [offset] = found[..] else { panic!("{marked:?} stands once in the file, not at {found:?}") };
    let before = &TEN[..offset];
    (before.matches('\n').count() + 1, before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1)
}

#[test]
fn ten_mistakes_are_told_in_one_go_each_with_line_and_column() {
    let expected = [
        ("format:", "the scenario has no `summary`", "in a few sentences"),
        ("smok:", "unknown field `smok` in a parameter", "did you mean `smoke`?"),
        ("customer}, total: {^int", "`customer`", "`customers`"),
        ("customerId:1", "space missing after the colon", "`customerId: 1`"),
        ("order\n        steps", "unknown parameter `order`", "did you mean `orders`?"),
        ("^custmer", "`^custmer`", "`^customer`"),
        ("{total: -1}}", "this sort leaves ties", "`_id: 1`"),
        ("insertOn:", "unknown step `insertOn`", "did you mean `insertOne`?"),
        ("as: found", "`as` stands outside the braces of `find`", "`find: {…, as: …}`"),
        ("order, document", "unknown collection `order`", "did you mean `orders`?"),
    ];
    let told = problems(TEN);
    for ((marked, message, help), told) in expected.iter().zip(&told) {
        assert_eq!((told.line, told.column), place(marked), "{told:?}");
        assert!(told.message.contains(message), "{message:?}: {told:?}");
        assert!(told.help.contains(help), "{help:?}: {told:?}");
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
}

#[test]
fn what_a_person_sees_names_every_place_and_counts_the_problems() {
    let (source, problems) = load_scenario(SourceText::new("orders.yaml", TEN)).unwrap_err();
    let shown = show(&source, &problems, false);
    for told in problems.in_order() {
        let (line, column) = source.line_column(told.span.start);
        assert!(shown.contains(&format!("orders.yaml:{line}:{column}")), "{shown}");
        assert!(shown.contains(&told.message), "{shown}");
    }
    assert!(shown.trim_end().ends_with("10 problems in orders.yaml"), "{shown}");
}

#[test]
fn an_empty_scenario_lacks_all_that_must_stand_there() {
    let told = problems("tags: []\n");
    let missing = ["format", "title", "summary", "dataset", "workload", "models"];
    for field in missing {
        assert!(told.iter().any(|told| told.message == format!("the scenario has no `{field}`")), "{field}: {told:#?}");
    }
    assert_eq!(told.len(), missing.len(), "{told:#?}");
    assert!(!problems("").is_empty());
    assert!(!problems("[]\n").is_empty());
}

#[test]
fn the_file_must_have_a_name_that_can_name_databases() {
    let (_, problems) = load_scenario(SourceText::new("some/where/My Shop.yaml", crate::SHOP)).unwrap_err();
    let told = problems.in_order();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].message.contains("`My Shop`"), "{told:?}");
    assert_eq!(load_scenario(SourceText::new("some/where/shop.yaml", crate::SHOP)).unwrap().name, "shop");
}

#[test]
fn the_format_and_the_texts_are_checked() {
    expect("format: 1", "format: 2", "2", "format 2 is not known", "`format: 1`");
    expect("title: A shop's orders", "title: \"\"", "\"\"", "`title` is empty", "one line");
    expect("format: 1", "format: 1\ncache: 256MB", "256MB", "`256MB` is no size", "`256MiB`");
    expect("format: 1", "format: 1\nisolation: proces", "proces", "`proces`", "`process`");
}

#[test]
fn one_model_is_naive_and_one_at_least_a_pattern() {
    expect("role: pattern", "role: naive", "naive", "`copied` is a second model in the role naive", "`pattern`");
    // With the second naive model, the pattern is missing as well; that is one mistake and told as one.
    expect("role: naive", "role: alternative", "models", "no model is `role: naive`", "compared with");
    expect("role: pattern", "role: alternative", "models", "no model is `role: pattern`", "about");
    expect("role: pattern", "role: patern", "patern", "`patern`", "`pattern`");
    expect("    role: pattern\n", "", "copied", "model `copied` has no `role`", "`role: naive`");
}

#[test]
fn every_model_does_every_operation_and_no_other() {
    let order = "      order:\n        - insertOne: {collection: orders, document: ^placed}\n";
    expect(order, "", "naive", "does not say how it does `order`", "add its steps");
    let refund = format!("{order}      refund:\n        - deleteOne: {{collection: orders, filter: {{}}}}\n");
    expect(order, &refund, "refund", "no workload has an operation `refund`", "`newest`, `order`");
    let empty = "      order: []\n";
    expect(order, empty, "[]", "at least one step", "find");
}

#[test]
fn names_are_legal_where_they_become_names_of_databases_collections_and_references() {
    expect("  copied:", "  Copied:", "Copied", "cannot name a model", "small letters");
    expect("  copied:", "  source:", "source", "no name for a model", "layout");
    let long = "a".repeat(63);
    expect("  copied:", &format!("  {long}:"), &long, "too long", "shorten");
    let told = problems(&crate::SHOP.replace("orders: {default", "index: {default").replace("^orders", "^index"));
    assert!(told.iter().any(|told| told.message.contains("`index` cannot name a parameter")), "{told:#?}");
    let system = crate::SHOP.replace(
        "      customers: {from: customers}\n      orders: {from",
        "      customers: {from: customers}\n      system.x: {}\n      orders: {from",
    );
    let (place, message, _) = only_problem(&system);
    assert_eq!(place, "system.x");
    assert!(message.contains("`system.`"), "{message}");
    for taken in ["placed", "orders"] {
        let text = shop("as: person", &format!("as: {taken}")).replace("customer: [^person]", "customer: []");
        let (place, message, _) = only_problem(&text);
        assert_eq!(place, taken);
        assert!(message.contains("one name is only one of parameter, argument and binding"), "{message}");
    }
}

#[test]
fn all_is_no_operation() {
    let told = problems(&crate::SHOP.replace("      order:\n", "      all:\n").replace("  order:\n", "  all:\n"));
    assert!(told.iter().any(|told| told.message.starts_with("`all` is no name for an operation")), "{told:#?}");
}

#[test]
fn claims_have_one_bound_and_speak_of_what_there_is() {
    let claim = "{operation: newest, metric: p95, ratio_at_least: 2, source: a talk}";
    let none = "{operation: newest, metric: p95, source: a talk}";
    expect(claim, none, none, "a claim has no bound", "`ratio_at_least: 5`");
    let two = "{operation: newest, metric: p95, ratio_at_least: 2, ratio_at_most: 3, source: a talk}";
    expect(claim, two, two, "more than one bound", "one of");
    expect("ratio_at_least: 2", "ratio_at_least: -2", "-2", "a ratio is above 0", "the pattern is better");
    expect("ratio_at_least: 2", "ratio_between: [3, 2]", "[3, 2]", "the first of the two is the larger", "lower bound");
    expect("operation: newest", "operation: newst", "newst", "unknown operation `newst`", "did you mean `newest`?");
    expect("metric: p95", "metric: documents", "newest", "a figure of the whole model", "`operation: all`");
    expect("source: a talk", "at: {order: 5}, source: a talk", "order", "unknown parameter `order`", "`orders`");
    expect("source: a talk", "at: {orders: 0}, source: a talk", "0", "0 is below `min` (1)", "bounds");
}

#[test]
fn expectations_and_sweeps_name_what_there_is() {
    expect("expect: {newest: faster", "expect: {newst: faster", "newst", "unknown operation `newst`", "`newest`");
    expect("newest: faster", "newest: fast", "fast", "`fast`", "`faster`");
    expect("ratio: [0.5, 1]", "ratio: [0.5]", "[0.5]", "2 values", "");
    expect("sweep: {orders", "sweep: {ordrs", "ordrs", "unknown parameter `ordrs`", "`orders`");
    expect("[100, 1000]", "[100]", "[100]", "at least two values", "such as");
    expect("[100, 1000]", "[100, 1000000]", "1000000", "above `max` (100000)", "bounds");
    expect("[100, 1000]", "[100, many]", "many", "is no number", "");
}

#[test]
fn parameters_lie_within_their_bounds() {
    expect("smoke: 50", "smoke: 0", "0", "0 is below `min` (1)", "bounds");
    expect("min: 1, max: 100000", "min: 500000, max: 100000", "100000", "`max` is below `min`", "exchange");
}

#[test]
fn sets_refer_to_sets_before_them() {
    let count = "    count: ^orders\n";
    expect(count, "    children: {of: customer, count: 5}\n", "customer", "unknown set `customer`", "`customers`");
    expect(count, "    children: {of: orders, count: 5}\n", "orders", "stands later in the file", "before this one");
    expect(
        count,
        "    count: 5\n    children: {of: customers, count: 5}\n",
        "{of: customers, count: 5}",
        "both `count` and `children`",
        "keep the one",
    );
    expect(count, "", "orders", "set `orders` has no `count`", "children");
    let classes = "    children: {of: customers, count: {classes: [{share: 0.5, count: 1}, {share: 0.4, count: 2}]}}\n";
    expect(count, classes, "[{share: 0.5, count: 1}, {share: 0.4, count: 2}]", "add up to 0.9", "every parent");
    expect(
        "{_id: ^index, name: {^words: 2}}",
        "{name: {^words: 2}}",
        "{name: {^words: 2}}",
        "no `_id`",
        "`_id: ^index`",
    );
    expect("from: orders, indexes", "from: ordrs, indexes", "ordrs", "unknown set `ordrs`", "`orders`");
}

#[test]
fn indexes_and_options_are_those_that_mongodb_knows() {
    let index = "{key: {number: 1}, unique: true}]}\n    operations";
    expect(index, "{key: {number: up}, unique: true}]}\n    operations", "up", "no direction", "-1 descending");
    expect(index, "{key: {number: 1}, unique: yes}]}\n    operations", "yes", "`unique` takes `true` or `false`", "");
    expect(
        index,
        "{key: {number: 1}, uniqe: true}]}\n    operations",
        "uniqe",
        "unknown field `uniqe` in an index",
        "`unique`",
    );
    let collection = "customers: {from: customers}\n      orders: {from";
    let options = "customers: {from: customers, options: {cappd: true}}\n      orders: {from";
    expect(collection, options, "cappd", "unknown collection option `cappd`", "`capped`");
}

#[test]
fn steps_have_the_fields_of_their_call_and_values_of_their_kind() {
    let find = "find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}";
    let with = |extra: &str| find.replace("limit: 10", extra);
    expect(find, &with("limt: 10"), "limt", "`find` has no field `limt`", "did you mean `limit`?");
    expect(find, &with("limit: ten"), "ten", "`limit` takes a whole number of at least 0, found a string", "^name");
    expect(find, &with("limit: -1"), "-1", "`limit` takes a whole number", "");
    expect(find, &with("limit: 10, hint: 1"), "1", "`hint` takes a map or a string", "");
    expect(
        find,
        &find.replace("filter: {customerId: ^customer}, ", ""),
        "find",
        "`find` has no `filter`",
        "which documents",
    );
    expect(find, "find: orders", "orders", "`find` takes a map of its fields", "`collection`, `filter`");
    expect(find, &with("limit: 10, expect: [DuplicateKy]"), "DuplicateKy", "`DuplicateKy`", "`DuplicateKey`");
    expect(
        find,
        &find.replace("collection: orders", "collection: ^customer"),
        "^customer",
        "takes the name of a collection",
        "",
    );
}

#[test]
fn a_step_that_lost_its_indentation_is_told_once() {
    let find = "          - find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}\n";
    let flat = "          - find:\n            collection: orders\n            filter: {customerId: ^customer}\n";
    expect(find, flat, "find", "`find` has no fields", "indent");
    let two = "          - find: {collection: orders, filter: {}, sort: {_id: 1}}\n            findOne: {collection: orders, filter: {}}\n";
    expect(find, two, "findOne", "a step makes one call", "another step");
    let list = "          - find\n";
    expect(find, list, "find", "a step is a map with one key, found a string", "such as");
}

#[test]
fn pipelines_have_known_stages_and_stay_in_their_database() {
    expect("- $limit: 10", "- $limt: 10", "$limt", "unknown stage `$limt`", "did you mean `$limit`?");
    expect("- $limit: 10", "- {$limit: 10, $skip: 1}", "$skip", "stands in the stage `$limit`", "braces of its own");
    let lookup = "$lookup: {from: customers, localField: customerId, foreignField: _id, as: customer}\n      order";
    expect(
        lookup,
        &lookup.replace("from: customers", "from: custmers"),
        "custmers",
        "unknown collection `custmers`",
        "`customers`",
    );
    expect(
        lookup,
        &lookup.replace("from: customers", "from: {db: shop, coll: customers}"),
        "db",
        "`$lookup` names a database",
        "its own database",
    );
    expect(
        "- $limit: 10",
        "- $limit: 10\n                - $merge: {into: {db: other, coll: orders}}",
        "db",
        "`$merge` names a database",
        "",
    );
    expect(
        "- $limit: 10",
        "- $limit: 10\n                - $out: {db: other, coll: orders}",
        "db",
        "`$out` names a database",
        "",
    );
    expect("- $limit: 10", "- $sample: {size: 10}", "$sample", "at random", "argument");
    let migration = "pipeline: [{$lookup";
    expect(migration, "pipeline: [{$out: orders}, {$lookup", "$out", "builds a collection", "leave it out");
    expect(
        "{$lookup: {from: customers, localField: customerId, foreignField: _id, as: customer}}]",
        "{$lookup: {from: person, localField: customerId, foreignField: _id, as: customer}}]",
        "person",
        "unknown set `person`",
        "`customers`, `orders`",
    );
}

#[test]
fn filters_and_updates_have_known_operators() {
    let filter = "filter: {customerId: ^customer}, sort";
    expect(filter, "filter: {customerId: {$eqq: ^customer}}, sort", "$eqq", "unknown operator `$eqq`", "`$eq`");
    expect(filter, "filter: {$gt: 5}, sort", "$gt", "a filter has no operator `$gt` here", "belongs to a field");
    expect(filter, "filter: {$and: [{total: {$gth: 5}}]}, sort", "$gth", "unknown operator `$gth`", "`$gt`");
    let insert = "        - insertOne: {collection: orders, document: ^placed}\n";
    let update =
        |update: &str| format!("{insert}        - updateOne: {{collection: orders, filter: {{}}, update: {update}}}\n");
    expect(insert, &update("{$incr: {total: 1}}"), "$incr", "unknown update operator `$incr`", "`$inc`");
    expect(insert, &update("{total: 1}"), "total", "without an operator", "`$set: {total: …}`");
    expect(insert, &update("{$currentDate: {at: true}}"), "$currentDate", "wall clock", "`^now`");
    expect(insert, &update("[{$set: {at: $$NOW}}]"), "$$NOW", "wall clock", "`^now`");
    expect(insert, &update("[{$group: {_id: 1}}]"), "$group", "an update pipeline has no stage `$group`", "`$set`");
    expect(insert, &update("{$push: {a: {$eech: [1]}}}"), "$eech", "`$push` has no modifier `$eech`", "`$each`");
}

#[test]
fn references_are_known_where_they_stand() {
    expect("document: ^placed}", "document: ^person}", "^person", "`^person`", "");
    expect("customer: [^person]", "customer: [^persn]", "^persn", "`^persn`", "`^person`");
    expect("growth: constant", "growth: linear", "linear", "says no growth", "`linear in PARAMETER`");
}

#[test]
fn what_is_read_is_compared_and_what_is_returned_is_read() {
    expect(
        "    returns: {fields: [total, customer.name], order: true}\n",
        "",
        "newest",
        "`newest` reads, but does not say what it returns",
        "add `returns",
    );
}

#[test]
fn reading_operations_say_how_their_cost_grows() {
    expect("        growth: log\n", "", "newest", "has no `growth`", "`growth: constant`");
}

#[test]
fn what_is_compared_specially_is_compared() {
    let returns = "returns: {fields: [total, customer.name], order: true}";
    let with = |extra: &str| returns.replace("order: true", extra);
    expect(returns, &with("order: true, tolerance: {totl: 1e-9}"), "totl", "`fields` does not name it", "`total`");
    expect(returns, &with("order: true, tolerance: {total: 2}"), "2", "a tolerance is relative", "1e-9");
    expect(returns, &with("order: true, last_write: [name]"), "name", "`fields` does not name it", "");
    assert_eq!(problems(&shop(returns, &with("order: true, last_write: [customer]"))), []);
}

#[test]
fn weights_and_shares_are_possible() {
    expect("weight: 90", "weight: 0", "0", "must be above 0", "leave the operation out");
    expect("    weight: 90\n", "", "newest", "has no `weight`", "such as");
    expect("weight: 90", "weight: 90\n    empty_up_to: 2", "2", "a share lies between 0 and 1", "");
}

#[test]
fn an_operation_is_the_same_in_every_workload() {
    let text =
        crate::SHOP.replace("workload:", "workloads:\n  second: {newest: {weight: 1, args: {other: 1}}}\n  first:");
    let mut indented = String::new();
    let mut inside = false;
    for line in text.lines() {
        indented.push_str(if inside { "  " } else { "" });
        indented.push_str(line);
        indented.push('\n');
        inside |= line == "  first:";
    }
    let told = problems(&indented);
    assert!(told.iter().any(|told| told.message.contains("has other arguments")), "{told:#?}");
}

#[test]
fn an_id_that_the_server_makes_is_not_compared() {
    let insert = "        - insertOne: {collection: orders, document: ^placed}\n";
    let upsert = |update: &str| {
        let step = format!(
            "        - updateOne: {{collection: orders, filter: {{number: ^placed.number}}, update: {update}, upsert: true}}\n"
        );
        shop(insert, &step).replace("fields: [total, customer.name]", "fields: [_id, total]")
    };
    let (place, message, help) = only_problem(&upsert("{$set: {total: 1}}"));
    assert_eq!(place, "upsert");
    assert!(message.contains("lets the server make an `_id`, which `newest` returns"), "{message}");
    assert!(help.contains("$setOnInsert"), "{help}");
    assert_eq!(problems(&upsert("{$set: {total: 1}, $setOnInsert: {_id: ^placed._id}}")), []);
}

#[test]
fn numbers_of_rows_are_judged_where_they_are_written() {
    for wrong in ["-1", "1.5", "many", "true", "[1, 2]"] {
        expect("count: 100", &format!("count: {wrong}"), wrong, "must be a whole number of at least 0", "^products");
        let children = |count: &str| {
            format!(
                "orders: {{children: {{of: customers, count: {count}}}, document: {{_id: ^index, customerId: 1, number: ^index}}}}"
            )
        };
        for count in [wrong.to_owned(), format!("{{classes: [{{share: 1, count: {wrong}}}]}}")] {
            let told = only_problem(&with_orders(&children(&count)));
            assert_eq!(told.0, wrong);
            assert!(told.1.contains("must be a whole number of at least 0"), "{told:?}");
        }
    }
}

#[test]
fn classes_add_up_differ_in_name_and_are_declared_before_they_are_drawn_from() {
    let shop = |classes: &str, drawn: &str| {
        let orders = format!(
            "orders: {{children: {{of: customers, count: {{classes: {classes}}}}}, document: {{_id: ^index, customerId: {{^key: {{of: customers, class: {drawn}}}}}, number: ^index}}}}"
        );
        with_orders(&orders)
    };
    let two = "[{share: 0.9, count: 1, name: small}, {share: 0.1, count: 9, name: busy}]";
    assert_eq!(problems(&shop(two, "busy")), []);
    let (place, message, help) = only_problem(&shop(two, "bussy"));
    assert_eq!((place.as_str(), message.as_str()), ("bussy", "unknown class of `customers` `bussy`"));
    assert!(help.contains("`busy`"), "{help}");
    let (place, message, _) = only_problem(&shop(&two.replace("small", "busy"), "busy"));
    assert_eq!((place.as_str(), message.as_str()), ("busy", "a second class is called `busy`"));
    let (_, message, _) = only_problem(&shop(&two.replace("0.9", "0.2"), "busy"));
    assert_eq!(message, "the shares of the classes add up to 0.3, not to 1", "without the noise of binary fractions");
    let told = problems(&shop("[]", "busy"));
    assert!(told.iter().any(|told| told.message == "there is no class"), "{told:#?}");
}

#[test]
fn a_list_is_no_key_of_a_row() {
    expect(
        "{_id: ^index, name: {^words: 2}}",
        "{_id: [^index], name: {^words: 2}}",
        "[^index]",
        "is a list",
        "_id: ^index",
    );
}

#[test]
fn an_update_without_operators_is_refused() {
    let step = "insertOne: {collection: orders, document: ^placed}";
    let update = |update: &str| format!("updateOne: {{collection: orders, filter: {{_id: 1}}, update: {update}}}");
    expect(step, &update("{}"), "{}", "changes nothing", "$set");
    assert_eq!(problems(&shop(step, &update("{$set: {total: 1}}"))), []);
}

/// The shop with another set of orders, which no parameter sizes.
fn with_orders(set: &str) -> String {
    let orders = "orders:
    count: ^orders
    document: {_id: ^index, customerId: {^key: customers}, number: ^index, total: {^int: {min: 1, max: 500}}}";
    shop(orders, set)
}
