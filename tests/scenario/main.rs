//! Stories of scenario files: what a person writes, what the program makes of it, and what it says to mistakes.

mod actors;
mod blocks;
mod built_in;
mod compiled;
mod mistakes;
mod partitions;
mod robust;
mod schema;
mod shown;
mod ties;

use patternbench::scenario::{Scenario, load_scenario};
use patternbench::source::SourceText;

/// A small shop without a mistake; stories change a part of it.
pub(crate) const SHOP: &str = include_str!("shop.yaml");

/// The shop with one part of its text exchanged, which must stand there exactly once.
pub(crate) fn shop(old: &str, new: &str) -> String {
    assert_eq!(SHOP.matches(old).count(), 1, "{old:?} stands once in the shop");
    SHOP.replace(old, new)
}

pub(crate) fn loaded(text: &str) -> Scenario {
    load_scenario(SourceText::new("shop.yaml", text)).unwrap_or_else(|_| panic!("{:#?}", problems(text)))
}

/// A problem as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The marked text, its first line.
    pub(crate) place: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// What is said to a text, by place.
pub(crate) fn problems(text: &str) -> Vec<Told> {
    let Err((source, problems)) = load_scenario(SourceText::new("shop.yaml", text)) else { return Vec::new() };
    let told = |problem: &&patternbench::source::Problem| {
        let (line, column) = source.line_column(problem.span.start);
        let marked = &text[problem.span.start as usize..problem.span.end as usize];
        Told {
            place: marked.lines().next().unwrap_or_default().to_owned(),
            line,
            column,
            message: problem.message.clone(),
            help: problem.help.clone().unwrap_or_default(),
        }
    };
    problems.in_order().iter().map(told).collect()
}

/// The only problem of a text: what is marked, the message, and what would be right.
pub(crate) fn only_problem(text: &str) -> (String, String, String) {
    match &problems(text)[..] {
        [told] => (told.place.clone(), told.message.clone(), told.help.clone()),
        others => panic!("expected one problem, found {others:#?}"),
    }
}

/// Holds a changed shop to its only problem: the marked text, and parts of the message and of the help.
#[track_caller]
pub(crate) fn expect(old: &str, new: &str, place: &str, message: &str, help: &str) {
    let told = only_problem(&shop(old, new));
    assert_eq!(told.0, place, "{told:?}");
    assert!(told.1.contains(message), "{told:?}");
    assert!(told.2.contains(help), "{told:?}");
}
