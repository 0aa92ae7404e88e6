//! Problems as a person reads them: place, line of the file, what is wrong, what would be right.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Problem, Problems, SourceText, Span};

/// More problems than anybody reads at a time are counted only.
const SHOWN: usize = 100;

/// Longest line that is shown through annotate-snippets' own trimming, which looks at every character of it.
const LONG: usize = 1000;

/// Characters of a longer line that are shown before the marked place, and in all.
const BEFORE: usize = 40;
const WIDTH: usize = 120;

/// All problems in the order of the file, each with `file:line:column`, its line, and what would be right; then their
/// number. With `colour`, ANSI escapes set it off.
pub fn show(text: &SourceText, problems: &Problems, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let lines = Lines::new(text);
    let all = problems.in_order();
    let mut shown: String =
        all.iter().take(SHOWN).map(|problem| renderer.render(&[report(&lines, problem)]) + "\n\n").collect();
    shown.push_str(&format!("{} in {}", count(all.len()), text.name()));
    if all.len() > SHOWN {
        shown.push_str(&format!(" (the first {SHOWN} are shown)"));
    }
    shown.push('\n');
    shown
}

/// So many problems, in words.
pub(super) fn count(problems: usize) -> String {
    match problems {
        1 => "1 problem".to_owned(),
        several => format!("{several} problems"),
    }
}

fn report<'a>(lines: &Lines<'a>, problem: &'a Problem) -> Group<'a> {
    let primary = lines.mark(problem.span, problem.label.as_deref(), AnnotationKind::Primary);
    let notes = problem.notes.iter().map(|note| lines.mark(note.span, Some(&note.text), AnnotationKind::Context));
    let (beside, elsewhere): (Vec<_>, Vec<_>) = notes.partition(|note| note.number == primary.number);
    let mut group = Level::ERROR.primary_title(tame(&problem.message)).elements(excerpt(lines.name, primary, beside));
    for note in elsewhere {
        group = group.elements(excerpt(lines.name, note, Vec::new()));
    }
    match &problem.help {
        Some(help) => group.element(Level::HELP.message(tame(help))),
        None => group,
    }
}

/// What is marked in one line.
struct Mark<'a> {
    line: &'a str,
    /// The line's number, from 1.
    number: usize,
    /// In bytes of the line.
    range: Range<usize>,
    label: Option<Cow<'a, str>>,
    kind: AnnotationKind,
}

/// The line of a mark and of those beside it, below its place; a long line is cut down around it.
fn excerpt<'a>(name: &'a str, mark: Mark<'a>, beside: Vec<Mark<'a>>) -> Vec<Element<'a>> {
    if mark.line.len() <= LONG {
        let marks = std::iter::once(mark.kind.span(mark.range).label(mark.label))
            .chain(beside.into_iter().map(|note| note.kind.span(note.range).label(note.label)));
        return vec![Snippet::source(tame(mark.line)).line_start(mark.number).path(name).annotations(marks).into()];
    }
    let column = mark.line[..mark.range.start].chars().count() + 1;
    let (cut, range) = cut_down(mark.line, mark.range);
    let snippet = Snippet::source(cut).line_start(mark.number).annotation(mark.kind.span(range).label(mark.label));
    vec![Origin::path(name).line(mark.number).char_column(column).into(), snippet.into()]
}

/// A text and where its lines begin.
struct Lines<'a> {
    name: &'a str,
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a SourceText) -> Self {
        let (name, text) = (text.name(), text.text());
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
        Self { name, text, starts }
    }

    /// Marks a place; one over several lines is marked on its first.
    fn mark(&self, span: Span, label: Option<&'a str>, kind: AnnotationKind) -> Mark<'a> {
        let start = floor(self.text, span.start as usize);
        let number = self.starts.partition_point(|line| *line <= start);
        let line_start = self.starts[number - 1];
        let line = self.text[line_start..].split(['\n', '\r']).next().unwrap_or_default();
        let start = (start - line_start).min(line.len());
        let end = floor(line, (span.end as usize).saturating_sub(line_start).clamp(start, line.len()));
        Mark { line, number, range: start..end, label: label.map(tame), kind }
    }
}

/// A long line cut down around the marked part.
fn cut_down(line: &str, marked: Range<usize>) -> (String, Range<usize>) {
    let skipped = line[..marked.start].chars().count().saturating_sub(BEFORE);
    let from = line.char_indices().nth(skipped).map_or(line.len(), |(offset, _)| offset);
    let to = line[from..].char_indices().nth(WIDTH).map_or(line.len(), |(offset, _)| from + offset);
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    let shift = |offset: usize| offset.min(to) - from + before.len();
    (format!("{before}{}{after}", tame(&line[from..to])), shift(marked.start)..shift(marked.end))
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Without the control characters of the upper half, which annotate-snippets lets through and some terminals obey. Each
/// makes room for a character of as many bytes, so that places stay right.
fn tame(text: &str) -> Cow<'_, str> {
    const UPPER: std::ops::RangeInclusive<char> = '\u{80}'..='\u{9f}';
    match text.contains(|c| UPPER.contains(&c)) {
        true => text.replace(|c| UPPER.contains(&c), "·").into(),
        false => text.into(),
    }
}
