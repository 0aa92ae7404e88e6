//! Lines for a terminal: every text passes through here and is made harmless on its way.

use super::style::Style;
use super::text::{ascii, clean, columns, wrapped};
use super::view::Tone;

/// A piece of text in one tone.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) tone: Tone,
}

impl Span {
    pub(super) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

/// Collects lines in a style.
#[derive(Debug)]
pub(super) struct Screen<'a> {
    style: &'a Style,
    out: String,
}

impl<'a> Screen<'a> {
    pub(super) fn new(style: &'a Style) -> Self {
        Self { style, out: String::new() }
    }

    /// Columns that a line may take; narrower terminals are treated as this wide.
    pub(super) fn width(&self) -> usize {
        self.style.width.max(40)
    }

    /// The text as it will be shown, without colour: what its width is measured of.
    pub(super) fn shown(&self, text: &str) -> String {
        let text = clean(text);
        if self.style.unicode { text } else { ascii(&text) }
    }

    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.out.push('\n');
    }

    /// A line of pieces as they stand.
    pub(super) fn line(&mut self, spans: &[Span]) {
        let mut line = String::new();
        for span in spans {
            let text = self.shown(&span.text);
            match ansi(span.tone).filter(|_| self.style.colour && !text.trim().is_empty()) {
                Some(code) => line.push_str(&format!("\u{1b}[{code}m{text}\u{1b}[0m")),
                None => line.push_str(&text),
            }
        }
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    /// A text wrapped to the width; `first` stands before its first line, the others are indented as far.
    pub(super) fn paragraph(&mut self, first: &str, text: &str, tone: Tone) {
        let first = self.shown(first);
        let indent = columns(&first);
        let lines = wrapped(&self.shown(text), self.width().saturating_sub(indent).max(20));
        for (place, line) in lines.into_iter().enumerate() {
            let before = if place == 0 { first.clone() } else { " ".repeat(indent) };
            self.line(&[Span::new(before, Tone::Plain), Span::new(line, tone)]);
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// Colour is for what differs for certain: better or worse. What is undecided has none, and a warning stands out by weight.
fn ansi(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain | Tone::Open => None,
        Tone::Strong | Tone::Warning => Some("1"),
        Tone::Quiet => Some("2"),
        Tone::Good => Some("32"),
        Tone::Bad => Some("31"),
    }
}
