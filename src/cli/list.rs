//! `patternbench list`.

use super::args::ListArgs;
use super::exit::{Exit, Failure};
use super::{output, select};
use crate::scenario::{self, Scenario};

/// Prints the built-in scenarios, those that all filters leave.
///
/// # Errors
/// Where the output cannot be written.
pub(super) fn run(args: &ListArgs) -> Result<Exit, Failure> {
    let mut scenarios = Vec::new();
    for name in scenario::builtin_names() {
        let scenario = select::scenario(name)?;
        if wanted(&scenario, args) {
            scenarios.push(scenario);
        }
    }
    if args.json {
        let entries: Vec<_> = scenarios.iter().map(entry).collect();
        output::print(&format!("{:#}\n", serde_json::Value::from(entries)))?;
    } else if scenarios.is_empty() {
        output::print("no built-in scenario matches\n")?;
    } else {
        output::print(&table(&scenarios))?;
    }
    Ok(Exit::Done)
}

fn wanted(scenario: &Scenario, args: &ListArgs) -> bool {
    let has = |wanted: &Option<String>, words: &[String]| wanted.as_ref().is_none_or(|word| words.contains(word));
    has(&args.pattern, &scenario.patterns)
        && has(&args.antipattern, &scenario.antipatterns)
        && has(&args.tag, &scenario.tags)
}

fn entry(scenario: &Scenario) -> serde_json::Value {
    let models: Vec<_> = scenario
        .models
        .iter()
        .map(|model| serde_json::json!({"name": model.name, "role": model.role, "title": model.title}))
        .collect();
    serde_json::json!({
        "name": scenario.name,
        "title": scenario.title,
        "summary": scenario.summary,
        "patterns": scenario.patterns,
        "antipatterns": scenario.antipatterns,
        "tags": scenario.tags,
        "models": models,
        "workloads": scenario.workloads.iter().map(|workload| &workload.name).collect::<Vec<_>>(),
    })
}

fn table(scenarios: &[Scenario]) -> String {
    let width = scenarios.iter().map(|scenario| scenario.name.len()).max().unwrap_or(0);
    scenarios
        .iter()
        .map(|scenario| {
            let models: Vec<_> = scenario.models.iter().map(|model| model.name.as_str()).collect();
            format!(
                "{:width$}  {}\n{:width$}  {} · models: {}\n",
                scenario.name,
                scenario.title,
                "",
                scenario.patterns.join(", "),
                models.join(", ")
            )
        })
        .collect()
}
