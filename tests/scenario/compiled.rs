//! Stories of what comes out of a file without mistakes.

use bson::{Bson, doc};
use patternbench::scenario::{Bound, Expectation, Growth, IndexDefinition, StepKind, calls};
use patternbench::units::Ratio;
use patternbench::words::{ClaimMetric, Isolation, Role};

use crate::{SHOP, loaded, problems, shop};

#[test]
fn the_parts_of_the_file_come_out_in_their_order() {
    let scenario = loaded(SHOP);
    assert_eq!((scenario.name.as_str(), scenario.title.as_str()), ("shop", "A shop's orders"));
    assert_eq!(scenario.isolation, Isolation::Shared);
    let sets: Vec<&str> = scenario.dataset.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(sets, ["customers", "orders"]);
    let models: Vec<(&str, Role)> = scenario.models.iter().map(|model| (model.name.as_str(), model.role)).collect();
    assert_eq!(models, [("naive", Role::Naive), ("copied", Role::Pattern)]);
    assert_eq!(scenario.naive().name, "naive");
    let [workload] = &scenario.workloads[..] else { panic!("one workload") };
    assert_eq!(workload.name, "default");
    let mix: Vec<(&str, f64)> = workload.operations.iter().map(|mixed| (mixed.name.as_str(), mixed.weight)).collect();
    assert_eq!(mix, [("newest", 90.0), ("order", 10.0)]);
    let returns = workload.operations[0].returns.as_ref().unwrap();
    assert_eq!(returns.fields, ["total", "customer.name"]);
    assert!(returns.order);
    assert!(workload.operations[1].returns.is_none());
}

#[test]
fn parameters_claims_and_expectations_keep_what_they_say() {
    let scenario = loaded(SHOP);
    let [orders] = &scenario.parameters[..] else { panic!("one parameter") };
    assert_eq!((&orders.default, &orders.smoke, &orders.nightly), (&Bson::Int32(1000), &Some(Bson::Int32(50)), &None));
    assert_eq!((orders.min, orders.max), (Some(1.0), Some(100_000.0)));
    assert_eq!(scenario.sweep, [("orders".to_owned(), vec![Bson::Int32(100), Bson::Int32(1000)])]);
    let [claim] = &scenario.claims[..] else { panic!("one claim") };
    assert_eq!((claim.operation.as_str(), claim.metric), ("newest", ClaimMetric::P95));
    assert_eq!(claim.bound, Bound::AtLeast(Ratio::new(2.0)));
    let between = Expectation::Between(Ratio::new(0.5), Ratio::new(1.0));
    assert_eq!(scenario.expect, [("newest".to_owned(), Expectation::Faster), ("order".to_owned(), between)]);
}

#[test]
fn sets_are_indexed_by_what_refers_to_other_sets_unless_they_say_otherwise() {
    let keys = |text: &str| -> Vec<bson::Document> {
        let scenario = loaded(text);
        let written = |index: &IndexDefinition| match index {
            IndexDefinition::Written(index) => index.key.clone(),
            IndexDefinition::Computed(computed) => panic!("nothing is computed here: {computed:?}"),
        };
        scenario.dataset[1].indexes.iter().map(written).collect()
    };
    assert_eq!(keys(SHOP), [doc! {"customerId": 1}]);
    let children = shop("    count: ^orders\n", "    children: {of: customers, count: 2}\n").replace(
        "customerId: {^key: customers}, number: ^index, total: {^int: {min: 1, max: 500}}}\nmodels",
        "by: {name: ^parent.name, again: {^key: {of: customers, zipf: 0.9}}}}\nmodels",
    );
    assert_eq!(keys(&children), [doc! {"by.name": 1}, doc! {"by.again": 1}]);
    assert_eq!(
        keys(&shop("    count: ^orders\n", "    count: ^orders\n    indexes: []\n")),
        Vec::<bson::Document>::new()
    );
}

#[test]
fn names_have_slots_arguments_first_then_the_results_of_steps() {
    let scenario = loaded(SHOP);
    let order = &scenario.models[1].operations["order"];
    let placed = calls(&order.steps);
    let binding = placed[0].call.binding.as_ref().unwrap();
    assert_eq!((binding.name.as_str(), binding.slot), ("person", 1));
    let StepKind::InsertOne(insert) = &placed[1].call.kind else { panic!("an insert") };
    // `placed` is argument 0, `person` the first result.
    assert_eq!(insert.document.slots(), [0, 1]);
    assert!(placed[1].call.binding.is_none());
}

#[test]
fn growth_is_constant_logarithmic_or_linear_in_a_parameter() {
    let growth = |text: &str, model: usize| loaded(text).models[model].operations["newest"].growth.clone();
    assert_eq!(growth(SHOP, 0), Some(Growth::Log));
    assert_eq!(growth(SHOP, 1), Some(Growth::Constant));
    let linear = shop("growth: log", "growth: linear in orders");
    assert_eq!(growth(&linear, 0), Some(Growth::Linear { parameter: "orders".to_owned() }));
    assert_eq!(loaded(SHOP).models[0].operations["order"].growth, None);
}

#[test]
fn steps_know_where_they_stand() {
    let scenario = loaded(SHOP);
    let step = calls(&scenario.models[0].operations["order"].steps)[0].call;
    let text = &SHOP[step.span.start as usize..step.span.end as usize];
    assert_eq!(text, "insertOne: {collection: orders, document: ^placed}");
}

#[test]
fn several_workloads_share_their_operations() {
    let start = SHOP.find("workload:").unwrap();
    let mix = |newest: u32, order: u32| {
        SHOP[start..]
            .replace("workload:", "")
            .replace("weight: 90", "weight: #")
            .replace("weight: 10", &format!("weight: {order}"))
            .replace('#', &newest.to_string())
            .replace('\n', "\n  ")
    };
    let text = format!(
        "{}workloads:\n  read_heavy:{}\n  write_heavy:{}\n    state: reload\n",
        &SHOP[..start],
        mix(90, 10).trim_end(),
        mix(10, 90).trim_end(),
    );
    let scenario = loaded(&text);
    let weights: Vec<(&str, f64, bool)> = scenario
        .workloads
        .iter()
        .map(|workload| (workload.name.as_str(), workload.operations[0].weight, workload.state.is_some()))
        .collect();
    assert_eq!(weights, [("read_heavy", 90.0, false), ("write_heavy", 10.0, true)]);
}

#[test]
fn the_hash_is_of_the_file_as_it_stands() {
    let (first, second) = (loaded(SHOP), loaded(&format!("{SHOP}# a comment\n")));
    assert_eq!(first.file_sha256.len(), 64);
    assert_eq!(first.file_sha256, loaded(SHOP).file_sha256);
    assert_ne!(first.file_sha256, second.file_sha256);
}

#[test]
fn the_extras_of_a_step_compile() {
    const FIND: &str =
        "find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}";
    let steps = "find: {collection: orders, filter: {customerId: ^customer}, as: found, select: ^it.total, when: true}
          - updateOne:
              collection: orders
              filter: {_id: ^each}
              update: {$inc: {total: 1}}
              forEach: ^found
              expect: [DuplicateKey, WriteConflict]
              as: written
              assert: {^not: {^lt: [^written.matched, ^it.modified]}}
        result: ^written.matched";
    assert_eq!(problems(&shop(FIND, steps)), []);
}
