//! From bytes to values with places: what values mean, what is not YAML, what YAML allows and we do not, what is too much.

use std::fmt::Write as _;

use patternbench::source::{NodeKind, Parsed, Problems, SourceError, Span, decode, parse, read_file};
use serde_json::{Value, json};

use super::*;

#[test]
fn scalars_mean_what_yaml_1_2_says() {
    let kinds = [
        ("5", NodeKind::Int(5)),
        ("-7", NodeKind::Int(-7)),
        ("9223372036854775807", NodeKind::Int(i64::MAX)),
        ("-9223372036854775808", NodeKind::Int(i64::MIN)),
        ("0x1F", NodeKind::Int(31)),
        ("5.0", NodeKind::Float(5.0)),
        ("1e3", NodeKind::Float(1000.0)),
        (".5", NodeKind::Float(0.5)),
        ("true", NodeKind::Bool(true)),
        ("False", NodeKind::Bool(false)),
        ("null", NodeKind::Null),
        ("~", NodeKind::Null),
        ("", NodeKind::Null),
    ];
    for (written, kind) in kinds {
        let text = format!("key: {written}");
        let Parsed { file, problems } = parsed(&text);
        assert!(problems.is_empty(), "{written}: {problems:?}");
        let value = file.arena.get(root(&file.arena), "key").expect("the key stands there");
        assert_eq!(file.arena.kind(value), &kind, "{written}");
    }
    // None of these is a number or a boolean: what looks like text to a person stays text.
    for written in ["\"5\"", "'true'", "yes", "on", "2024-01-01", "1:30", "1_000", "007", "^index", "$name", "Null x"] {
        let text = format!("key: {written}");
        let file = parsed(&text).file;
        let value = file.arena.get(root(&file.arena), "key").expect("the key stands there");
        assert_eq!(file.arena.kind(value), &NodeKind::Str(written.trim_matches(['"', '\'']).to_owned()));
    }
}

#[test]
fn an_alias_says_where_it_stands_and_where_its_value_was_defined() {
    let text = "one: &shared\n  deep: [1, 2]\ntwo: *shared\n";
    let Parsed { file, problems } = parsed(text);
    assert!(problems.is_empty());
    let arena = &file.arena;
    let two = arena.get(root(arena), "two").expect("two stands there");
    assert_eq!(marked(text, arena.span(two)), "*shared");
    assert_eq!(arena.node(two).defined.map(|span| marked(text, span)), Some("deep: [1, 2]"));
    let deep = arena.get(two, "deep").expect("deep stands in the alias");
    assert_eq!(marked(text, arena.span(deep)), "*shared");
    assert_eq!(arena.node(deep).defined.map(|span| marked(text, span)), Some("[1, 2]"));
    let one = arena.get(root(arena), "one").expect("one stands there");
    assert_eq!(arena.node(one).defined, None);
}

