//! A comparison as people read it.

use patternbench::record::{CompareRecord, RunRecord};
use patternbench::report::{Style, comparison, comparison_html, comparison_markdown};
use patternbench::words::Sameness;

use crate::known::{on_secantusd, product_page};
use crate::made::{allowing, compared, of_scenario};
use crate::markup::elements;

/// The pattern lost its index, `tuned` is engine-limited, and the file says so.
fn lost_index() -> CompareRecord {
    let made = |day, lost: bool| -> RunRecord {
        let mut maker = product_page().rounds(6, 2_400);
        if lost {
            for ((model, operation), truth) in &mut maker.truths {
                if model == "page" && operation == "list_page" {
                    truth.median *= 9.0;
                }
            }
        }
        let mut scenario = maker.build();
        let reads = scenario.models[2].operations.get_mut("list_page").expect("every model lists pages");
        reads.engine_limited = Some("pipeline-form $lookup copies the foreign collection".to_owned());
        if lost {
            scenario.file_sha256 = "e".repeat(64);
            scenario.models[1].collections[0].indexes.clear();
            let reads = scenario.models[1].operations.get_mut("list_page").expect("every model lists pages");
            reads.round_trips = Some(2.0);
        }
        let mut run = on_secantusd(of_scenario(day, scenario));
        run.label = Some(if lost { "after" } else { "before" }.to_owned());
        run
    };
    allowing(&[Sameness::Scenario], vec![made(1, false)], vec![made(2, true)]).expect("the scenario may differ")
}

fn same_run() -> CompareRecord {
    let run = of_scenario(1, product_page().rounds(5, 400).build());
    compared(vec![run.clone()], vec![run])
}

#[test]
fn a_lost_index_on_a_terminal() {
    insta::assert_snapshot!(comparison(&lost_index(), &Style::default()));
}

#[test]
fn a_lost_index_for_a_pull_request() {
    insta::assert_snapshot!(comparison_markdown(&lost_index()));
}

#[test]
fn a_run_beside_itself_says_that_nothing_is_judged() {
    let shown = comparison(&same_run(), &Style::default());
    assert!(shown.contains("The same run stands on both sides: nothing changed, and nothing is judged"), "{shown}");
    assert!(!shown.contains("regression"), "{shown}");
}

#[test]
fn no_line_of_a_narrow_terminal_is_longer_than_it_is_wide() {
    let shown = comparison(&lost_index(), &Style { width: 80, unicode: false, ..Style::default() });
    let widest = shown.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest <= 80), "{shown}");
    assert!(shown.is_ascii(), "{shown}");
}

#[test]
fn the_page_is_well_formed_and_leads_nowhere_else() {
    for record in [lost_index(), same_run()] {
        let page = comparison_html(&record);
        let elements = elements(&page);
        let named = |name: &str| elements.iter().filter(|element| element.name == name).collect::<Vec<_>>();
        for forbidden in ["script", "link", "img", "iframe", "form"] {
            assert!(named(forbidden).is_empty(), "{forbidden}");
        }
        assert_eq!(named("table").len(), named("caption").len(), "every table has a caption");
        let mut ids: Vec<&String> = elements.iter().filter_map(|element| element.attributes.get("id")).collect();
        let number = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), number, "an id is there once");
        for link in named("a") {
            let target = link.attributes["href"].strip_prefix('#').expect("links stay in the page").to_owned();
            assert!(ids.contains(&&target), "#{target}");
        }
    }
}

#[test]
fn whatever_a_user_wrote_is_text() {
    let hostile = "<script>alert('x')</script>|`**&\u{0}\u{202E}";
    let mut record = lost_index();
    record.new.asked = hostile.to_owned();
    record.scenarios[0].title = hostile.to_owned();
    record.scenarios[0].speedups[0].operation = hostile.to_owned();
    record.scenarios[0].evidence[0].place = hostile.to_owned();
    assert!(elements(&comparison_html(&record)).iter().all(|element| element.name != "script"));
    let markdown = comparison_markdown(&record);
    assert!(!markdown.contains("<script") && markdown.contains("&lt;script&gt;"), "{markdown}");
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let rows: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.iter().any(|row| row.contains("script")));
    assert!(
        rows.iter().all(|row| [5, 7, 8].contains(&columns(row))),
        "every row has the columns of its table: {rows:?}"
    );
    assert!(!comparison(&record, &Style::default()).contains(['\u{0}', '\u{202E}']));
}
