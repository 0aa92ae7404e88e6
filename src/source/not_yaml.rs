//! Why a text is not YAML, or more than is read: one problem, in our own words.

use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::granit_parser::{ErrorKind, Event, Parser, ScanError};
use serde_saphyr::{DefaultMessageFormatter, Error, ExternalMessageSource, Location, MessageFormatter};

use super::yaml::{MAX_DEPTH, MAX_NODES};
use super::{Problem, Span, fault};

const NO_TAGS: &str = "leave the tag out; put the value in quotes if text is meant";

/// The problem that an error of serde-saphyr stands for.
pub(super) fn problem(error: &Error, text: &str) -> Problem {
    let place = Place { text, offset: error.location().map_or(0, |location| offset(location, text)) };
    match error {
        Error::WithSnippet { error, .. } | Error::AliasError { error, .. } => problem(error, text),
        Error::ExternalMessage { source, .. } => match &**source {
            ExternalMessageSource::Parser(error) => syntax(error, place),
            _ => other(error, place),
        },
        Error::Budget { breach, .. } => budget(breach, place),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => too_many_aliases(place),
        Error::UnknownAnchor { .. } => place
            .at_word(format!("no anchor is called {}", fault::code(place.word().strip_prefix('*').unwrap_or_default())))
            .help(
                "an anchor (`&name`) must stand before its alias (`*name`); put the value in quotes if text is meant",
            ),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            place.at_word("this alias stands inside the value that it names")
        }
        Error::MultipleDocuments { .. } => {
            place.at_word("a second document begins here").help("a file holds one document: remove the line `---`")
        }
        Error::InvalidScalar { .. }
        | Error::InvalidBinaryBase64 { .. }
        | Error::BinaryNotUtf8 { .. }
        | Error::TaggedScalarCannotDeserializeIntoString { .. } => {
            place.at_word("this value does not fit the tag before it").help(NO_TAGS)
        }
        _ => other(error, place),
    }
}

fn other(error: &Error, place: Place<'_>) -> Problem {
    let words = fault::visible(DefaultMessageFormatter.format_message(error).chars());
    match words.strip_prefix("unsupported tag ") {
        Some(tag) => place.at_word(format!("the tag {tag} is not known here")).help(NO_TAGS),
        None => place.at_word(format!("this is not YAML as it is used here: {words}")),
    }
}

fn budget(breach: &BudgetBreach, place: Place<'_>) -> Problem {
    match breach {
        BudgetBreach::Depth { .. } => place.too_deep(),
        BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
            place.here(format!("more than {MAX_NODES} values (those of aliases counted each time)"))
        }
        BudgetBreach::Documents { .. } => place.here("a file holds one document"),
        _ => too_many_aliases(place),
    }
}

fn too_many_aliases(place: Place<'_>) -> Problem {
    place.at_word("the aliases of this file stand for too much").help("write the values out, or generate them")
}

/// A place in a text that is not YAML.
#[derive(Clone, Copy)]
struct Place<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Place<'t> {
    fn rest(self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// The line up to this place.
    fn line_before(self) -> &'t str {
        let before = self.text.get(..self.offset).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default()
    }

    /// What stands here, up to a blank or the line's end.
    fn word(self) -> &'t str {
        self.rest().split(char::is_whitespace).next().unwrap_or_default()
    }

    fn problem(self, start: usize, length: usize, message: impl Into<String>) -> Problem {
        Problem::new(span(start, start + length), message)
    }

    /// At this one character.
    fn here(self, message: impl Into<String>) -> Problem {
        let length = self.rest().chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        self.problem(self.offset, length, message)
    }

    /// At what stands here, up to a blank or the line's end.
    fn at_word(self, message: impl Into<String>) -> Problem {
        self.problem(self.offset, self.word().len(), message)
    }

    /// At the tab that is meant: before this place on its line, or else the next.
    fn at_tab(self, message: impl Into<String>) -> Problem {
        let before = self.line_before();
        let tab = before.find('\t').map(|tab| self.offset - before.len() + tab);
        match tab.or_else(|| self.rest().find('\t').map(|tab| self.offset + tab)) {
            Some(tab) => self.problem(tab, 1, message),
            None => self.here(message),
        }
    }

    fn too_deep(self) -> Problem {
        self.here(format!("nested too deeply: at most {MAX_DEPTH} lists and maps within one another"))
    }

    /// The word that a bracket here cuts off what precedes it.
    fn head(self) -> &'t str {
        let before = self.line_before();
        before.rsplit(|c: char| c.is_whitespace() || ",\"'{[".contains(c)).next().unwrap_or_default()
    }

    /// `key:` right before a bracket.
    fn glued_key(self) -> Option<Span> {
        let head = self.head();
        ([":[", ":{"].iter().any(|glued| self.rest().starts_with(glued)) && !head.is_empty())
            .then(|| span(self.offset - head.len(), self.offset + 1))
    }

    /// The unquoted text inside `{ }` or `[ ]` that a bracket here cuts in two, with the brackets.
    fn bracketed_word(self) -> Option<Span> {
        let (head, rest) = (self.head(), self.rest());
        if head.is_empty() || !rest.starts_with(['[', '{']) {
            return None;
        }
        let ends = |c: char| c.is_whitespace() || ",\"'".contains(c);
        let tail = rest.find(": ").unwrap_or(rest.len()).min(rest.find(ends).unwrap_or(rest.len()));
        Some(span(self.offset - head.len(), self.offset + tail))
    }
}

