//! Stories of partitioned collections and computed indexes in a file: what is understood, and what is said to mistakes.

use bson::{Bson, doc};
use patternbench::scenario::{Commands, IndexDefinition, Partitions, Samples, Scenario, Sheet, resolved_indexes};
use patternbench::value::{Parameters, World};

use crate::{SHOP, expect, loaded, only_problem, problems, shop};

const COLLECTION: &str =
    "orders: {from: orders, indexes: [{key: {customerId: 1, total: -1, _id: 1}}, {key: {number: 1}, unique: true}]}";
const FIND: &str = "find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}";
const INSERT: &str = "- insertOne: {collection: orders, document: {_id: ^placed._id, customerId: ^placed.customerId, customer: [^person]}}";

/// The shop with the pattern's orders partitioned by customer; `find` and `insert` stand for its two steps on them.
fn partitioned(by: &str, find: &str, insert: &str) -> String {
    let text = shop(
        "        from: orders\n        pipeline:",
        &format!("        from: orders\n        partitionBy: {by}\n        pipeline:"),
    );
    assert_eq!((text.matches(FIND).count(), text.matches(INSERT).count()), (1, 1));
    text.replace(FIND, find).replace(INSERT, insert)
}

fn fine(by: &str) -> String {
    let find = FIND.replace("collection: orders", "collection: {partition: ^customer}");
    let insert = INSERT.replace("collection: orders", "collection: {partition: ^placed.customerId, of: orders}");
    partitioned(by, &find, &insert)
}

fn world(scenario: &Scenario) -> World {
    let parameters: Parameters =
        scenario.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.default.clone())).collect();
    scenario.world(1, parameters).expect("the dataset resolves")
}

#[test]
fn the_short_form_takes_the_values_that_the_rows_have() {
    let scenario = loaded(&fine("customerId"));
    let partitions = scenario.models[1].partitions(&world(&scenario)).expect("they can be told");
    let orders = partitions.of("orders").expect("it is partitioned");
    // A thousand orders of a hundred customers: nearly all have some, and nobody twice.
    let mut values: Vec<i64> =
        orders.values().iter().map(|value| i64::from(value.as_i32().expect("a number"))).collect();
    values.sort_unstable();
    values.dedup();
    assert_eq!(values.len(), orders.names().len());
    assert!(values.len() > 90 && values.iter().all(|value| (0..100).contains(value)), "{values:?}");
    assert_eq!(orders.name_of(&Bson::Int32(values[7] as i32)), Some(format!("orders_{}", values[7]).as_str()));
    assert!(partitions.of("customers").is_none());
}

#[test]
fn values_say_which_partitions_there_are() {
    let scenario = loaded(&fine("{field: customerId, values: {^range: 100}}"));
    let partitions =
        scenario.models[1].collections[1].partitions(&world(&scenario)).expect("told").expect("partitioned");
    assert_eq!(Partitions::names(&partitions).len(), 100);
    assert_eq!((&*partitions.names()[0], &*partitions.names()[99]), ("orders_0", "orders_99"));
}

#[test]
fn a_sheet_tells_of_the_partitions() {
    let sheet =
        Sheet::new(&loaded(&fine("{field: customerId, values: {^range: 100}}")), &Samples::new(), &Commands::new());
    let told = "by customerId: 100 collections at smoke size, such as orders_0";
    assert_eq!(sheet.models[1].collections[1].partitions.as_deref(), Some(told));
    assert!(sheet.markdown().contains(&format!("partitioned {told}")), "{}", sheet.markdown());
}

#[test]
fn partitions_that_cannot_be_are_told_when_parameters_are_known() {
    for (values, part) in [
        ("[1, '1']", "would both name the collection `orders_1`"),
        ("[1, 1.0]", "comes twice"),
        ("['a b']", "cannot name a partition of `orders`"),
        ("[1.5]", "cannot name a partition"),
    ] {
        let scenario = loaded(&fine(&format!("{{field: customerId, values: {values}}}")));
        let error = scenario.models[1].partitions(&world(&scenario)).expect_err("they cannot be").message;
        assert!(error.contains("collection `orders`, partitionBy") && error.contains(part), "{error}");
    }
    let taken = fine("{field: customerId, values: [a]}").replace(
        "customers: {from: customers}\n      orders:\n        from: orders\n",
        "customers: {from: customers}\n      orders_a: {}\n      orders:\n        from: orders\n",
    );
    let scenario = loaded(&taken);
    let error = scenario.models[1].partitions(&world(&scenario)).expect_err("the name is taken").message;
    assert!(error.contains("`orders_a` and `orders` would both be called `orders_a`"), "{error}");
}

