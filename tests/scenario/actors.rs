//! What a model does beside its operations: actors and events as a person writes them, and mistakes in them.

use std::time::Duration;

use patternbench::scenario::Trigger;
use patternbench::words::DataState;

use crate::{expect, loaded, only_problem, problems, shop};

/// A model of the shop with an actor and an event.
const BESIDE: &str = "    role: pattern
    background:
      - name: keep_names
        every: 250ms
        steps:
          - find: {collection: customers, filter: {renamed: true}, as: renamed}
          - updateMany:
              collection: orders
              filter: {customerId: ^each._id}
              update: {$set: {customer: [^each]}}
              forEach: ^renamed
    events:
      - name: migrate
        at: 0.3
        steps:
          - updateMany: {collection: orders, filter: {}, update: {$set: {version: 2}}, as: written}
        result: ^written.modified
";

const ROLE: &str = "    role: pattern\n";

fn beside(old: &str, new: &str) -> String {
    assert_eq!(BESIDE.matches(old).count(), 1, "{old:?} stands once there");
    BESIDE.replace(old, new)
}

#[test]
fn an_actor_and_an_event_have_steps_as_operations_have_them() {
    let scenario = loaded(&shop(ROLE, BESIDE));
    let model = scenario.models.iter().find(|model| model.name == "copied").expect("it is there");
    let [actor] = &model.background[..] else { panic!("one actor: {:?}", model.background) };
    assert_eq!((actor.name.as_str(), actor.does.steps.len()), ("keep_names", 2));
    assert!(matches!(actor.trigger, Trigger::Every(every) if every == Duration::from_millis(250)));
    let [event] = &model.events[..] else { panic!("one event: {:?}", model.events) };
    assert_eq!((event.name.as_str(), event.at.get(), event.is_last()), ("migrate", 0.3, false));
    assert!(event.does.result.is_some());
    assert!(!model.needs_change_streams());
    assert!(scenario.naive().background.is_empty() && scenario.naive().events.is_empty());
}

#[test]
fn an_actor_that_changes_drive_knows_the_change_and_makes_its_model_need_change_streams() {
    let driven =
        beside("every: 250ms", "on_change: {collection: customers, pipeline: [{$match: {operationType: update}}]}");
    let driven = driven.replace("filter: {renamed: true}", "filter: {_id: ^change.documentKey._id}");
    let scenario = loaded(&shop(ROLE, &driven));
    let model = scenario.models.iter().find(|model| model.name == "copied").expect("it is there");
    assert!(model.needs_change_streams());
    assert!(matches!(&model.background[0].trigger, Trigger::OnChange { collection, .. } if collection == "customers"));
    // Nobody else knows it.
    let timed = beside("filter: {renamed: true}", "filter: {_id: ^change.documentKey._id}");
    let (place, message, _) = only_problem(&shop(ROLE, &timed));
    assert!(place.contains("^change") && message.contains("change"), "{place}: {message}");
}

#[test]
fn mistakes_of_actors_are_told_where_they_are() {
    let mistakes = [
        ("        every: 250ms\n", "", "{name", "an actor has no `every`", "on_change"),
        ("every: 250ms", "every: often", "often", "`often` is no time between two turns", "`100ms`"),
        ("every: 250ms", "every: 2h", "2h", "no time between two turns", "between `1ms` and `1m`"),
        (
            "every: 250ms",
            "every: 250ms\n        on_change: {collection: customers}",
            "{collection: customers}",
            "`every` or `on_change`, not both",
            "two actors",
        ),
        ("every: 250ms", "on_change: {collection: custommers}", "custommers", "unknown collection", "`customers`"),
        ("every: 250ms", "on_change: {pipeline: []}", "{pipeline: []}", "has no `collection`", "whose changes"),
        (
            "every: 250ms",
            "on_change: {collection: customers, pipeline: all}",
            "all",
            "a pipeline is a list of stages",
            "operationType",
        ),
        ("name: keep_names", "name: keep names", "keep names", "cannot name an actor", "`keep_copies`"),
        ("filter: {customerId: ^each._id}", "filter: {customerId: ^eech._id}", "^eech._id", "eech", "each"),
    ];
    for (right, wrong, place, message, help) in mistakes {
        let (marked, told, helped) = only_problem(&shop(ROLE, &beside(right, wrong)));
        assert!(marked.starts_with(place) || place == "{name", "{wrong}: {marked}");
        assert!(told.contains(message), "{wrong}: {told}");
        assert!(helped.contains(help), "{wrong}: {helped}");
    }
}

#[test]
fn mistakes_of_events_are_told_where_they_are() {
    let mistakes = [
        ("at: 0.3", "at: 30", "30", "a share of the window, between 0 and 1", "`at: 0.3`"),
        ("        at: 0.3\n", "", "name", "an event has no `at`", "`at: 0.3`"),
        ("name: migrate", "name: keep_names", "keep_names", "taken by another actor or event", "their counts"),
        ("result: ^written.modified", "result: ^writen.modified", "^writen.modified", "writen", "written"),
        (
            "steps:\n          - updateMany: {collection: orders, filter: {}, update: {$set: {version: 2}}, as: written}\n        result: ^written.modified\n",
            "steps: []\n",
            "[]",
            "at least one step",
            "updateMany",
        ),
    ];
    for (right, wrong, place, message, help) in mistakes {
        let (marked, told, helped) = only_problem(&shop(ROLE, &beside(right, wrong)));
        assert!(marked.contains(place), "{wrong}: {marked}");
        assert!(told.contains(message), "{wrong}: {told}");
        assert!(helped.contains(help), "{wrong}: {helped}");
    }
}

#[test]
fn a_parameter_cannot_have_the_name_of_the_change() {
    let driven = beside("every: 250ms", "on_change: {collection: customers}");
    let text = shop(ROLE, &driven).replace("parameters:\n", "parameters:\n  change: {default: 1}\n");
    let told = problems(&text);
    assert!(told.iter().any(|told| told.message.contains("`^change` is the change")), "{told:#?}");
}

#[test]
fn fields_that_follow_later_need_somebody_who_brings_them_up_to_date() {
    let returns = "returns: {fields: [total, customer.name], order: true}";
    let eventual = "returns: {fields: [total, customer.name], order: true, eventual: [customer.name]}";
    expect(returns, eventual, "customer.name", "no model has a `background` actor", "leave `eventual` out");
    let text = shop(returns, eventual).replace(ROLE, BESIDE);
    assert_eq!(problems(&text), []);
}

#[test]
fn a_workload_may_say_what_becomes_of_its_data() {
    for (word, state) in [("reload", DataState::Reload), ("growing", DataState::Growing)] {
        let scenario = loaded(&shop("workload:\n", &format!("workload:\n  state: {word}\n")));
        assert_eq!(scenario.workloads[0].state, Some(state));
        assert_eq!(scenario.workloads[0].operations.len(), 2, "`state` is no operation");
    }
    assert_eq!(loaded(crate::SHOP).workloads[0].state, None, "the plan decides");
    let help = "`state: reload` loads fresh data for every round";
    for wrong in ["fresh", "steady", "3"] {
        expect("workload:\n", &format!("workload:\n  state: {wrong}\n"), wrong, "no `state` of a workload", help);
    }
    let named = "workload:\n  state: {weight: 5}\n";
    expect("workload:\n", named, "state", "`state` is no name for an operation", help);
}
