//! Whatever stands in a file: it is read or refused, within bounds, and nothing panics.

use patternbench::scenario::{builtin, builtin_names, load_scenario};
use patternbench::source::SourceText;
use proptest::prelude::*;

use crate::SHOP;

/// Says whether the checks came to their end.
fn comes_to_an_end(text: &str) -> bool {
    match load_scenario(SourceText::new("shop.yaml", text)) {
        Ok(_) => true,
        Err((source, problems)) => {
            !problems.is_empty()
                && problems.in_order().iter().all(|problem| {
                    problem.span.start <= problem.span.end
                        && source.text().get(problem.span.start as usize..problem.span.end as usize).is_some()
                        && !problem.message.contains("cannot be checked")
                })
        }
    }
}

/// A text with a part of it exchanged for another part of it, or for something short.
fn spliced(text: &str, at: usize, length: usize, from: usize, new: Option<&str>) -> String {
    let characters: Vec<char> = text.chars().collect();
    let at = at % characters.len();
    let end = (at + length).min(characters.len());
    let from = from % characters.len();
    let copied: String = characters[from..(from + length).min(characters.len())].iter().collect();
    let before: String = characters[..at].iter().collect();
    let after: String = characters[end..].iter().collect();
    format!("{before}{}{after}", new.unwrap_or(&copied))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_scenario_is_read_or_refused(
        file in 0..=4_usize,
        splices in prop::collection::vec(
            (
                any::<usize>(),
                0..40_usize,
                any::<usize>(),
                prop::option::of(prop::sample::select(vec![
                    "", "null", "[]", "{}", "^", "^^", "^index", "{^int: 1}", "$", "$limit: 1", "-1", "1e400", "ß", "\n", "- ", ": ",
                ])),
            ),
            1..4,
        ),
    ) {
        let texts: Vec<&str> = builtin_names().filter_map(builtin).chain([SHOP]).collect();
        let mut text = texts[file % texts.len()].to_owned();
        for (at, length, from, new) in splices {
            text = spliced(&text, at, length, from, new);
        }
        prop_assert!(comes_to_an_end(&text), "{}", text);
    }
}

#[test]
fn deep_nesting_is_refused_and_not_followed_to_the_end_of_the_stack() {
    for depth in [50, 500, 1500] {
        for (open, close) in
            [("{a: ", "}"), ("[", "]"), ("{$and: [", "]}"), ("[{$lookup: {from: orders, pipeline: ", "}}]")]
        {
            let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let filter = SHOP.replace("- $match: {customerId: ^customer}", &format!("- $match: {nested}"));
            assert!(comes_to_an_end(&filter));
            let pipeline =
                SHOP.replace("pipeline: [{$lookup", &format!("pipeline: {nested}\n        indexs: [{{$lookup"));
            assert!(comes_to_an_end(&pipeline));
        }
    }
}
