//! Steps that hold steps, that happen again, that make several writes, that run a command: what is understood, and what
//! is said to mistakes.

use patternbench::scenario::{Need, Step, calls, needs};
use patternbench::words::Block;

use crate::{expect, loaded, only_problem, problems, shop};

const ORDER: &str = "- insertOne: {collection: orders, document: ^placed}\n  copied:";
const FIND: &str = "find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}";

/// The shop with other steps for `order` of the naive model.
fn order(steps: &str) -> String {
    shop(ORDER, &format!("{steps}\n  copied:"))
}

/// Holds these steps of `order` to their only problem.
#[track_caller]
fn expect_of(steps: &str, place: &str, message: &str, help: &str) {
    let told = only_problem(&order(steps));
    assert_eq!(told.0, place, "{told:?}");
    assert!(told.1.contains(message), "{told:?}");
    assert!(told.2.contains(help), "{told:?}");
}

#[test]
fn blocks_hold_steps_whose_names_are_known_inside_and_after() {
    let text = order(
        "- do:
            when: {^lt: [^placed.total, 1000]}
            forEach: [1, 2]
            steps:
              - findOne: {collection: customers, filter: {_id: ^each}, as: person}
              - transaction:
                  as: sold
                  expect: [DuplicateKey]
                  steps:
                    - updateOne: {collection: orders, filter: {_id: ^person._id}, update: {$inc: {total: ^each}}, as: changed}
                    - insertOne: {collection: orders, document: ^placed}
                  assert: {^eq: [^changed.matched, 1]}
        - updateOne: {collection: orders, filter: {_id: ^person._id}, update: {$inc: {total: ^sold.attempts}}, when: {^not: ^changed}}",
    );
    assert_eq!(problems(&text), []);
    let scenario = loaded(&text);
    let steps = &scenario.models[0].operations["order"].steps;
    let [Step::Block(outer), Step::Call(_)] = &steps[..] else { panic!("a block and a call: {steps:?}") };
    assert_eq!(outer.kind, Block::Do);
    let placed = calls(steps);
    let words: Vec<_> =
        placed.iter().map(|placed| (placed.position, placed.call.kind.word(), placed.blocks.len())).collect();
    assert_eq!(words, [(0, "findOne", 1), (1, "updateOne", 2), (2, "insertOne", 2), (3, "updateOne", 0)]);
    assert_eq!(placed.iter().map(|placed| placed.in_transaction()).collect::<Vec<_>>(), [false, true, true, false]);
    assert!(needs(&scenario.models[0]).contains(&Need::Transactions));
    assert!(needs(&scenario.models[1]).is_empty());
}

#[test]
fn mistakes_inside_a_block_are_told_where_they_stand() {
    expect_of(
        "- do: {steps: [{insertOne: {collection: order, document: ^placed}}]}",
        "order",
        "unknown collection `order`",
        "`orders`",
    );
    expect_of("- do: {steps: []}", "[]", "`do` holds no step", "such as");
    expect_of("- transaction: {when: true}", "transaction", "`transaction` has no `steps`", "such as `steps: [");
    expect_of("- transactions: {steps: []}", "transactions", "unknown step `transactions`", "`transaction`");
    expect_of(
        "- do: {steps: [{insertOne: {collection: orders, document: ^placed}}], whem: true}",
        "whem",
        "unknown field `whem`",
        "`when`",
    );
    expect_of(
        "- do:\n          steps: [{insertOne: {collection: orders, document: ^placed}}]",
        "do",
        "`do` has no fields",
        "indent",
    );
    expect_of(
        "- do: {steps: [{insertOne: {collection: orders, document: ^placed}}], forEach: [1]}
        - updateOne: {collection: orders, filter: {_id: ^each}, update: {$inc: {total: 1}}}",
        "^each",
        "each",
        "forEach",
    );
}

#[test]
fn a_transaction_cannot_hold_what_a_server_would_not_do_in_one() {
    let inside = |step: &str| format!("- transaction: {{steps: [{step}]}}");
    for extra in ["expect: [DuplicateKey]", "retry: {on: [DuplicateKey], max: 3}"] {
        let (name, _) = extra.split_once(':').unwrap();
        let step = inside(&format!("{{insertOne: {{collection: orders, document: ^placed, {extra}}}}}"));
        expect_of(&step, name, "any error of a call aborts", "in the braces of the transaction");
    }
    let insert = "{insertOne: {collection: orders, document: ^placed}}";
    expect_of(
        &inside(&format!("{insert}, {{transaction: {{steps: [{insert}]}}}}")),
        "transaction",
        "inside another",
        "into one",
    );
    expect_of(
        &inside("{runCommand: {command: {collMod: orders, validationLevel: moderate}}}"),
        "runCommand",
        "cannot be part of a transaction",
        "before or after",
    );
    expect_of(
        &inside(&format!(
            "{{aggregate: {{collection: orders, pipeline: [{{$merge: {{into: customers}}}}]}}}}, {insert}"
        )),
        "aggregate",
        "cannot be part of a transaction",
        "before or after",
    );
}