fn span(start: usize, end: usize) -> Span {
    let offset = |bytes| u32::try_from(bytes).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

/// serde-saphyr counts syntax errors in characters.
fn offset(location: Location, text: &str) -> usize {
    let place = location.span();
    match place.byte_offset() {
        Some(bytes) => usize::try_from(bytes).unwrap_or(text.len()),
        None => {
            let characters = usize::try_from(place.offset()).unwrap_or(usize::MAX);
            text.char_indices().nth(characters).map_or(text.len(), |(bytes, _)| bytes)
        }
    }
}

fn syntax(error: &ScanError, place: Place<'_>) -> Problem {
    use ErrorKind as K;
    match error.kind() {
        K::ExpectedFlowMappingSeparator
        | K::ExpectedFlowSequenceSeparator
        | K::InvalidColonPlacement
        | K::FlowMappingValueAdjacentCollection
        | K::UnexpectedEofFlowMapping
        | K::UnexpectedEofFlowSequence
        | K::UnexpectedEofImplicitFlowMapping
        | K::BlockEntryInFlowCollection
        | K::InvalidFlowScalarIndent => flow(place),
        K::MismatchedFlowCollectionEnd { open, close } => place
            .here(format!("`{close}` cannot close this `{open}`"))
            .help("text with brackets in it needs quotes inside brackets"),
        K::UnclosedFlowCollection { .. } => place.here("this bracket is never closed"),
        K::MisplacedFlowCollectionEnd => place.here("this bracket closes nothing"),
        K::SimpleKeyExpected | K::InvalidSimpleKey | K::ExpectedBlockMappingKey | K::MappingKeyNotAllowed => key(place),
        K::MappingValueNotAllowed => colon(place),
        K::ExpectedBlockSequenceEntry | K::BlockSequenceEntryNotAllowed | K::InvalidBlockEntryWhitespace => place
            .here("this line does not fit the list around it")
            .help("the entries of a list begin with `- `, all in the same column"),
        K::UnexpectedCharacter { character } if character.is_control() => place
            .here("a control character cannot stand here")
            .help(format!("inside double quotes, write `\\u{:04x}`", u32::from(*character))),
        K::UnexpectedCharacter { character } => place
            .here(match character {
                '`' => "unquoted text cannot begin with a backtick".to_owned(),
                other => format!("unquoted text cannot begin with {}", fault::code(&other.to_string())),
            })
            .help("put the value in quotes"),
        K::PlainScalarStartsWithDashFlowIndicator | K::UnexpectedEndOfPlainScalar => {
            place.at_word("this text needs quotes").help("put the value in quotes")
        }
        K::MissingAnchorOrAliasName => place
            .at_word("unquoted text cannot begin with `*` or `&`")
            .help("put the value in quotes, or name the anchor (`&name`) or alias (`*name`)"),
        K::TabNotAllowed
        | K::TabInBlockIndentation
        | K::TabInIndentation
        | K::TabInPlainScalar
        | K::TabAtBlockScalarStart => place.at_tab("a tab cannot stand here").help("indent with spaces"),
        K::UnclosedQuotedScalar | K::DocumentIndicatorInQuotedScalar => {
            place.here("the quote that opens here is not closed")
        }
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => place
            .at_word("something stands behind the closing quote")
            .help("a quote inside single quotes is doubled (''), inside double quotes it follows a backslash (\\\")"),
        K::UnknownQuotedScalarEscape
        | K::InvalidQuotedScalarHexEscape
        | K::InvalidLowSurrogateHexEscape
        | K::InvalidLowSurrogate
        | K::MissingLowSurrogate
        | K::UnpairedLowSurrogate
        | K::InvalidUnicodeEscape => place
            .here("a backslash in this string begins an escape that YAML does not know")
            .help("inside single quotes a backslash is just a backslash"),
        K::InvalidIndentation | K::InvalidQuotedScalarIndent | K::InvalidBlockScalarIndent => {
            place.here("this line is indented wrongly")
        }
        K::RecursionLimitExceeded => place.too_deep(),
        K::CommentNotSeparated | K::CommentInterceptedScalar => {
            place.here("a comment cannot stand here").help("a comment needs a blank before its `#`")
        }
        K::InvalidDocumentEnd | K::ExpectedDocumentStart | K::MissingDocumentEndBeforeDirective => place
            .at_word("something stands behind the end of the file's value")
            .help("a file holds one map or list: check brackets and indentation"),
        K::UndeclaredTagHandle
        | K::InvalidTagTerminator
        | K::MissingTagUri
        | K::UnclosedVerbatimTag
        | K::InvalidGlobalTagCharacter
        | K::ExpectedTagBang => {
            place.at_word("unquoted text cannot begin with `!`").help("put the value in quotes; tags are not used here")
        }
        kind => place.here(format!("this is not YAML: {}", fault::visible(kind.to_string().chars()))),
    }
}

/// Something is wrong between `{ }` or `[ ]`.
fn flow(place: Place<'_>) -> Problem {
    if let Some(span) = place.glued_key() {
        return Problem::new(span, "space missing after the colon").help(format!(
            "write {}",
            fault::code(&format!("{} …", &place.text[span.start as usize..span.end as usize]))
        ));
    }
    if let Some(span) = place.bracketed_word() {
        let word = &place.text[span.start as usize..span.end as usize];
        return Problem::new(span, "text with any of `[ ] { } ,` in it needs quotes inside `{ }` and `[ ]`")
            .help(format!("write {}", fault::code(&format!("\"{word}\""))));
    }
    let problem = place.here(match place.rest().trim_start().chars().next() {
        None => "the file ends inside brackets",
        Some(',') => "a value is missing before this comma",
        Some(_) => "a comma or the closing bracket is missing before this",
    });
    with_opener(problem.help("text with any of `[ ] { } , :` in it needs quotes inside brackets"), place.text)
}

/// Shows the innermost bracket that is open where the text stops being YAML.
fn with_opener(problem: Problem, text: &str) -> Problem {
    let mut open = Vec::new();
    for (event, place) in Parser::new_from_str(text).map_while(Result::ok) {
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => open.push(place.start.byte_offset()),
            Event::SequenceEnd | Event::MappingEnd => drop(open.pop()),
            _ => {}
        }
    }
    // Others are lists and maps that begin with their first entry.
    let is_bracket = |start: &usize| text.get(*start..).is_some_and(|rest| rest.starts_with(['[', '{']));
    match open.into_iter().rev().flatten().find(is_bracket) {
        Some(start) => problem.note(span(start, start + 1), "this bracket is open"),
        None => problem,
    }
}

