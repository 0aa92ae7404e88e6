//! Every value knows where it stands: files are written piece by piece, noting the place of each piece, and read back.

use patternbench::source::{Arena, NodeId, NodeKind, Parsed, Span};
use proptest::prelude::*;

use super::*;

/// What a file is to hold. A scalar is its spelling and what that means.
#[derive(Debug, Clone)]
enum Tree {
    Scalar(&'static str, NodeKind),
    List(Vec<Tree>, Style),
    Map(Vec<(&'static str, Tree)>, Style),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Style {
    Block,
    Flow,
}

/// How lines end, and what stands before the file and behind its values.
#[derive(Debug, Clone, Copy)]
struct Frame {
    start: &'static str,
    end_of_line: &'static str,
    comment: &'static str,
}

/// A file being written, with the places of keys, scalars and whole lists and maps in the order of the file.
#[derive(Default)]
struct Writer {
    text: String,
    places: Vec<(Span, NodeKind)>,
}

impl Writer {
    fn offset(&self) -> u32 {
        u32::try_from(self.text.len()).expect("test files are small")
    }

    /// Writes a piece and notes its place.
    fn piece(&mut self, spelling: &str, kind: NodeKind) {
        let start = self.offset();
        self.text.push_str(spelling);
        self.places.push((Span::new(start, self.offset()), kind));
    }

    fn flow(&mut self, tree: &Tree) {
        match tree {
            Tree::Scalar(spelling, kind) => self.piece(spelling, kind.clone()),
            Tree::List(items, _) => {
                self.bracketed("[", "]", NodeKind::Seq(Vec::new()), items, |writer, item| writer.flow(item))
            }
            Tree::Map(entries, _) => {
                self.bracketed("{", " , }", NodeKind::Map(Vec::new()), entries, |writer, (key, value)| {
                    writer.key(key);
                    writer.text.push_str(": ");
                    writer.flow(value);
                })
            }
        }
    }

    fn bracketed<T>(
        &mut self,
        open: &str,
        close: &str,
        kind: NodeKind,
        parts: &[T],
        mut write: impl FnMut(&mut Self, &T),
    ) {
        let place = self.places.len();
        self.piece(open, kind);
        for (number, part) in parts.iter().enumerate() {
            self.text.push_str(if number > 0 { ", " } else { "" });
            write(self, part);
        }
        // A comma after the last part is allowed, without a part it is not.
        self.text.push_str(if parts.is_empty() { close.trim_start_matches([' ', ',']) } else { close });
        self.places[place].0.end = self.offset();
    }

    fn key(&mut self, spelling: &'static str) {
        self.piece(spelling, NodeKind::Str(spelling.trim_matches(['"', '\'']).to_owned()));
    }

    /// Writes a value in lines, or in brackets behind what stands on the line.
    fn lines(&mut self, tree: &Tree, indent: usize, frame: Frame) {
        match tree {
            Tree::List(items, Style::Block) if !items.is_empty() => {
                let place = self.begin(NodeKind::Seq(Vec::new()));
                for item in items {
                    self.line(indent, frame);
                    self.begin_here(place);
                    self.text.push('-');
                    self.value(item, indent, frame);
                }
                self.end(place);
            }
            Tree::Map(entries, Style::Block) if !entries.is_empty() => {
                let place = self.begin(NodeKind::Map(Vec::new()));
                for (key, value) in entries {
                    self.line(indent, frame);
                    self.begin_here(place);
                    self.key(key);
                    self.text.push(':');
                    self.value(value, indent, frame);
                }
                self.end(place);
            }
            other => {
                self.text.push(' ');
                self.flow(other);
                self.text.push_str(frame.comment);
            }
        }
    }

    fn value(&mut self, tree: &Tree, indent: usize, frame: Frame) {
        self.lines(tree, indent + 2, frame);
    }

    fn line(&mut self, indent: usize, frame: Frame) {
        if self.text.len() > frame.start.len() {
            self.text.push_str(frame.end_of_line);
        }
        self.text.push_str(&" ".repeat(indent));
    }

    fn begin(&mut self, kind: NodeKind) -> usize {
        self.places.push((Span::new(u32::MAX, 0), kind));
        self.places.len() - 1
    }

    fn begin_here(&mut self, place: usize) {
        let start = self.offset();
        let begun = &mut self.places[place].0.start;
        *begun = start.min(*begun);
    }

    /// A list or map in lines ends where its last part does.
    fn end(&mut self, place: usize) {
        self.places[place].0.end =
            self.places[place + 1..].iter().map(|(span, _)| span.end).max().expect("it has parts");
    }
}

/// Places and kinds of an arena's keys and nodes in the order of the file.
fn read_back(arena: &Arena, id: NodeId, places: &mut Vec<(Span, NodeKind)>) {
    let node = arena.node(id);
    match &node.kind {
        NodeKind::Seq(items) => {
            places.push((node.span, NodeKind::Seq(Vec::new())));
            items.iter().for_each(|item| read_back(arena, *item, places));
        }
        NodeKind::Map(entries) => {
            places.push((node.span, NodeKind::Map(Vec::new())));
            for entry in entries {
                places.push((entry.key_span, NodeKind::Str(entry.key.clone())));
                read_back(arena, entry.value, places);
            }
        }
        scalar => places.push((node.span, scalar.clone())),
    }
}

fn any_tree() -> impl Strategy<Value = Tree> {
    let text = |spelling: &'static str, meaning: &str| Tree::Scalar(spelling, NodeKind::Str(meaning.to_owned()));
    let scalars = vec![
        Tree::Scalar("0", NodeKind::Int(0)),
        Tree::Scalar("-12", NodeKind::Int(-12)),
        Tree::Scalar("2.50", NodeKind::Float(2.5)),
        Tree::Scalar("1e3", NodeKind::Float(1000.0)),
        Tree::Scalar("true", NodeKind::Bool(true)),
        Tree::Scalar("null", NodeKind::Null),
        text("word", "word"),
        text("two words", "two words"),
        text("^page.customerId", "^page.customerId"),
        text("$price", "$price"),
        text("größer", "größer"),
        text("日本 語", "日本 語"),
        text("2024-01-01", "2024-01-01"),
        text("'it''s'", "it's"),
        text("\"a \\\"b\\\" \\u00e9\"", "a \"b\" é"),
        text("\"[x, y] {z}: # no\"", "[x, y] {z}: # no"),
        text("''", ""),
    ];
    let style = prop_oneof![Just(Style::Block), Just(Style::Flow)];
    let keys = vec!["a", "$match", "^int", "größe", "'quoted'", "\"two words\"", "a.b", "日本"];
    prop::sample::select(scalars).prop_recursive(5, 40, 5, move |inner| {
        let entries =
            (prop::sample::subsequence(keys.clone(), 0..5).prop_shuffle(), prop::collection::vec(inner.clone(), 5));
        prop_oneof![
            (prop::collection::vec(inner, 0..5), style.clone()).prop_map(|(items, style)| Tree::List(items, style)),
            (entries, style.clone())
                .prop_map(|((keys, values), style)| Tree::Map(keys.into_iter().zip(values).collect(), style)),
        ]
    })
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let start = prop::sample::select(vec!["", "\u{feff}", "# größer\n", "---\n"]);
    let end_of_line = prop::sample::select(vec!["\n", "\r\n", "\n\n# a: b ]\n"]);
    let comment = prop::sample::select(vec!["", " ", " # größer ] }"]);
    (start, end_of_line, comment).prop_map(|(start, end_of_line, comment)| Frame { start, end_of_line, comment })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_key_and_value_knows_its_place(tree in any_tree(), frame in any_frame()) {
        let mut writer = Writer { text: frame.start.to_owned(), places: Vec::new() };
        writer.lines(&tree, 0, frame);
        let Parsed { file, problems } = parsed(&writer.text);
        prop_assert!(problems.is_empty(), "{:?}", problems);
        let mut places = Vec::new();
        read_back(&file.arena, root(&file.arena), &mut places);
        prop_assert_eq!(places, writer.places, "{}", writer.text);
    }
}

#[test]
fn text_over_several_lines_is_marked_without_the_blanks_around_it() {
    let text = "a: |\n  one\n  two\n\n\nb: plain\n  goes on\n\nc: >-\n  folded\n# end\n";
    let file = parsed(text).file;
    let marks: Vec<_> =
        file.arena.entries(root(&file.arena)).iter().map(|e| marked(text, file.arena.span(e.value))).collect();
    assert_eq!(marks, ["one\n  two", "plain\n  goes on", "folded"]);
}

#[test]
fn nothing_written_is_an_empty_place_behind_the_key() {
    let text = "a:\nb: {c: , d: [ ]}\n";
    let file = parsed(text).file;
    let a = file.arena.get(root(&file.arena), "a").expect("a stands there");
    assert_eq!((file.arena.kind(a), file.arena.span(a)), (&NodeKind::Null, Span::new(1, 1)));
    let b = file.arena.get(root(&file.arena), "b").expect("b stands there");
    assert_eq!(marked(text, file.arena.span(b)), "{c: , d: [ ]}");
    let d = file.arena.get(b, "d").expect("d stands there");
    assert_eq!(marked(text, file.arena.span(d)), "[ ]");
}
