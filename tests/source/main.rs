//! Stories of a file: what stands in it comes out with its place, and whatever is wrong with it is told in one go.

mod decoding;
mod places;
mod properties;
mod reading;
mod showing;

use patternbench::source::{Arena, NodeId, Parsed, Problems, SourceText, Span, parse};

pub(crate) fn source(text: &str) -> SourceText {
    SourceText::new("shop.yaml", text)
}

/// A file that is YAML, whatever else is wrong with it.
pub(crate) fn parsed(text: &str) -> Parsed {
    parse(source(text)).unwrap_or_else(|(_, problems)| panic!("{text:?} is YAML, but: {problems:?}"))
}

/// The problems of a text by line and column.
pub(crate) fn problems(text: &str) -> Vec<(usize, usize, String)> {
    let problems = match parse(source(text)) {
        Ok(parsed) => parsed.problems,
        Err((_, problems)) => problems,
    };
    placed(text, &problems)
}

pub(crate) fn placed(text: &str, problems: &Problems) -> Vec<(usize, usize, String)> {
    let place = |span: Span| source(text).line_column(span.start);
    problems.in_order().iter().map(|p| (place(p.span).0, place(p.span).1, p.message.clone())).collect()
}

/// The one problem of a text, with what would be right.
pub(crate) fn only_problem(text: &str) -> (usize, usize, String, String) {
    let problems = match parse(source(text)) {
        Ok(parsed) => parsed.problems,
        Err((_, problems)) => problems,
    };
    let (line, column, message) = match &placed(text, &problems)[..] {
        [only] => only.clone(),
        several => panic!("{text:?} has {} problems: {several:?}", several.len()),
    };
    (line, column, message, problems.in_order()[0].help.clone().unwrap_or_default())
}

pub(crate) fn marked(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

pub(crate) fn root(arena: &Arena) -> NodeId {
    arena.root().expect("a parsed file has a root")
}
