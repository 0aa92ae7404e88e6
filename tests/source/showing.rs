//! Problems as they are shown.

use patternbench::source::{Parsed, parse, show};

use super::*;

#[test]
fn problems_are_shown_in_the_order_of_the_file_and_counted() {
    let text = "b: .inf\na: 1\na: 2\n";
    let Parsed { file, problems } = parsed(text);
    let shown = show(&file.text, &problems, false);
    let places: Vec<_> = shown.lines().filter_map(|line| line.trim().strip_prefix("--> ")).collect();
    assert_eq!(places, ["shop.yaml:1:4", "shop.yaml:3:1"]);
    assert!(shown.contains("3 | a: 2\n"), "the line itself is shown: {shown}");
    assert!(shown.contains("first given here") && shown.contains("shop.yaml:2:1"), "{shown}");
    assert!(shown.contains("help: a map has each key once"), "{shown}");
    assert!(shown.ends_with("\n2 problems in shop.yaml\n"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "without colour there is no escape");
    assert!(show(&file.text, &problems, true).contains("\u{1b}["), "with colour there is");
}

#[test]
fn a_long_line_and_many_problems_do_not_flood_the_screen() {
    let keys: Vec<_> = (0..20_000).map(|key| format!("key{key}:{key}")).collect();
    let text = format!("{{{}}}", keys.join(", "));
    let Parsed { file, problems } = parsed(&text);
    assert_eq!(problems.len(), keys.len());
    let shown = show(&file.text, &problems, false);
    assert!(shown.lines().all(|line| line.chars().count() < 200));
    assert!(shown.lines().count() < 1000);
    assert!(shown.ends_with("20000 problems in shop.yaml (the first 100 are shown)\n"));
    // The columns are those of the file, not of the part that is shown.
    let second = text.find("key1:").expect("it stands there") + 1;
    assert!(shown.contains(&format!("shop.yaml:1:{second}\n")));
}

#[test]
fn what_stands_in_a_file_does_not_steer_the_terminal() {
    for text in ["{\"\\u001b[31mred\": 1, \"\\u001b[31mred\": 2}", "a: \u{1b}[31mred", "a: \"\u{9b}31mred\""] {
        let problems = match parse(source(text)) {
            Ok(parsed) => parsed.problems,
            Err((_, problems)) => problems,
        };
        assert_eq!(problems.len(), 1);
        assert!(!show(&source(text), &problems, false).contains(['\u{1b}', '\u{9b}']), "{text:?}");
    }
}