#[test]
fn what_is_not_yaml_is_told_once_with_its_place_and_what_would_be_right() {
    let cases = [
        ("", 1, 1, "this file is empty", ""),
        ("# only this\n", 1, 1, "nothing stands in this file but comments", ""),
        ("a: 1\nb:2\nc: 3\n", 2, 1, "space missing after the colon", "write `b: 2`"),
        ("x:\n  a:1\n  b: 2\n", 2, 3, "space missing after the colon", "write `a: 1`"),
        ("{a: 1, c:{d: 1}}", 1, 8, "space missing after the colon", "write `c: …`"),
        (
            "{$push: {a[0]: 1}}",
            1,
            10,
            "text with any of `[ ] { } ,` in it needs quotes inside `{ }` and `[ ]`",
            "write `\"a[0]\"`",
        ),
        (
            "{$set: {items.$[e].qty: 1}}",
            1,
            9,
            "text with any of `[ ] { } ,` in it needs quotes inside `{ }` and `[ ]`",
            "write `\"items.$[e].qty\"`",
        ),
        ("a: 1\n  b: 2\n", 2, 4, "this key belongs to no map", "check the indentation"),
        ("key: value: other\n", 1, 11, "a second colon on one line", "put the value in quotes"),
        ("a: [1, 2\nb: 3\n", 2, 2, "a comma or the closing bracket is missing before this", "needs quotes"),
        ("a: [1, {b: 2}\n", 1, 4, "this bracket is never closed", ""),
        ("a: {b: 1}}\n", 1, 10, "this bracket closes nothing", ""),
        ("a: [1, 2}\n", 1, 4, "`}` cannot close this `[`", "needs quotes"),
        ("a: [,]", 1, 5, "a value is missing before this comma", ""),
        ("a: \"open\nb: 1\n", 1, 4, "the quote that opens here is not closed", ""),
        ("a: 'it's'\n", 1, 8, "something stands behind the closing quote", "doubled"),
        ("a: \"\\q\"\n", 1, 4, "a backslash in this string begins an escape that YAML does not know", "single quotes"),
        ("a: @here\n", 1, 4, "unquoted text cannot begin with `@`", "put the value in quotes"),
        ("a: `here`\n", 1, 4, "unquoted text cannot begin with a backtick", "put the value in quotes"),
        ("a: *nobody\n", 1, 4, "no anchor is called `nobody`", "`&name`"),
        ("a: &self [*self]\n", 1, 11, "this alias stands inside the value that it names", ""),
        ("a: !thing 1\n", 1, 11, "the tag `!thing` is not known here", "leave the tag out"),
        ("a:\n\tb: 1\n", 2, 1, "a tab cannot stand here", "indent with spaces"),
        ("a: 1\n---\nb: 2\n", 2, 1, "a file holds one document", ""),
        ("- a\nb: c\n", 2, 1, "this line does not fit the list around it", "`- `"),
        ("a:\n  - 1\n - 2\n", 3, 2, "this list entry is indented wrongly", "same column"),
    ];
    for (text, line, column, message, help) in cases {
        let problem = only_problem(text);
        assert!(parse(source(text)).is_err(), "{text:?} is not YAML");
        assert_eq!((problem.0, problem.1, problem.2.as_str()), (line, column, message), "{text:?}");
        assert!(problem.3.contains(help), "{text:?}: {}", problem.3);
    }
}

#[test]
fn a_mistake_between_brackets_shows_the_bracket_that_is_open() {
    for (text, opener) in [("a: [1, {b: 2\nc: 3}]", 7), ("[1, {a: 2} b]", 0), ("[é: a:], b", 0)] {
        let Err((_, problems)) = parse(source(text)) else { panic!("{text:?} is not YAML") };
        let [problem] = problems.in_order()[..] else { panic!("{problems:?}") };
        assert_eq!(problem.notes.first().map(|note| note.span), Some(Span::new(opener, opener + 1)), "{text:?}");
    }
}

#[test]
fn a_text_that_is_too_much_is_refused_with_one_problem() {
    let mib = 1 << 20;
    let deep = format!("{}1{}", "[".repeat(65), "]".repeat(65));
    let mut laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..20 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(laughs, "a{level}: &a{level} [{aliases}]").expect("writing to a string never fails");
    }
    let long = format!("a: &a {}\nb:\n{}", "x".repeat(100_000), "- *a\n".repeat(1000));
    let too_much = [
        ("x".repeat(mib + 1), "this file is larger than 1 MiB"),
        (deep, "nested too deeply: at most 64 lists and maps within one another"),
        ("[".repeat(mib), "nested too deeply: at most 64 lists and maps within one another"),
        ("{a: ".repeat(mib / 4), "nested too deeply: at most 64 lists and maps within one another"),
        ("- ".repeat(mib / 2), "nested too deeply: at most 64 lists and maps within one another"),
        (format!("[{}1]", "1,".repeat(300_000)), "more than 250000 values (those of aliases counted each time)"),
        (laughs, "more than 250000 values (those of aliases counted each time)"),
        (long, "the aliases of this file stand for too much"),
    ];
    for (text, message) in too_much {
        assert_eq!(only_problem(&text).2, message);
    }
    let as_deep_as_allowed = format!("{}1{}", "[".repeat(64), "]".repeat(64));
    assert_eq!(problems(&as_deep_as_allowed), []);
}

