//! What holds for any text and any value.

use std::collections::BTreeMap;

use patternbench::source::{NodeKind, Parsed, decode, parse, show};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decoding::{Goods, Shop};
use super::*;

/// Pieces from which texts that look like YAML are put together.
const PIECES: &[&str] = &[
    "a",
    "b:",
    "c: ",
    ": ",
    ":",
    "- ",
    "-",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ",",
    "\n",
    "\n  ",
    "\n    ",
    "\n\t",
    " ",
    "&x ",
    "*x",
    "!t ",
    "!!str ",
    "!!binary ",
    "!!float ",
    "| \n",
    ">-\n",
    "'",
    "\"",
    "\\",
    "#",
    " # c",
    "%",
    "@",
    "`",
    "---\n",
    "...\n",
    "<<: ",
    "1",
    "-5",
    "1e999",
    ".nan",
    "99999999999999999999",
    "true",
    "null",
    "~",
    "é",
    "日本",
    "\u{feff}",
    "\r\n",
    "\0",
    "\u{1b}[1m",
    "a:1",
    "^int",
    "$push",
    "role",
    "width: ",
    "goods: ",
    "shelves: ",
];

/// Reads, decodes and shows a text: nothing of it may panic, and the places lie in the text.
fn digest(text: &str) {
    let (problems, one) = match parse(source(text)) {
        Ok(Parsed { file, mut problems }) => {
            let top = root(&file.arena);
            let _: Option<Shop> = decode(&file.arena, top, &mut problems);
            let _: Option<Value> = decode(&file.arena, top, &mut problems);
            let _: Option<BTreeMap<String, Goods>> = decode(&file.arena, top, &mut problems);
            let mut open = vec![top];
            while let Some(id) = open.pop() {
                let node = file.arena.node(id);
                assert!(text.get(node.span.start as usize..node.span.end as usize).is_some(), "{text:?} {node:?}");
                match &node.kind {
                    NodeKind::Seq(items) => open.extend(items),
                    NodeKind::Map(entries) => open.extend(entries.iter().map(|entry| entry.value)),
                    _ => {}
                }
            }
            (problems, false)
        }
        Err((_, problems)) => (problems, true),
    };
    if one {
        assert_eq!(problems.len(), 1);
    }
    for problem in problems.in_order() {
        for span in std::iter::once(problem.span).chain(problem.notes.iter().map(|note| note.span)) {
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{text:?} {problem:?}");
        }
    }
    show(&source(text), &problems, true);
    show(&source(text), &problems, false);
}

/// YAML refuses characters that JSON writes as they are.
fn any_text() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace(|c| ('\u{7f}'..='\u{9f}').contains(&c), ""))
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        any_text().prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(any_text(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// One field of every kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kinds {
    small: u8,
    signed: i32,
    wide: u64,
    float: f64,
    text: String,
    flag: bool,
    maybe: Option<i64>,
    pair: (u8, String),
    list: Vec<i16>,
    table: BTreeMap<String, u32>,
    choice: Choice,
    letter: char,
    nothing: (),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Choice {
    Bare,
    Wrapped(u8),
    Pair(bool, i8),
    Named { inner: String },
}

fn any_kinds() -> impl Strategy<Value = Kinds> {
    let choice = prop_oneof![
        Just(Choice::Bare),
        any::<u8>().prop_map(Choice::Wrapped),
        any::<(bool, i8)>().prop_map(|(a, b)| Choice::Pair(a, b)),
        any_text().prop_map(|inner| Choice::Named { inner }),
    ];
    // Quarters have a short decimal form that every parser reads exactly.
    let float = any::<i32>().prop_map(|quarters| f64::from(quarters) / 4.0);
    let numbers = (any::<u8>(), any::<i32>(), 0..=i64::MAX as u64, float, any::<Option<i64>>());
    let parts = (
        (any::<u8>(), any_text()),
        any::<Vec<i16>>(),
        proptest::collection::btree_map(any_text(), any::<u32>(), 0..5),
        proptest::char::range('!', '~'),
    );
    (numbers, parts, any_text(), any::<bool>(), choice).prop_map(|(numbers, parts, text, flag, choice)| {
        let (small, signed, wide, float, maybe) = numbers;
        let (pair, list, table, letter) = parts;
        Kinds { small, signed, wide, float, text, flag, maybe, pair, list, table, choice, letter, nothing: () }
    })
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000..1000i64).prop_map(Value::from),
        Just(json!(2.5)),
        "[a-zA-Z]{0,3}|Bare|Wrapped".prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        digest(&text);
    }

    #[test]
    fn nothing_that_looks_like_yaml_makes_the_reader_panic(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)
    ) {
        digest(&pieces.concat());
    }

    #[test]
    fn json_is_yaml(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("it is JSON");
        let Parsed { file, mut problems } = parsed(&text);
        let decoded: Option<Value> = decode(&file.arena, root(&file.arena), &mut problems);
        prop_assert_eq!(decoded, Some(value));
        prop_assert!(problems.is_empty(), "{:?}", problems);
    }

    #[test]
    fn types_decode_as_from_json(kinds in any_kinds(), broken in any::<Option<(prop::sample::Index, bool)>>(), scalar in any_scalar()) {
        let mut value = serde_json::to_value(&kinds).expect("it serialises");
        if let (Some((index, rename)), Value::Object(fields)) = (broken, &mut value) {
            let key = index.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
            match rename {
                true => drop(fields.insert(format!("{key}x"), scalar)),
                false => drop(fields.insert(key, scalar)),
            }
        }
        let text = value.to_string();
        let expected = serde_json::from_str::<Kinds>(&text).ok();
        let Parsed { file, mut problems } = parsed(&text);
        let decoded = decode::<Kinds>(&file.arena, root(&file.arena), &mut problems);
        prop_assert_eq!(expected.is_some(), problems.is_empty(), "{} {:?}", text, problems);
        prop_assert_eq!(decoded.filter(|_| problems.is_empty()), expected);
    }
}
