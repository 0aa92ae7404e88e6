//! English words in the order of how often they are used, for filler.

/// The words, the most frequent first; lower-case ASCII.
pub(crate) const WORDS: &[&str] = include!("words.in");

/// The first of them are articles, prepositions and the like, which name nothing.
pub(crate) const FREQUENT: usize = 100;

/// So many random bits choose a word.
pub(crate) const TABLE_BITS: u32 = 12;
const TABLE: usize = 1 << TABLE_BITS;

/// For each value of the random bits the number of a word: word r stands there in proportion to 1 / (r + 2.7), the law
/// of Zipf and Mandelbrot that English follows.
pub(crate) fn frequency_table() -> &'static [u16; TABLE] {
    static FREQUENCIES: [u16; TABLE] = build();
    &FREQUENCIES
}

const fn build() -> [u16; TABLE] {
    let mut total = 0.0;
    let mut word = 0;
    while word < WORDS.len() {
        total += 1.0 / (word as f64 + 2.7);
        word += 1;
    }
    let mut table = [0; TABLE];
    let (mut word, mut reached, mut slot) = (0, 1.0 / 2.7, 0);
    while slot < TABLE {
        let share = (slot as f64 + 0.5) / TABLE as f64 * total;
        while share > reached && word + 1 < WORDS.len() {
            word += 1;
            reached += 1.0 / (word as f64 + 2.7);
        }
        table[slot] = word as u16;
        slot += 1;
    }
    table
}

/// The longest word and the space behind it.
pub(crate) const SLOT: usize = 16;

/// A word and a space, filled up to a fixed size, which copies faster than a text of any length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpacedWord {
    pub(crate) bytes: [u8; SLOT],
    /// Of the word and the space.
    pub(crate) length: u8,
}

/// The words with a space behind each.
pub(crate) fn spaced_words() -> &'static [SpacedWord; WORDS.len()] {
    static SPACED: [SpacedWord; WORDS.len()] = space();
    &SPACED
}

const fn space() -> [SpacedWord; WORDS.len()] {
    let mut spaced = [SpacedWord { bytes: [b' '; SLOT], length: 0 }; WORDS.len()];
    let mut number = 0;
    while number < WORDS.len() {
        let word = WORDS[number].as_bytes();
        assert!(word.len() < SLOT, "a word is too long");
        let mut place = 0;
        while place < word.len() {
            spaced[number].bytes[place] = word[place];
            place += 1;
        }
        spaced[number].length = word.len() as u8 + 1;
        number += 1;
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_differ() {
        let mut sorted: Vec<_> = WORDS.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
        assert!(WORDS.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
    }
}
