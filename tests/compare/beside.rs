//! Several runs of one scenario beside each other in a page.

use patternbench::record::RunRecord;
use patternbench::report::side_by_side_html;
use serde_json::json;

use crate::known::{on_secantusd, product_page};
use crate::made::of_scenario;
use crate::markup::{Element, elements};

fn two_servers() -> Vec<RunRecord> {
    let first = of_scenario(1, product_page().rounds(5, 400).build());
    let mut grown = product_page().rounds(5, 400).build();
    grown.parameters.insert("products".to_owned(), json!(5_000));
    grown.rounds.retain(|round| round.model != "tuned");
    let mut second = on_secantusd(of_scenario(2, grown));
    second.label = Some("<grown>".to_owned());
    vec![first, second]
}

fn texts<'a>(page: &'a [Element], name: &str) -> Vec<&'a str> {
    page.iter().filter(|element| element.name == name).map(|element| element.text.as_str()).collect()
}

#[test]
fn differences_stand_at_the_top_and_each_run_has_its_columns() {
    let page = side_by_side_html(&two_servers());
    let found = elements(&page);
    assert!(page.find("What differs between the runs") < page.find("list_page"), "differences come first");
    for named in ["server product", "server version", "product-list-page: parameter products"] {
        assert!(texts(&found, "th").contains(&named), "{named}");
    }
    for value in ["2000", "5000", "mongod", "secantusd"] {
        assert!(texts(&found, "td").contains(&value), "{value}");
    }
    let groups: Vec<&Element> = found
        .iter()
        .filter(|element| element.attributes.get("scope").is_some_and(|scope| scope == "colgroup"))
        .collect();
    assert_eq!(groups.len(), 2);
    assert!(page.contains("&lt;grown&gt;"), "a label is text");
    assert!(page.contains("B: These figures are not mongod") && !page.contains("A: These figures"), "whose they are");
}

#[test]
fn every_row_has_a_cell_for_every_column_and_what_was_not_measured_says_so() {
    let page = side_by_side_html(&two_servers());
    let from = page.find("p95, speed-up with its 95 % interval, and verdict in each run").expect("a table of figures");
    let body = &page[from..];
    let rows: Vec<&str> = body.split("<tr>").filter(|row| row.contains("scope=\"row\"")).collect();
    // Three operations (the mix counted) of three models.
    assert_eq!(rows.len(), 9);
    for row in &rows {
        assert_eq!(row.split("</tr>").next().expect("a row").matches("<td").count(), 6, "{row}");
    }
    assert!(page.contains("not measured in this run"), "tuned ran in the first alone");
}

#[test]
fn runs_that_differ_in_nothing_say_so() {
    let mut runs = two_servers();
    runs.truncate(1);
    runs.push(of_scenario(3, product_page().rounds(5, 400).build()));
    assert!(side_by_side_html(&runs).contains("The runs do not differ"));
}