#[test]
fn what_yaml_allows_and_we_do_not_is_told_all_in_one_go() {
    let text = "\
a: 1
a: 2
<<: {x: 1}
1: one
true: yes
b: .nan
c: -.inf
d: 99999999999999999999
e: 18446744073709551615
f: -99999999999999999999
g: 1e999
? [1]
: list
h: {a:1, b: 2}
i: !!binary aGFsbG8=
";
    let told = problems(text);
    let told: Vec<_> = told.iter().map(|(line, column, message)| (*line, *column, message.as_str())).collect();
    assert_eq!(
        told,
        [
            (2, 1, "`a` is given twice"),
            (3, 1, "merge keys (`<<`) are not part of YAML 1.2"),
            (4, 1, "a key must be a string, and `1` is none"),
            (5, 1, "a key must be a string, and `true` is none"),
            (6, 4, "`.nan` is not a finite number"),
            (7, 4, "`-.inf` is not a finite number"),
            (8, 4, "this whole number does not fit into 64 bits"),
            (9, 4, "this whole number does not fit into 64 bits"),
            (10, 4, "this whole number does not fit into 64 bits"),
            (11, 4, "`1e999` is too large for a number"),
            (12, 3, "a key must be a string, not a list or a map"),
            (14, 5, "space missing after the colon"),
            (15, 13, "the tag `!!binary` is not known here"),
        ]
    );
}

#[test]
fn a_duplicate_key_shows_the_first_and_the_first_stands() {
    let text = "a: 1\nb: 2\na: 3\n";
    let Parsed { file, problems } = parsed(text);
    let [problem] = problems.in_order()[..] else { panic!("{problems:?}") };
    assert_eq!(problem.notes[0].span, Span::new(0, 1));
    let a = file.arena.get(root(&file.arena), "a").expect("a stands there");
    assert_eq!(file.arena.kind(a), &NodeKind::Int(1));
    assert_eq!(file.arena.entries(root(&file.arena)).len(), 2);
}

#[test]
fn a_glued_key_is_read_as_it_was_meant_so_that_nothing_else_seems_wrong() {
    let Parsed { file, problems } = parsed("{a:1, b:x, c:\"y\", d:true}");
    assert_eq!(problems.len(), 4);
    let value: Value = decode(&file.arena, root(&file.arena), &mut Problems::default()).expect("it decodes");
    assert_eq!(value, json!({"a": 1, "b": "x", "c": "y", "d": true}));
    // A colon in a key that has a value, or in quotes, is nobody's mistake.
    assert_eq!(self::problems("{\"a:1\": , b:c: 1}"), []);
}

#[test]
fn a_mistake_in_a_shared_value_is_told_once() {
    assert_eq!(problems("a: &v {x: .nan, y: 1, y: 2}\nb: [*v, *v, *v]\n").len(), 2);
}

#[test]
fn a_file_that_cannot_be_read_says_what_failed_on_what_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("the folder is writable");
        read_file(&path).map(|_| ()).map_err(|error| error.to_string().replace(&path.display().to_string(), name))
    };
    assert_eq!(told("good.yaml", b"a: 1"), Ok(()));
    assert_eq!(
        told("latin1.yaml", b"a: 1\nb: caf\xe9\n"),
        Err("failed to read latin1.yaml: byte 11 (line 2) is not UTF-8; save the file as UTF-8".to_owned())
    );
    let large = told("large.yaml", &vec![b'x'; (1 << 20) + 1]).expect_err("it is too large");
    assert!(large.starts_with("failed to read large.yaml: it is larger than 1 MiB;"), "{large}");
    assert_eq!(told("empty.yaml", b""), Err("1 problem in empty.yaml".to_owned()));
    assert_eq!(told("broken.yaml", b"a: .nan\nb: .inf"), Err("2 problems in broken.yaml".to_owned()));

    let missing = read_file(&folder.path().join("missing.yaml")).expect_err("there is none");
    assert!(matches!(missing, SourceError::Io { .. }));
    assert!(missing.to_string().ends_with("; check the path"), "{missing}");
    let folder = read_file(folder.path()).expect_err("it is a folder");
    assert!(folder.to_string().ends_with("it is a folder; name a file in it"), "{folder}");
}
