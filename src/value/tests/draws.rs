//! Random values: what they are a function of.

use std::collections::HashSet;

use bson::{Bson, bson};

use crate::value::testing::{Surroundings, compile, full_scope, rendered_all, try_compile};
use crate::value::{Context, Draw, Scope, Template};

fn drawn(template: &Template, draw: Draw) -> Bson {
    let around = Surroundings::new();
    template.value(&Context { draw, ..around.context(0) }).unwrap()
}

const WIDE: &str = "{^int: {min: 0, max: 1000000000}}";

#[test]
fn the_same_draw_gives_the_same_value_in_any_order() {
    let template = compile(&format!("{{a: {WIDE}, b: {{^text: 50}}, c: ^objectId, d: ^uuid}}"));
    let forwards: Vec<Bson> = (0..50).map(|number| drawn(&template, Draw::new(1, "s", number))).collect();
    let backwards: Vec<Bson> = (0..50).rev().map(|number| drawn(&template, Draw::new(1, "s", number))).collect();
    assert!(forwards.iter().eq(backwards.iter().rev()));
}

#[test]
fn seed_stream_number_and_place_each_make_a_difference() {
    let template = compile(&format!("{{a: {WIDE}, b: {WIDE}, list: [{WIDE}, {WIDE}]}}"));
    let draws = [Draw::new(1, "s", 0), Draw::new(2, "s", 0), Draw::new(1, "t", 0), Draw::new(1, "s", 1)];
    let mut seen = HashSet::new();
    for draw in draws {
        let value = drawn(&template, draw);
        let value = value.as_document().unwrap();
        let list = value.get_array("list").unwrap();
        for number in [&value["a"], &value["b"], &list[0], &list[1]] {
            assert!(seen.insert(number.as_i32().unwrap()), "{number} was drawn twice");
        }
    }
}

#[test]
fn fields_may_be_reordered_and_added_without_disturbing_others() {
    let (before, after) = (
        compile(&format!("{{a: {WIDE}, b: {{c: {WIDE}, d: {{^choose: [{WIDE}, {WIDE}]}}}}}}")),
        compile(&format!(
            "{{new: {WIDE}, b: {{d: {{^choose: [{WIDE}, {WIDE}]}}, more: ^uuid, c: {WIDE}}}, a: {WIDE}}}"
        )),
    );
    for number in 0..20 {
        let (before, after) = (drawn(&before, Draw::new(1, "s", number)), drawn(&after, Draw::new(1, "s", number)));
        let (before, after) = (before.as_document().unwrap(), after.as_document().unwrap());
        assert_eq!(before["a"], after["a"]);
        let (inner_before, inner_after) = (before.get_document("b").unwrap(), after.get_document("b").unwrap());
        assert_eq!((&inner_before["c"], &inner_before["d"]), (&inner_after["c"], &inner_after["d"]));
    }
}

#[test]
fn arguments_of_one_operation_are_drawn_apart() {
    let at = |place: &str| {
        let scope = Scope { place: place.to_owned(), ..full_scope() };
        drawn(&try_compile(WIDE, &scope).unwrap(), Draw::new(1, "operation/x", 0))
    };
    assert_ne!(at("category"), at("product"));
    assert_eq!(at("category"), at("category"));
}

#[test]
fn elements_are_made_anew_and_can_be_kept_apart() {
    let lists = rendered_all("{^array: {of: {^int: {min: 1, max: 6}}, count: 6, distinct: true}}", 50);
    for list in &lists {
        let mut faces: Vec<i32> = list.as_array().unwrap().iter().map(|face| face.as_i32().unwrap()).collect();
        faces.sort_unstable();
        assert_eq!(faces, [1, 2, 3, 4, 5, 6]);
    }
    assert!(lists.iter().any(|list| *list != lists[0]));
    let around = Surroundings::new();
    let impossible = compile("{^array: {of: {^bool: {share: 0.5}}, count: 3, distinct: true}}");
    assert!(around.value(&impossible, 0).unwrap_err().message.contains("too few different ones"));
}

#[test]
fn elements_know_their_position_and_lists_may_nest() {
    let nested =
        "{^array: {of: {n: ^position, inner: {^array: {of: {^int: {min: 0, max: 1000000000}}, count: 2}}}, count: 3}}";
    let list = rendered_all(nested, 1).remove(0);
    let elements: Vec<_> = list.as_array().unwrap().iter().map(|element| element.as_document().unwrap()).collect();
    assert_eq!(elements.iter().map(|element| element["n"].clone()).collect::<Vec<_>>(), [0.into(), 1.into(), 2.into()]);
    let inner: HashSet<i32> = elements
        .iter()
        .flat_map(|element| element.get_array("inner").unwrap())
        .map(|number| number.as_i32().unwrap())
        .collect();
    assert_eq!(inner.len(), 6);
}

#[test]
fn repeated_values_serve_several_numbers() {
    let values = rendered_all(&format!("{{^repeat: {{of: {{n: ^index, r: {WIDE}}}, count: 3}}}}"), 9);
    assert_eq!(values[0], values[2]);
    assert_ne!(values[2], values[3]);
    assert_eq!(values[8].as_document().unwrap()["n"], Bson::Int32(2));
}

#[test]
fn object_ids_differ_and_grow() {
    let ids = rendered_all("[^objectId, {^array: {of: ^objectId, count: 3}}]", 3000);
    let mut first = Vec::new();
    let mut all = HashSet::new();
    for value in &ids {
        let [Bson::ObjectId(id), Bson::Array(more)] = &value.as_array().unwrap()[..] else { panic!("{value}") };
        first.push(*id);
        all.insert(*id);
        all.extend(more.iter().map(|id| id.as_object_id().unwrap()));
    }
    assert_eq!(all.len(), 4 * 3000);
    assert!(first.is_sorted());
}

#[test]
fn uuids_say_that_they_are_random_ones() {
    for uuid in rendered_all("^uuid", 100) {
        let Bson::Binary(binary) = uuid else { panic!("{uuid}") };
        assert_eq!((binary.bytes[6] >> 4, binary.bytes[8] >> 6), (4, 0b10));
    }
}

#[test]
fn lists_to_choose_from_may_be_referred_to() {
    let around = Surroundings::named(bson!(["x", "y"]), bson!([0, 1]));
    let template = compile("{^choose: {of: ^a, weights: ^b}}");
    assert!((0..20).all(|number| around.value(&template, number).unwrap() == Bson::from("y")));
    let empty = Surroundings::named(bson!([]), Bson::Null);
    assert!(empty.value(&compile("{^choose: ^a}"), 0).unwrap_err().message.contains("the list is empty"));
    let wrong = Surroundings::named(bson!(["x", "y"]), bson!([1]));
    assert!(wrong.value(&template, 0).unwrap_err().message.contains("2 weights"));
}

#[test]
fn texts_have_exactly_the_bytes_asked_for() {
    for bytes in [0, 1, 2, 3, 10, 150, 400, 4096, 100_000] {
        let text = rendered_all(&format!("{{^text: {{bytes: {bytes}}}}}"), 2);
        assert!(text.iter().all(|text| text.as_str().unwrap().len() == bytes));
        assert!(bytes < 10 || text[0] != text[1]);
    }
    let words = rendered_all("{^words: 3}", 1).remove(0);
    assert_eq!(words.as_str().unwrap().split(' ').count(), 3);
    assert_eq!(rendered_all("{^words: 0}", 1), [Bson::from("")]);
}
