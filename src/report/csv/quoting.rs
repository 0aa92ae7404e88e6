//! Cells as RFC 4180 has them, of which no spreadsheet makes a formula.

use crate::report::text::clean;

/// A cell of the user's text.
pub(super) fn text(text: &str) -> String {
    let text = clean(text);
    quoted(if begins_formula(&text) { format!("'{text}") } else { text })
}

/// A cell of a number: all its digits, no separators; empty where it is none.
pub(super) fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

/// Spreadsheets calculate what begins so, some of them also after blanks, and in full-width characters.
fn begins_formula(text: &str) -> bool {
    let unseen = |c: char| c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}');
    let first = text.trim_start_matches(unseen).chars().next();
    first.is_some_and(|first| matches!(first, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠'))
}

fn quoted(text: String) -> String {
    let blank_ends = text.starts_with(' ') || text.ends_with(' ');
    if blank_ends || text.contains(['"', ',', ';']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_separates_or_quotes_is_quoted() {
        assert_eq!(text("list_page"), "list_page");
        assert_eq!(text("a, b"), "\"a, b\"");
        assert_eq!(text("the \"fast\" one"), "\"the \"\"fast\"\" one\"");
        assert_eq!(text("two\r\nlines\u{0}"), "two  lines\u{FFFD}");
    }

    #[test]
    fn no_text_is_a_formula() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\u{FEFF}=1", "＝1"] {
            let cell = text(formula);
            assert!(cell.trim_start_matches('"').starts_with('\''), "{cell}");
        }
        assert_eq!(text("1=1"), "1=1");
    }

    #[test]
    fn numbers_keep_every_digit_and_need_no_exponent() {
        assert_eq!(number(Some(0.1 + 0.2)), "0.30000000000000004");
        assert_eq!(number(Some(4123.0)), "4123");
        assert_eq!(number(Some(1e21)), "1000000000000000000000");
        assert_eq!(number(Some(f64::NAN)), "");
        assert_eq!(number(None), "");
    }
}
