//! Text of others made harmless, measured and wrapped.

/// Text without characters that steer a terminal, turn the direction of what follows or end a line unseen: they become
/// `�`; line breaks and tabs become spaces.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { harmless(c) }).collect()
}

/// As [`clean`], but line breaks and tabs stay.
pub(super) fn clean_lines(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t') { c } else { harmless(c) }).collect()
}

fn harmless(c: char) -> char {
    let steers = c.is_control()
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFFE}' | '\u{FFFF}');
    if steers { '\u{FFFD}' } else { c }
}

/// Columns that a text takes on a terminal: two for East Asian wide characters and emoji, none for combining ones.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(c: char) -> usize {
    match c {
        '\u{0300}'..='\u{036F}' | '\u{200B}'..='\u{200D}' | '\u{FE00}'..='\u{FE0F}' => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        _ => 1,
    }
}

/// The text in at most so many columns, with `…` where something was cut off.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += columns_of(c);
        if used > most {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// Lines of at most so many columns, broken at spaces; a longer word stands alone.
pub(super) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && columns(&line) + 1 + columns(word) > most {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The same with characters of ASCII where we use others; text of the user stays as it is.
pub(super) fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '×' => plain.push('x'),
            'µ' => plain.push('u'),
            '·' => plain.push('-'),
            '–' | '—' | '─' => plain.push('-'),
            '±' => plain.push_str("+/-"),
            '≥' => plain.push_str(">="),
            '≤' => plain.push_str("<="),
            '÷' => plain.push('/'),
            '…' => plain.push_str("..."),
            '→' => plain.push_str("->"),
            '†' => plain.push('+'),
            '\u{202F}' => plain.push(','),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_direction_marks_lose_their_power() {
        assert_eq!(clean("a\u{1b}[31mb"), "a\u{FFFD}[31mb");
        assert_eq!(clean("two\nlines\u{202E}"), "two lines\u{FFFD}");
        assert_eq!(clean_lines("two\nlines\u{0}"), "two\nlines\u{FFFD}");
    }

    #[test]
    fn columns_follow_the_characters() {
        assert_eq!(columns("naïve"), 5);
        assert_eq!(columns("商品"), 4);
        assert_eq!(columns("e\u{301}"), 1);
    }

    #[test]
    fn shortening_keeps_to_the_width_and_says_that_something_is_missing() {
        assert_eq!(shortened("list_page", 9), "list_page");
        assert_eq!(shortened("list_page", 6), "list_…");
        assert!(columns(&shortened("商品商品", 4)) <= 4);
    }

    #[test]
    fn wrapping_breaks_at_spaces_and_loses_no_word() {
        let lines = wrapped("one two  three four", 9);
        assert_eq!(lines, ["one two", "three", "four"]);
        assert!(wrapped("", 10).is_empty());
    }
}
