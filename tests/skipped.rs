//! Models that a server cannot hold: skipped with the reason, while everything else goes on.

mod support;

use std::sync::Arc;

use patternbench::guard::Consent;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{RunRecord, ScenarioRecord};
use patternbench::report::{Style, html, terminal};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunFinish, RunRequest, Target, run};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::words::{Mode, Profile};

/// People looked up by name; INDEX stands for the index of the pattern, OTHER for that of the alternative.
const PEOPLE: &str = r#"
format: 1
title: People by name
summary: People are looked up by name.
parameters: {people: {default: 200, smoke: 50}}
dataset:
  people: {count: ^people, document: {_id: ^index, name: {^format: "Person {index}"}}}
models:
  plain:
    role: naive
    collections: {people: {from: people, indexes: [{key: NAIVE}]}}
    operations: {find_one: {growth: constant, steps: [{findOne: {collection: people, filter: {name: ^name}}}]}}
  copied:
    role: pattern
    collections: {people: {from: people, indexes: [{key: PATTERN}]}}
    operations: {find_one: {growth: constant, steps: [{findOne: {collection: people, filter: {name: ^name}}}]}}
  other:
    role: alternative
    collections: {people: {from: people, indexes: [{key: OTHER}]OPTIONS}}
    operations: {find_one: {growth: constant, steps: [{findOne: {collection: people, filter: {name: ^name}}}]}}
workload:
  find_one: {weight: 1, args: {name: {^format: "Person 7"}}, returns: {fields: [name]}}
"#;

/// A second workload of the same operation.
const TWO_WORKLOADS: &str = "workloads:\n  first:\n    find_one: {weight: 1, args: {name: {^format: \"Person 7\"}}, \
                             returns: {fields: [name]}}\n  second:\n    find_one: {weight: 1, args: {name: {^format: \
                             \"Person 8\"}}, returns: {fields: [name]}}\n";

fn people(naive: &str, pattern: &str, other: &str) -> String {
    let text = PEOPLE.replace("NAIVE", naive).replace("PATTERN", pattern).replace("OTHER", other);
    text.replace("OPTIONS", "")
}

fn scenario(text: &str) -> Arc<Scenario> {
    let text = SourceText::new(format!("{}.yaml", support::unique_name("people")), text);
    Arc::new(load_scenario(text).unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

/// Hears what is told.
#[derive(Default)]
struct Warnings(Vec<String>);

impl Listener for Warnings {
    fn hear(&mut self, event: &Event) {
        if let Event::Warning(text) = event {
            self.0.push(text.clone());
        }
    }
}

async fn run_to(text: &str, extent: Extent) -> (RunFinish, Vec<String>) {
    let options = RunOptions {
        profile: Profile::Smoke,
        mode: Some(Mode::Closed),
        operations: Some(60),
        rounds: Some(3),
        concurrency: Some(2),
        ..RunOptions::default()
    };
    let plans = plan_scenario(&scenario(text), &options).unwrap_or_else(|error| panic!("{error}"));
    let target = Target::Server { server: support::shared_server(), consent: Consent::default(), ends: false };
    let request = RunRequest { target, plans, options, folder: None, extent };
    let mut warnings = Warnings::default();
    let finish = run(&request, &mut warnings, Interrupt::new()).await;
    (finish, warnings.0)
}

fn only(record: &RunRecord) -> &ScenarioRecord {
    let [scenario] = &record.scenarios[..] else { panic!("one scenario: {}", record.scenarios.len()) };
    scenario
}

fn wide() -> Style {
    Style { width: 200, ..Style::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_whose_index_has_no_effect_here_is_skipped_and_the_others_are_measured() {
    let (finish, told) = run_to(&people("{name: 1}", "{name: 1, _id: 1}", "{$**: 1}"), Extent::Everything).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    assert!(finish.record.complete, "nothing is missing that could be had");
    let record = only(&finish.record);
    let skipped: Vec<_> = record.models.iter().map(|model| (model.name.as_str(), model.skipped.as_deref())).collect();
    let why = "it needs a wildcard index: secantusd-rs takes a wildcard index, but no query uses it";
    assert_eq!(skipped, [("plain", None), ("copied", None), ("other", Some(why))]);
    assert!(told.iter().any(|told| told.contains("other: skipped") && told.contains(why)), "{told:?}");

    assert!(record.plan.order.iter().all(|round| round.len() == 2), "two models share the rounds");
    let windows = |model: &str| record.rounds.iter().filter(|window| window.model == model).count();
    assert_eq!(windows("other"), 0);
    assert_eq!(windows("plain"), windows("copied"));
    assert!(record.parity.as_ref().is_some_and(|parity| parity.operations > 0 && parity.mismatches == 0));
    assert_eq!(record.closing_parity.as_ref().map(|parity| parity.not_compared.len()), Some(0));
    assert!(record.models.iter().filter(|model| model.skipped.is_none()).all(|model| model.storage.is_some()));

    let text = terminal(&finish.record, &wide());
    assert!(text.lines().any(|line| line.contains("other") && line.contains("skipped")), "a row of the table:\n{text}");
    assert!(text.contains(&format!("other: {why}")), "{text}");
    assert!(html(&finish.record).contains(why));
    let json = serde_json::to_value(&finish.record).expect("a record is JSON");
    assert_eq!(json["scenarios"][0]["models"][2]["skipped"], why);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_refuses_while_collections_are_made_skips_the_model_too() {
    // Nothing is known beforehand of a capped collection without its size; the server refuses to make one.
    let refused = PEOPLE
        .replace("NAIVE", "{name: 1}")
        .replace("PATTERN", "{name: 1, _id: 1}")
        .replace("OTHER", "{name: 1}")
        .replace("OPTIONS", ", options: {capped: true}");
    let (finish, told) = run_to(&refused, Extent::Everything).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    let record = only(&finish.record);
    assert!(record.complete);
    let other = record.models.iter().find(|model| model.name == "other").expect("it is not gone");
    let why = other.skipped.as_deref().expect("a reason");
    assert!(why.contains("this server does not support it") && why.contains("creating collection `people`"), "{why}");
    assert!(record.rounds.iter().all(|window| window.model != "other"));
    assert_eq!(told.iter().filter(|told| told.contains("other: skipped")).count(), 1, "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_naive_model_a_scenario_is_not_measurable_here_and_that_is_no_failure() {
    let (finish, _) = run_to(&people("{name: hashed}", "{name: 1}", "{name: 1, _id: 1}"), Extent::Everything).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    assert!(finish.record.complete);
    let record = only(&finish.record);
    let why = record.not_measurable.as_deref().expect("a reason");
    assert!(why.contains("plain") && why.contains("hashed index"), "{why}");
    assert!(record.rounds.is_empty() && record.parity.is_none());
    let said = format!("not measurable on this server: {why}");
    assert!(terminal(&finish.record, &wide()).contains(&said));
    assert!(html(&finish.record).contains(&said));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_pattern_a_scenario_is_not_measurable_here() {
    let text = people("{name: 1}", "{name: text}", "{name: 1, _id: 1}");
    let two = text.split_once("workload:\n").map(|(head, _)| format!("{head}{TWO_WORKLOADS}")).expect("a workload");
    let (finish, _) = run_to(&two, Extent::Answers).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    assert_eq!(finish.record.scenarios.len(), 2, "one entry for each workload");
    for record in &finish.record.scenarios {
        assert!(record.not_measurable.as_deref().is_some_and(|why| why.contains("copied")));
    }
}
