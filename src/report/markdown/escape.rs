//! Text of others in Markdown.

use crate::report::text::{clean, clean_lines};

/// Is not seen, and keeps what stands on both sides from being read as one: hosts look for `@name` and `:name:` in what
/// Markdown has become, where a backslash is gone.
const JOINER: char = '\u{2060}';

/// Text of a paragraph, a heading, an item or a cell.
pub(super) fn escaped(text: &str) -> String {
    let text = clean(text);
    let text = text.trim();
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    for (place, c) in text.char_indices() {
        let (sofar, after) = (&text[..place], &text[place + c.len_utf8()..]);
        push(&mut out, c, Around { before, sofar, after });
        before = Some(c);
    }
    out
}

/// Where a character stands.
struct Around<'a> {
    before: Option<char>,
    /// All of the text before it.
    sofar: &'a str,
    after: &'a str,
}

impl Around<'_> {
    fn is_first(&self) -> bool {
        self.before.is_none()
    }

    /// Inside a word an underscore emphasises nothing.
    fn is_inside_word(&self) -> bool {
        let is_part = |c: char| c.is_alphanumeric();
        self.before.is_some_and(is_part) && self.after.chars().next().is_some_and(is_part)
    }

    /// `1. ` and `1) ` begin a list.
    fn numbers_an_item(&self) -> bool {
        let number = !self.sofar.is_empty() && self.sofar.bytes().all(|byte| byte.is_ascii_digit());
        number && self.after.chars().next().is_none_or(char::is_whitespace)
    }

    fn follows_www(&self) -> bool {
        let tail = self.sofar.len().checked_sub(3).and_then(|start| self.sofar.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case("www"))
    }

    /// `:name:` is an emoji; `12:30:45` is none.
    fn begins_shortcode(&self) -> bool {
        let Some((name, _)) = self.after.split_once(':') else { return false };
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
        name.bytes().all(fits) && name.bytes().any(|byte| !byte.is_ascii_digit())
    }
}

fn push(out: &mut String, c: char, around: Around<'_>) {
    let next_is_digit = around.after.starts_with(|c: char| c.is_ascii_digit());
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        // In a span of its own it begins no formula.
        '$' => out.push_str("<span>$</span>"),
        '\\' | '`' | '*' | '~' | '[' | ']' | '|' => out.extend(['\\', c]),
        '_' if !around.is_inside_word() => out.push_str("\\_"),
        '@' => out.extend([c, JOINER]),
        '#' if around.is_first() => out.push_str("\\#"),
        '#' if next_is_digit => out.extend([c, JOINER]),
        '+' | '-' | '=' if around.is_first() => out.extend(['\\', c]),
        '.' | ')' if around.numbers_an_item() => out.extend(['\\', c]),
        '.' if around.follows_www() => out.push_str("\\."),
        ':' if around.after.starts_with("//") => out.push_str("\\:"),
        ':' if around.begins_shortcode() => out.extend([c, JOINER]),
        c => out.push(c),
    }
}

/// A name inside a line, as code.
pub(super) fn code(text: &str) -> String {
    let text = clean(text);
    if text.is_empty() {
        return "` `".to_owned();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    // One blank at both ends is taken away again where both are there.
    let blank = |end: Option<char>| end.is_some_and(|c| c == '`' || c == ' ');
    let pad = if blank(text.chars().next()) || blank(text.chars().next_back()) { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Lines of code.
pub(super) fn fence(language: &str, text: &str) -> String {
    let text = clean_lines(text);
    let ticks = "`".repeat((longest_run(&text) + 1).max(3));
    format!("{ticks}{language}\n{text}\n{ticks}\n")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A path as a link's target.
pub(super) fn target(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_as_they_are() {
        for plain in ["list_page", "pattern-based, 1.5 ms (p95)", "naïve 商品 🙂", "at 12:30:45", "4.2× (3.9–4.5)"]
        {
            assert_eq!(escaped(plain), plain);
        }
    }

    #[test]
    fn markup_is_shown() {
        assert_eq!(escaped("<b>&amp;"), "&lt;b&gt;&amp;amp;");
        assert_eq!(
            escaped("*a* _b_ `c` [d](e) ~~f~~ g|h \\"),
            "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\~\\~f\\~\\~ g\\|h \\\\"
        );
    }

    #[test]
    fn nothing_begins_a_heading_a_list_or_a_rule() {
        assert_eq!(escaped("# a"), "\\# a");
        assert_eq!(escaped("- a"), "\\- a");
        assert_eq!(escaped("12. a"), "12\\. a");
        assert_eq!(escaped("1) a"), "1\\) a");
        assert_eq!(escaped("=== a"), "\\=== a");
        assert_eq!(escaped("one\n\n# two"), "one  # two", "a line stays a line");
    }

    #[test]
    fn nobody_is_mentioned_and_nothing_linked() {
        assert_eq!(escaped("@ann"), "@\u{2060}ann");
        assert_eq!(escaped("see #12"), "see #\u{2060}12");
        assert_eq!(escaped("https://example.org"), "https\\://example.org");
        assert_eq!(escaped("www.example.org"), "www\\.example.org");
        assert_eq!(escaped(":tada:"), ":\u{2060}tada:");
        assert_eq!(escaped("$a$"), "<span>$</span>a<span>$</span>");
    }

    #[test]
    fn code_holds_its_own_quotes() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(""), "` `");
        assert_eq!(fence("js", "a\n````\nb"), "`````js\na\n````\nb\n`````\n");
        assert_eq!(fence("sh", "x"), "```sh\nx\n```\n");
    }

    #[test]
    fn a_target_has_neither_blanks_nor_brackets() {
        assert_eq!(target("my report-charts/p95.svg"), "my%20report-charts/p95.svg");
        assert_eq!(target("a(b)é"), "a%28b%29%C3%A9");
    }
}
