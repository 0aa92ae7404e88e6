//! What is too large or too deep is an error, never the end of memory or stack.

use bson::{Bson, bson};

use crate::source::{Arena, Entry, Node, NodeId, NodeKind, Problems, Span};
use crate::value::Template;
use crate::value::testing::{Surroundings, compile, full_scope, problems};

fn errors(around: &Surroundings, text: &str) -> [String; 2] {
    let template = compile(text);
    let value = around.value(&template, 0).expect_err("too large").message;
    [value, around.document(&template, 0).expect_err("too large").message]
}

#[test]
fn huge_constants_are_found_while_compiling() {
    assert!(problems("{^text: {bytes: 1e12}}")[0].contains("at most 16777216 bytes in a document"));
    assert!(problems("{^array: {of: 1, count: 1e12}}")[0].contains("elements in a document"));
    assert!(problems("{^words: 99999999999}")[0].contains("too much"));
}

#[test]
fn huge_values_are_found_while_rendering() {
    let huge = Surroundings::named(Bson::Double(1e12), Bson::Null);
    for text in ["{t: {^text: {bytes: ^a}}}", "{t: {^words: ^a}}", "{t: {^array: {of: null, count: ^a}}}"] {
        for error in errors(&huge, text) {
            assert!(error.contains("too much") || error.contains("MiB"), "{text}: {error}");
        }
    }
}

#[test]
fn lists_of_lists_are_bounded_together() {
    let nested = "{x: {^array: {of: {^array: {of: {^array: {of: 1, count: 5000}}, count: 5000}}, count: 5000}}}";
    for error in errors(&Surroundings::new(), nested) {
        assert!(error.contains("MiB"), "{error}");
    }
    let big = Surroundings::named(Bson::String("x".repeat(1 << 20)), Bson::Null);
    for error in errors(&big, "{x: {^array: {of: ^a, count: 1000}}}") {
        assert!(error.contains("MiB"), "{error}");
    }
    let separators = Surroundings::named(Bson::String(",".repeat(1 << 24)), Bson::Null);
    assert!(errors(&separators, "{x: {^split: [^a, ',']}}")[0].contains("MiB"));
}

#[test]
fn a_document_of_sixteen_mebibytes_is_the_largest() {
    // Length, type, "t\0", the text's length and terminator, the document's terminator: 13 bytes beside the text.
    let largest = 16 * 1024 * 1024 - 13;
    let around = Surroundings::new();
    let fits = around.document(&compile(&format!("{{t: {{^text: {largest}}}}}")), 0).unwrap();
    assert_eq!(fits.as_bytes().len(), 16 * 1024 * 1024);
    let error = around.document(&compile(&format!("{{t: {{^text: {}}}}}", largest + 1)), 0).err().unwrap();
    assert!(error.message.contains("larger than 16 MiB"), "{error}");
    let referred = Surroundings::named(bson!({"t": "x".repeat(largest + 1)}), Bson::Null);
    assert!(referred.document(&compile("^a"), 0).err().unwrap().message.contains("larger than 16 MiB"));
}

/// `^index`, wrapped so many times.
fn nested(depth: usize, wrap: impl Fn(NodeId) -> NodeKind) -> Result<Template, String> {
    let mut arena = Arena::default();
    let node = |kind| Node { kind, span: Span::default(), defined: None };
    let mut inner = arena.push(node(NodeKind::Str("^index".to_owned())));
    for _ in 0..depth {
        inner = arena.push(node(wrap(inner)));
    }
    let mut problems = Problems::default();
    Template::compile(&arena, inner, &full_scope(), &mut problems).ok_or_else(|| problems.in_order()[0].message.clone())
}

#[test]
fn deep_nesting_is_a_problem_and_no_crash() {
    // Built by hand: files are not read to this depth.
    let lists = |depth: usize| nested(depth, |inner| NodeKind::Seq(vec![inner]));
    assert!(lists(100).is_ok());
    assert!(lists(101).unwrap_err().contains("nested more than 100 levels deep"));
    assert!(lists(100_000).is_err());
    let not = |inner| NodeKind::Map(vec![Entry { key: "^not".to_owned(), key_span: Span::default(), value: inner }]);
    let template = nested(50, not).unwrap();
    assert_eq!(Surroundings::new().value(&template, 1).unwrap(), Bson::Boolean(true));
    assert!(nested(101, not).is_err());
}

#[test]
fn what_is_no_document_is_not_stored() {
    let around = Surroundings::named(Bson::Int32(5), bson!([{"x": 1}, 2]));
    assert!(
        around
            .document(&compile("^a"), 0)
            .unwrap_err()
            .message
            .contains("a document was expected, a whole number found")
    );
    assert!(around.document(&compile("[1]"), 0).is_err());
    let context = around.context(0);
    assert!(compile("^b").documents(&context).unwrap_err().message.contains("a whole number found in it"));
    assert!(compile("^a").documents(&context).unwrap_err().message.contains("a list of documents was expected"));
    assert_eq!(compile("[{n: ^index}, {}]").documents(&context).unwrap().len(), 2);
}
