//! `patternbench list`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::args::ListArgs;
use super::exit::{Exit, Failure};
use super::{output, select};
use crate::scenario::{self, Expectation, Scenario};
use crate::source::nearest;

/// Prints the built-in scenarios, those that all filters leave.
///
/// # Errors
/// A filter that no scenario could pass, or the output cannot be written.
pub(super) fn run(args: &ListArgs) -> Result<Exit, Failure> {
    let all = scenario::builtin_names().map(select::scenario).collect::<Result<Vec<_>, _>>()?;
    let filters = filters(args);
    for filter in &filters {
        filter.check(&all)?;
    }
    let wanted = |scenario: &&Scenario| filters.iter().all(|filter| filter.leaves(scenario));
    let scenarios: Vec<&Scenario> = all.iter().filter(wanted).collect();
    if args.json {
        let entries: Vec<_> = scenarios.into_iter().map(entry).collect();
        output::print(&format!("{:#}\n", Value::from(entries)))?;
    } else if scenarios.is_empty() {
        output::print("no built-in scenario has all of that\n")?;
    } else {
        output::print(&table(&scenarios))?;
    }
    Ok(Exit::Done)
}

/// A word that scenarios must bear.
#[derive(Debug)]
struct Filter<'a> {
    /// What kind of word.
    what: &'static str,
    word: &'a str,
    /// The scenario's words of that kind.
    of: fn(&Scenario) -> &[String],
}

fn filters(args: &ListArgs) -> Vec<Filter<'_>> {
    let patterns = args.pattern.iter().map(|word| Filter { what: "pattern", word, of: |known| &known.patterns });
    let anti =
        args.antipattern.iter().map(|word| Filter { what: "anti-pattern", word, of: |known| &known.antipatterns });
    let tags = args.tag.iter().map(|word| Filter { what: "tag", word, of: |known| &known.tags });
    patterns.chain(anti).chain(tags).collect()
}

impl Filter<'_> {
    fn leaves(&self, scenario: &Scenario) -> bool {
        (self.of)(scenario).iter().any(|word| word == self.word)
    }

    /// Makes sure that a scenario bears the word.
    ///
    /// # Errors
    /// Usage, with the nearest word and all that exist.
    fn check(&self, all: &[Scenario]) -> Result<(), Failure> {
        let known: BTreeSet<&str> = all.iter().flat_map(self.of).map(String::as_str).collect();
        if known.contains(self.word) {
            return Ok(());
        }
        let near = near(self.word, &known);
        let near = match near.is_empty() {
            true => String::new(),
            false => format!("did you mean {}? ", near.join(" or ")),
        };
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        let Self { what, word, .. } = self;
        Err(Failure::usage(format!("no built-in scenario has the {what} `{word}`; {near}there are {known}")))
    }
}

/// The words that a mistyped or half-remembered one may have meant.
fn near(word: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let slip = nearest(word, known.iter().copied());
    let parts = known.iter().copied().filter(|known| known.contains(word) && Some(*known) != slip);
    slip.into_iter().chain(parts).map(|word| format!("`{word}`")).collect()
}

fn entry(scenario: &Scenario) -> Value {
    let models: Vec<_> = scenario
        .models
        .iter()
        .map(|model| json!({"name": model.name, "role": model.role, "title": model.title}))
        .collect();
    let sweep: Map<String, Value> = scenario
        .sweep
        .iter()
        .map(|(parameter, values)| {
            let values = values.iter().map(|value| value.clone().into_relaxed_extjson());
            (parameter.clone(), values.collect())
        })
        .collect();
    json!({
        "name": scenario.name,
        "title": scenario.title,
        "summary": scenario.summary,
        "patterns": scenario.patterns,
        "antipatterns": scenario.antipatterns,
        "tags": scenario.tags,
        "models": models,
        "operations": operations(scenario),
        "workloads": scenario.workloads.iter().map(|workload| &workload.name).collect::<Vec<_>>(),
        "sweep": sweep,
        "claims": scenario.claims.len(),
    })
}

/// Every operation once, with its weight in each workload that has it.
fn operations(scenario: &Scenario) -> Vec<Value> {
    let mut names: Vec<&str> = Vec::new();
    for operation in scenario.workloads.iter().flat_map(|workload| &workload.operations) {
        if !names.contains(&operation.name.as_str()) {
            names.push(&operation.name);
        }
    }
    names.into_iter().map(|name| operation(scenario, name)).collect()
}

fn operation(scenario: &Scenario, name: &str) -> Value {
    let weight = |operations: &[scenario::Operation]| {
        operations.iter().find(|operation| operation.name == name).map(|operation| operation.weight)
    };
    let weights: Map<String, Value> = scenario
        .workloads
        .iter()
        .filter_map(|workload| Some((workload.name.clone(), weight(&workload.operations)?.into())))
        .collect();
    let expected = scenario.expect.iter().find(|(known, _)| known == name).map(|(_, expected)| expectation(*expected));
    json!({"name": name, "weights": weights, "expect": expected})
}

/// As the file writes it.
fn expectation(expected: Expectation) -> Value {
    match expected {
        Expectation::Faster => "faster".into(),
        Expectation::Slower => "slower".into(),
        Expectation::Equal => "equal".into(),
        Expectation::Depends => "depends".into(),
        Expectation::Between(least, most) => json!({"ratio": [least.get(), most.get()]}),
    }
}

fn table(scenarios: &[&Scenario]) -> String {
    let width = scenarios.iter().map(|scenario| scenario.name.len()).max().unwrap_or(0);
    scenarios
        .iter()
        .map(|scenario| {
            let models: Vec<_> = scenario.models.iter().map(|model| model.name.as_str()).collect();
            let shown = [("", &scenario.patterns), ("against ", &scenario.antipatterns)];
            let shown: Vec<String> = shown
                .into_iter()
                .filter(|(_, words)| !words.is_empty())
                .map(|(before, words)| format!("{before}{}", words.join(", ")))
                .chain([format!("models: {}", models.join(", "))])
                .collect();
            format!("{:width$}  {}\n{:width$}  {}\n", scenario.name, scenario.title, "", shown.join(" · "))
        })
        .collect()
}
