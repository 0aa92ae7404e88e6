//! Mistakes in a file: each is reported with its place and what would be right, all of them in one go.

use crate::value::Scope;
use crate::value::testing::{problems, try_compile};

/// The only problem of a text.
fn problem(text: &str) -> String {
    let found = problems(text);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.into_iter().next().unwrap()
}

#[test]
fn unknown_names_are_given_the_nearest_known_one() {
    assert_eq!(
        problem("{x: ^siez}"),
        "1:5 `^siez` is not known here | did you mean `^size`? (a literal `^`, as in a regular expression, is written `^^`)"
    );
    assert!(problem("{x: ^objectid}").contains("did you mean `^objectId`?"));
    assert!(problem("{x: '^abcdefgh'}").contains("known are `^a`, `^b`, `^size`"));
    assert!(problem("{$regex: '^abc.*$'}").contains("is written `^^"));
    assert!(problem("{x: '^'}").contains("`^` is no reference"));
    assert!(problem("{x: '^a..b'}").contains("has an empty part"));
    assert!(problem("{x: ^a.0.b}").contains("{^at: [^a, 0]}"));
}

#[test]
fn unknown_generators_and_options_too() {
    assert_eq!(
        problem("{x: {^itn: {min: 1, max: 2}}}"),
        "1:6 there is no generator or function `^itn` | did you mean `^int`?"
    );
    assert_eq!(problem("{^int: {min: 1, mx: 2, max: 5}}"), "1:17 `^int` has no option `mx` | did you mean `max`?");
    assert!(problem("{^int: {min: 1, max: 2, colour: red}}").contains("its options are min, max, zipf"));
    assert!(problem("{^size: 5}").contains("the name is known: write it as a plain string, `^size`"));
    assert!(problem("{^index: 5}").contains("stands alone, as a plain string"));
    assert!(problem("^int").contains("`^int` needs something to work on | for example"));
    assert!(problem("^objectId.x").contains("which has no fields"));
}

#[test]
fn a_generator_is_the_only_key_of_its_map() {
    assert_eq!(
        problem("{^int: 1, y: 2}"),
        "1:2 `^int` stands among 1 other keys | a generator or function is the only key of its map; a key that begins with `^` is written `^^…`"
    );
}

#[test]
fn missing_and_wrong_options_say_what_would_be_right() {
    assert_eq!(
        problem("{x: {^int: {min: 1}}}"),
        "1:6 `^int` lacks `max` | `max` is a whole number; for example `rating: {^int: {min: 1, max: 5}}`"
    );
    assert!(problem("{^int: 5}").contains("takes a map of options"));
    assert!(problem("{^int: {min: one, max: 5}}").contains("`min` of `^int` must be a whole number, not `one`"));
    assert!(problem("{^int: {min: 1.5, max: 5}}").contains("not 1.5"));
    assert!(problem("{^int: {min: 6, max: 5}}").contains("`min` 6 of `^int` is larger than `max` 5"));
    assert!(problem("{^int: {min: [^index], max: 5}}").contains("not a list"));
    assert!(problem("{^bool: {share: 2}}").contains("a number from 0 to 1, not 2"));
    assert!(problem("{^text: -1}").contains("at least 0, not -1"));
    assert!(problem("{^double: {decimals: 20}}").contains("at most 15 digits"));
    assert!(problem("{^int: {min: 1, max: 5, zipf: -1}}").contains("at least 0, not -1"));
    assert!(problem("{^repeat: {of: 1, count: 0}}").contains("at least 1"));
    assert!(problem("{^array: {of: 1, count: 1, distinct: maybe}}").contains("true or false, not `maybe`"));
}

#[test]
fn lists_and_weights_are_checked() {
    assert!(problem("{^choose: []}").contains("the list is empty"));
    assert!(problem("{^choose: blue}").contains("must be a list, not `blue`"));
    assert!(problem("{^choose: {of: [a, b], weights: [1]}}").contains("2 numbers of at least 0"));
    assert!(problem("{^choose: {of: [a, b], weights: [0, 0]}}").contains("not all 0"));
    assert!(problem("{^choose: {of: [a, b], weights: [1, 1], zipf: 1}}").contains("not by both"));
    assert!(problem("{^add: [1]}").contains("a list of at least 2 values"));
    assert!(problem("{^sub: [1, 2, 3]}").contains("a list of 2 values"));
    assert!(problem("{^eq: 5}").contains("a list of 2 values"));
}

