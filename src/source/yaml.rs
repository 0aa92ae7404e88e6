//! YAML text → [`Arena`], through serde-saphyr. What is YAML but not allowed here is reported by [`super::tree`].

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::{Arena, NodeKind, Problem, Problems, SourceText, Span, not_yaml, tree};

/// Largest file that is read.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// Lists and maps within one another.
pub(super) const MAX_DEPTH: usize = 64;

/// Values of a file; those of an alias count each time.
pub(super) const MAX_NODES: usize = 250_000;

/// Bytes of text in all values; those of an alias count each time.
const MAX_SCALAR_BYTES: usize = 8 << 20;

/// At default depth a debug build needs more than a thread's usual 2 MiB.
const STACK_BYTES: usize = 16 << 20;

/// A file's text and its nodes.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The text.
    pub text: SourceText,
    /// Its nodes.
    pub arena: Arena,
}

/// A file that is YAML, with the problems found so far.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// Text and nodes.
    pub file: SourceFile,
    /// What YAML allows and a scenario file does not.
    pub problems: Problems,
}

/// Whatever stands in a file, before it becomes a node.
#[derive(Debug)]
pub(super) enum Raw {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(String),
    Seq(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Int(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Int(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Int(i128::try_from(value).unwrap_or(i128::MAX)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Str(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Str(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        null_as_string: true,
        reject_unsupported_tags: true,
        with_snippet: false,
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        merge_keys: serde_saphyr::MergeKeyPolicy::AsOrdinary,
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            max_nodes: MAX_NODES,
            max_events: 2 * MAX_NODES,
            max_total_scalar_bytes: MAX_SCALAR_BYTES,
            max_recorded_anchor_events: 2 * MAX_NODES,
            max_recorded_anchor_bytes: MAX_SCALAR_BYTES,
            max_documents: 1,
            // A scenario may use one shared value many times.
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 2 * MAX_NODES },
    }
}

/// Reads a file's text as YAML.
///
/// A file that is YAML yields its arena and the problems of what YAML allows and a scenario file does not.
///
/// # Errors
/// A text that is not YAML, or beyond what is read at all, gives its one problem.
pub fn parse(text: SourceText) -> Result<Parsed, (SourceText, Problems)> {
    let read = std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().name("yaml".to_owned()).stack_size(STACK_BYTES);
        let thread = reader.spawn_scoped(scope, || parse_here(text.clone()));
        thread.map(|thread| thread.join())
    });
    let problem = match read {
        Ok(Ok(Ok(parsed))) => return Ok(parsed),
        Ok(Ok(Err(problem))) => problem,
        Ok(Err(_panic)) => Problem::new(Span::default(), "this file cannot be read as YAML"),
        Err(error) => Problem::new(Span::default(), format!("failed to start a thread to read this file: {error}")),
    };
    Err((text, problem.into()))
}

fn parse_here(text: SourceText) -> Result<Parsed, Problem> {
    if text.text().len() > MAX_BYTES {
        return Err(Problem::new(Span::default(), "this file is larger than 1 MiB"));
    }
    let root = serde_saphyr::from_str_with_options::<Spanned<Raw>>(text.text(), options())
        .map_err(|error| not_yaml::problem(&error, text.text()))?;
    let parsed = tree::grow(text, &root);
    let arena = &parsed.file.arena;
    let root = arena.node(arena.root().expect("a parsed file has a root"));
    // An explicit `null` is somebody's mistake of another kind.
    if root.kind == NodeKind::Null && root.span.start == root.span.end {
        let blank = parsed.file.text.text().trim().is_empty();
        let message = if blank { "this file is empty" } else { "nothing stands in this file but comments" };
        return Err(Problem::new(Span::default(), message));
    }
    Ok(parsed)
}