#[test]
fn mistakes_of_partition_by_are_told_where_they_stand() {
    for (by, place, message, help) in [
        ("^customer", "^customer", "takes the path of a field, or a map", "`tenantId`"),
        ("[customerId]", "[customerId]", "takes the path of a field, or a map", "`tenantId`"),
        ("$customerId", "$customerId", "is no path of a field", "`tenantId`"),
        ("{field: customerId, value: [1]}", "value", "unknown field `value`", "`values`"),
        ("{field: customerId, values: 5}", "5", "`values` takes a list", "`{^range: ^tenants}`"),
        (
            "{field: customerId, values: {^add: [1, 2]}}",
            "{^add: [1, 2]}",
            "`values` must be a list, but is 3",
            "`{^range: 8}`",
        ),
        ("{values: [1]}", "{values: [1]}", "has no `field`", "which field"),
    ] {
        let told = only_problem(&fine(by));
        assert_eq!(told.0, place, "{by}: {told:?}");
        assert!(told.1.contains(message) && told.2.contains(help), "{by}: {told:?}");
    }
    let sharded = fine("customerId").replace(
        "        partitionBy: customerId\n",
        "        partitionBy: customerId\n        shardKey: {total: 1}\n",
    );
    assert!(only_problem(&sharded).1.contains("a partitioned collection has no `shardKey`"));
    expect(
        COLLECTION,
        "orders: {from: orders, forEach: [1]}",
        "[1]",
        "a collection has no `forEach`",
        "partitionBy: {values",
    );
}

#[test]
fn a_collection_that_starts_empty_needs_values_but_no_field() {
    let copied = "orders:\n        from: orders\n        pipeline:";
    let log = |by: &str| shop(copied, &format!("log: {{partitionBy: {by}}}\n      {copied}"));
    assert_eq!(problems(&log("{values: [eu, us]}")), []);
    let told = only_problem(&log("region"));
    assert!(told.1.contains("has no `values`") && told.2.contains("which values there are"), "{told:?}");
}

#[test]
fn mistakes_of_steps_on_partitions_are_told_where_they_stand() {
    let insert = INSERT.replace("collection: orders", "collection: {partition: all}");
    for (collection, place, message, help) in [
        ("orders", "orders", "`orders` is partitioned: no collection is called so", "{partition: ^value}"),
        ("{partition: ^custmer}", "^custmer", "^custmer", "^customer"),
        ("{partition: 5, of: order}", "order", "unknown partitioned collection `order`", "`orders`"),
        ("{partition: 5, of: customers}", "customers", "`customers` is not partitioned", "collection: customers"),
        ("{partitions: 5}", "partitions", "unknown key of a partition", "did you mean `partition`?"),
        ("{of: orders}", "{of: orders}", "has no `partition`", "{partition: ^tenant}"),
        ("{partition: all}, forEach: [1]", "all", "for each partition, and for each element of `forEach`", "keep one"),
    ] {
        let find = FIND.replace("collection: orders", &format!("collection: {collection}"));
        let told = problems(&partitioned("customerId", &find, &insert));
        let told = told.first().unwrap_or_else(|| panic!("{collection}: nothing is told"));
        assert_eq!(told.place, place, "{collection}: {told:?}");
        assert!(told.message.contains(message) && told.help.contains(help), "{collection}: {told:?}");
    }
    let whole = FIND.replace("collection: orders", "collection: {partition: 5}");
    expect(FIND, &whole, "{partition: 5}", "no collection of this model is partitioned", "partitionBy");
}

#[test]
fn of_several_partitioned_collections_one_must_be_named() {
    let two = fine("customerId").replace(
        "customers: {from: customers}\n      orders:\n        from: orders\n",
        "customers: {from: customers}\n      log: {partitionBy: {values: [eu]}}\n      orders:\n        from: orders\n",
    );
    let told = only_problem(&two);
    assert_eq!(told.0, "{partition: ^customer}");
    assert!(told.1.contains("several partitioned collections") && told.2.contains("`log`, `orders`"), "{told:?}");
}

#[test]
fn joins_and_outputs_cannot_name_a_partitioned_collection() {
    let insert = INSERT.replace("collection: orders", "collection: {partition: all}");
    for stage in
        ["$lookup: {from: orders, localField: a, foreignField: b, as: c}", "$unionWith: orders", "$merge: orders"]
    {
        let aggregate = format!("aggregate: {{collection: customers, pipeline: [{{{stage}}}]}}");
        let told = problems(&partitioned("customerId", &aggregate, &insert));
        assert!(
            told.iter().any(|told| told.message.contains("names `orders`, which is partitioned")),
            "{stage}: {told:?}"
        );
    }
}

