//! Stories of the scenarios that come with the program, and of the one to start from.

use std::collections::BTreeSet;

use patternbench::scenario::{Scenario, builtin, builtin_names, load_scenario, starter};
use patternbench::source::{SourceText, show};
use patternbench::words::Role;

fn read(name: &str, text: &str) -> Scenario {
    load_scenario(SourceText::new(format!("{name}.yaml"), text))
        .unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)))
}

fn all() -> impl Iterator<Item = Scenario> {
    builtin_names().map(|name| read(name, builtin(name).expect("a listed scenario is built in")))
}

#[test]
fn every_built_in_scenario_is_without_a_mistake_and_holds_what_the_catalogue_asks_of_it() {
    for scenario in all() {
        let name = &scenario.name;
        assert!(scenario.summary.len() > 200, "{name} explains itself");
        assert!(!scenario.patterns.is_empty() || !scenario.antipatterns.is_empty(), "{name} shows something");
        assert!(!scenario.sweep.is_empty(), "{name} says what makes it grow");
        assert!(scenario.models.iter().any(|model| model.role == Role::Alternative) || scenario.models.len() == 2);
        assert!(scenario.models.iter().all(|model| model.title.is_some()), "{name}: every model has a title");
        for workload in &scenario.workloads {
            let reads = workload.operations.iter().filter(|operation| operation.returns.is_some()).count();
            assert!(reads > 0 && reads < workload.operations.len(), "{name} reads and writes");
            for operation in &workload.operations {
                let expected = scenario.expect.iter().any(|(expected, _)| *expected == operation.name);
                assert!(expected, "{name} says what to expect of {}", operation.name);
            }
        }
    }
}

#[test]
fn the_catalogue_covers_every_pattern_and_every_anti_pattern_of_the_subject() {
    assert_eq!(builtin_names().count(), 35);
    let shown: BTreeSet<String> =
        all().flat_map(|scenario| scenario.patterns.into_iter().chain(scenario.antipatterns)).collect();
    let patterns = [
        "computed",
        "subset",
        "bucket",
        "polymorphic",
        "extended-reference",
        "outlier",
        "attribute",
        "schema-versioning",
    ];
    let antipatterns = [
        "unbounded-arrays",
        "collection-per-tenant",
        "unnecessary-indexes",
        "missing-index",
        "bloated-documents",
        "normalised-like-sql",
        "case-insensitive-search",
        "missing-validation",
    ];
    for word in patterns.into_iter().chain(antipatterns) {
        assert!(shown.contains(word), "{word} is shown by some scenario");
    }
}

#[test]
fn every_number_that_can_be_set_says_what_it_is() {
    for scenario in all() {
        for parameter in &scenario.parameters {
            assert!(parameter.help.is_some(), "{} {}", scenario.name, parameter.name);
        }
    }
}

#[test]
fn the_scenario_to_start_from_is_without_a_mistake_whatever_its_name() {
    for name in ["my-first-try", "2", "true", "a-1"] {
        let scenario = read(name, &starter(name));
        assert_eq!(scenario.name, name);
        assert_eq!(scenario.models.len(), 2);
        assert_eq!(scenario.claims.len(), 1);
    }
}
