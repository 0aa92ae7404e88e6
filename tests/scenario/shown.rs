//! Stories of a scenario shown: models side by side, as written.

use bson::doc;
use patternbench::scenario::{Samples, Sheet};

use crate::{SHOP, loaded};

#[test]
fn a_sheet_holds_collections_and_operations_as_written() {
    let samples = Samples::from([(("copied".to_owned(), "orders".to_owned()), doc! {"_id": 7, "total": 12})]);
    let sheet = Sheet::new(&loaded(SHOP), &samples);
    let models: Vec<&str> = sheet.models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(models, ["naive", "copied"]);
    let orders = &sheet.models[1].collections[1];
    assert_eq!(orders.from.as_deref(), Some("orders"));
    assert_eq!(orders.indexes, ["{customerId: 1, total: -1, _id: 1}", "{number: 1} unique: true"]);
    assert_eq!(orders.sample.as_deref(), Some("_id: 7\ntotal: 12"));
    let pipeline = orders.pipeline.as_deref().unwrap();
    assert!(SHOP.contains(pipeline) && pipeline.starts_with("[{$lookup"), "{pipeline}");
    let newest = &sheet.operations[0];
    assert_eq!(newest.shares, [("default".to_owned(), 90.0)]);
    assert_eq!(newest.args, [("customer".to_owned(), "{^key: customers}".to_owned())]);
    let (growth, steps) = &newest.models[0];
    assert_eq!(growth.as_deref(), Some("log"));
    assert!(steps.starts_with("- aggregate:\n    collection: orders\n    pipeline:\n      - $match"), "{steps}");
    assert_eq!(sheet.operations[1].models[0].1, "- insertOne: {collection: orders, document: ^placed}");
}

#[test]
fn copies_of_the_facts_are_shown_without_a_server() {
    let sheet = Sheet::new(&loaded(SHOP), &Samples::new());
    let copied = sheet.models[0].collections[1].sample.as_deref().unwrap();
    assert!(copied.starts_with("_id: 0\ncustomerId: "), "{copied}");
    assert_eq!(sheet.models[1].collections[1].sample, None, "a pipeline needs a server");
}

#[test]
fn wide_terminals_show_models_beside_each_other_and_narrow_ones_below_each_other() {
    let sheet = Sheet::new(&loaded(SHOP), &Samples::new());
    let wide = sheet.text(120);
    let heads = wide.lines().find(|line| line.starts_with("naive ")).unwrap();
    assert!(heads.contains("copied (pattern)"), "{wide}");
    assert!(wide.lines().all(|line| line.chars().count() <= 120), "{wide}");
    assert!(wide.contains("newest: 90 % of the mix"), "{wide}");
    assert!(wide.contains("newest p95, naive ÷ pattern at least 2 (a talk)"), "{wide}");
    let narrow = sheet.text(60);
    assert!(narrow.lines().any(|line| line == "  copied (pattern)"), "{narrow}");
    for text in [wide, narrow, sheet.markdown()] {
        assert!(!text.contains('\u{1b}'), "no colours");
    }
}

#[test]
fn markdown_has_every_model_of_every_operation_in_a_block_of_its_own() {
    let markdown = Sheet::new(&loaded(SHOP), &Samples::new()).markdown();
    for heading in
        ["# A shop's orders", "### naive", "### copied (pattern)", "### newest: naive", "### order: copied (pattern)"]
    {
        assert!(markdown.lines().any(|line| line == heading), "{heading}: {markdown}");
    }
    assert_eq!(markdown.matches("```").count() % 2, 0);
}
