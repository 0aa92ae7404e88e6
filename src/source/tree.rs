//! What serde-saphyr read → nodes of the arena, with the problems of what is YAML but not allowed in a scenario file.

use std::collections::HashMap;

use serde_saphyr::{Location, Spanned};

use super::yaml::Raw;
use super::{Arena, Entry, Node, NodeId, NodeKind, Parsed, Problem, Problems, SourceFile, SourceText, Span, fault};

/// Builds the arena.
pub(super) fn grow(text: SourceText, root: &Spanned<Raw>) -> Parsed {
    let mut tree = Tree {
        text: text.text(),
        arena: Arena::default(),
        problems: Problems::default(),
        defined: HashMap::new(),
        replayed: false,
    };
    let root = tree.value(root);
    tree.arena.set_root(root);
    let Tree { arena, problems, .. } = tree;
    Parsed { file: SourceFile { text, arena }, problems }
}

struct Tree<'t> {
    text: &'t str,
    arena: Arena,
    problems: Problems,
    /// Whole places of lists and maps by where they begin, for aliases: serde-saphyr tells only where each begins.
    defined: HashMap<Span, Span>,
    /// Whether the value at hand comes from an alias: its problems were reported where it was defined.
    replayed: bool,
}

impl Tree<'_> {
    fn value(&mut self, raw: &Spanned<Raw>) -> NodeId {
        let (begins, written) = (span(raw.referenced), span(raw.defined));
        let aliased = raw.referenced != raw.defined;
        let around = std::mem::replace(&mut self.replayed, aliased);
        let (kind, whole) = self.kind(&raw.value, written);
        self.replayed = around;
        let node = match aliased {
            true => Node { kind, span: begins, defined: Some(self.defined.get(&written).copied().unwrap_or(whole)) },
            false => {
                self.defined.insert(written, whole);
                Node { kind, span: whole, defined: None }
            }
        };
        self.arena.push(node)
    }

    /// What is written, and its whole place (for a list or map from an alias: where it begins).
    fn kind(&mut self, raw: &Raw, written: Span) -> (NodeKind, Span) {
        match raw {
            Raw::Null => (NodeKind::Null, written),
            Raw::Bool(value) => (NodeKind::Bool(*value), written),
            Raw::Int(value) => (NodeKind::Int(self.integer(*value, written)), written),
            Raw::Float(value) => (self.float(*value, written), written),
            Raw::Str(text) => {
                self.refuse_binary(written);
                (NodeKind::Str(text.clone()), self.trimmed(written))
            }
            Raw::Seq(items) => {
                let items: Vec<_> = items.iter().map(|item| self.value(item)).collect();
                let last = items.last().map(|item| self.arena.span(*item));
                (NodeKind::Seq(items), self.whole(written, last))
            }
            Raw::Map(entries) => {
                let (entries, last) = self.entries(entries);
                (NodeKind::Map(entries), self.whole(written, last))
            }
        }
    }

    fn report(&mut self, problem: Problem) {
        if !self.replayed {
            self.problems.push(problem);
        }
    }

    /// The entries of a map that can be kept, and where the last of all ends.
    fn entries(&mut self, raw: &[(Spanned<Raw>, Spanned<Raw>)]) -> (Vec<Entry>, Option<Span>) {
        let mut entries: Vec<Entry> = Vec::new();
        let mut first: HashMap<String, Span> = HashMap::new();
        let mut last = None;
        for (key, raw_value) in raw {
            let value = self.value(raw_value);
            last = Some(self.arena.span(value));
            let key_span = span(key.referenced);
            let Some((key, value)) = self.entry(key, key_span, raw_value, value) else { continue };
            if let Some(earlier) = first.get(&key) {
                self.report(
                    Problem::new(key_span, format!("{} is given twice", fault::code(&key)))
                        .label("given again here")
                        .help("a map has each key once: remove one, or give it another name")
                        .note(*earlier, "first given here"),
                );
                continue;
            }
            first.insert(key.clone(), key_span);
            entries.push(Entry { key, key_span, value });
        }
        (entries, last)
    }

    /// An entry's key as text and its value, if the entry can be kept.
    fn entry(
        &mut self,
        key: &Spanned<Raw>,
        place: Span,
        raw_value: &Spanned<Raw>,
        value: NodeId,
    ) -> Option<(String, NodeId)> {
        let written = span(key.defined);
        match &key.value {
            Raw::Str(text) if text == "<<" && self.slice(written) == "<<" => {
                self.report(
                    Problem::new(place, "merge keys (`<<`) are not part of YAML 1.2")
                        .help("write the entries out, or use the value itself through an alias (`key: *name`)"),
                );
                None
            }
            Raw::Str(text) => match self.glued(text, written, raw_value) {
                Some((key, rest)) => {
                    self.report(
                        Problem::new(place, "space missing after the colon")
                            .help(format!("write {}", fault::code(&format!("{key}: {rest}")))),
                    );
                    let value = self.arena.push(Node { kind: plain(rest), span: place, defined: None });
                    Some((key.to_owned(), value))
                }
                None => Some((text.clone(), value)),
            },
            Raw::Seq(_) | Raw::Map(_) => {
                self.report(
                    Problem::new(place, "a key must be a string, not a list or a map")
                        .help("put the key in quotes if text is meant"),
                );
                None
            }
            Raw::Null if self.slice(written).is_empty() => {
                self.report(Problem::new(place, "the key before the colon is missing"));
                None
            }
            Raw::Null | Raw::Bool(_) | Raw::Int(_) | Raw::Float(_) => {
                let text = self.slice(written).to_owned();
                self.report(
                    Problem::new(place, format!("a key must be a string, and {} is none", fault::code(&text)))
                        .help(format!("put it in quotes: {}", fault::code(&format!("\"{text}\"")))),
                );
                Some((text, value))
            }
        }
    }

    /// Key and value of `{a:1}`, which YAML reads as the key `a:1` without a value.
    fn glued<'k>(&self, key: &'k str, written: Span, value: &Spanned<Raw>) -> Option<(&'k str, &'k str)> {
        let omitted = matches!(value.value, Raw::Null) && self.slice(span(value.defined)).is_empty();
        let quoted = self.slice(written).starts_with(['"', '\'']);
        let (key, rest) = key.split_once(':')?;
        (omitted && !quoted && !key.is_empty()).then_some((key, rest))
    }

    fn integer(&mut self, value: i128, place: Span) -> i64 {
        i64::try_from(value).unwrap_or_else(|_| {
            self.too_large(place);
            STAND_IN
        })
    }

    fn float(&mut self, value: f64, place: Span) -> NodeKind {
        let digits = self.slice(place).trim_start_matches(['+', '-']);
        // serde-saphyr reads a whole number past 128 bits, or a negative one past 64, as a double.
        if value.abs() >= i64::MAX as f64 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            self.too_large(place);
            return NodeKind::Int(STAND_IN);
        }
        if value.is_finite() {
            return NodeKind::Float(value);
        }
        let shown = fault::code(self.slice(place));
        self.report(if digits.starts_with(|c: char| c.is_ascii_digit()) {
            Problem::new(place, format!("{shown} is too large for a number"))
                .help("the largest number is about 1.8e308")
        } else {
            Problem::new(place, format!("{shown} is not a finite number")).help("put it in quotes if text is meant")
        });
        NodeKind::Float(STAND_IN as f64)
    }

    /// serde-saphyr would decode `!!binary`; here binary is written as Extended JSON.
    fn refuse_binary(&mut self, place: Span) {
        if self.slice(Span::new(0, place.start)).trim_end().ends_with("!!binary") {
            let problem = Problem::new(place, "the tag `!!binary` is not known here");
            self.report(problem.help("write binary as `{$binary: {base64: …, subType: \"00\"}}`"));
        }
    }

    fn too_large(&mut self, place: Span) {
        self.report(Problem::new(place, "this whole number does not fit into 64 bits").help(format!(
            "whole numbers go from {} to {}; with a point or an exponent it is a double, in quotes it is text",
            i64::MIN,
            i64::MAX
        )));
    }

    fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Without the white space at the end that serde-saphyr counts to a block scalar.
    fn trimmed(&self, place: Span) -> Span {
        let length = self.slice(place).trim_end().len();
        Span::new(place.start, place.start + u32::try_from(length).expect("shorter than the span"))
    }

    /// The whole place of a list or map that begins at `begins` and whose last part is `last`.
    fn whole(&self, begins: Span, last: Option<Span>) -> Span {
        if self.replayed {
            return begins;
        }
        let inner = last.map_or(begins.end, |last| last.end.max(begins.end));
        let closer = match self.slice(begins) {
            "[" => Some(']'),
            "{" => Some('}'),
            _ => None,
        };
        let end = closer.and_then(|closer| self.closed(inner, closer)).unwrap_or(inner);
        Span::new(begins.start, end)
    }

    /// One past the closing bracket, which only blanks, comments and separators precede.
    fn closed(&self, from: u32, closer: char) -> Option<u32> {
        let mut comment = false;
        let rest = self.text.get(from as usize..)?;
        for (offset, character) in rest.char_indices() {
            match character {
                '\n' => comment = false,
                _ if comment => {}
                '#' => comment = true,
                ',' | ':' => {}
                blank if blank.is_whitespace() => {}
                other => {
                    let end = from + u32::try_from(offset + other.len_utf8()).ok()?;
                    return (other == closer).then_some(end);
                }
            }
        }
        None
    }
}

fn span(location: Location) -> Span {
    let place = location.span();
    let offset = |bytes: Option<u64>| bytes.and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or_default();
    let start = offset(place.byte_offset());
    Span::new(start, start.saturating_add(offset(place.byte_len())))
}

/// Stands where a number cannot be kept, so that decoding goes on: the file is refused anyhow.
const STAND_IN: i64 = 1;

/// What a value on one line means.
fn plain(text: &str) -> NodeKind {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return NodeKind::Str(inner.to_owned());
        }
    }
    match text {
        "" | "~" | "null" => NodeKind::Null,
        "true" => NodeKind::Bool(true),
        "false" => NodeKind::Bool(false),
        _ => match (text.parse(), text.parse::<f64>()) {
            (Ok(whole), _) => NodeKind::Int(whole),
            (_, Ok(number)) if number.is_finite() => NodeKind::Float(number),
            _ => NodeKind::Str(text.to_owned()),
        },
    }
}