#[test]
fn loops_and_second_tries_have_an_end() {
    let update = |extra: &str| {
        format!(
            "- updateOne: {{collection: orders, filter: {{_id: 1}}, update: {{$inc: {{total: 1}}}}, as: done, {extra}}}"
        )
    };
    for right in [
        "repeat: {until: {^eq: [^it.modified, 0]}, max: 3}",
        "repeat: {until: {^eq: [^done.modified, 0]}, max: ^orders}",
        "retry: {on: [DuplicateKey, WriteConflict], max: 2}",
    ] {
        assert_eq!(problems(&order(&update(right))), [], "{right}");
    }
    expect_of(&update("repeat: {max: 3}"), "{max: 3}", "`repeat` has no `until`", "the condition");
    expect_of(&update("repeat: {until: true}"), "{until: true}", "`repeat` has no `max`", "at most");
    expect_of(&update("repeat: {until: true, max: 0}"), "0", "at least 1", "parameter");
    expect_of(&update("retry: {on: [], max: 1}"), "[]", "names no error", "DuplicateKey");
    expect_of(&update("retry: {on: [DuplicateKeys], max: 1}"), "DuplicateKeys", "DuplicateKeys", "`DuplicateKey`");
    expect_of(&update("retry: {on: [DuplicateKey], max: ^placed.total}"), "^placed.total", "placed", "");
    expect_of(&update("forEach: [1], repeat: {until: true, max: 2}"), "repeat", "both `repeat` and `forEach`", "`do`");
    let block = "- do: {steps: [{findOne: {collection: orders, filter: {_id: 1}, as: found}}, {insertOne: {collection: orders, document: ^placed}}], repeat: {until: ^found, max: 2}}";
    assert_eq!(problems(&order(block)), []);
}

#[test]
fn extras_outside_the_braces_are_told() {
    let outside = format!("{FIND}\n            repeat: {{until: true, max: 3}}");
    expect(FIND, &outside, "repeat", "outside the braces", "`find: {…, repeat: …}`");
    expect_of(
        "- do: {steps: [{insertOne: {collection: orders, document: ^placed}}]}\n          when: true",
        "when",
        "outside the braces",
        "`do: {…, when: …}`",
    );
}

#[test]
fn the_writes_of_a_bulk_write_are_checked_one_by_one() {
    let bulk = |models: &str| format!("- bulkWrite: {{models: {models}, ordered: false, as: written}}");
    let right = bulk(
        "[{insertOne: {collection: orders, document: ^placed}},
          {updateOne: {collection: customers, filter: {_id: ^placed.customerId}, update: {$inc: {n: 1}}, upsert: false}},
          {deleteMany: {collection: orders, filter: {total: 0}}}]",
    );
    assert_eq!(problems(&order(&right)), []);
    let made = bulk("{^map: {in: [1, 2], to: {insertOne: {collection: orders, document: {total: ^it}}}}}");
    assert_eq!(problems(&order(&made)), []);
    assert!(needs(&loaded(&order(&made)).models[0]).contains(&Need::BulkWrite));

    expect_of(&bulk("[]"), "[]", "names no write", "`^map`");
    expect_of(&bulk("[{insertMany: {collection: orders}}]"), "insertMany", "has no write `insertMany`", "insertOne");
    expect_of(
        &bulk("[{insertOne: {collection: order, document: ^placed}}]"),
        "order",
        "unknown collection `order`",
        "`orders`",
    );
    expect_of(&bulk("[{insertOne: {collection: orders}}]"), "insertOne", "has no `document`", "the document");
    expect_of(
        &bulk("[{deleteOne: {collection: orders, filter: {total: {$eqq: 1}}}}]"),
        "$eqq",
        "unknown operator",
        "`$eq`",
    );
    expect_of(
        &bulk("[{deleteOne: {collection: orders, filter: {total: 1}, limit: 1}}]"),
        "limit",
        "has no field `limit`",
        "filter",
    );
    expect_of(
        "- bulkWrite: {collection: orders, models: [{insertOne: {collection: orders, document: ^placed}}]}",
        "collection",
        "`bulkWrite` has no field `collection`",
        "",
    );
}

#[test]
fn only_some_commands_may_run_and_only_on_the_models_own_database() {
    let run = |command: &str| format!("- runCommand: {{command: {command}, as: reply}}");
    for right in [
        "{collMod: orders, validator: {total: {$gte: 0}}}",
        "{createIndexes: orders, indexes: [{key: {total: 1}, name: by_total}]}",
        "{dropIndexes: orders, index: by_total}",
        "{dbStats: 1}",
        "{count: orders, query: {total: 1}}",
    ] {
        assert_eq!(problems(&order(&run(right))), [], "{right}");
    }
    for refused in
        ["dropDatabase: 1", "drop: orders", "insert: orders", "eval: x", "renameCollection: orders", "find2: orders"]
    {
        let (name, _) = refused.split_once(':').unwrap();
        expect_of(&run(&format!("{{{refused}}}")), name, &format!("does not run `{name}`"), "`collMod`");
    }
    expect_of(&run("{collMod: order, validator: {}}"), "order", "unknown collection `order`", "`orders`");
    expect_of(&run("{count: other.orders}"), "other.orders", "names a database", "own database");
    expect_of(&run("{count: orders, $db: other}"), "$db", "does not belong", "own database");
    expect_of(&run("{aggregate: 1, pipeline: [], cursor: {}}"), "1", "the name of a collection", "");
    let pipeline = "[{$unionWith: {coll: orders, db: other}}]";
    expect_of(
        &run(&format!("{{aggregate: orders, pipeline: {pipeline}, cursor: {{}}}}")),
        "db",
        "names a database",
        "own database",
    );
    expect_of(&run("[]"), "[]", "takes a map, found a list", "");
    expect_of(&run("{}"), "{}", "names no command", "its name first");
    expect_of(&run("^placed"), "^placed", "names no command", "write it out");
}