/// Where a key of a map is expected.
fn key(place: Place<'_>) -> Problem {
    let line = place.rest().lines().next().unwrap_or_default();
    if place.rest().starts_with("- ") {
        return place
            .here("this list entry is indented wrongly")
            .help("the entries of a list stand in the same column");
    }
    if let Some((key, value)) = place.word().split_once(':') {
        return place
            .at_word("space missing after the colon")
            .help(format!("write {}", fault::code(&format!("{key}: {value}"))));
    }
    place
        .problem(place.offset, line.trim_end().len(), "a key with a colon is expected here")
        .help("write `key: value`; text over several lines is indented more than its key, or stands in quotes")
}

/// Where a colon makes no key.
fn colon(place: Place<'_>) -> Problem {
    if place.line_before().contains(": ") {
        return place
            .here("a second colon on one line")
            .help("put the value in quotes; in `{ }` several keys can share a line");
    }
    if let Some(problem) = glued_above(place) {
        return problem;
    }
    place.here("this key belongs to no map").help(
        "check the indentation: the keys of a map stand in the same column, and the line before may lack its colon",
    )
}

/// `a:1` on the line before, which YAML takes for text that goes on here.
fn glued_above(place: Place<'_>) -> Option<Problem> {
    let line_start = place.offset - place.line_before().len();
    let above = place.text.get(..line_start)?.trim_end();
    let line = above.rsplit('\n').next()?.trim_start();
    let (key, value) = fault::space_missing(line)?;
    let problem = place.problem(above.len() - line.len(), line.len(), "space missing after the colon");
    Some(problem.help(format!("write {}", fault::code(&format!("{key}: {value}")))))
}
