//! Decoding: every problem is told at its place, and what is right is there.

use patternbench::source::{At, Dict, List, NodeRef, Parsed, Soft, decode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a shop")]
pub(crate) struct Shop {
    #[serde(default)]
    name: Option<Soft<String>>,
    #[serde(default)]
    shelves: Dict<Shelf>,
    #[serde(default)]
    opens: Option<Soft<At<u8>>>,
    #[serde(default)]
    anything: Option<NodeRef>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a shelf")]
pub(crate) struct Shelf {
    #[serde(default)]
    goods: List<Goods>,
    #[serde(default)]
    width: Option<Soft<f64>>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Goods {
    Book(Book),
    Loose { grams: u32 },
    Nothing,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a book")]
pub(crate) struct Book {
    title: At<String>,
}

#[test]
fn a_good_file_decodes_with_the_place_of_every_value_that_asks_for_it() {
    let text = "name: Corner\nopens: 8\nanything: [1, {a: 2}]\nshelves:\n  left:\n    width: 2\n    goods:\n      - book: {title: Emma}\n      - loose: {grams: 250}\n      - nothing\n";
    let Parsed { file, mut problems } = parsed(text);
    let shop: Shop = decode(&file.arena, root(&file.arena), &mut problems).expect("it decodes");
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(shop.name, Some(Soft(Some("Corner".to_owned()))));
    let Some(Soft(Some(opens))) = shop.opens else { panic!("opens is there") };
    assert_eq!((opens.value, marked(text, opens.span)), (8, "8"));
    let Some(NodeRef(anything)) = shop.anything else { panic!("anything is there") };
    assert_eq!(marked(text, file.arena.span(anything)), "[1, {a: 2}]");
    let left = shop.shelves.get("left").expect("the shelf is there");
    assert_eq!(marked(text, left.key_span), "left");
    assert_eq!(left.value.width, Some(Soft(Some(2.0))));
    let [Goods::Book(book), Goods::Loose { grams: 250 }, Goods::Nothing] = &left.value.goods.0[..] else {
        panic!("{left:?}")
    };
    assert_eq!((book.title.value.as_str(), marked(text, book.title.span)), ("Emma", "Emma"));
}

#[test]
fn every_mistake_of_a_file_is_told_and_what_is_right_is_there() {
    let text = "\
nme: Corner
opens: 300
extra: 1
shelves:
  left:
    wdth: 1
    width: wide
    goods:
      - book: {title: 5, titel: x}
      - boook: {title: Emma}
      - loose: {grams: -1}
      - nothing: 1
      - book
      - book: {title: Emma}
        loose: {grams: 1}
        shelf: 2
      - {}
      - 7
      - book: {}
  right: []
  third:
    width:1
  fourth: {width: 3}
";
    let Parsed { file, mut problems } = parsed(text);
    let shop: Option<Shop> = decode(&file.arena, root(&file.arena), &mut problems);
    let told = placed(text, &problems);
    let told: Vec<_> = told.iter().map(|(line, column, message)| (*line, *column, message.as_str())).collect();
    assert_eq!(
        told,
        [
            (1, 1, "unknown field `nme` in a shop"),
            (2, 8, "300 is too large"),
            (3, 1, "unknown field `extra` in a shop"),
            (6, 5, "unknown field `wdth` in a shelf"),
            (7, 12, "expected a number, found the string \"wide\""),
            (9, 23, "expected a string, found the whole number 5"),
            (9, 26, "unknown field `titel` in a book"),
            (10, 9, "`boook` is not known here"),
            (11, 24, "-1 is too small"),
            (12, 18, "`nothing` takes no value, found the whole number 1"),
            (13, 9, "`book` needs a value"),
            (15, 9, "`loose` stands beside `book`, which must be the only key here"),
            (16, 9, "`shelf` stands beside `book`, which must be the only key here"),
            (17, 9, "expected one of `book`, `loose`, `nothing` as the only key, found an empty map"),
            (18, 9, "expected one of `book`, `loose`, `nothing`, found the whole number 7"),
            (19, 15, "`title` is missing"),
            (20, 10, "expected a shelf (a map), found a list"),
            (22, 5, "expected a shelf (a map), found the string \"width:1\""),
        ]
    );
    let help = |message: &str| {
        let problem = problems.in_order().into_iter().find(|problem| problem.message.starts_with(message));
        problem.and_then(|problem| problem.help.clone()).unwrap_or_default()
    };
    assert!(help("unknown field `nme`").starts_with("did you mean `name`?"));
    assert!(help("unknown field `extra`").starts_with("known here: `name`, `shelves`"));
    assert!(help("`boook`").starts_with("did you mean `book`?"));
    assert_eq!(help("300"), "at most 255");
    assert!(help("expected a shelf (a map), found the string").contains("`width: 1`"));
    assert!(help("`shelf` stands beside").contains("inside the braces of `book`"));
    assert!(help("`loose` stands beside").contains("an entry of its own"));

    let shop = shop.expect("what is right is there");
    let shelves: Vec<_> = shop.shelves.0.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(shelves, ["left", "fourth"]);
    let left = &shop.shelves.0[0].value;
    assert_eq!(left.width, Some(Soft(None)), "a broken value is not an absent one");
    assert_eq!(left.goods.0.len(), 1, "{:?}", left.goods);
}

#[test]
fn a_problem_behind_an_alias_shows_where_the_value_was_defined() {
    let text = "shelves:\n  one: &s {width: wide}\n  two: *s\n";
    let Parsed { file, mut problems } = parsed(text);
    let _: Option<Shop> = decode(&file.arena, root(&file.arena), &mut problems);
    let [first, second] = problems.in_order()[..] else { panic!("{problems:?}") };
    assert_eq!((marked(text, first.span), first.notes.len()), ("wide", 0));
    assert_eq!((marked(text, second.span), marked(text, second.notes[0].span)), ("*s", "wide"));
}

#[test]
fn the_schema_of_a_file_type_accepts_what_decodes_and_refuses_what_does_not() {
    let schema = serde_json::to_value(schemars::schema_for!(Shop)).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let good = json!({"name": "Corner", "opens": 8, "anything": [{"a": null}],
        "shelves": {"left": {"width": 2, "goods": [{"book": {"title": "Emma"}}, {"loose": {"grams": 1}}, "nothing"]}}});
    assert!(validator.is_valid(&good));
    let bad = [
        json!({"nme": "Corner"}),
        json!({"opens": "early"}),
        json!({"shelves": []}),
        json!({"shelves": {"left": 1}}),
        json!({"shelves": {"left": {"goods": {}}}}),
        json!({"shelves": {"left": {"goods": ["book"]}}}),
        json!({"shelves": {"left": {"goods": [{"book": {"title": 5}}]}}}),
    ];
    for value in std::iter::once(&good).chain(&bad) {
        let text = value.to_string();
        let Parsed { file, mut problems } = parsed(&text);
        let _: Option<Shop> = decode(&file.arena, root(&file.arena), &mut problems);
        assert_eq!(problems.is_empty(), validator.is_valid(value), "{text}: {problems:?}");
    }
}

#[test]
fn a_wrapper_is_in_the_schema_what_it_wraps() {
    fn schema<T: JsonSchema>() -> serde_json::Value {
        schemars::SchemaGenerator::default().subschema_for::<T>().to_value()
    }
    assert_eq!(schema::<Soft<At<Book>>>(), schema::<Book>());
    assert_eq!(schema::<Soft<At<Book>>>(), json!({"$ref": "#/$defs/Book"}));
    assert_eq!(schema::<List<Soft<Book>>>(), schema::<Vec<Book>>());
    assert_eq!(schema::<Dict<At<u8>>>(), schema::<std::collections::BTreeMap<String, u8>>());
    assert_eq!(schema::<NodeRef>(), json!(true));
}