#[test]
fn sets_are_known_by_name() {
    assert_eq!(problem("{^key: book}"), "1:8 the dataset has no set `book` | did you mean `books`?");
    assert!(problem("{^key: {of: zzz}}").contains("there are books, buyers"));
    assert!(problem("{^key: 5}").contains("the name of a set was expected, a whole number found"));
    assert!(problem("{^pairs: {left: books, right: buyer}}").contains("did you mean `buyers`?"));
    assert!(problem("{^pairs: {left: books, right: buyers, take: both}}").contains("one of left, right"));
}

#[test]
fn dates_and_durations_are_checked() {
    assert!(problem("{^date: yesterday}").contains("not `yesterday`"));
    assert!(
        problem("{^date: {from: 2024-01-01}}").contains("do not belong together | `^date` takes a date, or {from, to}")
    );
    assert!(problem("{^date: {from: 2024-01-02, to: 2024-01-01}}").contains("`to` must lie after `from`"));
    assert!(
        problem("{^date: {start: 2024-01-01, every: often}}")
            .contains("a duration (100ms, 10s, 5m, 1h, 30d), not `often`")
    );
    assert!(problem("{^add: [^now, tomorrow]}").contains("`tomorrow` is neither a number nor a duration"));
    assert!(problem("{^dateTrunc: {date: ^now, unit: fortnight}}").contains("one of second, minute"));
}

#[test]
fn functions_of_constants_fail_early() {
    assert_eq!(problem("{x: {^div: [1, 0]}}"), "1:6 ^div: 1 cannot be divided by 0 | ");
    assert!(problem("{^lt: [1, x]}").contains("have no order"));
}

#[test]
fn formats_are_read_while_compiling() {
    assert!(problem("{^format: 'x {sizee}'}").contains("did you mean `^size`?"));
    assert!(problem("{^format: 'x {size'}").contains("no counterpart | a place to fill in reads `{name}`"));
    assert!(problem("{^format: 'x }'}").contains("no counterpart"));
    assert!(problem("{^format: '{index:6}'}").contains("`:6` in `{index:6}` is no width"));
    assert!(problem("{^format: {values: {x: 1}}}").contains("`^format` needs a text"));
    assert!(problem("{^format: {text: x, value: {x: 1}}}").contains("no option `value`"));
}

#[test]
fn extended_json_is_checked() {
    assert!(problem("{$oid: xyz}").contains("no value for `$oid` | it takes 24 hexadecimal digits"));
    assert!(problem("{$date: ^now}").contains("for a date that is not constant write {^date: …}"));
    assert!(problem("{$numberInt: 3000000000}").contains("32 bits"));
    assert!(problem("{$binary: abc}").contains("base64"));
}

#[test]
fn what_is_not_known_here_says_where_it_is() {
    let steps = Scope { parameters: vec!["size".to_owned()], ..Scope::default() };
    let wrong = |text: &str| try_compile(text, &steps).err().map(|found| found.join("\n")).unwrap_or_default();
    assert!(wrong("^index").contains("in rows of the dataset and in arguments"));
    assert!(wrong("^parent.x").contains("in rows of `children`"));
    assert!(wrong("^now").contains("in rows of the dataset and in arguments"));
    assert!(wrong("^it").contains("within ^map and ^filter and in a step's `select`"));
    assert!(wrong("^each").contains("in a step with `forEach`"));
    assert!(wrong("^position").contains("in rows of `children`"));
    for drawing in ["{^int: {min: 1, max: 2}}", "^objectId", "{^date: {before_now: 1h}}", "{^array: {of: 1, count: 2}}"]
    {
        assert!(wrong(drawing).contains("give the operation an argument, and refer to that"), "{drawing}");
    }
    for fine in
        ["{^date: 2025-01-01}", "{^map: {in: [1], to: [^it, ^position]}}", "{^add: [^size, 1]}", "{^format: '{size}'}"]
    {
        assert_eq!(wrong(fine), "", "{fine}");
    }
}

#[test]
fn all_mistakes_are_reported_in_one_go() {
    let text = "
- {^key: bok}
- {x: ^nothing, y: [{^int: {min: 1}}, {^wrods: 3}]}
- {^date: {from: 1, too: 2}}
- {$oid: 1}
";
    let found = problems(text);
    let places: Vec<&str> = found.iter().map(|problem| problem.split(' ').next().unwrap()).collect();
    assert_eq!(places, ["2:10", "3:7", "3:22", "3:40", "4:21", "5:10"], "{found:#?}");
}
