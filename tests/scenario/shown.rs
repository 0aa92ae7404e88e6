//! Stories of a scenario shown: models side by side, as written.

use bson::doc;
use patternbench::scenario::{Commands, Samples, Sheet, contents};

use crate::{SHOP, loaded};

#[test]
fn a_sheet_holds_collections_and_operations_as_written() {
    let samples = Samples::from([(("copied".to_owned(), "orders".to_owned()), doc! {"_id": 7, "total": 12})]);
    let sheet = Sheet::new(&loaded(SHOP), &samples, &Commands::new());
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
    let done = &newest.models[0];
    assert_eq!(done.growth.as_deref(), Some("log"));
    assert!(done.steps.starts_with("- aggregate:\n    collection: orders\n    pipeline:\n      - $match"), "{done:?}");
    assert_eq!(sheet.operations[1].models[0].steps, "- insertOne: {collection: orders, document: ^placed}");
}

#[test]
fn copies_of_the_facts_are_shown_without_a_server() {
    let sheet = Sheet::new(&loaded(SHOP), &Samples::new(), &Commands::new());
    let copied = sheet.models[0].collections[1].sample.as_deref().unwrap();
    assert!(copied.starts_with("_id: 0\ncustomerId: "), "{copied}");
    assert_eq!(sheet.models[1].collections[1].sample, None, "a pipeline needs a server");
}

#[test]
fn wide_terminals_show_models_beside_each_other_and_narrow_ones_below_each_other() {
    let sheet = Sheet::new(&loaded(SHOP), &Samples::new(), &Commands::new());
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
fn a_page_holds_documents_commands_and_what_is_expected() {
    let samples =
        Samples::from([(("copied".to_owned(), "orders".to_owned()), doc! {"_id": 7, "customer": [{"_id": 3}]})]);
    let find = doc! {"find": "orders", "filter": {"customerId": 3}, "sort": {"total": -1, "_id": 1}, "limit": 10};
    let commands = Commands::from([(("copied".to_owned(), "newest".to_owned()), vec![find])]);
    let page = Sheet::new(&loaded(SHOP), &samples, &commands).markdown();
    insta::assert_snapshot!(page);
}

#[test]
fn what_an_alias_stands_for_is_shown_in_its_place() {
    let steps = |text: &str, model: usize| {
        let sheet = Sheet::new(&loaded(text), &Samples::new(), &Commands::new());
        sheet.operations[0].models[model].steps.clone()
    };
    let find = "- find: {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}";
    let naive =
        &SHOP[SHOP.find("          - aggregate:").unwrap()..SHOP.find("      order:\n        - insertOne").unwrap()];
    let defined = |find: &str, of_copied: &str| {
        let text = crate::shop(naive, find);
        let at = text.rfind("          - find: {collection: orders").unwrap();
        let end = at + text[at..].find('\n').unwrap();
        format!("{}{of_copied}{}", &text[..at], &text[end..])
    };
    let flow = defined(
        "          - find: &newest {collection: orders, filter: {customerId: ^customer}, sort: {total: -1, _id: 1}, limit: 10}\n",
        "          - find: *newest",
    );
    assert_eq!([steps(&flow, 0), steps(&flow, 1)], [find, find]);

    let block = defined(
        "          - find: &newest\n              collection: orders\n              filter: {customerId: ^customer}\n              sort: &order {total: -1, _id: 1}\n              limit: 10\n",
        "          - find: *newest",
    );
    let expected = "- find:\n    collection: orders\n    filter: {customerId: ^customer}\n    sort: {total: -1, _id: 1}\n    limit: 10";
    assert_eq!([steps(&block, 0), steps(&block, 1)], [expected, expected]);

    let nested = block.replace(
        "          - find: *newest",
        "          - find: {collection: orders, filter: {customerId: ^customer}, sort: *order, limit: 10}",
    );
    assert_eq!(steps(&nested, 1), find);
}

#[test]
fn the_table_of_contents_has_each_scenario_in_its_section() {
    let tagged = |tags: &str| crate::shop("summary: The", &format!("tags: [{tags}]\nsummary: The"));
    let sheets = ["shop", "shop, relationships", "anti-patterns", "shop, worked-example"]
        .map(|tags| Sheet::new(&loaded(&tagged(tags)), &Samples::new(), &Commands::new()));
    let contents = contents(&sheets);
    let headings: Vec<&str> = contents.lines().filter(|line| line.starts_with("## ")).collect();
    let expected = ["## Relationships", "## Patterns", "## Anti-patterns and their fixes", "## Worked examples"];
    assert_eq!(headings, expected);
    assert_eq!(contents.matches("(pages/shop.md)").count(), sheets.len());
}
