//! What the format has and this version does not: told, never passed over.

use crate::{expect, problems, shop};

const FIND: &str = "find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}";

#[test]
fn parts_of_models_that_come_later_are_told() {
    for key in ["background", "events"] {
        expect(
            "    role: pattern\n",
            &format!("    role: pattern\n    {key}: []\n"),
            "[]",
            &format!("`{key}` is not supported yet"),
            "leave it out",
        );
    }
}

#[test]
fn extras_that_there_are_compile() {
    let steps = "find: {collection: orders, filter: {customerId: ^customer}, as: found, select: ^it.total, when: true}
          - updateOne:
              collection: orders
              filter: {_id: ^each}
              update: {$inc: {total: 1}}
              forEach: ^found
              expect: [DuplicateKey, WriteConflict]
              as: written
              assert: {^not: {^lt: [^written.matched, ^it.modified]}}
        result: ^written.matched";
    assert_eq!(problems(&shop(FIND, steps)), []);
}
