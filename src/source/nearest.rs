//! The known name that a mistyped one most likely meant.

/// The known name nearest to `word`, if any is near enough to be a slip of the fingers.
///
/// Distance counts insertions, deletions, substitutions and swaps of neighbours, without regard to case; up to one
/// slip in three characters is near enough. Of several equally near names the first stands.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    known
        .into_iter()
        .filter_map(|name| {
            let candidate = folded(name);
            let allowed = word.len().max(candidate.len()).div_ceil(3);
            let slips = distance(&word, &candidate, allowed)?;
            // A name of which nothing is left is no guess.
            (slips < word.len().max(candidate.len())).then_some((slips, name))
        })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, name)| name)
}

fn folded(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Slips that turn `from` into `to` (optimal string alignment), or `None` when there are more than `allowed`.
fn distance(from: &[char], to: &[char], allowed: usize) -> Option<usize> {
    if from.len().abs_diff(to.len()) > allowed {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, &a) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, &b) in to.iter().enumerate() {
            let mut slips = (last[column] + usize::from(a != b)).min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && a == to[column - 1] && from[row - 1] == b {
                slips = slips.min(before_last[column - 1] + 1);
            }
            current.push(slips);
        }
        if current.iter().all(|&slips| slips > allowed) && last.iter().all(|&slips| slips > allowed) {
            return None;
        }
        before_last = std::mem::replace(&mut last, current);
    }
    let slips = last[to.len()];
    (slips <= allowed).then_some(slips)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slips_of_the_fingers_find_the_name_that_was_meant() {
        let known = ["collection", "filter", "limit", "sort", "projection", "batchSize"];
        let slips =
            [("limt", "limit"), ("filtre", "filter"), ("batchsize", "batchSize"), ("collections", "collection")];
        for (word, meant) in slips {
            assert_eq!(nearest(word, known), Some(meant));
        }
    }

    #[test]
    fn a_word_unlike_all_names_finds_none() {
        assert_eq!(nearest("pipeline", ["filter", "sort"]), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest("a", []), None);
    }

    #[test]
    fn of_equally_near_names_the_first_stands() {
        assert_eq!(nearest("cat", ["car", "bat"]), Some("car"));
    }

    /// The definition, word for word: the fewest slips that turn `from` into `to`.
    fn by_definition(from: &[char], to: &[char]) -> usize {
        let (Some((a, from_rest)), Some((b, to_rest))) = (from.split_last(), to.split_last()) else {
            return from.len().max(to.len());
        };
        let mut slips = (by_definition(from_rest, to_rest) + usize::from(a != b))
            .min(by_definition(from_rest, to) + 1)
            .min(by_definition(from, to_rest) + 1);
        if let ([from_rest @ .., c, _], [to_rest @ .., d, _]) = (from, to)
            && (c, a) == (b, d)
        {
            slips = slips.min(by_definition(from_rest, to_rest) + 1);
        }
        slips
    }

    proptest! {
        #[test]
        fn distance_is_the_fewest_slips(from in "[abc]{0,5}", to in "[abc]{0,5}", allowed in 0..6usize) {
            let (from, to): (Vec<_>, Vec<_>) = (from.chars().collect(), to.chars().collect());
            let slips = by_definition(&from, &to);
            prop_assert_eq!(distance(&from, &to, allowed), (slips <= allowed).then_some(slips));
        }
    }
}