#[test]
fn a_step_over_all_partitions_knows_each() {
    let find =
        "find: {collection: {partition: all}, filter: {customerId: ^each}, sort: {total: -1, _id: 1}, limit: 10}";
    let insert = INSERT.replace("collection: orders", "collection: {partition: ^placed.customerId}");
    assert_eq!(problems(&partitioned("customerId", find, &insert)), []);
    let one = find.replace("partition: all", "partition: ^customer");
    assert!(only_problem(&partitioned("customerId", &one, &insert)).1.contains("^each"));
}

/// The indexes of the naive model's orders, where their list is written so.
fn indexes(list: &str) -> Result<Vec<(String, bson::Document)>, String> {
    let scenario = loaded(&shop(COLLECTION, &format!("orders: {{from: orders, indexes: {list}}}")));
    let resolved = resolved_indexes(&scenario.models[0].collections[1].indexes, &world(&scenario));
    let named = |indexes: Vec<_>| {
        indexes.iter().map(|index: &patternbench::scenario::Index| (index.name(), index.key.clone())).collect()
    };
    resolved.map(named).map_err(|error| error.message)
}

#[test]
fn an_index_key_can_be_a_list_of_pairs_and_made_for_each_element() {
    let found = indexes(
        "[{key: [[number, 1], [total, -1]]}, {forEach: [a, b], key: [[{^format: 'f.{each}'}, 1]], sparse: true}]",
    );
    let expected = [
        ("number_1_total_-1".to_owned(), doc! {"number": 1, "total": -1}),
        ("f.a_1".to_owned(), doc! {"f.a": 1}),
        ("f.b_1".to_owned(), doc! {"f.b": 1}),
    ];
    assert_eq!(found.expect("they can be told"), expected);
    let named = indexes("[{forEach: {^range: 2}, key: {number: 1}, name: {^format: 'n{each}'}}]").expect("told");
    assert_eq!(named.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["n0", "n1"]);
    // Pairs without anything to fill in tell documents apart as any other unique index.
    let unique = shop(COLLECTION, "orders: {from: orders, indexes: [{key: [[number, 1]], unique: true}]}");
    assert!(matches!(&loaded(&unique).models[0].collections[1].indexes[..], [IndexDefinition::Written(_)]));
}

#[test]
fn indexes_that_cannot_be_are_told_when_parameters_are_known() {
    for (list, part) in [
        ("[{forEach: [1, 2], key: {number: 1}}]", "makes a second index `number_1`; does its key name `^each`?"),
        ("[{forEach: [1], key: [[^each, 1]]}]", "a list of [field, direction], but holds [1, 1]"),
        ("[{forEach: [2], key: [[number, ^each]]}]", "no direction that MongoDB knows"),
        ("[{forEach: [a], key: [[^each, 1], [^each, 1]]}]", "names `a` twice"),
        ("[{forEach: [1], key: {number: 1}, name: ^each}]", "`name` must be a text"),
    ] {
        let error = indexes(list).expect_err(list);
        assert!(error.contains("entry 1 of `indexes`") && error.contains(part), "{list}: {error}");
    }
}

#[test]
fn mistakes_of_computed_indexes_are_told_where_they_stand() {
    for (index, place, message, help) in [
        ("{key: [[number, 2]]}", "[[number, 2]]", "no direction that MongoDB knows", "[category, 1]"),
        ("{key: [number, 1]}", "[number, 1]", "a list of [field, direction]", "[category, 1]"),
        ("{key: []}", "[]", "at least one field", "[category, 1]"),
        ("{key: [[^each, 1]]}", "^each", "^each", ""),
        ("{forEach: number, key: [[^each, 1]]}", "number", "`forEach` takes a list", "^names"),
        ("{forEach: [a], key: [[^each, 1]], sparse: ^orders}", "^orders", "", ""),
    ] {
        let text = shop(COLLECTION, &format!("orders: {{from: orders, indexes: [{index}]}}"));
        let told = problems(&text);
        let told = told.first().unwrap_or_else(|| panic!("{index}: nothing is told"));
        assert_eq!(told.place, place, "{index}: {told:?}");
        assert!(told.message.contains(message) && told.help.contains(help), "{index}: {told:?}");
    }
    assert_eq!(problems(SHOP), []);
}

#[test]
fn a_calculated_filter_fixes_no_field_and_a_calculated_stage_is_trusted() {
    // Which customer's orders these are does not follow from the file: `total` alone leaves ties.
    let by_number = FIND.replace(
        "filter: {customerId: ^customer}, sort: {total: -1, _id: 1}",
        "filter: {number: ^customer}, sort: {total: -1}",
    );
    assert_eq!(problems(&shop(FIND, &by_number)), [], "at most one document");
    let calculated = by_number.replace("filter: {number: ^customer}", "filter: {^object: [[number, ^customer]]}");
    let told = only_problem(&shop(FIND, &calculated));
    assert!(told.1.contains("this sort leaves ties"), "{told:?}");
}
